"""Find the least k-mers of intervals of packed bases; see `unitigs.least_kmer_scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Codes, Longs
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.intrinsics import with_word
from debruijn_gpu.backends.core.cpu.threads import over_ranges
from debruijn_gpu.backends.unitigs import least_kmer_scalars

_least_kmer_of = compile_module(lean_function, kmer_scalars, least_kmer_scalars, with_word=with_word).least_kmer_of


@kernel
def _find_least(bases, k, starts, stops, first, last, codes, places, zero):
    """Write the least k-mers (out, uint64 (words, n)) of the intervals first..last, and their places (out, int64)."""
    top_bits = np.uint64(2 * k - 64 * (len(zero) - 1))
    for i in range(first, last):
        least, places[i] = _least_kmer_of(bases, k, starts[i], stops[i], top_bits, zero)
        for word in range(len(zero)):
            codes[word, i] = least[word]


def least_kmers(bases: Codes, k: int, starts: Longs, stops: Longs) -> tuple[Codes, Longs]:
    """See `UnitigOperations.least_kmers`."""
    n, n_words = len(starts), words_per_kmer(k)
    codes, places = np.empty((n_words, n), np.uint64), np.empty(n, np.int64)
    zero = (np.uint64(0),) * n_words
    over_ranges(
        n,
        lambda first, last: _find_least(bases, k, starts, stops, first, last, codes, places, zero),
        work=int((stops - starts).sum()),
    )
    return codes, places
