"""Distinct integers of arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.arithmetic.distinct import sorted_distinct


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint8])
@given(numbers=st.lists(st.integers(0, 255)))
def test_distinct_integers_are_those_of_numpy(dtype, numbers):
    found = sorted_distinct(np.array(numbers, dtype))
    assert found.dtype == dtype
    assert found.tolist() == np.unique(np.array(numbers, dtype)).tolist()


def test_large_numbers_keep_their_order():
    numbers = np.array([2**64 - 1, 0, 2**63, 2**64 - 1], np.uint64)
    assert sorted_distinct(numbers).tolist() == [0, 2**63, 2**64 - 1]
    assert sorted_distinct(numbers.view(np.int64)).tolist() == [-(2**63), -1, 0]
