"""Divide walks of any length among blocks of threads."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cuda.runtime import BLOCK, cuda, device_function

_ONE = np.uint32(1)
#: Walks of a block, at least, where there are enough: the threads of a block share them out
WALKS_OF_BLOCK = 2 * BLOCK


@device_function
def share_of_block(n, taken):
    """The first (int64) of the consecutive items of n that a block has, and the one behind them; ``taken`` becomes 0.

    All threads of a block must come here. ``taken`` (shared, uint32 (1,)) counts the items that they take.
    """
    if cuda.threadIdx.x == 0:
        taken[0] = 0
    cuda.syncthreads()
    block, n_blocks = np.int64(cuda.blockIdx.x), np.int64(cuda.gridDim.x)
    return np.int64(n) * block // n_blocks, np.int64(n) * (block + 1) // n_blocks


@device_function
def take_next(first, taken):
    """The next item (int64) of a block whose items begin with ``first``; there may be none left."""
    return first + np.int64(cuda.atomic.add(taken, 0, _ONE))
