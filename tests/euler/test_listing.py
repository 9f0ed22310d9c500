"""All Euler circuits and paths, against the slow twin and the BEST theorem."""

from __future__ import annotations

import random
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.euler.counting import count_circuits
from debruijn_gpu.euler.listing import edge_classes, euler_circuits_from, euler_trails
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.graph.graph import Graph
from tests.helpers import n_examples
from tests.naive import euler_counts


def graph_of(edges, n_vertices):
    tails, heads = (np.array(ends, np.int64) for ends in zip(*edges, strict=True))
    row_ptr, col = CPU.graphs.csr_from_edges(tails.astype(np.uint32), heads.astype(np.uint32), n_vertices)
    return Graph(row_ptr, col)


def closed_walk(draw_vertices):
    """Edges of a closed walk, so that their graph has an Euler circuit."""
    return list(zip(draw_vertices, draw_vertices[1:] + draw_vertices[:1], strict=True))


def vertices_of(classes, trail):
    return [classes.tails[each] for each in trail]


@given(vertices=st.lists(st.integers(0, 3), min_size=1, max_size=8))
@settings(max_examples=n_examples(150), deadline=None)
def test_circuits_are_those_of_the_slow_twin(vertices):
    edges = closed_walk(vertices)
    graph = graph_of(edges, 4)
    classes = edge_classes(graph)
    start = min(vertices)
    found = [vertices_of(classes, trail) for trail in euler_circuits_from(classes, len(edges), start)]
    assert len(found) == euler_counts.circuits(edges)[1] == count_circuits(graph, CPU).vertex_sequences.exact
    assert found == sorted(found)
    assert len({euler_counts.smallest_rotation(walk) for walk in found}) == len(found)
    for walk in found:
        assert sorted(zip(walk, walk[1:] + walk[:1], strict=True)) == sorted(edges)


@given(vertices=st.lists(st.integers(0, 3), min_size=2, max_size=9))
@settings(max_examples=n_examples(100), deadline=None)
def test_paths_are_those_of_the_slow_twin(vertices):
    start, last = vertices[0], vertices[-1]
    if start == last:
        return
    edges = list(pairwise(vertices))
    graph = graph_of(edges, 4)
    classes = edge_classes(graph)
    found = [vertices_of(classes, trail) for trail in euler_trails(classes, len(edges), start, last)]
    assert found == sorted(found)
    assert len({tuple(walk) for walk in found}) == len(found) == euler_counts.paths(edges)[1]


@pytest.mark.parametrize(("k", "n"), [(2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (3, 1), (3, 2), (4, 1), (1, 3), (4, 2)])
def test_circuits_of_de_bruijn_graphs_are_as_many_as_the_best_theorem_says(k, n):
    graph = de_bruijn_graph(k, n)
    classes = edge_classes(graph)
    n_found, before = 0, []
    for trail in euler_circuits_from(classes, graph.n_edges, 0):
        assert before < trail
        before = list(trail)
        n_found += 1
    assert n_found == count_circuits(graph, CPU).vertex_sequences.exact


def test_no_walk_is_entered_that_leads_nowhere():
    """Thousands of edges, in time."""
    rng = random.Random(1)
    vertices = [rng.randrange(500) for _ in range(4000)]
    graph = graph_of(closed_walk(vertices), 500)
    classes = edge_classes(graph)
    found = [list(trail) for trail in islice(euler_circuits_from(classes, 4000, 0), 100)]
    assert found == sorted(found)
    assert len({tuple(trail) for trail in found}) == 100
    for trail in found:
        assert np.array_equal(np.bincount(trail, minlength=len(classes.counts)), classes.counts)
        ends = [classes.heads[each] for each in trail]
        assert ends == [classes.tails[each] for each in trail[1:] + trail[:1]]


def test_conditions_on_edges():
    classes = edge_classes(de_bruijn_graph(2, 3))
    trails = euler_trails(classes, 8, 0, 0, 0, lambda trail, edge: len(trail) != 3 or edge != 2)
    every = [list(trail) for trail in euler_trails(classes, 8, 0, 0, 0)]
    assert list(map(list, trails)) == [trail for trail in every if trail[3] != 2]
    assert len(every) == 2
