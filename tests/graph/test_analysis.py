"""What is said of graphs, with networkx as the judge, on each backend."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.graph.analysis import Degrees, diagnose, page_rank, summarise
from debruijn_gpu.graph.diagnosis import EulerKind
from debruijn_gpu.graph.graph import Graph
from tests.graph.examples import Letters, closed_walks, graph_of, judge_of
from tests.helpers import n_examples

pytestmark = pytest.mark.cuda

settings.register_profile(
    "analysis",
    deadline=None,
    max_examples=5 if is_simulated() else n_examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
few = settings(settings.get_profile("analysis"))


def moved(graph, backend):
    return Graph(backend.to_device(graph.row_ptr), backend.to_device(graph.col))


@few
@given(case=closed_walks())
def test_diagnosis(backend, case):
    n_vertices, pairs = case
    diagnosis = diagnose(moved(graph_of(n_vertices, pairs), backend), backend)
    judge = judge_of(n_vertices, pairs)
    parts = [part for part in sorted(nx.weakly_connected_components(judge), key=min) if judge.subgraph(part).size()]
    assert diagnosis.labels.tolist() == [min(part) for part in parts]
    for vertex, degree in judge.out_degree():
        assert diagnosis.surplus[vertex] == degree - judge.in_degree(vertex)
    for i, part in enumerate(map(judge.subgraph, parts)):
        start, end = diagnosis.starts[i], diagnosis.ends[i]
        if nx.is_eulerian(part):
            assert diagnosis.kinds[i] == EulerKind.CIRCUIT
            assert start == end == min(part)
        elif nx.has_eulerian_path(part):
            assert diagnosis.kinds[i] == EulerKind.PATH
            assert nx.has_eulerian_path(part, start)
            assert part.in_degree(end) == part.out_degree(end) + 1
        else:
            assert diagnosis.kinds[i] == EulerKind.NEITHER
            assert start == end == min(part)
    at_fault = [v for v in range(n_vertices) for i, part in enumerate(parts) if v in part and not diagnosis.kinds[i]]
    assert diagnosis.at_fault.tolist() == [v for v in at_fault if diagnosis.surplus[v]]
    assert diagnosis.is_walkable == (not at_fault)
    judged = judge.subgraph(set().union(*parts))
    if pairs:
        assert (diagnosis.kind == EulerKind.CIRCUIT) == nx.is_eulerian(judged)
        assert (diagnosis.kind >= EulerKind.PATH) == nx.has_eulerian_path(judged)


@few
@given(case=closed_walks())
def test_summary(backend, case):
    n_vertices, pairs = case
    summary = summarise(moved(graph_of(n_vertices, pairs), backend), backend)
    judge = judge_of(n_vertices, pairs)
    n_in, n_out = ([degree for _, degree in degrees] for degrees in (judge.in_degree(), judge.out_degree()))
    weak = list(nx.weakly_connected_components(judge))
    strong = list(nx.strongly_connected_components(judge))
    assert (summary.n_vertices, summary.n_edges) == (n_vertices, len(pairs))
    assert summary.n_isolated == nx.number_of_isolates(judge)
    assert summary.n_sources == sum(o > i == 0 for i, o in zip(n_in, n_out, strict=True))
    assert summary.n_sinks == sum(i > o == 0 for i, o in zip(n_in, n_out, strict=True))
    assert summary.n_loops == nx.number_of_selfloops(judge)
    assert summary.n_parallel == len(pairs) - len(set(pairs))
    assert summary.in_degree == Degrees(min(n_in), len(pairs) / n_vertices, max(n_in))
    assert summary.out_degree == Degrees(min(n_out), len(pairs) / n_vertices, max(n_out))
    assert (summary.n_weak, summary.largest_weak) == (len(weak), max(map(len, weak)))
    assert summary.n_weak_with_edges == sum(judge.subgraph(part).size() > 0 for part in weak)
    assert (summary.n_strong, summary.largest_strong) == (len(strong), max(map(len, strong)))
    assert summary.n_forest == n_vertices - len(weak)
    assert summary.is_acyclic == nx.is_directed_acyclic_graph(judge)
    assert summary.n_unbalanced == sum(i != o for i, o in zip(n_in, n_out, strict=True))
    assert summary.n_circuits + summary.n_paths <= summary.n_weak_with_edges


def test_nothing(backend):
    summary = summarise(moved(graph_of(0, []), backend), backend)
    assert summary.in_degree == summary.out_degree == Degrees(0, 0.0, 0)
    assert summary.n_weak == summary.n_strong == summary.largest_weak == summary.n_forest == 0
    assert summary.is_acyclic
    assert summary.euler == EulerKind.CIRCUIT
    assert summary.diagnosis.describe(Letters()) == "the graph has no edges"


DESCRIBED = [
    (3, [], "the graph has no edges"),
    (3, [(1, 2), (2, 1)], "the graph has an Euler circuit through B"),
    (4, [(3, 0), (0, 1)], "the graph has an Euler path from D to B"),
    (3, [(0, 1), (0, 1), (0, 2)], "the graph has no Euler walk, 3 vertices are unbalanced: A: 0 in, 3 out; "),
    (
        5,
        [(0, 0), (2, 3), (4, 4)],
        "the graph has 3 components with edges, 2 with an Euler circuit and 1 with an Euler path: circuit through A; "
        "path from C to D; circuit through E",
    ),
]


@pytest.mark.parametrize(("n_vertices", "pairs", "text"), DESCRIBED)
def test_words(n_vertices, pairs, text):
    assert diagnose(graph_of(n_vertices, pairs), CPU).describe(Letters()).startswith(text)


def test_words_show_ten_places_and_short_names():
    class Long:
        def name(self, vertex):
            return "X" * 40 + str(vertex)

    star = diagnose(graph_of(21, [(0, head) for head in range(1, 21)]), CPU).describe(Long())
    assert star.count(" in, ") == 10
    assert star.endswith("; ...")
    assert "X" * 31 + "…: 0 in, 20 out" in star
    loops = diagnose(graph_of(21, [(vertex, vertex) for vertex in range(21)]), CPU).describe(Long())
    assert loops.count("circuit through") == 10
    assert loops.endswith("; ...")


def test_a_path_does_not_excuse_another_component():
    pairs = [(0, 1), (2, 3), (4, 3), (3, 5), (3, 5), (5, 3), (5, 3), (5, 2), (5, 2)]
    diagnosis = diagnose(graph_of(6, pairs), CPU)
    assert diagnosis.kinds.tolist() == [EulerKind.PATH, EulerKind.NEITHER]
    assert diagnosis.at_fault.tolist() == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"damping": 1.5}, "damping: 1.5"),
        ({"damping": float("nan")}, "damping: nan"),
        ({"tolerance": 0}, "tolerance: 0"),
        ({"tolerance": float("nan")}, "tolerance: nan"),
        ({"max_iterations": 0}, "iterations: 0"),
        ({"max_iterations": 2, "tolerance": 1e-9}, "after 2 iterations"),
    ],
)
def test_page_rank_refuses(options, text):
    with pytest.raises(ParameterError, match=text) as caught:
        page_rank(graph_of(3, [(0, 1), (1, 2)]), CPU, **options)
    assert caught.value.fix


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf"), 1e308])
def test_page_rank_refuses_weights(weight):
    with pytest.raises(FormatError, match="weights of edges"):
        page_rank(graph_of(2, [(0, 1), (0, 1)]), CPU, np.array([weight, weight]))


@pytest.mark.parametrize("weight", [0.0, 1e-310, 1e300])
def test_page_rank_of_any_weight(weight):
    graph = graph_of(3, [(0, 1), (0, 1), (1, 2)])
    found = page_rank(graph, CPU, np.full(3, weight))
    expected = page_rank(graph, CPU) if weight else page_rank(graph_of(3, []), CPU)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-12)
