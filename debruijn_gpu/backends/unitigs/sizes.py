"""Sizes of hash tables of k-mers of unitigs, and of what reads tell about these; both backends share them."""

from __future__ import annotations

import numpy as np

#: Bits of a slot that mark k-mers in tables of anchors
ANCHOR_MARK_BITS = 1
#: Bases that are counted together as covered by reads that agree with a unitig; see `compare_placed`
COVER_BIN_BP = 8
#: Bases with which a read continues where it contradicts a unitig, as far as they are noted
SITE_WORD_BP = 12
_SLOTS_MULTIPLE = 64  # see `core.kmer_scalars.first_slot`


def index_slots(n_bases: int) -> int:
    """Number of slots for the k-mers of so many bases with which few of them share a slot: three for each."""
    return _multiple(3 * n_bases)


def least_index_slots(n_bases: int) -> int:
    """Number of slots with which look-ups take up to twice as long: 1.25 for each base."""
    return _multiple(5 * n_bases // 4)


def slots_within(n_bytes: int, n_bases: int, n_mark_bits: int = 0) -> int:
    """Number of slots that fit into a number of bytes, from `least_index_slots` to `index_slots`."""
    at_most = n_bytes // np.dtype(index_dtype(n_bases, n_mark_bits)).itemsize
    return max(least_index_slots(n_bases), min(index_slots(n_bases), at_most // _SLOTS_MULTIPLE * _SLOTS_MULTIPLE))


def index_dtype(n_bases: int, n_mark_bits: int = 0) -> type[np.uint32 | np.uint64]:
    """Type of the slots, which hold positions, and marks beside them."""
    return np.uint32 if n_bases < 1 << (32 - n_mark_bits) else np.uint64


def index_bytes(n_bases: int, n_mark_bits: int = 0) -> int:
    """Memory of the table."""
    return np.dtype(index_dtype(n_bases, n_mark_bits)).itemsize * index_slots(n_bases)


def least_index_bytes(n_bases: int, n_mark_bits: int = 0) -> int:
    """Memory of the smallest table."""
    return np.dtype(index_dtype(n_bases, n_mark_bits)).itemsize * least_index_slots(n_bases)


def _multiple(n_slots: int) -> int:
    return (n_slots // _SLOTS_MULTIPLE + 1) * _SLOTS_MULTIPLE
