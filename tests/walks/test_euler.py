from __future__ import annotations

import logging
import random
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debruijn_gpu.backends import cpu
from debruijn_gpu.contigs.spell_euler import spell_euler
from debruijn_gpu.errors import NotEulerianError
from debruijn_gpu.graph.edge_centric import edge_centric
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.walks.euler import euler_walks
from tests.helpers import sequences_of
from tests.naive import euler as naive
from tests.naive.sequences import reverse_complement, smallest_rotation


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


def walk_genome(genome: str, k: int, circular: bool, canonical: bool) -> list[tuple[bytes, bool]]:
    """Sequences of the Euler walks through the k-mers of a genome."""
    table = naive.table_of(naive.kmers_of(genome, k, circular), k, canonical)
    edges = edge_centric(table, table.counts, cpu)
    walks = euler_walks(edges.graph, cpu, edges.vertex_text)
    found = spell_euler(edges, walks, table, table.counts, cpu)
    assert found.n_kmers.tolist() == found.kmer_counts.tolist()
    return [(found.sequence(i), bool(found.circular[i])) for i in range(len(found))]


def random_genome(n: int, seed: int) -> str:
    return "".join(random.Random(seed).choices("ACGT", k=n))


@pytest.mark.parametrize("k", [15, 31, 33, 63, 127])
def test_a_genome_comes_back(k: int) -> None:
    genome = random_genome(2000, k)
    strands = genome, reverse_complement(genome)
    circle = min(smallest_rotation(strand) for strand in strands)
    assert walk_genome(genome, k, circular=True, canonical=True) == [(circle.encode(), True)]
    assert walk_genome(genome, k, circular=False, canonical=True) == [(min(strands).encode(), False)]
    assert walk_genome(genome, k, circular=True, canonical=False) == [(smallest_rotation(genome).encode(), True)]
    assert walk_genome(genome, k, circular=False, canonical=False) == [(genome.encode(), False)]


def test_several_components_longest_first() -> None:
    long, short = random_genome(300, 1), random_genome(200, 2)
    kmers = naive.kmers_of(short, 21) + naive.kmers_of(long, 21, circular=True)
    table = naive.table_of(kmers, 21, canonical=True)
    edges = edge_centric(table, table.counts, cpu)
    found = spell_euler(edges, euler_walks(edges.graph, cpu), table, table.counts, cpu)
    circle = min(smallest_rotation(strand) for strand in (long, reverse_complement(long)))
    assert sequences_of(found) == [circle, min(short, reverse_complement(short))]
    assert found.circular.tolist() == [True, False]


@given(st.text("ACGT", min_size=1, max_size=40), st.sampled_from([3, 5, 7]), st.booleans())
def test_every_kmer_is_used_as_often_as_it_is_there(genome: str, k: int, canonical: bool) -> None:
    """A circle has an Euler circuit whatever its repeats, and its k-mers are those of the walks."""
    kmers = naive.kmers_of(genome, k, circular=True)
    found = walk_genome(genome, k, circular=True, canonical=canonical)
    spelled: Counter[str] = Counter()
    for sequence, circular in found:
        assert circular
        spelled.update(naive.kmers_of(sequence.decode(), k, circular=True))
    if not canonical:
        assert spelled == Counter(kmers)
        return
    both = Counter(kmers) + Counter(map(reverse_complement, kmers))
    mirrored = spelled + Counter({reverse_complement(kmer): n for kmer, n in spelled.items()})
    for kmer in both:  # walks of mirrored pairs come once, those that are their own mirror hold both strands
        assert mirrored[kmer] in (both[kmer], 2 * both[kmer])
    assert set(mirrored) == set(both)


def test_strands_that_meet_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    arm = random_genome(40, 3)
    genome = random_genome(100, 4) + arm + random_genome(60, 5) + reverse_complement(arm) + random_genome(80, 6)
    with caplog.at_level(logging.WARNING, logger="dbg"):
        found = walk_genome(genome, 21, circular=True, canonical=True)
    assert "both strands" in caplog.text
    assert [len(sequence) for sequence, _ in found] == [2 * len(genome)]
