"""Inputs that are larger than the memory of the device."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run.tuning import tuned

pytestmark = pytest.mark.cuda


@pytest.fixture
def runs(cuda, monkeypatch, tune):
    """The module, with runs of 10 values for keys of 4 bytes and 8 for pairs."""
    from debruijn_gpu.backends.arrays.cuda import runs

    monkeypatch.setattr(runs.memory, "budget", lambda: 160)
    tune(shortest_sorted_run=4, pair_bytes=20)
    return runs


SAMPLES = [
    np.random.default_rng(0).integers(-50, 50, 60).astype(np.int32),
    np.random.default_rng(1).integers(0, 3, 45).astype(np.uint32),
    np.full(33, 7, np.uint32),
    np.array([1.5, np.nan, -0.0, np.inf, 0.0, -np.inf, np.nan] * 5, np.float32),
    np.full(25, np.nan, np.float32),
    np.arange(40, dtype=np.int64)[::-1],
    np.zeros(0, np.int32),
]


@pytest.mark.parametrize("values", SAMPLES, ids=range(len(SAMPLES)))
def test_sort(runs, values):
    np.testing.assert_array_equal(runs.sort_host(values), np.sort(values))


@pytest.mark.parametrize("values", SAMPLES, ids=range(len(SAMPLES)))
def test_distinct(runs, values):
    found, counts = np.unique(values, return_counts=True)
    np.testing.assert_array_equal(runs.distinct_host(values), found)
    got, numbers = runs.distinct_counts_host(values)
    np.testing.assert_array_equal(got, found)
    np.testing.assert_array_equal(numbers, counts)
    assert numbers.dtype == np.int64


def test_segments_fit(runs):
    rng = np.random.default_rng(2)
    made = [(np.sort(rng.integers(0, 20, 30)),) for _ in range(5)]
    segments = [segment for (segment,) in runs._segments(made, 12)]
    np.testing.assert_array_equal(
        np.concatenate([np.sort(segment) for segment in segments]), np.sort(np.concatenate([run for (run,) in made]))
    )
    assert all(segment.size <= 12 or segment.min() == segment.max() for segment in segments)


def test_less_memory_than_thought(runs, monkeypatch):
    sort = runs.sort

    def sort_few(keys):
        if keys.size > 5:
            raise OutOfMemoryError("Out of GPU memory: sort needs 1 GiB")
        return sort(keys)

    monkeypatch.setattr(runs, "sort", sort_few)
    values = np.random.default_rng(3).integers(0, 1000, 30).astype(np.int32)
    np.testing.assert_array_equal(runs.sort_host(values), np.sort(values))
    with tuned(shortest_sorted_run=8), pytest.raises(OutOfMemoryError, match="1 GiB"):
        runs.sort_host(values)
