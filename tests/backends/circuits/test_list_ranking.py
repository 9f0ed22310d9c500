"""Following linked lists against a loop, on each backend."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.run.options import RunOptions
from tests.helpers import n_examples
from tests.naive import lists as naive

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=12 if is_simulated() else n_examples(150),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def check(backend, successor):
    """Lists, their order and all dtypes are those of the contract."""
    offsets, items, circular = map(backend.to_host, backend.circuits.rank_lists(backend.to_device(successor)))
    assert (offsets.dtype, items.dtype, circular.dtype) == (np.int64, successor.dtype, np.bool_)
    found = [(items[a:b].tolist(), bool(c)) for (a, b), c in zip(itertools.pairwise(offsets), circular, strict=True)]
    assert found == naive.lists(successor.tolist())


def random_lists(seed, n, n_ends, dtype=np.uint32):
    """Generate a random permutation, and cut some of its arcs."""
    rng = np.random.default_rng(seed)
    successor = rng.permutation(n)
    successor[rng.choice(n, min(n, n_ends), replace=False)] = n
    return successor.astype(dtype)


@pytest.mark.parametrize("dtype", [np.uint32, pytest.param(np.uint64, marks=pytest.mark.slow)])
@few
@given(n=st.integers(0, 60), n_ends=st.integers(0, 20), seed=st.integers(0, 999))
def test_any_lists(backend, n, n_ends, seed, dtype):
    check(backend, random_lists(seed, n, n_ends, dtype))


@few
@given(lengths=st.lists(st.tuples(st.integers(1, 12), st.booleans()), max_size=10), seed=st.integers(0, 99))
def test_lists_and_cycles_of_these_lengths(backend, lengths, seed):
    n = sum(length for length, _ in lengths)
    names = np.random.default_rng(seed).permutation(n) if seed else np.arange(n)
    successor, at = np.full(n, n), 0
    for length, is_cycle in lengths:
        items = names[at : at + length]
        successor[items[:-1]] = items[1:]
        if is_cycle:
            successor[items[-1]] = items[0]
        at += length
    check(backend, successor.astype(np.uint32))


def bidirected(n_pairs):
    """Lists of two in reverse-complement pairs, as those of unitigs are."""
    v = np.arange(4 * n_pairs).reshape(-1, 4)
    successor = np.full(4 * n_pairs, 4 * n_pairs)
    successor[v[:, 0]], successor[v[:, 3]] = v[:, 2], v[:, 1]
    return successor


SHAPES = {
    "nothing": np.zeros(0),
    "one item": np.array([1]),
    "a cycle of one": np.array([0]),
    "lists of one": np.full(60, 60),
    "cycles of one": np.arange(60),
    "cycles of two": np.arange(60) ^ 1,
    "one list": np.arange(1, 61),
    "one list backwards": np.array([60, *range(59)]),
    "one cycle": np.roll(np.arange(60), 1),
    "lists of two, each end as far from the middle as its head": np.array([*range(30, 60)[::-1], *[60] * 30]),
    "bidirected": bidirected(15),
    "a list and a cycle": np.array([*range(1, 30), 60, *range(31, 60), 30]),
}


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(backend, name, dtype):
    check(backend, SHAPES[name].astype(dtype))


@pytest.mark.parametrize("n", [15, 16, 17, 63, 64, 65, 127, 128])
def test_sizes_about_blocks(backend, n):
    check(backend, random_lists(n, n, n // 8))
    check(backend, np.arange(1, n + 1, dtype=np.uint32))


@pytest.mark.slow
@pytest.mark.parametrize("n_ends", [0, 1, 100, 50_000, 100_000])
def test_many_items(backend, n_ends):
    check(backend, random_lists(1, 100_000, n_ends))


def test_long_lists_in_order(backend):
    n = 50_000
    check(backend, np.arange(1, n + 1, dtype=np.uint32))
    check(backend, np.roll(np.arange(n), 1).astype(np.uint32))


@pytest.mark.skipif(is_simulated(), reason="runs beside the simulator")
def test_threads_change_nothing():
    successor = random_lists(3, 30_000, 2000)
    cpu = backends.load(RunOptions(backend="cpu", threads=1))
    expected = cpu.circuits.rank_lists(successor)
    found = backends.load(RunOptions(backend="cpu", threads=3)).circuits.rank_lists(successor)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)
