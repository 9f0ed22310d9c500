"""Look k-mers up in a sorted table: an index of their leading bits, then binary search.

Canonical k-mers are denser at the low end, twice as dense as on average there if they are random (the smaller of two
numbers that are spread evenly): the leading bits alone are a good index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, with_word, xp
from debruijn_gpu.backends.core.cuda.scalars import leading_bits
from debruijn_gpu.backends.core.kernel_names import Family

_MAX_INDEX_BITS = 26


@device_function
def load_kmer(codes, i, kmer):
    """k-mer i; the value of ``kmer`` only gives the number of words."""
    for word in range(len(kmer)):
        kmer = with_word(kmer, word, codes[word, i])
    return kmer


@device_function
def _compare(codes, i, kmer):
    """-1, 0 or 1: k-mer i of a table is less than another one, the same, or greater. Reads no more words than it
    must."""
    for word in range(len(kmer)):
        there = codes[word, i]
        if there != kmer[word]:
            return -1 if there < kmer[word] else 1
    return 0


@device_function
def find_kmer(codes, index, n_bits, top_bits, kmer):
    """Number of a k-mer in a table, -1 if it is not there; ``index`` as `write_index` writes it."""
    slot = np.int64(leading_bits(kmer, top_bits, n_bits))
    low = np.int64(index[slot])
    high = np.int64(index[slot + 1])
    while low < high:
        middle = (low + high) >> 1
        order = _compare(codes, middle, kmer)
        if order == 0:
            return middle
        if order < 0:
            low = middle + 1
        else:
            high = middle
    return np.int64(-1)


@Family
def _write_index(n_words: int) -> Any:
    """Make `write_index` for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def write_index(codes, n_bits, top_bits, index):
        """Where k-mers with these leading bits, or greater ones, begin. One thread per entry; neighbours search along
        the same path.

        Parameters
        ----------
        codes : in, uint64 (words, n), ascending
        n_bits : uint64; leading bits that count
        top_bits : uint64; bits that word 0 uses
        index : out, uint32 or int64 (2^n_bits + 1,)
        """
        for slot in range(cuda.grid(1), index.size, cuda.gridsize(1)):
            low = 0
            high = codes.shape[1]
            while low < high:
                middle = (low + high) >> 1
                if leading_bits(load_kmer(codes, middle, zero), top_bits, n_bits) < np.uint64(slot):
                    low = middle + 1
                else:
                    high = middle
            index[slot] = low

    return write_index


@Family
def _look_up(n_words: int) -> Any:
    """Make `look_up` for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def look_up(codes, counts, index, n_bits, top_bits, wanted, found):
        """Write the counts of wanted k-mers. One thread per wanted k-mer.

        Parameters
        ----------
        codes, index, n_bits, top_bits : in; see `write_index`
        counts : in, uint32 (n,)
        wanted : in, uint64 (words, m)
        found : out, uint32 (m,); 0 if absent
        """
        for i in range(cuda.grid(1), found.size, cuda.gridsize(1)):
            at = find_kmer(codes, index, n_bits, top_bits, load_kmer(wanted, i, zero))
            found[i] = counts[at] if at >= 0 else np.uint32(0)

    return look_up


def index_of(codes: Array, k: int) -> tuple[Array, np.uint64, np.uint64]:
    """Build the index of a table (contiguous) that `find_kmer` takes, with ``n_bits`` and ``top_bits``."""
    n_words, n = codes.shape
    index_bits = max(1, min(_MAX_INDEX_BITS, 2 * k, n.bit_length() - 1))
    bits = np.uint64(index_bits), np.uint64(2 * k - 64 * (n_words - 1))
    index = xp.empty((1 << index_bits) + 1, np.uint32 if n < 1 << 32 else np.int64)
    launch(_write_index(n_words), index.size, codes, *bits, index)
    return index, *bits


@guarded
def look_up_counts(codes: Array, counts: Array, k: int, wanted: Array) -> Array:
    """See `KmerOperations.look_up_counts`."""
    codes = contiguous(codes)
    found = xp.empty(wanted.shape[1], np.uint32)
    index = index_of(codes, k)
    launch(_look_up(codes.shape[0]), found.size, codes, contiguous(counts), *index, contiguous(wanted), found)
    return found
