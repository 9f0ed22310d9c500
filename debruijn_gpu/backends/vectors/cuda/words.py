"""Count words of sequences; see `VectorOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import BLOCK, contiguous, cuda, kernel, launch, uint32, xp
from debruijn_gpu.backends.vectors.protocol import N_WORDS

_WORD_BP = 4


@kernel
def _count(codes, starts, ends, counts):
    """Count words in windows. One block per window, which counts in shared memory; its threads stride over positions.

    Parameters
    ----------
    codes : in, uint8 (n_bases,)
    starts, ends : in, int64 (n_windows,)
    counts : out, int32 (n_windows, N_WORDS)
    """
    own = cuda.shared.array(N_WORDS, uint32)
    for window in range(cuda.blockIdx.x, starts.size, cuda.gridDim.x):
        for column in range(cuda.threadIdx.x, N_WORDS, BLOCK):
            own[column] = np.uint32(0)
        cuda.syncthreads()
        for position in range(starts[window] + cuda.threadIdx.x, ends[window] - _WORD_BP + 1, BLOCK):
            word, is_known = 0, True
            for i in range(_WORD_BP):
                code = np.int64(codes[position + i])
                is_known = is_known and code < 4
                word = ((word << 2) | code) & 255
            if is_known:
                cuda.atomic.add(own, word, np.uint32(1))
        cuda.syncthreads()
        for column in range(cuda.threadIdx.x, N_WORDS, BLOCK):
            counts[window, column] = own[column]
        cuda.syncthreads()


@guarded
def count_words(codes: Array, starts: Array, ends: Array) -> Array:
    """See `VectorOperations.count_words`."""
    counts = xp.empty((starts.size, N_WORDS), np.int32)
    arrays = (contiguous(codes), contiguous(starts), contiguous(ends))
    launch(_count, starts.size, *arrays, counts, per_block=1)
    return counts
