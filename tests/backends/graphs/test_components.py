"""Components, spanning forest and PageRank against their naive twins and networkx, on each backend."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

from debruijn_gpu import backends
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run.options import RunOptions
from tests.helpers import n_examples, operation
from tests.naive import components as naive

pytestmark = pytest.mark.cuda

settings.register_profile(
    "components",
    deadline=None,
    max_examples=8 if is_simulated() else n_examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
few = settings(settings.get_profile("components"))

#: Vertices of adversarial shapes; the simulator takes the smallest.
SIZES = [1, 2, 17, 100_000]


def csr(n_vertices, edges, dtype=np.uint32):
    """CSR of an edge list, edges of a row in order, and the list in that order."""
    edges = sorted(edges, key=lambda edge: edge[0])
    tails = np.array([tail for tail, _ in edges], np.int64)
    row_ptr = np.searchsorted(tails, np.arange(n_vertices + 1)).astype(np.int64)
    return row_ptr, np.array([head for _, head in edges], dtype), edges


def on(backend, row_ptr, col):
    return backend.to_device(row_ptr), backend.to_device(col)


@st.composite
def multigraphs(draw, max_vertices=12, max_edges=32):
    """Loops, several edges between the same vertices and vertices without edges are all likely."""
    n_vertices = draw(st.integers(0, max_vertices))
    if not n_vertices:
        return 0, []
    vertex = st.integers(0, n_vertices - 1)
    return n_vertices, draw(st.lists(st.tuples(vertex, vertex), max_size=max_edges))


def judge_of(n_vertices, edges):
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(n_vertices))
    graph.add_edges_from(edges)
    return graph


def labels(n_vertices, parts):
    component = np.full(n_vertices, -1, np.int64)
    for part in parts:
        component[list(part)] = min(part)
    return component


@few
@given(case=multigraphs(), dtype=st.sampled_from([np.uint32, np.uint64]))
def test_components_and_forest(backend, case, dtype):
    n_vertices, edges = case
    row_ptr, col, edges = csr(n_vertices, edges, dtype)
    graph, judge = on(backend, row_ptr, col), judge_of(n_vertices, edges)
    weak, strong, forest = (
        backend.to_host(operation(backend, name)(*graph))
        for name in ("weak_components", "strong_components", "spanning_forest")
    )
    assert weak.dtype == strong.dtype == forest.dtype == np.int64
    assert weak.tolist() == naive.weak_components(n_vertices, edges)
    assert strong.tolist() == naive.strong_components(n_vertices, edges)
    assert forest.tolist() == naive.spanning_forest(n_vertices, edges)
    assert weak.tolist() == labels(n_vertices, nx.weakly_connected_components(judge)).tolist()
    assert strong.tolist() == labels(n_vertices, nx.strongly_connected_components(judge)).tolist()
    assert (backend.to_host(graph[0]) == row_ptr).all()
    assert (backend.to_host(graph[1]) == col).all()


@few
@given(case=multigraphs(), dtype=st.sampled_from([np.uint32, np.uint64]))
def test_loops_and_repeats(backend, case, dtype):
    n_vertices, edges = case
    row_ptr, col, edges = csr(n_vertices, edges, dtype)
    found = backend.graphs.count_loops_and_repeats(*backend.graphs.csr_reverse(*on(backend, row_ptr, col)))
    assert found == naive.loops_and_repeats(edges)


@few
@given(
    case=multigraphs(8, 20),
    weighted=st.booleans(),
    damping=st.sampled_from([0.0, 0.5, 0.85]),
    tolerance=st.sampled_from([1e-3, 1e-6]),
    seed=st.integers(0, 9),
)
def test_page_rank(backend, case, weighted, damping, tolerance, seed):
    n_vertices, edges = case
    row_ptr, col, edges = csr(n_vertices, edges)
    rng = np.random.default_rng(seed)
    weights = rng.random(len(edges)) * (rng.random(len(edges)) < 0.7) if weighted else None
    on_device = None if weights is None else backend.to_device(weights)
    ranks, n_iterations = backend.graphs.page_rank(*on(backend, row_ptr, col), on_device, damping, tolerance, 1000)
    ranks = backend.to_host(ranks)
    assert ranks.dtype == np.float64
    assert len(ranks) == n_vertices
    if not n_vertices:
        assert n_iterations == 0
        return
    plain = [1.0] * len(edges) if weights is None else weights.tolist()
    expected, expected_iterations = naive.page_rank(n_vertices, edges, plain, damping, tolerance)
    assert n_iterations == expected_iterations
    np.testing.assert_allclose(ranks, expected, rtol=1e-12)
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(n_vertices))
    graph.add_weighted_edges_from((*edge, weight) for edge, weight in zip(edges, plain, strict=True))
    judged = _pagerank_python(graph, damping, tol=tolerance, max_iter=1000)  # the other one needs SciPy
    np.testing.assert_allclose(ranks, [judged[vertex] for vertex in range(n_vertices)], rtol=1e-9)


def test_page_rank_that_moves_on(backend):
    graph = on(backend, np.array([0, 1, 2, 2]), np.array([1, 0], np.uint32))
    with pytest.raises(ParameterError, match="after 3 iterations") as caught:
        backend.graphs.page_rank(*graph, None, 0.85, 1e-12, 3)
    assert caught.value.exit_code == 67


def cycle(n):
    return np.arange(n), (np.arange(n) + 1) % n, np.zeros(n), np.zeros(n), max(n - 1, 0)


def shuffled_cycle(n):
    order = np.random.default_rng(n).permutation(n)
    return order, np.roll(order, -1), np.zeros(n), np.zeros(n), n - 1


def path(n):
    return np.arange(n - 1), np.arange(1, n), np.zeros(n), np.arange(n), n - 1


def path_backwards(n):
    return np.arange(1, n), np.arange(n - 1), np.zeros(n), np.arange(n), n - 1


def star(n):
    return np.zeros(n - 1), np.arange(1, n), np.zeros(n), np.arange(n), n - 1


def star_inwards(n):
    return np.arange(n - 1), np.full(n - 1, n - 1), np.zeros(n), np.arange(n), n - 1


def star_of_two_cycles(n):
    rays = np.arange(n - 1)
    middle = np.full(n - 1, n - 1)
    return np.concatenate((rays, middle)), np.concatenate((middle, rays)), np.zeros(n), np.zeros(n), n - 1


def loops(n):
    return np.repeat(np.arange(n), 2), np.repeat(np.arange(n), 2), np.arange(n), np.arange(n), 0


def cycles_of_three(n):
    first = np.arange(n // 3 * 3) // 3 * 3
    ends = np.arange(n // 3 * 3)
    component = np.concatenate((first, np.arange(len(first), n)))
    return ends, first + (ends + 1) % 3, component, component, n // 3 * 2


def tree(n):
    return (np.arange(1, n) - 1) // 2, np.arange(1, n), np.zeros(n), np.arange(n), n - 1


def complete(n):
    n = min(n, 300)
    tails, heads = np.divmod(np.arange(n * n), n)
    return tails, heads, np.zeros(n), np.zeros(n), n - 1


def shift_register(n):
    n = 1 << (n.bit_length() - 1)
    tails = np.repeat(np.arange(n), 2)
    return tails, (2 * tails + np.arange(2 * n) % 2) % n, np.zeros(n), np.zeros(n), n - 1


SHAPES = [
    cycle,
    shuffled_cycle,
    path,
    path_backwards,
    star,
    star_inwards,
    star_of_two_cycles,
    loops,
    cycles_of_three,
    tree,
    complete,
    shift_register,
]


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(backend, shape, n):
    tails, heads, weak, strong, n_forest = shape(n)
    tails, heads = tails.astype(np.uint32), heads.astype(np.uint32)
    graph = backend.graphs.csr_from_edges(backend.to_device(tails), backend.to_device(heads), len(weak))
    np.testing.assert_array_equal(backend.to_host(backend.graphs.weak_components(*graph)), weak)
    np.testing.assert_array_equal(backend.to_host(backend.graphs.strong_components(*graph)), strong)
    forest = backend.to_host(backend.graphs.spanning_forest(*graph))
    assert len(forest) == n_forest
    assert (np.diff(forest) > 0).all()
    tree_of = nx.utils.UnionFind(range(len(weak)))  # the edges taken close no cycle
    ends = backend.to_host(backend.graphs.csr_tails(*graph))[forest], backend.to_host(graph[1])[forest]
    for tail, head in zip(*(end.tolist() for end in ends), strict=True):
        assert tree_of[tail] != tree_of[head]
        tree_of.union(tail, head)
    ranks, _ = backend.graphs.page_rank(*graph, None, 0.85, 1e-2 if is_simulated() else 1e-9, 1000)
    assert backend.to_host(ranks).sum() == pytest.approx(1)


@pytest.mark.parametrize("n", [20, 200_000])
def test_backends_and_threads_agree(backend, n):
    rng = np.random.default_rng(n)
    tails, heads = (rng.random((2, 2 * n)) ** 2 * n).astype(np.uint32)
    weights = rng.random(2 * n)
    cpu = backends.load(RunOptions(backend="cpu", threads=1))
    row_ptr, col = cpu.graphs.csr_from_edges(tails, heads, n)
    expected = [
        cpu.graphs.weak_components(row_ptr, col),
        cpu.graphs.strong_components(row_ptr, col),
        cpu.graphs.spanning_forest(row_ptr, col),
    ]
    expected_ranks, expected_iterations = cpu.graphs.page_rank(row_ptr, col, weights, 0.85, 1e-8, 100)
    backends.load(RunOptions(backend="cpu", threads=3))
    graph = on(backend, row_ptr, col)
    found = [
        backend.graphs.weak_components(*graph),
        backend.graphs.strong_components(*graph),
        backend.graphs.spanning_forest(*graph),
    ]
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(backend.to_host(other), one)
    ranks, n_iterations = backend.graphs.page_rank(*graph, backend.to_device(weights), 0.85, 1e-8, 100)
    assert n_iterations == expected_iterations
    assert backend.to_host(ranks).tobytes() == expected_ranks.tobytes()
