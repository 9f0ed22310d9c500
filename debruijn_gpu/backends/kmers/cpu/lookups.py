"""Look k-mers up in a sorted table: an index of their leading bits, then binary search."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Codes, Counts, Longs
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import strided_kernel
from debruijn_gpu.backends.core.cpu.scalars import leading_bits, less
from debruijn_gpu.backends.kmers.cpu.buckets import load_kmer

_MOST_INDEX_BITS = 26


@strided_kernel
def _index(codes, n_bits, top_bits, index, zero):
    """Write the position at which k-mers with each value of their leading bits begin.

    Parameters
    ----------
    codes : in, uint64 (words, n), ascending
    n_bits : uint64; leading bits that count
    top_bits : uint64; bits that word 0 uses
    index : out, int64 (2^n_bits + 1,)
    """
    slot = 0
    for i in range(codes.shape[1]):
        own = np.int64(leading_bits(load_kmer(codes, i, zero), top_bits, n_bits))
        while slot <= own:
            index[slot] = i
            slot += 1
    while slot < index.size:
        index[slot] = codes.shape[1]
        slot += 1


@strided_kernel
def _look_up(codes, counts, index, n_bits, top_bits, wanted, start, stop, found, zero):
    """Write the counts (out, uint32) of the wanted k-mers start..stop; 0 if absent. See `_index`."""
    for i in range(start, stop):
        kmer = load_kmer(wanted, i, zero)
        slot = np.int64(leading_bits(kmer, top_bits, n_bits))
        low, high = index[slot], index[slot + 1]
        while low < high:
            middle = (low + high) >> 1
            if less(load_kmer(codes, middle, zero), kmer):
                low = middle + 1
            else:
                high = middle
        found[i] = 0
        if low < index[slot + 1] and not less(kmer, load_kmer(codes, low, zero)):
            found[i] = counts[low]


def look_up_counts(codes: Codes, counts: Counts, k: int, wanted: Codes) -> Counts:
    """See `KmerOperations.look_up_counts`."""
    n, n_words = len(counts), words_per_kmer(k)
    found = np.empty(wanted.shape[1], np.uint32)
    n_bits = max(1, min(_MOST_INDEX_BITS, 2 * k, n.bit_length() - 1))
    bits = np.uint64(n_bits), np.uint64(2 * k - 64 * (n_words - 1))
    zero = (np.uint64(0),) * n_words
    index: Longs = np.empty((1 << n_bits) + 1, np.int64)
    _index(codes, *bits, index, zero)
    threads.over_ranges(
        len(found),
        lambda start, stop: _look_up(codes, counts, index, *bits, wanted, start, stop, found, zero),
    )
    return found
