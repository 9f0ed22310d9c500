from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import NotEulerianError, ParameterError, UsageError
from debruijn_gpu.euler.options import EULER_ALGORITHMS, EulerOptions
from debruijn_gpu.euler.trails import euler_walks
from debruijn_gpu.graph.de_bruijn import edge_centric
from debruijn_gpu.graph.graph import Graph, Walks
from debruijn_gpu.graph.names import TextNames
from debruijn_gpu.kmers.table import kmer_text
from tests.graph.examples import closed_walks, graph_of
from tests.helpers import as_device, first_quick
from tests.naive import euler as naive
from tests.naive.sequences import smallest_rotation

pytestmark = pytest.mark.cuda


def graph_in_letters(n_vertices: int, pairs: list[tuple[int, int]], n_times: int = 1) -> Graph:
    """The same, with vertices called A, B and so on, a letter so many times."""
    graph = graph_of(n_vertices, pairs)
    return Graph(graph.row_ptr, graph.col, TextNames.of(chr(65 + vertex) * n_times for vertex in range(n_vertices)))


PATHS = EulerOptions(path=True)
each_algorithm = pytest.mark.parametrize("algorithm", EULER_ALGORITHMS)
on_each_backend = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def check_walks(walks: Walks, graph: Graph, judge: nx.MultiDiGraph) -> None:
    """A walk of each component, by their first edges; circular if networkx says so; circuits from smallest vertices."""
    tails = np.repeat(np.arange(graph.n_vertices), np.diff(graph.row_ptr))
    components = [judge.subgraph(part) for part in nx.weakly_connected_components(judge)]
    assert sorted(walks.steps.tolist()) == list(range(graph.n_edges))
    assert len(walks) == len(components)
    firsts = []
    for start, stop, circular in zip(walks.offsets[:-1], walks.offsets[1:], walks.circular, strict=True):
        steps = walks.steps[start:stop]
        (part,) = (part for part in components if int(tails[steps[0]]) in part)
        assert len(steps) == part.number_of_edges()
        assert (graph.col[steps[:-1]] == tails[steps[1:]]).all()
        assert set(tails[steps].tolist()) <= set(part)
        assert circular == nx.is_eulerian(part)
        if circular:
            assert graph.col[steps[-1]] == tails[steps[0]] == min(part)
        firsts.append(int(steps[0]))
    assert firsts == sorted(firsts)


@each_algorithm
@on_each_backend
@given(case=closed_walks())
def test_euler_walks_where_networkx_sees_them(backend, algorithm: str, case: tuple[int, list[tuple[int, int]]]) -> None:
    if algorithm == "hierholzer" and not hasattr(backend, "hierholzer"):
        return
    n_vertices, pairs = case
    graph = graph_of(n_vertices, pairs)
    judge = nx.MultiDiGraph(sorted(pairs))
    components = [judge.subgraph(part) for part in nx.weakly_connected_components(judge)]
    for path, judged in ((True, nx.has_eulerian_path), (False, nx.is_eulerian)):
        options = EulerOptions(algorithm=algorithm, path=path, verify=True)
        if all(judged(part) for part in components):
            check_walks(euler_walks(graph, backend, options), graph, judge)
        else:
            with pytest.raises(NotEulerianError):
                euler_walks(graph, backend, options)


@pytest.mark.parametrize("n_vertices", [0, 3])
@each_algorithm
def test_no_edges(algorithm: str, n_vertices: int) -> None:
    assert len(euler_walks(graph_of(n_vertices, []), CPU, EulerOptions(algorithm=algorithm, verify=True))) == 0


def test_self_loops_and_multi_edges(backend) -> None:
    graph = graph_of(2, [(0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0)])
    walks = euler_walks(graph, backend, EulerOptions(verify=True))
    assert sorted(walks.steps.tolist()) == list(range(6))
    assert walks.circular.tolist() == [True]


def test_hierholzer_takes_the_smallest_edge_first() -> None:
    graph = graph_of(2, [(0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0)])
    assert euler_walks(graph, CPU, EulerOptions(algorithm="hierholzer")).steps.tolist() == [0, 1, 2, 4, 3, 5]


TWO_RINGS_AND_A_PATH = [(0, 1), (1, 2), (2, 0), (1, 3), (3, 1), (5, 4), (4, 6)]


@each_algorithm
def test_start(algorithm: str) -> None:
    graph = graph_in_letters(7, TWO_RINGS_AND_A_PATH)
    options = EulerOptions(algorithm=algorithm, path=True, verify=True)
    plain = euler_walks(graph, CPU, options)
    for start, first in (("A", 0), ("B", 1), ("C", 3), ("D", 4), ("F", 0)):
        walks = euler_walks(graph, CPU, replace(options, start=start))
        assert walks.steps[0] == first
        assert walks.offsets.tolist() == plain.offsets.tolist()
        assert sorted(walks.steps[:5].tolist()) == [0, 1, 2, 3, 4]
    for start, error in (("E", NotEulerianError), ("G", ParameterError), ("X", ParameterError)):
        with pytest.raises(error, match=start):
            euler_walks(graph, CPU, replace(options, start=start))


@each_algorithm
def test_a_trail_starts_where_another_comes_by(algorithm: str) -> None:
    pairs = [(5, 3), (0, 5), (5, 5), (5, 4), (1, 0), (5, 0), (2, 1)]
    graph = graph_of(6, pairs)
    options = EulerOptions(algorithm=algorithm, trails=True, verify=True)
    plain = euler_walks(graph, CPU, options)
    for start in ("2", "5"):
        walks = euler_walks(graph, CPU, replace(options, start=start))
        assert walks.steps.tolist() == plain.steps.tolist()
    with pytest.raises(NotEulerianError, match="starts at 1"):
        euler_walks(graph, CPU, replace(options, start="1"))


@each_algorithm
def test_single(algorithm: str) -> None:
    options = EulerOptions(algorithm=algorithm, path=True, single=True)
    with pytest.raises(NotEulerianError, match="2 walks"):
        euler_walks(graph_of(7, TWO_RINGS_AND_A_PATH), CPU, options)
    assert len(euler_walks(graph_of(4, TWO_RINGS_AND_A_PATH[:5]), CPU, options)) == 1


def test_a_path_is_no_circuit() -> None:
    with pytest.raises(NotEulerianError, match="no Euler circuit: the graph has an Euler path from B to C") as caught:
        euler_walks(graph_in_letters(3, [(0, 2), (1, 0)]), CPU)
    assert "--path" in caught.value.fix


def test_error_shows_unbalanced_vertices(backend) -> None:
    with pytest.raises(NotEulerianError) as caught:
        euler_walks(graph_in_letters(3, [(0, 1), (0, 1), (0, 2)]), backend, PATHS)
    assert "3 vertices are unbalanced: A: 0 in, 3 out; B: 2 in, 0 out; C: 1 in, 0 out" in caught.value.what
    assert caught.value.exit_code == 69


def test_error_shortens_long_names() -> None:
    with pytest.raises(NotEulerianError, match=r"A{31}…: 0 in, 2 out; B{31}…: 1 in"):
        euler_walks(graph_in_letters(3, [(0, 1), (0, 2)], 33), CPU, PATHS)


def test_error_shows_at_most_ten_vertices() -> None:
    with pytest.raises(NotEulerianError) as caught:
        euler_walks(graph_of(21, [(0, head) for head in range(1, 21)]), CPU, PATHS)
    assert caught.value.what.count(" in, ") == 10
    assert caught.value.what.endswith("; ...")
    assert "21 vertices" in caught.value.what


def test_a_path_component_does_not_excuse_another() -> None:
    pairs = [(0, 1), (2, 3), (4, 3), (3, 5), (3, 5), (5, 3), (5, 3), (5, 2), (5, 2)]
    with pytest.raises(NotEulerianError, match="4 vertices"):
        euler_walks(graph_of(6, pairs), CPU, PATHS)


def test_hierholzer_needs_the_cpu() -> None:
    with pytest.raises(UsageError, match="hierholzer"):
        euler_walks(graph_of(1, [(0, 0)]), as_device(CPU), EulerOptions(algorithm="hierholzer"))


def test_unsound_walks_are_found(monkeypatch) -> None:
    walks = Walks(np.array([0, 2]), np.array([0, 0], np.uint32), np.ones(1, np.bool_))
    monkeypatch.setattr("debruijn_gpu.euler.trails.euler_circuits", lambda graph, backend: walks)
    with pytest.raises(AssertionError, match="not sound"):
        euler_walks(graph_of(2, [(0, 1), (1, 0)]), CPU, EulerOptions(verify=True))


@pytest.mark.parametrize("options", [{"algorithm": "quick"}, {"path": True, "trails": True}])
def test_options_that_make_no_sense(options) -> None:
    with pytest.raises(UsageError):
        EulerOptions(**options)


def walk_genome(genome: str, k: int, circular: bool) -> list[tuple[str, bool]]:
    """What the Euler walks through the k-mers of one strand of a genome spell, circular ones without their start."""
    table = naive.table_of(naive.kmers_of(genome, k, circular), k, canonical=False)
    edges = edge_centric(table, table.counts, CPU)
    walks = euler_walks(edges.graph, CPU, PATHS)
    found = []
    for start, stop, closed in zip(walks.offsets[:-1], walks.offsets[1:], walks.circular, strict=True):
        kmers = [kmer_text(table.codes[:, kmer], k) for kmer in edges.kmers[walks.steps[start:stop]]]
        found.append(("" if closed else kmers[0][:-1], [kmer[-1] for kmer in kmers], bool(closed)))
    return [(first + "".join(last), closed) for first, last, closed in found]


@pytest.mark.parametrize("k", first_quick([15, 31, 33, 63, 127, 129], 3))
def test_a_genome_comes_back(k: int) -> None:
    genome = "".join(random.Random(k).choices("ACGT", k=2000))
    ((sequence, closed),) = walk_genome(genome, k, circular=True)
    assert (smallest_rotation(sequence), closed) == (smallest_rotation(genome), True)
    assert walk_genome(genome, k, circular=False) == [(genome, False)]


@given(st.text("ACGT", min_size=1, max_size=40), st.sampled_from([3, 5, 7]))
def test_every_kmer_is_used_as_often_as_it_is_there(genome: str, k: int) -> None:
    """A circular genome has an Euler circuit whatever its repeats, and its k-mers are those of the walks."""
    ((sequence, closed),) = walk_genome(genome, k, circular=True)
    assert closed
    kmers = (Counter(naive.kmers_of(text, k, circular=True)) for text in (sequence, genome))
    assert next(kmers) == next(kmers)
