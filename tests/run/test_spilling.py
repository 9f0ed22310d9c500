"""Arrays in memory and in a scratch file: the same elements wherever they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.run.spilling import SpillingArrays


@given(lengths=st.lists(st.integers(0, 20), max_size=8), limit=st.integers(0, 400), spills=st.booleans())
def test_elements_are_the_same_in_memory_and_on_disk(lengths, limit, spills):
    arrays = SpillingArrays(limit, None)
    originals = [np.arange(n, dtype=np.uint64) + np.uint64(100 * i) for i, n in enumerate(lengths)]
    numbers = [arrays.add(array, np.arange(len(array) + 1)) for array in originals]
    if spills:
        arrays.spill()
    for number, original in zip(numbers, originals, strict=True):
        for start in range(len(original) + 1):
            target = np.empty(len(original) - start, np.uint64)
            arrays.read_into(number, start, target)
            assert target.tolist() == original[start:].tolist()
    arrays.close()


def test_a_missing_directory_is_an_error_when_memory_is_used_up(tmp_path):
    arrays = SpillingArrays(80, tmp_path / "none")
    arrays.add(np.zeros(10))
    with pytest.raises(FileAccessError):
        arrays.add(np.zeros(1))


def test_a_strided_array_is_written_in_order():
    arrays = SpillingArrays(0, None)
    number = arrays.add(np.arange(10)[::2])
    target = np.empty(5, np.int64)
    arrays.read_into(number, 0, target)
    assert target.tolist() == [0, 2, 4, 6, 8]
