"""Small graphs and names for tests."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from debruijn_gpu.graph.graph import Graph


class Letters:
    """Vertex 0 is A, 1 is B, ..."""

    def name(self, vertex):
        return chr(ord("A") + vertex)

    def text(self, vertices):
        return np.arange(len(vertices) + 1), (vertices + ord("A")).astype(np.uint8)


def graph_of(n_vertices, pairs):
    pairs = sorted(pairs)
    tails = np.array([tail for tail, _ in pairs], np.int64)
    row_ptr = np.searchsorted(tails, np.arange(n_vertices + 1))
    return Graph(row_ptr.astype(np.int64), np.array([head for _, head in pairs], np.uint32))


def judge_of(n_vertices, pairs):
    judge = nx.MultiDiGraph()
    judge.add_nodes_from(range(n_vertices))
    judge.add_edges_from(pairs)
    return judge


@st.composite
def closed_walks(draw):
    """Edges of some closed and some open walks, so that many graphs have an Euler walk."""
    n_vertices = draw(st.integers(1, 12))
    vertex = st.integers(0, n_vertices - 1)
    pairs = []
    for walk in draw(st.lists(st.lists(vertex, min_size=1, max_size=8), max_size=4)):
        closed = draw(st.booleans())
        pairs += zip(walk, walk[1:] + walk[: int(closed)], strict=False)
    return n_vertices, pairs
