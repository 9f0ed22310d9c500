"""Ways of finding circuits that small graphs do not take by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.run.tuning import tuned
from tests.backends.circuits.test_circuits import SHAPES, balanced, check, csr, cycle, few

pytestmark = pytest.mark.cuda


def random_cycles(seed):
    """Cycles on a few vertices and some far from these, so that there are components and cycles of many sizes."""
    rng = np.random.default_rng(seed)
    cycles = [rng.integers(0, 15, rng.integers(1, 12)).tolist() for _ in range(5)]
    cycles += [(15 + rng.integers(0, 25, rng.integers(1, 4))).tolist() for _ in range(8)]
    return csr(40, [edge for vertices in cycles for edge in cycle(vertices)])


@pytest.mark.parametrize(("noted", "listed"), [(1, 1 << 20), (8, 1 << 20), (1, 0)])
@pytest.mark.parametrize("graph", [*SHAPES.values(), *(random_cycles(seed) for seed in range(8))])
def test_only_some_edges_noted(cuda, noted, listed, graph):
    with tuned(few_edges=1, noted_edges=noted, listed_edges=listed, splitter_bits=3):
        check(cuda, *graph)


@pytest.mark.parametrize(
    ("n_edges", "n_vertices"), [(1_000_010_331, 250_000_000), (10**9, 1 << 28), (1 << 26, 1 << 24)]
)
def test_graphs_whose_buckets_are_small_enough(cuda, monkeypatch, n_edges, n_vertices):
    from debruijn_gpu.backends.circuits.cuda import buckets

    for name, value in (("LEVEL_BITS", 9), ("MOST_ROWS", 1024), ("_MEAN_EDGES", 4096), ("_MOST_MEAN_EDGES", 7168)):
        monkeypatch.setattr(buckets, name, value)
    found = buckets.Buckets.of(n_edges, n_vertices, 30)
    assert found is not None
    assert 1 << found.bits <= 1024
    assert n_edges << found.bits <= 7168 * n_vertices
    assert n_vertices <= 1 << (found.bits + 18)
    assert buckets.Buckets.of(n_edges, (1 << 28) + 1, 30) is None


@pytest.mark.parametrize("noted", [8, 1 << 20])
@pytest.mark.parametrize("graph", [*SHAPES.values(), *(random_cycles(seed) for seed in range(8))])
def test_edges_listed_where_cycles_meet(cuda, graph, noted):
    with tuned(listed_cycles=0, few_edges=noted, noted_edges=noted):
        check(cuda, *graph)


@few
@given(graph=balanced(max_walks=20, max_length=3))
def test_more_edges_between_cycles_than_there_is_room_for(cuda, graph):
    from debruijn_gpu.backends.circuits.cuda import joints

    with tuned(listed_cycles=0), pytest.MonkeyPatch.context() as patch:
        patch.setattr(joints, "_FOR_EACH_CYCLE", 1)
        check(cuda, *graph)


@pytest.mark.parametrize("marked", [0, 1 << 20])
@pytest.mark.parametrize("graph", [*SHAPES.values(), *(random_cycles(seed) for seed in range(4))])
def test_many_splices(cuda, graph, marked):
    with tuned(compared_numbers=0, marked_numbers=marked):
        check(cuda, *graph)


@pytest.mark.parametrize("graph", [*SHAPES.values(), *(random_cycles(seed) for seed in range(4))])
def test_edges_paired_without_a_sort(cuda, graph):
    with tuned(dealt_edges=0):
        check(cuda, *graph)


@few
@given(pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=40))
def test_any_graph_without_a_sort(cuda, pairs):
    with tuned(dealt_edges=0):
        check(cuda, *csr(6, pairs))


@few
@given(graph=balanced(max_walks=9, max_length=12))
def test_closed_walks_without_a_sort(cuda, graph):
    with tuned(dealt_edges=0):
        check(cuda, *graph)


@pytest.mark.parametrize("graph", [random_cycles(seed) for seed in range(4)])
def test_keys_that_do_not_fit_in_64_bits(cuda, graph):
    with tuned(packed_key_bits=4, compared_numbers=0, marked_numbers=0, dealt_edges=0):
        check(cuda, *graph)


@pytest.mark.parametrize("graph", [*SHAPES.values(), *(random_cycles(seed) for seed in range(4))])
def test_edges_that_are_sorted(cuda, monkeypatch, graph):
    from debruijn_gpu.backends.circuits.cuda import pairing

    monkeypatch.setattr(pairing, "pair_rows", lambda _rows: (False, None))
    check(cuda, *graph)


@pytest.mark.parametrize("degree", [8, 9, 32, 33, 50])
def test_vertices_of_many_edges(cuda, degree):
    check(cuda, *csr(3, [*[(0, 0)] * (degree - 1), (0, 1), (1, 2), (2, 0)]))
    check(cuda, *csr(3, [*[(1, 1)] * (degree - 1), (0, 1), (1, 2)]))


@pytest.mark.parametrize("few", [1, 1 << 20])
@pytest.mark.parametrize("graph", [*SHAPES.values(), *(random_cycles(seed) for seed in range(4))])
def test_cycles_walked_again_without_room_for_lines(cuda, monkeypatch, graph, few):
    from debruijn_gpu.backends.circuits.cuda import lines

    monkeypatch.setattr(lines.memory, "has_room", lambda n_bytes: False)
    with tuned(few_edges=few, noted_edges=few):
        check(cuda, *graph)


@pytest.mark.parametrize("n_edges", [5, 1024, (1 << 20) + 1, (1 << 21) - 3000])
def test_values_of_edges_that_are_missing(cuda, n_edges):
    from debruijn_gpu.backends.circuits.cuda import short_cycles, sublists
    from debruijn_gpu.backends.core.cuda.runtime import launch

    edges = np.arange(n_edges)
    missing = np.array([0, 3, n_edges - 1])
    fields = [edges >> sublists.FIELD_BITS * field & sublists.FIELD_MASK for field in range(sublists.FIELDS)]
    passed = [np.bincount(values, minlength=1024) - np.bincount(values[missing], minlength=1024) for values in fields]
    on_device = cuda.to_device(np.concatenate(passed).astype(np.uint32))
    values, counts = cuda.to_device(np.zeros(on_device.size, np.uint32)), cuda.to_device(np.zeros(4, np.int64))
    is_missing = cuda.to_device(np.full(on_device.size, 7, np.uint8))
    launch(short_cycles._list_missing, on_device.size, on_device, np.uint64(n_edges), values, counts, is_missing)
    *n_values, n_missing = cuda.to_host(counts).tolist()
    assert n_missing == 3
    marks = cuda.to_host(is_missing).reshape(3, -1)
    for field, (n, listed) in enumerate(zip(n_values, cuda.to_host(values).reshape(3, -1), strict=True)):
        assert sorted(listed[:n].tolist()) == sorted(set(fields[field][missing].tolist()))
        assert np.flatnonzero(marks[field]).tolist() == sorted(listed[:n].tolist())
