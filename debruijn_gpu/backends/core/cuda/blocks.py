"""Share work among the threads of a block."""

from __future__ import annotations

from debruijn_gpu.backends.core.cuda.runtime import BLOCK, cuda, device_function


@device_function
def block_sum(partial, thread, value):
    """The sum of the values of all threads of a block, for each of them. All must come here.

    Parameters
    ----------
    partial : shared, any number (BLOCK,)
        For this alone; may be used again at once.
    thread : int
        Number of the thread.
    value : dtype of partial
    """
    partial[thread] = value
    cuda.syncthreads()
    half = BLOCK // 2
    while half:
        if thread < half:
            partial[thread] += partial[thread + half]
        cuda.syncthreads()
        half //= 2
    total = partial[0]
    cuda.syncthreads()
    return total
