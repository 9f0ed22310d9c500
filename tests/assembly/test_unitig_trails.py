"""Fewest trails of directed graphs, and the edges that balance these."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.euler.circuits import BalancedGraph, closing_edges, cut_circuits, with_edges
from debruijn_gpu.euler.options import EulerOptions
from debruijn_gpu.euler.trails import euler_walks
from debruijn_gpu.graph.analysis import diagnose
from debruijn_gpu.graph.graph import Graph, Walks
from tests.graph.examples import graph_of
from tests.naive import trails as naive

pytestmark = pytest.mark.cuda

any_graph = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def tails_of(graph: Graph) -> np.ndarray:
    return np.repeat(np.arange(graph.n_vertices), np.diff(graph.row_ptr))


def on_host(closed: BalancedGraph, backend) -> BalancedGraph:
    return BalancedGraph(closed.graph.moved(backend.to_host), backend.to_host(closed.original))


def lists(walks: Walks) -> list[list[int]]:
    return [walks.steps[a:b].tolist() for a, b in zip(walks.offsets[:-1], walks.offsets[1:], strict=True)]


def check(graph: Graph, backend) -> Walks:
    """Every edge once, heads meet tails, in as few walks as the formula says, in order."""
    walks = euler_walks(graph, backend, EulerOptions(trails=True))
    tails, heads = tails_of(graph), graph.col
    assert sorted(walks.steps.tolist()) == list(range(graph.n_edges))
    assert walks.steps.dtype == np.uint32
    for steps, circular in zip(lists(walks), walks.circular, strict=True):
        assert (heads[steps[:-1]] == tails[steps[1:]]).all()
        if circular:
            assert heads[steps[-1]] == tails[steps[0]]
            assert steps[0] == min(steps)
    first = [steps[0] for steps in lists(walks)]
    assert first == sorted(first)
    assert len(walks) == naive.fewest_trails(list(zip(tails.tolist(), heads.tolist(), strict=True)))
    return walks


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    n_vertices = draw(st.integers(1, 9))
    vertex = st.integers(0, n_vertices - 1)
    return graph_of(n_vertices, draw(st.lists(st.tuples(vertex, vertex), max_size=20)))


@any_graph
@given(graphs())
def test_trails_are_the_fewest(backend, graph: Graph) -> None:
    check(graph, backend)


@pytest.mark.parametrize("n_vertices", [0, 3])
def test_no_edges(backend, n_vertices: int) -> None:
    assert len(check(graph_of(n_vertices, []), backend)) == 0


def test_a_star_falls_into_its_edges(backend) -> None:
    assert lists(check(graph_of(5, [(0, head) for head in range(1, 5)]), backend)) == [[0], [1], [2], [3]]


def test_circuits_and_trails_side_by_side(backend) -> None:
    """A cycle, a path, and a cycle with a tail; the last is walked from its only start."""
    pairs = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (6, 7), (7, 6), (7, 8)]
    walks = check(graph_of(9, pairs), backend)
    assert lists(walks) == [[0, 1, 2], [3, 4], [6, 5, 7]]
    assert walks.circular.tolist() == [True, False, False]


@pytest.mark.slow
def test_a_large_graph(backend) -> None:
    rng = np.random.default_rng(1)
    check(graph_of(20_000, [tuple(pair) for pair in rng.integers(0, 20_000, (30_000, 2)).tolist()]), backend)


@any_graph
@given(graphs())
def test_balanced_graph_is_the_graph_and_closing_edges(backend, graph: Graph) -> None:
    diagnosis = diagnose(graph.moved(backend.to_device), backend)
    tails, heads = closing_edges(diagnosis.component, diagnosis.surplus)
    closed = on_host(with_edges(graph.moved(backend.to_device), tails, heads, backend), backend)
    tails = tails_of(closed.graph)
    old = closed.original >= 0
    assert closed.original[old].tolist() == list(range(graph.n_edges))
    np.testing.assert_array_equal(tails[old], tails_of(graph))
    np.testing.assert_array_equal(closed.graph.col[old], graph.col)
    assert (np.diff(closed.graph.row_ptr) == np.bincount(closed.graph.col, minlength=graph.n_vertices)).all()
    assert (diagnosis.component[tails] == diagnosis.component[closed.graph.col]).all()
    added = np.flatnonzero(~old)
    assert (np.isin(added + 1, added) | np.isin(added + 1, closed.graph.row_ptr)).all()  # the last ones of their rows


def test_closing_edges_are_within_components_and_in_order_of_vertices() -> None:
    component = np.array([0, 1, 0, 1, 0, 1, 6])
    surplus = np.array([2, -1, -1, -1, -1, 2, 0])
    tails, heads = closing_edges(component, surplus)
    assert (tails.tolist(), heads.tolist()) == ([2, 4, 1, 3], [0, 0, 5, 5])


def test_one_edge_makes_a_circuit_of_a_path(backend) -> None:
    graph = graph_of(3, [(0, 1), (1, 2)])
    on_device = graph.moved(backend.to_device)
    closed = on_host(with_edges(on_device, np.array([2]), np.array([0]), backend), backend)
    assert (closed.graph.row_ptr.tolist(), closed.graph.col.tolist()) == ([0, 1, 2, 3], [1, 2, 0])
    assert closed.original.tolist() == [0, 1, -1]
    unchanged = on_host(with_edges(on_device, np.zeros(0, np.int64), np.zeros(0, np.int64), backend), backend)
    assert unchanged.graph.row_ptr.tolist() == graph.row_ptr.tolist()
    assert unchanged.graph.col.tolist() == graph.col.tolist()
    assert unchanged.original.tolist() == [0, 1]


def test_cutting_circuits(backend) -> None:
    circuits = Walks(np.array([0, 3, 7, 8]), np.array([7, 0, 2, 1, 3, 4, 5, 6], np.uint32), np.ones(3, np.bool_))
    original = np.array([20, -1, 21, 10, -1, 11, 30, 22])
    walks = cut_circuits(circuits.moved(backend.to_device), backend.to_device(original), backend).moved(backend.to_host)
    assert lists(walks) == [[10], [11], [22, 20, 21], [30]]
    assert walks.circular.tolist() == [False, False, True, True]
