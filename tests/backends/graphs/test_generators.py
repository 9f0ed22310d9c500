"""Operations that make graphs, on each backend."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.graphs.protocol import Cactus
from tests.helpers import n_examples

pytestmark = pytest.mark.cuda

LARGE = 60 if is_simulated() else 100_000
some = settings(
    deadline=None,
    max_examples=10 if is_simulated() else n_examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
seeds = st.integers(0, 2**64)


@some
@given(n=st.integers(0, 50 if is_simulated() else 5000), seed=seeds)
def test_permutations(backend, n, seed):
    found = backend.to_host(backend.graphs.permutation(n, seed))
    np.testing.assert_array_equal(np.sort(found), np.arange(n))


@pytest.mark.skipif(is_simulated(), reason="statistics of many")
def test_permutations_have_as_many_cycles_as_random_ones(backend):
    """The mean over 400 is the harmonic number of n, within four standard deviations."""
    n, n_cycles, n_fixed = 1000, [], []
    for seed in range(400):
        follow = backend.to_host(backend.graphs.permutation(n, seed)).tolist()
        left = set(range(n))
        n_cycles.append(0)
        while left:
            at = left.pop()
            n_cycles[-1] += 1
            while (at := follow[at]) in left:
                left.remove(at)
        n_fixed.append(sum(i == to for i, to in enumerate(follow)))
    assert abs(np.mean(n_cycles) - 7.485) < 4 * 2.42 / 20
    assert abs(np.mean(n_fixed) - 1) < 4 / 20


@some
@given(least=st.integers(0, 5), n_values=st.integers(1, 9), seed=seeds)
def test_degrees(backend, least, n_values, seed):
    n = min(LARGE, 20_000)
    found = backend.to_host(backend.graphs.random_degrees(n, least, least + n_values - 1, seed))
    assert found.dtype == np.int32
    assert found.min() >= least
    assert found.max() < least + n_values
    counts = np.bincount(found - least, minlength=n_values)
    assert ((counts - n / n_values) ** 2).sum() < 60 * n / n_values  # chi square of 8 degrees of freedom: 1e-9


@pytest.mark.parametrize("n_vertices", [1, 7, 1 << 31, 1 << 32, (1 << 32) + 1, 1 << 60])
def test_heads(backend, n_vertices):
    found = backend.to_host(backend.graphs.random_heads(LARGE, n_vertices, 1))
    assert found.dtype == (np.uint32 if n_vertices <= 1 << 32 else np.uint64)
    assert found.max() < n_vertices
    assert n_vertices < 1 << 31 or found.max() > n_vertices * 0.9
    counts = np.bincount((found.astype(np.float64) / n_vertices * 7).astype(int), minlength=7)
    assert n_vertices == 1 or ((counts - LARGE / 7) ** 2).sum() < 60 * LARGE / 7


def reached(row_ptr, col):
    """Whether every vertex is reached from vertex 0."""
    seen, stack = {0}, [0]
    while stack:
        v = stack.pop()
        for head in col[row_ptr[v] : row_ptr[v + 1]].tolist():
            if head not in seen:
                seen.add(head)
                stack.append(head)
    return len(seen) == len(row_ptr) - 1


@some
@given(degrees=st.lists(st.integers(0, 5), min_size=1, max_size=20), seed=seeds)
def test_ring_and_shuffle(backend, degrees, seed):
    extra_ptr = np.concatenate(([0], np.cumsum(degrees)))
    row_ptr, col = map(backend.to_host, backend.graphs.cycle_and_shuffle(backend.to_device(extra_ptr), seed))
    np.testing.assert_array_equal(np.diff(row_ptr), np.array(degrees) + 1)
    np.testing.assert_array_equal(np.bincount(col, minlength=len(degrees)), np.array(degrees) + 1)
    cycle = col[row_ptr[:-1]].tolist()
    assert reached(np.arange(len(degrees) + 1), np.array(cycle))


@some
@given(n_edges=st.integers(2, 60), data=st.data(), seed=seeds)
def test_cactus_graphs(backend, n_edges, data, seed):
    tree = Cactus(n_edges, data.draw(st.integers(1, n_edges // 2)))
    tails, heads = map(backend.to_host, backend.graphs.cactus_edges(tree, seed))
    assert tails.dtype == heads.dtype == np.uint32
    np.testing.assert_array_equal(np.bincount(tails, minlength=tree.n_vertices), np.bincount(heads))
    assert set(tails.tolist()) == set(range(tree.n_vertices))
    breaks = [0, *(np.flatnonzero(heads[:-1] != tails[1:]) + 1).tolist(), n_edges]
    known: set[int] = set()
    n_cycles = 0
    for begin, end in pairwise(breaks):  # cycles one after another may meet at their first vertex
        at = begin
        while at < end:
            cycle = []
            while True:
                cycle.append(int(tails[at]))
                at += 1
                if heads[at - 1] == cycle[0]:
                    break
            assert len(cycle) >= 2
            assert len(set(cycle)) == len(cycle)
            assert len(known & set(cycle)) == bool(known)
            assert not known or cycle[0] in known
            known |= set(cycle)
            n_cycles += 1
    assert n_cycles == tree.n_cycles


@pytest.mark.parametrize(("k", "n"), [(1, 1), (1, 4), (2, 1), (7, 1), (2, 5), (3, 3), (4, 2)])
def test_de_bruijn(backend, k, n):
    row_ptr, col = map(backend.to_host, backend.graphs.de_bruijn_edges(k, k ** (n - 1)))
    np.testing.assert_array_equal(row_ptr, np.arange(k ** (n - 1) + 1) * k)
    np.testing.assert_array_equal(col, np.arange(k**n) % k ** (n - 1))
