"""The shortest walk that uses every edge."""

from __future__ import annotations

from collections import deque

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.errors import NotEulerianError
from debruijn_gpu.euler.postman import postman_tour
from tests.graph.examples import graph_of

pytestmark = pytest.mark.cuda

Pairs = list[tuple[int, int]]


def shortest(n_vertices: int, pairs: Pairs, closed: bool) -> int | None:
    """Fewest steps, by breadth-first search over vertices and sets of edges."""
    pairs, everything = sorted(pairs), (1 << len(pairs)) - 1
    found = []
    for start in [pairs[0][0]] if closed else range(n_vertices):
        seen, queue = {(start, 0)}, deque([(start, 0, 0)])
        while queue:
            at, used, n_steps = queue.popleft()
            if used == everything and (at == start or not closed):
                found.append(n_steps)
                break
            for i, (tail, head) in enumerate(pairs):
                state = head, used | 1 << i
                if tail == at and state not in seen:
                    seen.add(state)
                    queue.append((*state, n_steps + 1))
    return min(found, default=None)


def check(backend, n_vertices: int, pairs: Pairs, closed: bool):
    """Every edge is used, heads meet tails."""
    graph = graph_of(n_vertices, pairs)
    walks = postman_tour(graph, backend, closed)
    tails = np.repeat(np.arange(n_vertices), np.diff(graph.row_ptr))
    assert walks.offsets.tolist() == [0, len(walks.steps)]
    assert sorted(set(walks.steps.tolist())) == list(range(len(pairs)))
    np.testing.assert_array_equal(graph.col[walks.steps[:-1]], tails[walks.steps[1:]])
    if closed:
        assert walks.steps[0] == 0
        assert walks.circular[0]
    if walks.circular[0]:
        assert graph.col[walks.steps[-1]] == tails[walks.steps[0]]
    return walks


@st.composite
def multigraphs(draw):
    n_vertices = draw(st.integers(1, 5))
    vertex = st.integers(0, n_vertices - 1)
    return n_vertices, draw(st.lists(st.tuples(vertex, vertex), min_size=1, max_size=8))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=multigraphs(), closed=st.booleans())
def test_no_walk_is_shorter(backend, case, closed):
    wanted = shortest(*case, closed)
    if wanted is None:
        with pytest.raises(NotEulerianError):
            postman_tour(graph_of(*case), backend, closed)
    else:
        assert len(check(backend, *case, closed).steps) == wanted


def strongly_connected_pairs(n_vertices: int, n_edges: int, seed: int) -> Pairs:
    """A cycle and random edges."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_vertices).tolist()
    cycle = list(zip(order, order[1:] + order[:1], strict=True))
    return cycle + [tuple(pair) for pair in rng.integers(0, n_vertices, (n_edges - n_vertices, 2)).tolist()]


@pytest.mark.parametrize("seed", range(4))
def test_networkx_finds_no_cheaper_flow(backend, seed):
    n_vertices = 60
    pairs = strongly_connected_pairs(n_vertices, 60 + 25 * seed, seed)
    judge = nx.DiGraph(pairs, weight=1)
    nx.set_edge_attributes(judge, 1, "weight")
    for vertex in judge:
        judge.nodes[vertex]["demand"] = sum(t == vertex for t, _ in pairs) - sum(h == vertex for _, h in pairs)
    walks = check(backend, n_vertices, pairs, closed=True)
    assert len(walks.steps) == len(pairs) + nx.min_cost_flow_cost(judge)


def test_a_flow_is_a_cheapest_one():
    """Against linear programming, with larger amounts and edges free of charge."""
    from scipy.optimize import linprog

    rng = np.random.default_rng(5)
    graph = graph_of(40, strongly_connected_pairs(40, 140, 6))
    costs = rng.integers(0, 2, 140).astype(np.uint8)
    excess = rng.integers(-9, 10, 40)
    excess[0] -= excess.sum()
    flow = backends.host().graphs.min_cost_flow(graph.row_ptr, graph.col, costs, excess)
    incidence = np.zeros((40, 140))
    np.add.at(incidence, (np.repeat(np.arange(40), np.diff(graph.row_ptr)), np.arange(140)), 1)
    np.add.at(incidence, (graph.col, np.arange(140)), -1)
    np.testing.assert_array_equal(incidence @ flow, excess)
    assert flow.min() >= 0
    assert (flow * costs).sum() == round(linprog(costs, A_eq=incidence, b_eq=excess).fun)


def test_no_way_to_what_is_lacking():
    graph = graph_of(2, [(0, 1)])
    with pytest.raises(ValueError, match="no way"):
        backends.host().graphs.min_cost_flow(graph.row_ptr, graph.col, np.ones(1, np.uint8), np.array([-1, 1]))


def test_a_long_ring_is_gone_round_again(backend):
    """From the end of a chord the only way back to its start is round the cycle."""
    n = 1000
    pairs = [(v, (v + 1) % n) for v in range(n)] + [(5, 4), (8, 3)]
    assert len(check(backend, n, pairs, closed=True).steps) == n + 2 + 6
    assert len(check(backend, n, pairs, closed=False).steps) == n + 2 + 1


@pytest.mark.parametrize(
    ("pairs", "closed", "what"),
    [
        ([(0, 1), (1, 0), (1, 2)], True, "back from 1 -> 2"),
        ([(0, 1), (1, 0), (2, 3), (3, 2)], True, "neither of 0 -> 1 and 2 -> 3"),
        ([(0, 1), (0, 1), (1, 0), (2, 2)], True, "neither of 0 -> 1 and 2 -> 2"),
        ([(0, 1), (1, 2), (1, 3)], False, "neither of 1 -> 2 and 1 -> 3"),
        ([(0, 2), (1, 2), (2, 3)], False, "neither of 0 -> 2 and 1 -> 2"),
        ([(0, 1), (2, 3)], False, "neither of 0 -> 1 and 2 -> 3"),
        ([(0, 1), (2, 3), (3, 2)], False, "neither of 0 -> 1 and 3 -> 2"),
    ],
)
def test_what_is_in_the_way(backend, pairs, closed, what):
    with pytest.raises(NotEulerianError, match=what):
        postman_tour(graph_of(4, pairs), backend, closed)


@pytest.mark.parametrize("closed", [True, False])
def test_no_edges(backend, closed):
    assert len(postman_tour(graph_of(3, []), backend, closed)) == 0


def test_a_path_is_walked_once(backend):
    walks = check(backend, 4, [(0, 1), (1, 2), (2, 0), (2, 3)], closed=False)
    assert walks.steps.tolist() == [2, 0, 1, 3]
    assert not walks.circular[0]
