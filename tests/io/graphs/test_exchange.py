"""Graphs for other programs: networkx and graphviz read them."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.build import graph_from_edges
from debruijn_gpu.graph.convert import networkx_from
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import KmerNames, Labels, OrientedNames, TextNames, WordNames
from debruijn_gpu.io.graphs.files import write_graph
from debruijn_gpu.run.tuning import tuned

letters = st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff")
texts = st.one_of(
    st.text(letters, min_size=1, max_size=5).filter(lambda name: name == name.strip(" \t")),
    st.sampled_from(["a", "b", "c-", "d.1", "e_", "f:2", "g+", "<&>", '"', "\\", "--", "x y"]),
)
names = st.one_of(st.sampled_from(["numbers", "labels"]), st.lists(texts, min_size=6, max_size=6, unique=True))


@st.composite
def graphs(draw):
    pairs = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=9))
    weights = None
    if draw(st.booleans()):
        weights = np.array([draw(st.floats(-1e300, 1e300)) for _ in pairs], np.float64)
    called = draw(names)
    tails, heads = (np.array([pair[i] for pair in pairs], np.int64) for i in (0, 1))
    if called == "numbers":
        return graph_from_edges(tails, heads, 6, weights=weights)
    found = Labels(np.array([2, 3, 5, 7, 11, 13])) if called == "labels" else TextNames.of(called)
    return graph_from_edges(tails, heads, 6, found, weights)


def written(graph: Graph, file_format: str) -> bytes:
    stream = io.BytesIO()
    with tuned(words_at_once=4):
        write_graph(stream, graph, file_format, backends.host(), 2)
    return stream.getvalue()


def edges_of(graph: nx.Graph, name=str) -> list[tuple[str, str, float | None]]:
    """All edges by name, sorted, with their weights."""
    found = [(name(a), name(b), data.get("weight")) for a, b, data in graph.edges(data=True)]
    return sorted(found, key=repr)


def vertices_of(graph: nx.Graph, name=str) -> list[str]:
    return [name(vertex) for vertex in graph.nodes]


@given(graph=graphs())
def test_networkx_reads_graphml(graph):
    data = written(graph, "graphml")
    found = nx.parse_graphml(data.decode(), force_multigraph=True)
    called = nx.get_node_attributes(found, "name")
    expected = networkx_from(graph)
    assert vertices_of(found, lambda v: called.get(v, v)) == vertices_of(expected)
    assert edges_of(found, lambda v: called.get(v, v)) == edges_of(expected)
    for node in ElementTree.fromstring(data).iter("{http://graphml.graphdrawing.org/xmlns}node"):
        assert all(letter.isalnum() or letter in "-._:" for letter in node.attrib["id"])


@given(graph=graphs())
def test_networkx_reads_node_link_json(graph):
    found = nx.node_link_graph(json.loads(written(graph, "json")), edges="edges")
    assert found.is_directed()
    assert found.is_multigraph()
    expected = networkx_from(graph)
    assert vertices_of(found) == vertices_of(expected)
    assert edges_of(found) == edges_of(expected)
    are_numbers = not isinstance(graph.names, TextNames)
    assert all(isinstance(vertex, int) is are_numbers for vertex in found)


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_graphviz_reads_dot():
    called = ["a", 'b"', "c\\", "-> d", "{e}", "f;"]
    pairs = np.array([[0, 1], [1, 2], [2, 2], [3, 4], [3, 4], [4, 5]])
    graph = graph_from_edges(pairs[:, 0], pairs[:, 1], 6, TextNames.of(called), np.array([1, -2.5, 1e300, 0, 3, 4]))
    done = subprocess.run(["dot", "-Tjson0"], input=written(graph, "dot"), capture_output=True, check=True)
    assert done.stderr == b""
    found = json.loads(done.stdout)
    assert [node["name"].replace("\\\\", "\\") for node in found["objects"]] == called
    assert sorted((edge["tail"], edge["head"]) for edge in found["edges"]) == sorted(map(tuple, pairs.tolist()))
    assert sorted(float(edge["weight"]) for edge in found["edges"]) == [-2.5, 0, 1, 3, 4, 1e300]


@pytest.mark.parametrize("file_format", ["dot", "graphml", "json"])
@pytest.mark.parametrize(
    ("called", "expected"),
    [
        (KmerNames(np.array([[1, 6, 11]], np.uint64), 2), ["AC", "CG", "GT"]),
        (KmerNames(np.array([[0]], np.uint64), 0), ["ε"]),
        (WordNames(("<", "&", '"'), 1), ["<", "&", '"']),
        (OrientedNames(TextNames.of(["s<1"])), ["s<1+", "s<1-"]),
    ],
)
def test_all_kinds_of_names(file_format, called, expected):
    n = len(expected)
    text = written(graph_from_edges(np.arange(n), np.arange(n), n, called), file_format).decode()
    if file_format == "json":
        assert list(nx.node_link_graph(json.loads(text), edges="edges").edges()) == [(name, name) for name in expected]
    elif file_format == "graphml":
        found = nx.parse_graphml(text)
        known = nx.get_node_attributes(found, "name")
        assert [(known.get(a, a), known.get(b, b)) for a, b in found.edges] == [(name, name) for name in expected]
    else:
        shown = [name.replace('"', '\\"') for name in expected]
        lines = [f'  "{name}";' for name in shown] + [f'  "{name}" -> "{name}";' for name in shown]
        assert text.splitlines() == ["digraph {", *lines, "}"]


@pytest.mark.parametrize("file_format", ["dot", "graphml", "json"])
def test_graphs_without_edges_or_vertices(file_format):
    for n in (0, 2):
        none = np.empty(0, np.int64)
        text = written(graph_from_edges(none, none, n), file_format).decode()
        if file_format == "json":
            assert len(nx.node_link_graph(json.loads(text), edges="edges")) == n
        elif file_format == "graphml":
            assert len(nx.parse_graphml(text)) == n
        else:
            assert text.count(";") == n


@pytest.mark.parametrize(
    ("name", "formats"), [("a\nb", ["dot", "graphml"]), ("a\x01", ["dot", "graphml"]), ("a\uffff", ["graphml"])]
)
def test_names_that_do_not_fit(name, formats):
    graph = graph_from_edges(np.array([0]), np.array([1]), 2, TextNames.of([name, "b"]))
    for file_format in ("dot", "graphml", "json"):
        if file_format in formats:
            with pytest.raises(ParameterError, match=r"cannot be written|does not allow"):
                written(graph, file_format)
        else:
            assert written(graph, file_format)
    found = nx.node_link_graph(json.loads(written(graph, "json")), edges="edges")
    assert list(found) == [name, "b"]


def test_weights_that_are_not_finite():
    graph = graph_from_edges(np.array([0, 1]), np.array([1, 0]), 2, weights=np.array([np.nan, -np.inf]))
    with pytest.raises(ParameterError, match="no weights that are infinite"):
        written(graph, "json")
    text = written(graph, "graphml").decode()
    assert '<data key="weight">NaN<' in text
    assert '<data key="weight">-INF<' in text
