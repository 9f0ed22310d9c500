"""Numbers of Euler circuits against all of them, listed, and against formulas."""

from __future__ import annotations

import importlib
import itertools
import math
import types

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import NotEulerianError, ParameterError
from debruijn_gpu.euler import counting, determinant
from debruijn_gpu.euler.counting import count_circuits, is_unique
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.graph.generate import cactus_graph, eulerian_graph, without_one_edge
from debruijn_gpu.graph.graph import Graph
from tests.helpers import n_examples
from tests.naive import euler_counts as naive


def graph_of(edges: list[tuple[int, int]], n_vertices: int = 0) -> Graph:
    n_vertices = max([n_vertices, *(1 + max(edge) for edge in edges)])
    pairs = np.array(sorted(edges), np.int64).reshape(-1, 2)
    row_ptr = np.searchsorted(pairs[:, 0], np.arange(n_vertices + 1))
    return Graph(row_ptr.astype(np.int64), pairs[:, 1].astype(np.uint32))


@st.composite
def closed_walks(draw, most_edges=9):
    """Edges of a closed walk: a connected graph with an Euler circuit."""
    return draw(st.lists(st.integers(0, 4), min_size=1, max_size=most_edges))


def steps(walk, closed=True):
    return sorted(zip(walk, walk[1:] + walk[: int(closed)], strict=False))


@settings(max_examples=n_examples(300))
@given(closed_walks())
def test_circuits_are_those_that_can_be_listed(walk):
    edges = steps(walk)
    found, expected = count_circuits(graph_of(edges), CPU), naive.circuits(edges)
    assert (found.edge_sequences.exact, found.vertex_sequences.exact) == expected
    unique = is_unique(graph_of(edges), CPU)
    assert (unique.edges, unique.vertices) == tuple(n == 1 for n in expected)


@settings(max_examples=n_examples(200))
@given(closed_walks(8))
def test_paths_are_those_that_can_be_listed(walk):
    edges = steps(walk, closed=False)
    if walk[0] == walk[-1]:
        edges = steps([*walk, 5], closed=False)
    found, expected = count_circuits(graph_of(edges), CPU), naive.paths(edges)
    assert (found.edge_sequences.exact, found.vertex_sequences.exact) == expected
    unique = is_unique(graph_of(edges), CPU)
    assert (unique.edges, unique.vertices) == tuple(n == 1 for n in expected)


@pytest.mark.slow
def test_all_small_graphs():
    """Every multigraph with at most 2 edges between each two of 3 vertices that has an Euler circuit."""
    pairs = list(itertools.product(range(3), repeat=2))
    n_checked = 0
    for numbers in itertools.product(range(3), repeat=9):
        edges = [pair for pair, n in zip(pairs, numbers, strict=True) for _ in range(n)]
        balanced = all(sum(a == v for a, _ in edges) == sum(b == v for _, b in edges) for v in range(3))
        if not (edges and balanced and len(edges) <= 7 and nx.is_weakly_connected(nx.MultiDiGraph(edges))):
            continue
        n_checked += 1
        found = count_circuits(graph_of(edges), CPU)
        assert (found.edge_sequences.exact, found.vertex_sequences.exact) == naive.circuits(edges)
    assert n_checked > 100


@settings(max_examples=n_examples(50))
@given(st.lists(closed_walks(5), min_size=2, max_size=3))
def test_components_multiply(walks):
    parts = [steps([v + 5 * i for v in walk]) for i, walk in enumerate(walks)]
    found = count_circuits(graph_of([edge for part in parts for edge in part], 20), CPU)
    each = [naive.circuits(part) for part in parts]
    assert found.edge_sequences.exact == math.prod(edges for edges, _ in each)
    assert found.vertex_sequences.exact == math.prod(vertices for _, vertices in each)


@pytest.mark.parametrize(("k", "n"), [(2, 1), (2, 2), (2, 5), (2, 8), (3, 3), (3, 5), (4, 3), (5, 2), (7, 2)])
def test_de_bruijn_sequences(k, n):
    """k!^(k^(n-1)) / k^n (van Aardenne-Ehrenfest and de Bruijn 1951)."""
    found = count_circuits(de_bruijn_graph(k, n, CPU), CPU)
    if found.edge_sequences.exact is None:
        assert found.edge_sequences.log10 == pytest.approx(
            k ** (n - 1) * math.log10(math.factorial(k)) - n * math.log10(k)
        )
    else:
        assert found.edge_sequences.exact == math.factorial(k) ** (k ** (n - 1)) // k**n
        if n > 1:
            assert found.vertex_sequences == found.edge_sequences


@pytest.mark.parametrize("n", [2, 3, 4, 9, 20])
def test_complete_digraphs(n):
    """n^(n-2) trees (Cayley), and (n-2)! at each vertex."""
    found = count_circuits(graph_of([(a, b) for a in range(n) for b in range(n) if a != b]), CPU)
    assert found.edge_sequences.exact == n ** (n - 2) * math.factorial(n - 2) ** n


@pytest.mark.parametrize("m", [1, 2, 3, 6, 12, 150])
def test_repetitions(m):
    """m edges there and m back: one sequence of vertices with a known number of repetitions."""
    edges = [(0, 1)] * m + [(1, 0)] * m
    found = count_circuits(graph_of(edges), CPU)
    assert found.vertex_sequences.exact == 1
    assert found.edge_sequences.exact == m * math.factorial(m - 1) ** 2
    assert is_unique(graph_of(edges), CPU).vertices
    assert is_unique(graph_of(edges), CPU).edges == (m == 1)
    loops = count_circuits(graph_of([(0, 0)] * m), CPU)
    assert (loops.vertex_sequences.exact, loops.edge_sequences.exact) == (1, math.factorial(m - 1))


def test_repetitions_divide_the_multiplicities():
    for n in range(1, 300):
        component = types.SimpleNamespace(is_path=False, multiplicities=[n, 3 * n])
        assert counting._repetitions(component) == [r for r in range(1, n + 1) if n % r == 0]
    many = 10**12  # 2^12 5^12, and far too many to go through
    assert len(counting._repetitions(types.SimpleNamespace(is_path=False, multiplicities=[many]))) == 13**2


def test_necklaces():
    """Loops of two kinds at a vertex, by way of chains: necklaces of beads that are all different."""
    found = count_circuits(graph_of([(0, v) for v in range(1, 6)] + [(v, 0) for v in range(1, 6)]), CPU)
    assert found.edge_sequences.exact == found.vertex_sequences.exact == math.factorial(4)


def test_logarithms_are_those_of_the_exact_numbers(monkeypatch):
    graphs = [eulerian_graph(60, 4, 1, CPU), cactus_graph(300, 6, 1, CPU), de_bruijn_graph(3, 4, CPU)]
    graphs += [without_one_edge(eulerian_graph(50, 5, 2, CPU), CPU), graph_of([(0, 1)] * 6 + [(1, 0)] * 6)]
    exact = [count_circuits(graph, CPU) for graph in graphs]
    monkeypatch.setattr(counting, "_MOST_EXACT", -1)
    for most_dense in (5000, 0):
        monkeypatch.setattr(determinant, "MOST_DENSE", most_dense)
        if not most_dense:
            pytest.importorskip("scipy")
        for graph, known in zip(graphs, exact, strict=True):
            found = count_circuits(graph, CPU)
            for name in ("edge_sequences", "vertex_sequences"):
                assert getattr(found, name).exact is None
                assert getattr(found, name).log10 == pytest.approx(getattr(known, name).log10, rel=1e-9, abs=1e-9)


def test_too_many_branching_vertices(monkeypatch):
    graph = eulerian_graph(40, 3, 1, CPU)
    monkeypatch.setattr(counting, "_MOST_EXACT", -1)
    monkeypatch.setattr(determinant, "MOST_DENSE", 2)
    monkeypatch.setattr(determinant, "MOST_SPARSE", 3)
    with pytest.raises(ParameterError, match=r"too many to count|SciPy"):
        count_circuits(graph, CPU)

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ParameterError, match="needs SciPy"):
        count_circuits(graph, CPU)


@pytest.mark.parametrize("edges", [[(0, 1), (0, 2)], [(0, 1), (2, 1)], [(0, 1), (2, 3), (3, 4), (3, 5)], [(0, 1)] * 2])
def test_no_euler_walk(edges):
    with pytest.raises(NotEulerianError):
        count_circuits(graph_of(edges), CPU)
    with pytest.raises(NotEulerianError):
        is_unique(graph_of(edges), CPU)


def test_no_edges():
    assert count_circuits(graph_of([], 3), CPU).edge_sequences.exact == 1
    assert is_unique(graph_of([], 0), CPU).edges


def test_a_cactus_is_unique():
    """Cycles at each other's vertices, no three at one."""
    walk = [0, 1, 2, 3, 2, 4, 1, 5, 6, 7, 6, 5, 8]
    graph = graph_of(steps(walk))
    assert is_unique(graph, CPU).edges
    assert count_circuits(graph, CPU).edge_sequences.exact == 1


def test_long_cycle():
    graph = graph_of([(v, (v + 1) % 3000) for v in range(3000)])
    assert is_unique(graph, CPU).edges


def test_many_digits():
    """More than Python prints: the logarithm."""
    found = count_circuits(graph_of([(0, 0)] * 2000), CPU)
    assert found.edge_sequences.exact is None
    assert str(found.edge_sequences) == f"10^{math.lgamma(2000) / math.log(10):.6g}"
    assert str(found.vertex_sequences) == "1"
