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


def index_of(codes: Codes, k: int, n_bits: int) -> tuple[Longs, np.uint64, np.uint64]:
    """Build the index of a table by its first ``n_bits`` bits, with ``n_bits`` and the bits that word 0 uses."""
    n_words = words_per_kmer(k)
    bits = np.uint64(n_bits), np.uint64(2 * k - 64 * (n_words - 1))
    index: Longs = np.empty((1 << n_bits) + 1, np.int64)
    _index(codes, *bits, index, (np.uint64(0),) * n_words)
    return index, *bits


def look_up_counts(codes: Codes, counts: Counts, k: int, wanted: Codes) -> Counts:
    """See `KmerOperations.look_up_counts`."""
    found = np.empty(wanted.shape[1], np.uint32)
    zero = (np.uint64(0),) * words_per_kmer(k)
    index = index_of(codes, k, max(1, min(_MOST_INDEX_BITS, 2 * k, len(counts).bit_length() - 1)))
    threads.over_ranges(
        len(found),
        lambda start, stop: _look_up(codes, counts, *index, wanted, start, stop, found, zero),
    )
    return found
