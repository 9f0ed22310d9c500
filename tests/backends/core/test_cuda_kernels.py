"""Branches of the CUDA operations that small inputs do not take by themselves."""

from __future__ import annotations

import types
from contextlib import nullcontext

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.run.tuning import tuned

pytestmark = pytest.mark.cuda


def test_pairs_that_do_not_fit_in_64_bits(cuda):
    keys = np.array([2**63, 0, 2**64 - 1, 0, 2**63, 1], np.uint64)
    values = np.arange(6, dtype=np.uint32)
    order = np.argsort(keys, kind="stable")
    found, positions = map(cuda.to_host, cuda.arrays.sort_pairs(cuda.to_device(keys), cuda.to_device(values)))
    np.testing.assert_array_equal(found, keys[order])
    np.testing.assert_array_equal(positions, order)
    found, first = map(cuda.to_host, cuda.arrays.distinct_first(cuda.to_device(keys)))
    expected, expected_first = np.unique(keys, return_index=True)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(first, expected_first)
    columns = [keys, -keys.astype(np.int64)]
    found = cuda.to_host(cuda.arrays.order_by([cuda.to_device(column) for column in columns]))
    np.testing.assert_array_equal(found, np.lexsort(columns[::-1]))


@pytest.mark.parametrize("dtype", ["u4", "i4", "u8", "i8", "f4", "f8"])
@tuned(few_wanted_keys=2)
def test_join_by_bitmap(cuda, dtype):
    rng = np.random.default_rng(0)
    signed = 0 if dtype[0] == "u" else 20
    wanted = (rng.integers(0, 60, 12) - signed).astype(dtype)
    keys = np.concatenate((np.arange(-3 if signed else 0, 50).astype(dtype), wanted[:3]))
    found = cuda.to_host(cuda.arrays.semi_join(cuda.to_device(keys), cuda.to_device(wanted)))
    np.testing.assert_array_equal(found, np.isin(keys, wanted))


@pytest.mark.parametrize("dtype", ["u4", "i8"])
@tuned(shared_counts=4)
def test_counters_that_blocks_do_not_hold(cuda, dtype):
    values = np.random.default_rng(0).integers(0, 9, 40).astype(dtype)
    on_device = cuda.to_device(values)
    np.testing.assert_array_equal(
        cuda.to_host(cuda.arrays.count_integers(on_device, 9)), np.bincount(values.astype(int))
    )
    found = cuda.to_host(cuda.arrays.histogram(on_device, -2, 7.5, 11))
    np.testing.assert_array_equal(found, np.histogram(values, 11, (-2, 7.5))[0])
    found, counts = map(cuda.to_host, cuda.arrays.distinct_counts(on_device))
    np.testing.assert_array_equal(counts, np.unique(values, return_counts=True)[1])


@pytest.mark.parametrize("start", range(9))
def test_mask_at_any_address(cuda, start):
    values, mask = np.arange(60), np.random.default_rng(start).random(60) < 0.4
    kept, positions = cuda.arrays.compact(cuda.to_device(values)[start:], cuda.to_device(mask)[start:])
    np.testing.assert_array_equal(cuda.to_host(kept), values[start:][mask[start:]])
    np.testing.assert_array_equal(cuda.to_host(positions), np.flatnonzero(mask[start:]))


@tuned(long_row=2)
def test_rows_for_whole_blocks(cuda):
    rng = np.random.default_rng(0)
    tails, heads = (rng.random((2, 24)) ** 3 * 20).astype(np.uint32)
    graph = CPU.graphs.csr_from_edges(tails, heads, 20)
    weights = rng.random(24)
    on_device = [cuda.to_device(array) for array in graph]
    np.testing.assert_array_equal(
        cuda.to_host(cuda.graphs.weak_components(*on_device)), CPU.graphs.weak_components(*graph)
    )
    expected, n_iterations = CPU.graphs.page_rank(*graph, weights, 0.85, 1e-2, 100)
    found = cuda.graphs.page_rank(*on_device, cuda.to_device(weights), 0.85, 1e-2, 100)
    np.testing.assert_array_equal(cuda.to_host(found[0]), expected)
    assert found[1] == n_iterations


class NoRoomError(Exception):
    """What CuPy raises of the driver."""

    def __init__(self, status):
        super().__init__(f"error {status}")
        self.status = status


@pytest.mark.parametrize(
    ("statuses", "raised", "n_freed"),
    [([], None, 0), ([2], None, 1), ([2, 2], MemoryError, 1), ([700], NoRoomError, 0), ([2, 700], NoRoomError, 1)],
)
def test_no_room_for_code(cuda, monkeypatch, statuses, raised, n_freed):
    """The pool may hold all memory of the device when the driver has to load a kernel."""
    from debruijn_gpu.backends.core.cuda import runtime

    left, freed = list(statuses), []

    def run(*args):
        if left:
            raise NoRoomError(left.pop(0))

    driver = types.SimpleNamespace(CUDADriverError=NoRoomError)
    monkeypatch.setattr(runtime, "xp", types.SimpleNamespace(cuda=types.SimpleNamespace(driver=driver)))
    monkeypatch.setattr(runtime, "_run_once", run)
    monkeypatch.setattr(runtime, "free_pool_blocks", lambda: freed.append(1))
    with pytest.raises(raised) if raised else nullcontext():
        runtime._run_compiled(None, 1, 1, 0, ())
    assert (left, len(freed)) == ([], n_freed)
