"""Euler circuits of several ranks, which share a GPU or the simulator, are those of one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given

from debruijn_gpu.run.tuning import tuned
from tests.backends.circuits.test_circuits import SHAPES, balanced, csr, de_bruijn, few
from tests.backends.circuits.test_cuda_circuits import random_cycles
from tests.naive import circuits as naive

pytestmark = pytest.mark.cuda


def found_together(cuda, row_ptr, col, ranks, **tuning):
    """The circuits that several ranks find, as lists; None of a graph that is not balanced."""
    with tuned(ranks_per_gpu=ranks, edges_of_several=0, **tuning):
        circuits = cuda.circuits.together(len(col))
        pairing = circuits.pair_edges(row_ptr, col)
        if pairing is None:
            return None
        cycles = circuits.find_cycles(pairing)
        splices = circuits.splice_cycles(pairing, cycles)
        offsets, steps = circuits.write_circuits(pairing, cycles, splices)
        on_host = steps.on_host()
        assert cuda.to_host(steps.gathered()).tolist() == on_host.tolist()
        assert steps.size == len(col)
    return [on_host[a:b].tolist() for a, b in itertools.pairwise(cuda.to_host(offsets))]


def check(cuda, row_ptr, col, ranks, **tuning):
    """The circuits are those of the naive twin, from arrays of the host and of the device."""
    expected = naive.circuits(row_ptr, col)
    assert found_together(cuda, row_ptr, col, ranks, **tuning) == expected
    moved = cuda.to_device(row_ptr), cuda.to_device(col)
    assert found_together(cuda, *moved, ranks, **tuning) == expected


@pytest.mark.parametrize("ranks", [2, 3, 5])
@pytest.mark.parametrize("name", [name for name, (_row_ptr, col) in SHAPES.items() if len(col)])
def test_shapes(cuda, name, ranks):
    check(cuda, *SHAPES[name], ranks)


@few
@given(graph=balanced())
def test_closed_walks(cuda, graph):
    if len(graph[1]):
        check(cuda, *graph, 3)


@pytest.mark.parametrize(("noted", "listed"), [(1, 1 << 20), (8, 1 << 20), (1, 0)])
@pytest.mark.parametrize("seed", range(4))
def test_only_some_edges_noted(cuda, noted, listed, seed):
    check(cuda, *random_cycles(seed), 3, few_edges=1, noted_edges=noted, listed_edges=listed, splitter_bits=3)


@pytest.mark.parametrize("seed", range(3))
def test_keys_that_do_not_fit_in_64_bits(cuda, seed):
    check(cuda, *random_cycles(seed), 2, packed_key_bits=4)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("key_bits", [4, 64])
def test_pairs_across_gpus(cuda, seed, key_bits):
    check(cuda, *random_cycles(seed), 3, copied_pairs_share=0, packed_key_bits=key_bits)


@pytest.mark.parametrize("seed", range(3))
def test_edges_paired_without_a_sort(cuda, seed):
    check(cuda, *random_cycles(seed), 3, dealt_edges=0)


@pytest.mark.parametrize("unit", [1, 4, 64])
@pytest.mark.parametrize("ranks", [2, 3, 7])
def test_bounds_of_ranks_are_those_of_the_host(cuda, ranks, unit):
    from debruijn_gpu.backends.circuits.cuda.group_pairing import bounds_on_gpu, bounds_on_host

    for seed in range(3):
        row_ptr, _ = random_cycles(seed)
        found = bounds_on_host(row_ptr, ranks, unit)
        assert bounds_on_gpu(cuda.to_device(row_ptr), ranks, unit) == found
        assert found[0][0] == found[1][0] == 0
        assert all(vertex % unit == 0 for vertex in found[0][:-1] if vertex < len(row_ptr) - 1)


@pytest.mark.parametrize("seed", range(3))
def test_the_first_gpu_counts_for_all(cuda, seed):
    from debruijn_gpu.backends.circuits.cuda.group_pairing import RowPairing, deal_rows
    from debruijn_gpu.backends.circuits.cuda.pairing import buckets_of
    from debruijn_gpu.backends.circuits.cuda.rows import Rows
    from debruijn_gpu.backends.core.cuda.group import DeviceGroup, group

    row_ptr, col = map(cuda.to_device, random_cycles(seed))
    sizes = (len(col), len(row_ptr) - 1)
    with tuned(ranks_per_gpu=3, dealt_edges=0):
        gpus, buckets = DeviceGroup(group().ranks, is_brief=True), buckets_of(*sizes)
        rows = deal_rows(row_ptr, col, gpus, 1 << buckets.top_bits)
        pairings = RowPairing(gpus, rows, *sizes, Rows(0, 0, row_ptr, col)).pair()
    expected = cuda.to_host(cuda.circuits.predecessors(cuda.circuits.pair_edges(row_ptr, col))).tolist()
    assert [cuda.to_host(pairing.array).tolist() for pairing in pairings] == [expected] * 3


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("dealt", [0, 1 << 23])
def test_graphs_without_circuits(cuda, ranks, dealt):
    check(cuda, *csr(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5)]), ranks, dealt_edges=dealt)
    check(cuda, *csr(4, [(0, 1), (1, 0), (2, 1), (3, 2)]), ranks, dealt_edges=dealt)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize(("k", "n"), [(2, 5), (4, 3), (3, 3), (2, 7)])
def test_shift_graphs_need_no_arrays(cuda, k, n, ranks, dtype):
    row_ptr, col = de_bruijn(k, n)
    n_vertices = len(row_ptr) - 1
    (expected,) = naive.circuits(row_ptr, col)
    with tuned(ranks_per_gpu=ranks, edges_of_several=0):
        circuits = cuda.circuits.of_words(len(col))
        pairing = circuits.pair_shifts(len(col), n_vertices)
        cycles = circuits.find_cycles(pairing)
        splices = circuits.splice_cycles(pairing, cycles)
        assert circuits.write_circuits(pairing, cycles, splices)[1].on_host().tolist() == expected
        symbols = circuits.write_symbols(pairing, cycles, splices, np.dtype(dtype)).on_host()
        assert symbols.dtype == dtype
        assert symbols.tolist() == [edge // n_vertices for edge in expected]


def test_few_edges_are_for_one_gpu(cuda):
    with tuned(ranks_per_gpu=2, edges_of_several=100):
        assert cuda.circuits.together(99) is None
        assert cuda.circuits.together(100) is not None
    assert cuda.circuits.together(1 << 40) is None


def test_places_are_whole_lines_of_all_edges(cuda):
    from debruijn_gpu.backends.circuits.cuda.group_writing import places_of

    for n_edges, n_ranks in itertools.product((1, 15, 16, 17, 100, 12345), (1, 2, 3, 8)):
        places = np.array(places_of(n_edges, n_ranks))
        assert (places[0], places[-1], len(places)) == (0, n_edges, n_ranks + 1)
        assert (np.diff(places) >= 0).all()
        assert (places[:-1] % 64 == 0).all() or n_edges < 64 * n_ranks
