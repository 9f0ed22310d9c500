"""Sizes of hash tables of k-mers of unitigs."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.unitigs.sizes import (
    ANCHOR_MARK_BITS,
    index_bytes,
    index_dtype,
    index_slots,
    least_index_bytes,
    least_index_slots,
    slots_within,
)


@pytest.mark.parametrize(
    ("n_bases", "n_mark_bits", "n_bytes"),
    [
        (0, 0, 4 * 64),
        (21, 0, 4 * 64),
        (22, 0, 4 * 128),
        (1 << 20, 0, (12 << 20) + 4 * 64),
        ((1 << 31) - 1, 1, 12 << 31),
        (1 << 31, 1, (24 << 31) + 8 * 64),
        (1 << 31, 0, (12 << 31) + 4 * 64),
    ],
)
def test_tables_have_three_slots_for_each_base(n_bases, n_mark_bits, n_bytes):
    assert index_bytes(n_bases, n_mark_bits) == n_bytes


@pytest.mark.parametrize("n_bases", [0, 1, 51, 52, 1000, 1 << 20, 3_000_000_000])
def test_smaller_tables_have_a_free_slot_behind_five_for_four_bases(n_bases):
    assert max(n_bases, 5 * n_bases // 4) < least_index_slots(n_bases) <= index_slots(n_bases)
    item = np.dtype(index_dtype(n_bases)).itemsize
    assert least_index_bytes(n_bases) == item * least_index_slots(n_bases)


@pytest.mark.parametrize("n_bytes", [-1, 0, 5000, 8000, 8191, 8192, 8193, 12_000, 1 << 40])
def test_tables_have_as_many_slots_as_fit(n_bytes):
    n_slots = slots_within(n_bytes, 1000)
    assert n_slots % 64 == 0
    assert least_index_slots(1000) <= n_slots <= index_slots(1000)
    assert 4 * n_slots <= max(n_bytes, least_index_bytes(1000))
    assert n_slots == index_slots(1000) or 4 * (n_slots + 64) > n_bytes


def test_marks_leave_fewer_bits_for_positions():
    assert index_dtype(1 << 31) == np.uint32
    assert index_dtype(1 << 31, ANCHOR_MARK_BITS) == np.uint64
