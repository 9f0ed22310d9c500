"""Sizes of the tables of a `KmerIndex`, the same on every backend, and of a hash table of k-mers with values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.run.buffers import LINE_BYTES

_BITS_PER_BASE = 8
_LONGEST_BP = 31
_REGION_BITS = 8  # of the number of k-mers of a region: some cache lines
_LEAST_REGION_KMERS = 32  # for whole lines: each region has one more than its k-mers fill
#: Words of 64 bits of a cache line
LINE_WORDS = LINE_BYTES // 8
_MORE_BP = 3  # one s-mer in 4^3 / 2 that is not in the sequences is equal to one that is, by chance


def filter_length(k: int, n_bases: int) -> int:
    """Choose the length s of the s-mers of the filter, for a number of bases of sequences.

    Shorter ones leave out more k-mers each, longer ones are rarer in reads by chance.
    """
    return min(k, _LONGEST_BP, (max(0, n_bases - 1).bit_length() + 1) // 2 + _MORE_BP)


def n_slots(n_kmers: int) -> int:
    """Number of slots of the hash table: three for each k-mer of the sequences."""
    return (3 * n_kmers // 64 + 1) * 64  # see `core.kmer_scalars.first_slot`


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


@dataclass(frozen=True)
class SlotLayout:
    """Layout of a hash table of k-mers with values, whose slots have as many words as a k-mer.

    Attributes
    ----------
    n_bits : int
        Leading bits of k-mers that share a region of slots. They are not stored.
    top_bits : int
        Bits that word 0 of a k-mer uses.
    n_value_bits : int
        Lowest bits of a slot, for the value and 1; 0 is a free slot.
    n_slots : int
        Slots of a bucket: those of a cache line, or one where long values ask for many regions with few k-mers each.
    masks : tuple of int
        Bits of the words of a slot that a k-mer uses, or would use in place of the value.
    n_slot_words : int
        Words of all slots: half as many slots again as k-mers, and a bucket for each region.
    """

    n_bits: int
    top_bits: int
    n_value_bits: int
    n_slots: int
    masks: tuple[int, ...]
    n_slot_words: int

    @property
    def n_bytes(self) -> int:
        """Memory of the slots, and of where each region begins."""
        return 8 * self.n_slot_words + 4 * ((1 << self.n_bits) + 1)


def slot_layout(n_kmers: int, largest: int, k: int) -> SlotLayout:
    """Choose the layout of the table of some k-mers, with values up to the largest."""
    n_words = words_per_kmer(k)
    n_value_bits = (largest + 1).bit_length()
    least_bits = 2 * k + n_value_bits - 64 * n_words  # else a slot is too short
    n_bits = min(2 * k, max(1, least_bits, n_kmers.bit_length() - _REGION_BITS))
    n_used = 2 * k + n_value_bits - n_bits
    masks = tuple((1 << min(64, max(0, n_used - 64 * i))) - 1 for i in reversed(range(n_words)))
    has_lines = n_kmers >> n_bits >= _LEAST_REGION_KMERS or n_kmers >> 31  # buckets are numbered in 32 bits
    n_slots = LINE_WORDS // n_words if has_lines else 1
    n_buckets = (n_kmers + (n_kmers >> 1)) // n_slots + (1 << n_bits)
    return SlotLayout(n_bits, 2 * k - 64 * (n_words - 1), n_value_bits, n_slots, masks, n_words * n_slots * n_buckets)
