from __future__ import annotations

import random
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debruijn_gpu.backends import cpu
from debruijn_gpu.errors import NotEulerianError
from debruijn_gpu.graph.edge_centric import edge_centric
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.kmers.text import kmer_text
from debruijn_gpu.walks.euler import euler_walks
from tests.naive import euler as naive
from tests.naive.sequences import smallest_rotation


def graph_of(n_vertices: int, pairs: list[tuple[int, int]]) -> Graph:
    pairs = sorted(pairs)
    tails = np.array([tail for tail, _ in pairs], np.int64)
    row_ptr = np.searchsorted(tails, np.arange(n_vertices + 1))
    return Graph(row_ptr.astype(np.int64), np.array([head for _, head in pairs], np.uint32))


@st.composite
def closed_walks(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """Edges of some closed and some open walks, so that many graphs have an Euler walk."""
    n_vertices = draw(st.integers(1, 12))
    vertex = st.integers(0, n_vertices - 1)
    pairs = []
    for walk in draw(st.lists(st.lists(vertex, min_size=1, max_size=8), max_size=4)):
        closed = draw(st.booleans())
        pairs += zip(walk, walk[1:] + walk[: int(closed)], strict=False)
    return n_vertices, pairs


@given(closed_walks())
def test_euler_walks_where_networkx_sees_them(case: tuple[int, list[tuple[int, int]]]) -> None:
    n_vertices, pairs = case
    graph = graph_of(n_vertices, pairs)
    judge = nx.MultiDiGraph(sorted(pairs))
    components = [judge.subgraph(part) for part in sorted(nx.weakly_connected_components(judge), key=min)]
    if not all(nx.has_eulerian_path(part) for part in components):
        with pytest.raises(NotEulerianError):
            euler_walks(graph, cpu)
        return
    walks = euler_walks(graph, cpu)
    tails = np.repeat(np.arange(n_vertices), np.diff(graph.row_ptr))
    assert sorted(walks.steps.tolist()) == list(range(graph.n_edges))
    assert walks.circular.tolist() == [nx.is_eulerian(part) for part in components]
    for i, part in enumerate(components):
        steps = walks.steps[walks.offsets[i] : walks.offsets[i + 1]]
        assert len(steps) == part.number_of_edges()
        assert (graph.col[steps[:-1]] == tails[steps[1:]]).all()
        assert set(tails[steps].tolist()) <= set(part)
        if walks.circular[i]:
            assert graph.col[steps[-1]] == tails[steps[0]] == min(part)


def test_no_edges() -> None:
    assert len(euler_walks(graph_of(0, []), cpu)) == 0
    assert len(euler_walks(graph_of(3, []), cpu)) == 0


def test_self_loops_and_multi_edges() -> None:
    walks = euler_walks(graph_of(2, [(0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0)]), cpu)
    assert walks.steps.tolist() == [0, 1, 2, 4, 3, 5]
    assert walks.circular.tolist() == [True]


def test_error_shows_unbalanced_vertices() -> None:
    with pytest.raises(NotEulerianError) as caught:
        euler_walks(graph_of(3, [(0, 1), (0, 1), (0, 2)]), cpu, lambda v: "ACG"[v])
    assert "3 vertices are unbalanced: A: 0 in, 3 out; C: 2 in, 0 out; G: 1 in, 0 out" in caught.value.what
    assert caught.value.exit_code == 69


def test_error_shortens_long_names() -> None:
    with pytest.raises(NotEulerianError, match=r"A{31}…: 0 in, 2 out; C{31}…: 1 in"):
        euler_walks(graph_of(3, [(0, 1), (0, 2)]), cpu, lambda v: "ACG"[v] * 33)


def test_error_shows_at_most_ten_vertices() -> None:
    with pytest.raises(NotEulerianError) as caught:
        euler_walks(graph_of(21, [(0, head) for head in range(1, 21)]), cpu)
    assert caught.value.what.count(" in, ") == 10
    assert caught.value.what.endswith("; ...")
    assert "21 vertices" in caught.value.what


def test_a_path_component_does_not_excuse_another() -> None:
    with pytest.raises(NotEulerianError, match="4 vertices"):
        euler_walks(graph_of(6, [(0, 1), (2, 3), (4, 3), (3, 5), (3, 5), (5, 3), (5, 3), (5, 2), (5, 2)]), cpu)


def walk_genome(genome: str, k: int, circular: bool) -> list[tuple[str, bool]]:
    """What the Euler walks through the k-mers of one strand of a genome spell, circles without their start."""
    table = naive.table_of(naive.kmers_of(genome, k, circular), k, canonical=False)
    edges = edge_centric(table, table.counts, cpu)
    walks = euler_walks(edges.graph, cpu, edges.vertex_text)
    found = []
    for start, stop, closed in zip(walks.offsets[:-1], walks.offsets[1:], walks.circular, strict=True):
        kmers = [kmer_text(table.codes[:, kmer], k) for kmer in edges.kmers[walks.steps[start:stop]]]
        found.append(("" if closed else kmers[0][:-1], [kmer[-1] for kmer in kmers], bool(closed)))
    return [(first + "".join(last), closed) for first, last, closed in found]


@pytest.mark.parametrize("k", [15, 31, 33, 63, 127])
def test_a_genome_comes_back(k: int) -> None:
    genome = "".join(random.Random(k).choices("ACGT", k=2000))
    ((circle, closed),) = walk_genome(genome, k, circular=True)
    assert (smallest_rotation(circle), closed) == (smallest_rotation(genome), True)
    assert walk_genome(genome, k, circular=False) == [(genome, False)]


@given(st.text("ACGT", min_size=1, max_size=40), st.sampled_from([3, 5, 7]))
def test_every_kmer_is_used_as_often_as_it_is_there(genome: str, k: int) -> None:
    """A circle has an Euler circuit whatever its repeats, and its k-mers are those of the walks."""
    ((sequence, closed),) = walk_genome(genome, k, circular=True)
    assert closed
    kmers = (Counter(naive.kmers_of(text, k, circular=True)) for text in (sequence, genome))
    assert next(kmers) == next(kmers)
