"""Distinct ragged rows are numbered in order of their first occurrence."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.run.tuning import tuned
from tests.naive.arrays import distinct_rows

pytestmark = pytest.mark.cuda

ROWS = st.lists(st.lists(st.integers(0, 2), max_size=3), max_size=25)


def numbered(backend, rows):
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    items = np.array([item for row in rows for item in row], np.uint32)
    found = backend.arrays.distinct_rows(backend.to_device(offsets), backend.to_device(items))
    ids, firsts = map(backend.to_host, found)
    assert (ids.dtype, firsts.dtype) == (np.uint32, np.int64)
    return ids.tolist(), firsts.tolist()


@given(ROWS)
def test_numbers_equal_those_of_a_dictionary(backend, rows):
    assert numbered(backend, rows) == distinct_rows(rows)


@pytest.mark.parametrize("mask", [0, 1, 7])
@given(rows=ROWS)
def test_rows_of_one_hash_are_compared(backend, mask, rows):
    with tuned(hash_mask=mask):
        assert numbered(backend, rows) == distinct_rows(rows)


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 128])
def test_any_number_of_rows(backend, n):
    rng = random.Random(n)
    rows = [sorted(rng.sample(range(5), rng.randint(0, 3))) for _ in range(n)]
    assert numbered(backend, rows) == distinct_rows(rows)


def test_large_items_are_told_apart(backend):
    most = (1 << 32) - 1
    rows = [[most], [most - 1], [most], [0, most], [most, 0], [], [0]]
    ids, firsts = numbered(backend, rows)
    assert firsts == [0, 1, 3, 4, 5, 6] and ids == [0, 1, 0, 2, 3, 4, 5]
    assert all(a < b for a, b in pairwise(firsts))
