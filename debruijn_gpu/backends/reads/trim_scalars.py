"""Find what is no part of the genome at the ends of reads: scalar functions of both backends.

Bases are packed as in `ReadBatch`; a read is the bases ``start`` to ``stop``. Positions and lengths are int64.
Ambiguous bases count as A.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.kmer_scalars import base_at, bases_from, reverse_complement_word

ALL_BASES = np.uint64(0xFFFFFFFFFFFFFFFF)
ONES = np.uint64(0x5555555555555555)
ONE, THREE = np.uint64(1), np.uint64(3)

LEAST_OVERLAP = 30  # of mates, as in fastp (Chen et al. 2018), like the following two
MOST_MISMATCHES = 5  # among the bases that are compared; a fifth of the overlap would be more
COMPARED_BASES = 50  # from the beginning of the first mate; later ones hold more errors
NO_INSERT = 0
MATCHES_PER_MISMATCH = 8  # bases of an adapter for each one that may differ, as in fastp
LEAST_ADAPTER = 8  # bases of an adapter at the end of a read: fewer agree by chance


def count_ones(word):
    """Count the bits that are set. Of the backend."""
    raise NotImplementedError


def mismatches(a, b):
    """Count the bases in which two words differ."""
    x = a ^ b
    return np.int64(count_ones((x | (x >> ONE)) & ONES))


def last_bases(bases, start, stop):
    """Load the bases start..stop, at most 32, in the lowest bits of a word."""
    return bases_from(bases, start) >> np.uint64(64 - 2 * (stop - start))


def mates_agree(one, start, other, stop, n):
    """Whether n bases from ``start`` on are the reverse complement of those before ``stop`` of the other mate."""
    n_different = 0
    for i in range(n):
        if base_at(one, start + i) != THREE - base_at(other, stop - 1 - i):
            n_different += 1
    return n_different <= MOST_MISMATCHES


def overlap_at(one, start, n_one, other, other_start, n_other):
    """Whether the first n_one bases of a mate overlap the first n_other of the other one at their beginning."""
    n = min(n_one, n_other, COMPARED_BASES)
    return mates_agree(one, start, other, other_start + n_other, n)


def overlaps_later(first, start, stop, second, second_start, second_stop):
    """Whether mates overlap so that the insert is not shorter than the first mate.

    The second mate's reverse complement then begins at some base of the first mate.
    """
    n_second = second_stop - second_start
    n_seed = min(32, n_second)
    seed = reverse_complement_word(last_bases(second, second_stop - n_seed, second_stop))
    mask = ALL_BASES << np.uint64(64 - 2 * n_seed)
    for at in range(start, stop - LEAST_OVERLAP + 1):
        n = min(stop - at, n_second)
        here = mask if n >= n_seed else ALL_BASES << np.uint64(64 - 2 * n)
        if mismatches(bases_from(first, at) & here, seed & here) <= MOST_MISMATCHES:
            if mates_agree(first, at, second, second_stop, min(n, COMPARED_BASES)):
                return True
    return False


def short_insert(first, start, stop, second, second_start, second_stop):
    """Length of the insert of a pair if it is shorter than the second mate; else `NO_INSERT`.

    The first offset at which the mates overlap counts: the longest insert. Where they also overlap so that the insert
    is longer, that is the first one.
    """
    n_first, n_second = stop - start, second_stop - second_start
    if min(n_first, n_second) < LEAST_OVERLAP:
        return NO_INSERT
    n_seed = LEAST_OVERLAP
    low = ALL_BASES >> np.uint64(64 - 2 * n_seed)
    seed = reverse_complement_word(bases_from(first, start)) & low
    for insert in range(n_second - 1, LEAST_OVERLAP - 1, -1):
        at = second_start + insert
        if mismatches(last_bases(second, at - n_seed, at), seed) > MOST_MISMATCHES:
            continue
        if overlap_at(first, start, n_first, second, second_start, insert):
            is_longer = overlaps_later(first, start, stop, second, second_start, second_stop)
            return NO_INSERT if is_longer else insert
    return NO_INSERT


def length_without_adapter(bases, start, stop, adapter, n_adapter, least):
    """Bases of a read before the first place that agrees with an adapter.

    Parameters
    ----------
    bases : in, uint64
    start, stop : int64
    adapter : uint64
        Its bases in the highest bits, at most 32.
    n_adapter : int64
    least : int64
        Bases of the adapter that the end of a read must hold.
    """
    for at in range(start, stop - least + 1):
        n = min(n_adapter, stop - at)
        mask = ALL_BASES << np.uint64(64 - 2 * n)
        if mismatches(bases_from(bases, at) & mask, adapter & mask) <= n // MATCHES_PER_MISMATCH:
            return at - start
    return stop - start


def trailing_run(bases, start, stop):
    """Four times the length of the run of one base that a read ends with, plus its code; 0 for an empty read."""
    if start == stop:
        return 0
    last = base_at(bases, stop - 1)
    at = stop - 1
    while at > start and base_at(bases, at - 1) == last:
        at -= 1
    return 4 * (stop - at) + np.int64(last)
