"""The container of graphs, its names, and the ways to make it."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.build import (
    dict_of,
    graph_from_dict,
    graph_from_edges,
    graph_from_rows,
    graph_from_vector,
    vector_of,
    with_both_directions,
)
from debruijn_gpu.graph.builder import GraphBuilder
from debruijn_gpu.graph.convert import (
    edges_of,
    graph_from_networkx,
    graph_from_scipy,
    networkx_from,
    scipy_from,
)
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import EMPTY_WORD, KmerNames, Labels, Numbers, OrientedNames, TextNames, WordNames
from tests.helpers import codes_of
from tests.naive import graphs as naive

NAMES = st.text(min_size=1, max_size=5)
ROWS = st.dictionaries(NAMES, st.lists(NAMES, max_size=5), max_size=8)


@st.composite
def edge_lists(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    n_vertices = draw(st.integers(1, 12))
    vertex = st.integers(0, n_vertices - 1)
    return n_vertices, draw(st.lists(st.tuples(vertex, vertex), max_size=40))


def graph_of(n_vertices: int, edges: list[tuple[int, int]], weights: list[float] | None = None) -> Graph:
    ends = np.array(edges, np.int64).reshape(-1, 2)
    return graph_from_edges(*ends.T, n_vertices, weights=None if weights is None else np.array(weights))


def check(graph: Graph) -> None:
    """What every graph holds to."""
    assert (graph.row_ptr.dtype, graph.col.dtype) == (np.int64, np.uint32)
    assert graph.row_ptr[0] == 0
    assert graph.row_ptr[-1] == graph.n_edges
    assert np.all(np.diff(graph.row_ptr) >= 0)
    assert np.all(graph.col < graph.n_vertices)


@given(ROWS)
def test_a_graph_reads_like_a_dict(rows: dict[str, list[str]]) -> None:
    graph = graph_from_dict(rows)
    check(graph)
    expected = naive.collect(list(rows.items()))
    found = dict_of(graph)
    assert list(found.items()) == list(expected.items())
    assert len(graph) == len(expected) == graph.n_vertices
    for name, heads in expected.items():
        assert name in graph
        assert graph[name] == heads
        assert graph[graph.vertex(name)] == graph[np.uint32(graph.vertex(name))] == heads
        assert np.int64(graph.vertex(name)) in graph
    assert "no such vertex" not in graph
    assert dict_of(graph.reverse).keys() == found.keys()
    assert {name: sorted(tails) for name, tails in graph.reverse} == {
        name: sorted(tails) for name, tails in naive.reverse(expected).items()
    }


def test_what_is_not_there() -> None:
    graph = graph_from_edges(np.array([0, 1]), np.array([1, 1]))
    assert [name in graph for name in ("0", "1", "2", "01", "x", "", 0, 1, 2, -1, None, "9" * 5000)] == [
        *(True, True, False, False, False, False),
        *(True, True, False, False, False, False),
    ]
    with pytest.raises(KeyError):
        graph["2"]
    with pytest.raises(KeyError):
        graph_from_dict({"a": []})["\ud800"]
    for name in (0.0, None, slice(1), 2, -1):
        with pytest.raises(KeyError):
            graph[name]
    with pytest.raises(KeyError):
        graph.successors(2)


def test_numbers_of_numpy() -> None:
    graph = graph_from_edges(np.array([0, 1]), np.array([1, 1]))
    assert np.int64(1) in graph
    assert np.uint32(2) not in graph
    (head,) = graph.successors(np.uint32(0))
    assert graph[head] == ["1"]


@given(edge_lists())
def test_degrees_and_reverse_against_networkx(case: tuple[int, list[tuple[int, int]]]) -> None:
    n_vertices, edges = case
    graph = graph_of(n_vertices, edges, [float(i) for i in range(len(edges))])
    judge = nx.MultiDiGraph()
    judge.add_nodes_from(range(n_vertices))
    judge.add_edges_from((tail, head, {"weight": float(i)}) for i, (tail, head) in enumerate(edges))
    assert graph.out_degrees.tolist() == [judge.out_degree(v) for v in range(n_vertices)]
    assert graph.in_degrees.tolist() == [judge.in_degree(v) for v in range(n_vertices)]
    check(graph.reverse)
    assert graph.reverse is graph.reverse
    assert sorted(networkx_from(graph.reverse).edges(data="weight")) == sorted(judge.reverse().edges(data="weight"))
    plain = graph_of(n_vertices, edges).reverse
    assert plain.col.tolist() == graph.reverse.col.tolist()


def test_a_large_graph_is_shown_in_short() -> None:
    graph = graph_from_edges(np.zeros(100_000, np.int64), np.arange(100_000), 100_000)
    lines = repr(graph).split("\n")
    assert lines[0] == "Graph: 100,000 vertices, 100,000 edges"
    assert lines[1] == "  0 -> 0, 1, 2, 3, 4, 5, 6, 7, ... (100,000 in all)"
    assert lines[5:7] == ["  ...", "  99996 ->"]
    assert len(lines) == 10
    assert repr(graph_from_dict({"a": ["b"]})) == "Graph: 2 vertices, 1 edge\n  a -> b\n  b ->"
    assert max(map(len, repr(graph_from_dict({"a" * 1000: ["b" * 1000]})).split("\n"))) < 100


@given(edge_lists(), st.data())
def test_rows_in_any_order(case: tuple[int, list[tuple[int, int]]], data: st.DataObject) -> None:
    n_vertices, edges = case
    rows = [(tail, [head]) for tail, head in edges]
    rows += [(vertex, []) for vertex in data.draw(st.lists(st.integers(0, n_vertices - 1), max_size=3))]
    tails = np.array([tail for tail, _heads in rows], np.int64)
    ends = np.cumsum([len(heads) for _tail, heads in rows], dtype=np.int64)
    heads = np.array([head for _tail, heads in rows for head in heads], np.int64)
    graph = graph_from_rows(tails, ends, heads, n_vertices)
    check(graph)
    assert graph.col.tolist() == graph_of(n_vertices, edges).col.tolist()
    assert graph.row_ptr.tolist() == graph_of(n_vertices, edges).row_ptr.tolist()


@pytest.mark.parametrize("by", ["row", "column"])
@given(case=edge_lists(), data=st.data())
def test_builder(by: str, case: tuple[int, list[tuple[int, int]]], data: st.DataObject) -> None:
    n_vertices, edges = case
    graph = graph_of(n_vertices, edges, [float(i) for i in range(len(edges))])
    source = graph if by == "row" else graph.reverse
    builder = GraphBuilder(by, weighted=True)
    at = 0
    while at < n_vertices:
        n = data.draw(st.integers(1, 3))
        part = slice(source.row_ptr[at], source.row_ptr[min(at + n, n_vertices)])
        degrees = np.diff(source.row_ptr[at : at + n + 1])
        if len(degrees) == 1:
            builder.append(source.col[part], source.weights[part])
        else:
            builder.extend(degrees, source.col[part], source.weights[part])
        at += n
    made = builder.finish()
    check(made)
    assert made.row_ptr.tolist() == graph.row_ptr.tolist()
    assert sorted(zip(*edges_of(made), made.weights, strict=True)) == sorted(
        zip(*edges_of(graph), graph.weights, strict=True)
    )


def test_builder_errors() -> None:
    builder = GraphBuilder()
    builder.append([])
    builder.append([2])
    for heads in ([-1], [0.5], ["a"]):
        with pytest.raises(ParameterError):
            builder.append(heads)
    with pytest.raises(ParameterError):
        builder.append([1], [0.5])
    for degrees in ([1], [1, -1], [-1, 1]):
        with pytest.raises(ParameterError):
            builder.extend(np.array(degrees), [])
    with pytest.raises(ParameterError, match="vertex 2 was given, but there are 2"):
        builder.finish()
    assert dict_of(builder.finish(4)) == {"0": [], "1": ["2"], "2": [], "3": []}
    assert GraphBuilder().finish().n_vertices == 0


def test_builder_takes_vertices_beyond_32_bits() -> None:
    builder = GraphBuilder()
    builder.append([1])
    builder.append([1 << 40])
    assert builder._neighbours.taken().tolist() == [1, 1 << 40]


@pytest.mark.parametrize(
    ("tails", "heads", "n_vertices"),
    [([0], [2], 2), ([2], [0], 2), ([-1], [0], None), ([0.5], [1.0], None), ([0], [], 1)],
)
def test_edges_that_are_none(tails: list[int], heads: list[int], n_vertices: int | None) -> None:
    with pytest.raises(ParameterError):
        graph_from_edges(np.array(tails), np.array(heads, dtype=np.array(tails).dtype), n_vertices)


def test_vector() -> None:
    heads = np.array([2, 0, 1, 1])
    graph = graph_from_vector(heads)
    check(graph)
    assert vector_of(graph).tolist() == heads.tolist()
    with pytest.raises(ParameterError):
        graph_from_vector(np.array([2, 0]))
    with pytest.raises(ParameterError, match="vertex a has 2 edges out"):
        vector_of(graph_from_dict({"a": ["a", "b"], "b": ["a"]}))


def test_names_of_dicts() -> None:
    assert isinstance(graph_from_dict({1: [0], 0: [1]}).names, Numbers)
    assert dict_of(graph_from_dict({9: [7], 7: []})) == {"7": [], "9": ["7"]}
    assert dict_of(graph_from_dict({(1, 2): ["x"]})) == {"(1, 2)": ["x"], "x": []}
    with pytest.raises(ParameterError, match="two vertices are called 1"):
        graph_from_dict({"1": [1]})
    with pytest.raises(ParameterError, match="not Unicode"):
        graph_from_dict({"\ud800": []})


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_de_bruijn_graphs(k: int, n: int) -> None:
    graph = de_bruijn_graph(k, n)
    check(graph)
    assert (graph.n_vertices, graph.n_edges) == (k ** (n - 1), k**n)
    assert graph.in_degrees.tolist() == graph.out_degrees.tolist() == [k] * graph.n_vertices
    words = ["".join(map(str, np.base_repr(w, max(k, 2)))).rjust(n, "0") if k > 1 else "0" * n for w in range(k**n)]
    tails, heads = edges_of(graph)
    for word, tail, head in zip(words, tails.tolist(), heads.tolist(), strict=True):
        assert graph.names.name(tail) == (word[:-1] or EMPTY_WORD)
        assert graph.names.name(head) == (word[1:] or EMPTY_WORD)


def test_parameters_without_a_graph() -> None:
    for alphabet, n in (("ACCT", 3), ("", 3), (0, 3), (37, 13), ("ACGT", 0), ("ACGT", 32)):
        with pytest.raises(ParameterError):
            de_bruijn_graph(alphabet, n)
    assert dict_of(de_bruijn_graph("αβ", 2)) == {"α": ["α", "β"], "β": ["α", "β"]}


KMERS = ["ACGT" * 12, "ACGT" * 11 + "TTTT", "T" * 48]
ALL_NAMES = [
    (Numbers(), [str(i) for i in range(12)]),
    (Labels(np.array([3, 70, 12345])), ["3", "70", "12345"]),
    (TextNames.of(["b", "", "Zürich", "a b"]), ["b", "", "Zürich", "a b"]),
    (KmerNames(codes_of(["AAC", "ACA", "TTT"]), 3), ["AAC", "ACA", "TTT"]),
    (KmerNames(codes_of(sorted(KMERS)), 48), sorted(KMERS)),
    (WordNames("01", 3), [f"{i:03b}" for i in range(8)]),
    (WordNames("aé", 2), ["aa", "aé", "éa", "éé"]),
    (WordNames("ab", 0), [EMPTY_WORD]),
    (OrientedNames(TextNames.of(["s1", "ü"])), ["s1+", "s1-", "ü+", "ü-"]),
]


@pytest.mark.parametrize(("names", "expected"), ALL_NAMES, ids=lambda value: type(value).__name__)
def test_names_and_back(names, expected: list[str]) -> None:
    assert [names.name(i) for i in range(len(expected))] == expected
    assert [names.number(name) for name in expected] == list(range(len(expected)))
    for absent in ("nothing", "é", "ACGTA", "+", "-1", "01010", "٣", "AAN", "069"):
        with pytest.raises(KeyError):
            names.number(absent)
    chosen = np.array([*reversed(range(len(expected))), 0, 0])
    for vertices in (chosen, chosen.astype(np.uint32), chosen[:0]):
        offsets, letters = names.text(vertices)
        assert offsets.dtype == np.int64
        text = letters.tobytes()
        assert [text[a:b].decode() for a, b in pairwise(offsets)] == [expected[i] for i in vertices]


@given(st.lists(st.text(max_size=4), unique=True, min_size=1, max_size=2000))
def test_text_names_find_all(words: list[str]) -> None:
    names = TextNames.of(words)
    assert [names.number(word) for word in words] == list(range(len(words)))


@given(edge_lists())
def test_both_directions(case: tuple[int, list[tuple[int, int]]]) -> None:
    n_vertices, edges = case
    judge = nx.MultiGraph(edges)
    judge.add_nodes_from(range(n_vertices))
    both = with_both_directions(graph_of(n_vertices, edges, [2.0] * len(edges)))
    check(both)
    assert sorted(networkx_from(both).edges()) == sorted(judge.to_directed().edges())
    assert both.weights.tolist() == [2.0] * both.n_edges


@given(edge_lists())
def test_networkx_and_back(case: tuple[int, list[tuple[int, int]]]) -> None:
    n_vertices, edges = case
    graph = graph_of(n_vertices, edges)
    again = graph_from_networkx(networkx_from(graph))
    assert again.row_ptr.tolist() == graph.row_ptr.tolist()
    assert [sorted(heads) for _tail, heads in again] == [sorted(heads) for _tail, heads in graph]
    assert again.weights is None


def test_networkx_names_and_weights() -> None:
    judge = nx.Graph()
    judge.add_edge("a", "b", weight=0.5)
    judge.add_edge("b", "b")
    graph = graph_from_networkx(judge)
    assert dict_of(graph) == {"a": ["b"], "b": ["a", "b"]}
    assert graph.weights.tolist() == [0.5, 0.5, 1.0]
    assert sorted(networkx_from(graph).edges(data="weight")) == [("a", "b", 0.5), ("b", "a", 0.5), ("b", "b", 1.0)]


@given(edge_lists())
def test_scipy_and_back(case: tuple[int, list[tuple[int, int]]]) -> None:
    pytest.importorskip("scipy")
    n_vertices, edges = case
    graph = graph_of(n_vertices, edges)
    matrix = scipy_from(graph)
    dense = matrix.toarray()
    assert dense.sum() == len(edges)
    assert all(dense[tail, head] == edges.count((tail, head)) for tail, head in edges)
    again = graph_from_scipy(matrix)
    assert (again.row_ptr.tolist(), again.col.tolist(), again.weights) == (
        graph.row_ptr.tolist(),
        graph.col.tolist(),
        None,
    )
    matrix.sum_duplicates()
    for layout in (matrix.tocsc(), matrix.tocoo(), matrix.tolil()):
        assert sorted(zip(*edges_of(graph_from_scipy(layout, multiplicity=True)), strict=True)) == sorted(edges)


def test_scipy_weights() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    graph = graph_from_scipy(sparse.csr_array([[0, 0.5], [2.0, 0]]))
    assert graph.weights.tolist() == [0.5, 2.0]
    assert scipy_from(graph).toarray().tolist() == [[0, 0.5], [2.0, 0]]
    for matrix, multiplicity in (
        (sparse.csr_array([[1, 2]]), False),
        (sparse.csr_array([[0.5]]), True),
        (sparse.csr_array([[-1]]), True),
        (sparse.csr_array([[np.nan]]), True),
        (sparse.csr_array([[1j]]), False),
    ):
        with pytest.raises(ParameterError):
            graph_from_scipy(matrix, multiplicity)
