"""Pairing, cycles, splices and circuits, on each backend."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from tests.helpers import n_examples
from tests.naive import circuits as naive

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=8 if is_simulated() else n_examples(150),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def csr(n_vertices, pairs):
    """Row pointers and heads of an edge list, rows in the order of the list."""
    tails = np.array([tail for tail, _ in pairs], np.int64)
    heads = np.array([head for _, head in pairs], np.uint32)
    order = np.argsort(tails, kind="stable")
    row_ptr = np.concatenate(([0], np.cumsum(np.bincount(tails, minlength=n_vertices))))
    return row_ptr.astype(np.int64), heads[order]


def cycle(vertices):
    """Edges of a closed walk."""
    return list(zip(vertices, [*vertices[1:], *vertices[:1]], strict=True))


def de_bruijn(k, n):
    """B(k, n), whose edges are words of n letters."""
    n_vertices = k ** (n - 1)
    return np.arange(n_vertices + 1) * k, (np.arange(k**n) % n_vertices).astype(np.uint32)


def run(backend, row_ptr, col):
    """The circuits as lists, the number of cycles and of joins; None of a graph that is not balanced."""
    row_ptr, col = backend.to_device(row_ptr), backend.to_device(col)
    predecessor = backend.circuits.pair_edges(row_ptr, col)
    if predecessor is None:
        return None
    cycles = backend.circuits.find_cycles(predecessor)
    splices = backend.circuits.splice_cycles(col, predecessor, cycles)
    offsets, steps = map(backend.to_host, backend.circuits.write_circuits(predecessor, cycles, splices))
    assert offsets.dtype == np.int64
    assert steps.dtype == np.uint32
    found = [steps[a:b].tolist() for a, b in itertools.pairwise(offsets)]
    return found, cycles.n_cycles, splices.n_splices


def check(backend, row_ptr, col):
    """The circuits are those of the naive twin, and so are the numbers of cycles and joins."""
    expected = naive.circuits(row_ptr, col)
    found = run(backend, row_ptr, col)
    if expected is None:
        assert found is None
        return
    before = naive.paired(row_ptr, col)
    assert found[0] == expected
    assert found[1] == len(set(naive.cycles(before)))
    assert found[2] == naive.spliced(row_ptr, before)[1]


@pytest.mark.parametrize(("n_vertices", "degree"), [(1, 1), (1, 3), (2, 1), (5, 2), (9, 3), (16, 4), (7, 5)])
def test_shift_graphs_are_paired_as_any_other_graph(backend, n_vertices, degree):
    row_ptr = np.arange(n_vertices + 1) * degree
    check(backend, row_ptr, (np.arange(n_vertices * degree) % n_vertices).astype(np.uint32))


@pytest.mark.parametrize(("first", "second"), [(1, 2), (3, 17), (8, 30), (20, 21)])
def test_graphs_that_are_nearly_shift_graphs_are_paired_by_sorting(backend, first, second):
    row_ptr, col = de_bruijn(2, 5)
    col[[first, second]] = col[[second, first]]
    check(backend, row_ptr, col)


def test_shift_heads_with_unequal_degrees_are_paired_by_sorting(backend):
    check(backend, np.array([0, 1, 4, 6]), np.array([0, 1, 2, 0, 1, 2], np.uint32))
    check(backend, np.array([0, 3, 4]), np.array([0, 1, 0, 1], np.uint32))


@st.composite
def balanced(draw, max_walks=5, max_length=9):
    """Closed walks on a few vertices."""
    n_vertices = draw(st.integers(1, 9))
    vertex = st.integers(0, n_vertices - 1)
    walks = draw(st.lists(st.lists(vertex, min_size=1, max_size=max_length), max_size=max_walks))
    return csr(n_vertices, [edge for walk in walks for edge in cycle(walk)])


@few
@given(graph=balanced())
def test_closed_walks(backend, graph):
    check(backend, *graph)


@few
@given(pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_any_graph(backend, pairs):
    check(backend, *csr(6, pairs))


SHAPES = {
    "none": csr(0, []),
    "no edges": csr(3, []),
    "loop": csr(1, [(0, 0)]),
    "loops of one vertex": csr(1, [(0, 0)] * 60),
    "loops of many": csr(50, [(v, v) for v in range(50)]),
    "cycle": csr(60, cycle(list(range(60)))),
    "cycle backwards": csr(60, cycle(list(range(60))[::-1])),
    "star of cycles of two": csr(31, [edge for v in range(1, 31) for edge in cycle([0, v])]),
    "path of cycles of two": csr(31, [edge for v in range(30) for edge in cycle([v, v + 1])]),
    "disjoint cycles": csr(60, [edge for v in range(0, 60, 3) for edge in cycle([v, v + 1, v + 2])]),
    "B(2, 5)": de_bruijn(2, 5),
    "B(4, 3)": de_bruijn(4, 3),
    "textbook": csr(10, [*cycle([0, 3, 2, 1]), *cycle([2, 6, 5, 4]), *cycle([6, 8, 7, 9])]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(backend, name):
    check(backend, *SHAPES[name])


@pytest.mark.parametrize("seed", range(5))
def test_two_rings_with_one_vertex_in_common(backend, seed):
    order = np.random.default_rng(seed).permutation(41).tolist()
    check(backend, *csr(41, cycle(order[:20]) + cycle([order[5], *order[20:]])))
