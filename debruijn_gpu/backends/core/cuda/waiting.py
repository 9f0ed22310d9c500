"""Let the blocks of a grid wait for each other, so that one launch does what several would.

That saves what a launch takes, 10 us in Python, where there is little work. All blocks must be on the device at the
same time: `launch_waiting` sees to that.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function

_PAUSE_NS = 50


@device_function
def wait_for_grid(arrived, n_waits):
    """Wait until all blocks of the grid have come here; what they wrote before is seen by all behind.

    All threads must come here.

    Parameters
    ----------
    arrived : in and out, int64 (1,); 0 when the kernel is launched, and for this alone
    n_waits : int64
        Number of times that the kernel has come here, with this one.
    """
    cuda.syncthreads()
    if cuda.gridDim.x > 1:
        if cuda.threadIdx.x == 0:
            cuda.threadfence()
            cuda.atomic.add(arrived, 0, np.int64(1))
            while cuda.atomic.add(arrived, 0, np.int64(0)) < n_waits * np.int64(cuda.gridDim.x):
                cuda.nanosleep(np.uint32(_PAUSE_NS))  # leaves the counter to those that arrive
            cuda.threadfence()
        cuda.syncthreads()
