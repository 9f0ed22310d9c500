"""Undirected graphs: directions for their edges; networkx says whether they have Euler walks."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import NotEulerianError
from debruijn_gpu.euler.options import EulerOptions
from debruijn_gpu.euler.trails import euler_walks, oriented
from debruijn_gpu.graph.build import graph_from_edges
from debruijn_gpu.graph.graph import Graph
from tests.graph.examples import closed_walks
from tests.helpers import n_examples


def graph_of(n_vertices: int, pairs: list[tuple[int, int]]) -> Graph:
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    return graph_from_edges(ends[:, 0], ends[:, 1], n_vertices)


def ends_of(graph: Graph) -> list[tuple[int, int]]:
    tails = np.repeat(np.arange(graph.n_vertices), np.diff(graph.row_ptr))
    return list(zip(tails.tolist(), graph.col.tolist(), strict=True))


def walked(graph: Graph, options: EulerOptions) -> list[list[int]]:
    """Vertices of each walk through an undirected graph, whose edges are checked to be those of the graph."""
    directed = oriented(graph, CPU, any_graph=options.trails, start=options.start)
    edges = ends_of(graph)
    assert sorted(directed.original.tolist()) == list(range(graph.n_edges))
    turned = ends_of(directed.graph)
    assert [sorted(ends) for ends in turned] == [sorted(edges[edge]) for edge in directed.original]
    walks = euler_walks(directed.graph, CPU, options)
    found = []
    for begin, end in zip(walks.offsets[:-1], walks.offsets[1:], strict=True):
        steps = walks.steps[begin:end].tolist()
        found.append([turned[steps[0]][0], *(turned[step][1] for step in steps)])
    return found


@settings(max_examples=n_examples(40))
@given(case=closed_walks())
def test_walks_where_networkx_sees_them(case: tuple[int, list[tuple[int, int]]]) -> None:
    graph = graph_of(*case)
    judge = nx.MultiGraph(ends_of(graph))
    parts = [judge.subgraph(part) for part in nx.connected_components(judge)]
    if all(map(nx.has_eulerian_path, parts)):
        assert len(walked(graph, EulerOptions(path=True, verify=True))) == len(parts)
    else:
        with pytest.raises(NotEulerianError, match="odd number"):
            oriented(graph, CPU)
    n_odd = [sum(degree % 2 for _, degree in part.degree) for part in parts]
    assert len(walked(graph, EulerOptions(trails=True, verify=True))) == sum(max(1, n // 2) for n in n_odd)


@given(case=closed_walks(), data=st.data())
def test_start(case: tuple[int, list[tuple[int, int]]], data: st.DataObject) -> None:
    """A walk starts at any vertex of a circuit and at either end of a path."""
    graph = graph_of(*case)
    judge = nx.MultiGraph(ends_of(graph))
    starts = [
        vertex
        for part in nx.connected_components(judge)
        for vertex in part
        if judge.degree(vertex) % 2 or nx.is_eulerian(judge.subgraph(part))
    ]
    if starts:
        start = data.draw(st.sampled_from(starts))
        walks = walked(graph, EulerOptions(trails=True, start=str(start), verify=True))
        assert start in {walk[0] for walk in walks}
