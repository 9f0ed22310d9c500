"""Sizes of hash tables of k-mers of unitigs, which both backends and estimates of memory share."""

from __future__ import annotations

import numpy as np

#: Bits of a slot that mark k-mers in tables of anchors
ANCHOR_MARK_BITS = 1


def index_slots(n_bases: int) -> int:
    """Number of slots, a power of two, for the k-mers of so many bases: at least two for each."""
    return 1 << max(1, (2 * n_bases - 1).bit_length())


def index_dtype(n_bases: int, n_mark_bits: int = 0) -> type[np.uint32 | np.uint64]:
    """Type of the slots, which hold positions, and marks beside them."""
    return np.uint32 if n_bases < 1 << (32 - n_mark_bits) else np.uint64


def index_bytes(n_bases: int, n_mark_bits: int = 0) -> int:
    """Memory of the table."""
    return np.dtype(index_dtype(n_bases, n_mark_bits)).itemsize * index_slots(n_bases)
