"""Sizes of the tables of a `KmerIndex`, which are the same on every backend."""

from __future__ import annotations

import numpy as np

_BITS_PER_BASE = 8
_LONGEST_BP = 31
_MORE_BP = 3  # one s-mer in 4^3 / 2 that is not in the sequences is equal to one that is, by chance


def filter_length(k: int, n_bases: int) -> int:
    """Choose the length s of the s-mers of the filter, for a number of bases of sequences.

    Shorter ones leave out more k-mers each, longer ones are rarer in reads by chance.
    """
    return min(k, _LONGEST_BP, (max(0, n_bases - 1).bit_length() + 1) // 2 + _MORE_BP)


def n_slots(n_kmers: int) -> int:
    """Number of slots of the hash table: two to four for each k-mer of the sequences."""
    return 1 << max(1, (2 * n_kmers - 1).bit_length())


def slot_dtype(n_positions: int) -> type[np.uint32 | np.uint64]:
    """Type of the slots for positions below a number."""
    return np.uint32 if n_positions < (1 << 32) - 1 else np.uint64


def n_filter_words(n_bases: int) -> int:
    """Number of words of 32 bits of the filter: 8 to 16 bits for each base."""
    return 1 << max(0, (_BITS_PER_BASE * n_bases - 1).bit_length() - 5)


def index_bytes(n_kmers: int, n_bases: int, n_positions: int) -> int:
    """Memory of the index of sequences with numbers of k-mers and bases, at positions below a number, and of these."""
    slots = n_slots(n_kmers) * np.dtype(slot_dtype(n_positions)).itemsize
    return slots + 4 * n_filter_words(n_bases) + n_positions // 4
