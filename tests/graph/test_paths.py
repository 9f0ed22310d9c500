"""Maximal non-branching paths, on each backend."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.graph.paths import nonbranching_paths
from tests.graph.examples import graph_of
from tests.helpers import n_examples
from tests.naive import paths as naive

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=5 if is_simulated() else n_examples(200),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def found(backend, n_vertices, pairs):
    walks = nonbranching_paths(graph_of(n_vertices, pairs).moved(backend.to_device), backend).moved(backend.to_host)
    bounds, steps = walks.offsets.tolist(), walks.steps.tolist()
    lists = [steps[a:b] for a, b in itertools.pairwise(bounds)]
    n_paths = int((~walks.circular).sum())
    assert not walks.circular[:n_paths].any()
    return lists[:n_paths], lists[n_paths:]


@few
@given(
    pairs=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=14),
    cycle=st.integers(0, 4),
)
def test_paths_and_isolated_cycles_are_those_of_the_naive_walk(backend, pairs, cycle):
    ring = [(12 + i, 12 + (i + 1) % cycle) for i in range(cycle)]
    pairs = sorted(pairs + ring)
    assert found(backend, 17, pairs) == naive.nonbranching_paths(pairs)


@pytest.mark.parametrize("n_edges", [0, 1, 2, 31, 32, 33, 63, 64, 65])
def test_a_chain_is_one_path_and_a_cycle_one_cycle(backend, n_edges):
    chain = [(i, i + 1) for i in range(n_edges)]
    assert found(backend, n_edges + 1, chain) == ([list(range(n_edges))] if n_edges else [], [])
    cycle = [(i, (i + 1) % n_edges) for i in range(n_edges)]
    assert found(backend, n_edges, cycle) == ([], [list(range(n_edges))] if n_edges else [])
