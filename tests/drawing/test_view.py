"""What of large graphs is drawn."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.drawing.graph import draw
from debruijn_gpu.drawing.options import DrawOptions
from debruijn_gpu.drawing.picture import make_picture
from debruijn_gpu.drawing.view import Limits, Wanted, drawn_part
from debruijn_gpu.graph.build import graph_from_dict, graph_from_edges
from debruijn_gpu.graph.convert import edges_of
from tests.drawing.graphs import needs_dot
from tests.graph.examples import closed_walks, graph_of, judge_of

MANY = Limits(10**6, 10**6)


def groups(view):
    return [view.members[start:end].tolist() for start, end in zip(view.offsets[:-1], view.offsets[1:], strict=True)]


@given(closed_walks(), st.integers(0, 4))
def test_neighbourhoods_are_those_of_networkx(edges, radius):
    graph, judge = graph_of(*edges), judge_of(*edges)
    view = drawn_part(graph, Wanted(0, radius), MANY)
    near = nx.single_source_shortest_path_length(judge.to_undirected(), 0, cutoff=radius)
    assert groups(view) == [[vertex] for vertex in sorted(near)]
    within = [i for i, (tail, head) in enumerate(sorted(edges[1])) if tail in near and head in near]
    assert set(view.edges.tolist()) <= set(within)
    assert view.n_parallel.sum() == len(within)


@given(closed_walks())
def test_collapsed_paths_hold_every_vertex_and_the_rest_of_the_edges(edges):
    graph = graph_of(*edges)
    view = drawn_part(graph, Wanted(collapse=True), MANY)
    assert sorted(view.members.tolist()) == list(range(graph.n_vertices))
    tails, heads = (ends.tolist() for ends in edges_of(graph))
    inner = {(tail, head) for path in groups(view) for tail, head in pairwise(path)}
    n_inner = sum((tail, head) in inner for tail, head in zip(tails, heads, strict=True))
    assert view.n_parallel.sum() + n_inner == graph.n_edges
    for tail, head in inner:
        assert {h for t, h in zip(tails, heads, strict=True) if t == tail} == {head}
        assert {t for t, h in zip(tails, heads, strict=True) if h == head} == {tail}


def test_paths_are_one_vertex_with_their_number():
    path = graph_from_dict({str(i + 100): [str(i + 101)] for i in range(400)} | {"500": ["100", "x"], "x": ["y", "z"]})
    picture = make_picture(path, DrawOptions())
    assert [vertex.label for vertex in picture.vertices] == ["100 … 500\n401 vertices", "x", "y", "z"]
    assert picture.notes == ["paths without branches are one vertex each"]
    kept = make_picture(path, DrawOptions(around="200", radius=1000, max_vertices=10))
    assert "200" in [vertex.name for vertex in kept.vertices]


def test_a_ring_is_one_vertex_with_a_loop():
    cycle = graph_from_edges(np.arange(1000), (np.arange(1000) + 1) % 1000)
    picture = make_picture(cycle, DrawOptions(euler=True))
    assert [(edge.tail, edge.head, edge.label) for edge in picture.edges] == [(0, 0, "1000")]
    assert picture.vertices[0].is_start


def test_what_is_too_much_is_left_out_and_said():
    rng = np.random.default_rng(1)
    graph = graph_from_edges(rng.integers(0, 3000, 12000), rng.integers(0, 3000, 12000), 3000)
    view = drawn_part(graph, Wanted(), Limits(300, 2100))
    assert view.n_vertices == 300
    assert view.n_left_out == 3000 - len(view.members)
    assert int(np.argmax(graph.in_degrees + graph.out_degrees)) == view.center
    drawing = draw(graph, DrawOptions(clusters=True))
    assert "left out: shown is what is nearest to" in drawing.notes[-1]
    assert "components are drawn apart, without boxes" in drawing.dot
    around = draw(graph, DrawOptions(around="17", radius=9))
    assert "nearest to 17" in around.notes[-1]


def test_dense_graphs_have_few_edges():
    n = 200
    graph = graph_from_edges(np.repeat(np.arange(n), n), np.tile(np.arange(n), n))
    picture = make_picture(graph, DrawOptions(edge_labels=True))
    assert len(picture.edges) <= 2100
    assert len(picture.vertices) > 30


def test_very_many_parallel_edges_are_one_with_their_number():
    graph = graph_from_edges(np.zeros(50_000, np.int64), np.arange(50_000) % 2, 2)
    picture = make_picture(graph, DrawOptions())
    assert [edge.label for edge in picture.edges] == ["×25,000", "×25,000"]
    few = make_picture(graph_from_edges(np.zeros(12, np.int64), np.ones(12, np.int64)), DrawOptions())
    assert len(few.edges) == 12
    numbered = make_picture(graph, DrawOptions(euler=True))
    assert all(edge.label.endswith("×25,000") or edge.look for edge in numbered.edges)


def test_components_share_what_room_there_is():
    pairs = graph_from_edges(np.arange(0, 2000, 2), np.arange(1, 2000, 2))
    view = drawn_part(pairs, Wanted(), Limits(300, 2100))
    assert groups(view) == [[2 * i, 2 * i + 1] for i in range(300)]


@pytest.mark.process
@needs_dot
@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_large_drawings_do_not_hang(seed, clusters):
    rng = np.random.default_rng(seed)
    n_edges = (400, 5000)[seed]
    graph = graph_from_edges(rng.integers(0, 250, n_edges), rng.integers(0, 250, n_edges), 250)
    options = DrawOptions(clusters=clusters, edge_labels=True, circuits=True)
    assert draw(graph, options).svg().startswith("<?xml")
