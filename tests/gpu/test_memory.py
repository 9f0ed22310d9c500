"""What happens when the memory of the GPU does not suffice."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run.options import RunOptions

pytestmark = pytest.mark.gpu


@pytest.fixture
def small():
    """The CUDA backend with little memory."""
    yield backends.load_cuda(RunOptions(backend="cuda", gpu_memory="64M"))
    backends.load_cuda(RunOptions(backend="cuda"))


def test_too_large_for_the_budget(small):
    with pytest.raises(OutOfMemoryError, match="64") as caught:
        small.arrays.sort(small.to_device(np.zeros(10_000_000, np.uint64)))
    assert caught.value.exit_code == 137
    assert "--gpu-memory" in caught.value.fix


@pytest.mark.parametrize("in_cycle", [False, True], ids=["freed at once", "left to the garbage collector"])
def test_blocks_from_before_a_budget_do_not_serve_past_it(in_cycle):
    plain = backends.load_cuda(RunOptions(backend="cuda"))
    arrays = [plain.to_device(np.zeros(n, np.uint64)) for n in (10_000_000, 20_000_000)]
    if in_cycle:
        arrays.append(arrays)
    del arrays
    try:
        limited = backends.load_cuda(RunOptions(backend="cuda", gpu_memory="64M"))
        gc.collect()
        with pytest.raises(OutOfMemoryError, match="64"):
            limited.arrays.sort(limited.to_device(np.zeros(10_000_000, np.uint64)))
    finally:
        backends.load_cuda(RunOptions(backend="cuda"))


@pytest.mark.parametrize("dtype", ["u4", "i8", "f4"])
def test_sort_in_runs(small, dtype):
    keys = np.random.default_rng(0).integers(0, 1 << 30, 50_000_000).astype(dtype)
    np.testing.assert_array_equal(small.arrays.sort_host(keys), np.sort(keys))


def test_distinct_in_runs(small):
    values = np.random.default_rng(0).integers(0, 7_000_000, 30_000_000)
    found, counts = np.unique(values, return_counts=True)
    np.testing.assert_array_equal(small.arrays.distinct_host(values), found)
    got, numbers = small.arrays.distinct_counts_host(values)
    np.testing.assert_array_equal(got, found)
    np.testing.assert_array_equal(numbers, counts)


def test_smaller_runs_after_running_out(small, monkeypatch):
    from debruijn_gpu.backends.core.cuda import memory

    monkeypatch.setattr(memory, "budget", lambda: 1 << 30)  # more than there is
    keys = np.random.default_rng(0).integers(0, 1 << 60, 30_000_000)
    np.testing.assert_array_equal(small.arrays.sort_host(keys), np.sort(keys))
