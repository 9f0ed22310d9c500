"""Find the least k-mers of intervals of packed bases; see `unitigs.least_kmer_scalars`."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, with_word, xp
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.backends.unitigs import least_kmer_scalars

_least_kmer_of = compile_module(device_function, kmer_scalars, least_kmer_scalars, with_word=with_word).least_kmer_of


@Family
def _find_least(n_words: int) -> Any:
    """Make `find_least` for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def find_least(bases, k, starts, stops, codes, places):
        """Write the least k-mers (out, uint64 (words, n)) of intervals, and their places (out, int64 (n,)). One thread
        per interval."""
        top_bits = np.uint64(2 * k - 64 * (len(zero) - 1))
        for i in range(cuda.grid(1), places.size, cuda.gridsize(1)):
            least, place = _least_kmer_of(bases, k, starts[i], stops[i], top_bits, zero)
            places[i] = place
            for word in range(len(zero)):
                codes[word, i] = least[word]

    return find_least


@guarded
def least_kmers(bases: Array, k: int, starts: Array, stops: Array) -> tuple[Array, Array]:
    """See `UnitigOperations.least_kmers`."""
    n, n_words = starts.size, words_per_kmer(k)
    codes, places = xp.empty((n_words, n), np.uint64), xp.empty(n, np.int64)
    launch(
        _find_least(n_words), n, contiguous(bases), np.int64(k), contiguous(starts), contiguous(stops), codes, places
    )
    return codes, places
