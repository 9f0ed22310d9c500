"""Count words of sequences; see `VectorOperations`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.vectors.protocol import N_WORDS

_WORD_BP = 4


@kernel
def _count(codes, starts, ends, first, last, counts):
    """Count words in the windows first..last - 1.

    Parameters
    ----------
    codes : in, uint8 (n_bases,)
    starts, ends : in, int64 (n_windows,)
    first, last : int64
    counts : in and out, int32 (n_windows, N_WORDS)
    """
    for window in range(first, last):
        word, n_known = np.int64(0), 0
        for position in range(starts[window], ends[window]):
            code = np.int64(codes[position])
            n_known = n_known + 1 if code < 4 else 0
            word = ((word << 2) | (code & 3)) & 255
            if n_known >= _WORD_BP:
                counts[window, word] += 1


def count_words(codes: Array, starts: Array, ends: Array) -> Array:
    """See `VectorOperations.count_words`."""
    counts: NDArray[np.int32] = np.zeros((len(starts), N_WORDS), np.int32)

    def count(first: int, last: int) -> None:
        _count(codes, starts, ends, first, last, counts)

    threads.over_ranges(len(starts), count, work=len(codes))
    return counts
