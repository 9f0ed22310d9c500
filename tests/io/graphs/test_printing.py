"""Walks as lines of names."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.graph.graph import Graph, Walks
from debruijn_gpu.graph.names import Labels, Numbers, TextNames, VertexNames
from debruijn_gpu.io.graphs.printing import write_walks
from debruijn_gpu.run.tuning import tuned


def lines(graph: Graph, walks: list[list[int]], separator: str = " -> ", threads: int = 2) -> list[str]:
    offsets = np.cumsum([0, *map(len, walks)], dtype=np.int64)
    steps = np.array([edge for walk in walks for edge in walk], np.uint32)
    stream = io.BytesIO()
    write_walks(stream, graph, Walks(offsets, steps, np.zeros(len(walks), np.bool_)), CPU, separator, threads)
    return stream.getvalue().decode().split("\n")


def names_of(kind: str, n: int) -> VertexNames:
    return {"n": Numbers(), "l": Labels(np.arange(n) * 10), "t": TextNames.of(f"v {i}ü" for i in range(n))}[kind]


@pytest.mark.parametrize("kind", ["n", "l", "t", "words"])
@pytest.mark.parametrize("words_at_once", [1, 2, 7, 1 << 17])
@given(data=st.data())
def test_walks(kind: str, words_at_once: int, data: st.DataObject) -> None:
    """Walks of random edges that follow each other, among them empty ones, in blocks of any size."""
    graph = de_bruijn_graph(2, data.draw(st.integers(1, 5)))
    if kind != "words":
        graph = Graph(graph.row_ptr, graph.col, names_of(kind, graph.n_vertices))
    walks, expected = [], []
    for _ in range(data.draw(st.integers(0, 6))):
        edge = data.draw(st.integers(0, graph.n_edges - 1))
        walk = []
        for choice in data.draw(st.lists(st.integers(0, 1), max_size=6)):
            walk.append(edge)
            edge = int(graph.row_ptr[graph.col[edge]]) + choice
        walks.append(walk)
        if walk:
            vertices = [walk[0] // 2, *graph.col[walk].tolist()]
            expected.append(" -> ".join(graph.names.name(vertex) for vertex in vertices))
    with tuned(words_at_once=words_at_once):
        assert lines(graph, walks) == [*expected, ""]
        assert lines(graph, walks, "\t", 1) == [*(line.replace(" -> ", "\t") for line in expected), ""]
