"""Sizes of hash tables of k-mers of unitigs."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.unitigs.sizes import ANCHOR_MARK_BITS, index_bytes, index_dtype


@pytest.mark.parametrize(
    ("n_bases", "n_mark_bits", "n_bytes"),
    [
        (0, 0, 8),
        (1, 0, 8),
        (4, 0, 32),
        (5, 0, 64),
        ((1 << 31) - 1, 1, 4 << 32),
        (1 << 31, 1, 8 << 32),
        (1 << 31, 0, 4 << 32),
    ],
)
def test_tables_have_two_slots_for_each_base(n_bases, n_mark_bits, n_bytes):
    assert index_bytes(n_bases, n_mark_bits) == n_bytes


def test_marks_leave_fewer_bits_for_positions():
    assert index_dtype(1 << 31) == np.uint32
    assert index_dtype(1 << 31, ANCHOR_MARK_BITS) == np.uint64
