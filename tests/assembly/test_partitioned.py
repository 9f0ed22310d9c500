"""Compaction in partitions against compaction of the whole k-mer graph."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.assembly import partitioned
from debruijn_gpu.assembly.partitioned import compact_table
from debruijn_gpu.assembly.unitig_graph import unitig_graph
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.graph.de_bruijn import kmer_graph
from debruijn_gpu.graph.occurrences import occurring_edges
from debruijn_gpu.run import room
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.spilling import SpillingArrays
from debruijn_gpu.run.tuning import tuned
from tests.helpers import first_quick, n_examples, random_sequence, table_of
from tests.naive import kmers as naive

spill = SpillingArrays.spill
pytestmark = pytest.mark.cuda

some = settings(
    max_examples=3 if is_simulated() else n_examples(50),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
RUN = RunOptions(threads=2)
N_PARTITIONS = (3,) if is_simulated() else (1, 2, 7, 64)
MOST_BASES = 12 if is_simulated() else 40


def arrays_of(graph, backend) -> list[np.ndarray]:
    """All arrays of a unitig graph, on the host."""
    graph = graph.moved(backend.to_host)
    sequences = graph.sequences
    return [
        *(graph.graph.row_ptr, graph.graph.col, sequences.offsets, sequences.bases),
        *(graph.circular, graph.n_kmers, graph.kmer_counts),
    ]


def check(backend, reads: list[str], k: int, numbers=N_PARTITIONS, edge_centric: bool = False) -> None:
    """Compare each array, byte for byte."""
    table = table_of(naive.count(reads, k), k).moved(backend.to_device)
    edges = table_of(naive.count(reads, k + 1), k + 1).moved(backend.to_device) if edge_centric else None
    graph = kmer_graph(table, backend)
    if edges is not None:
        graph = occurring_edges(graph, table, edges, backend)
    expected = arrays_of(unitig_graph(graph, table, backend), backend)
    for n in numbers:
        found = arrays_of(compact_table(table, n, edges, RUN, backend), backend)
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist()


@some
@given(
    reads=st.lists(st.text("ACGT", max_size=MOST_BASES) | st.text("AC", max_size=MOST_BASES), max_size=8),
    k=st.sampled_from([3, 5, 7, 11]),
    edge_centric=st.booleans(),
    n=st.sampled_from(N_PARTITIONS),
)
@example(reads=["AAAAAAA"], k=3, edge_centric=False, n=2)  # a cycle of one k-mer
@example(reads=["ACACACAC"], k=3, edge_centric=False, n=7)  # a cycle of two
@example(reads=["AATT"], k=3, edge_centric=False, n=2)  # the shared (k-1)-mer is its own reverse complement
@example(reads=["CAATTG", "GAATTC"], k=5, edge_centric=True, n=7)
@example(reads=[], k=5, edge_centric=False, n=2)
def test_partitions_change_nothing(backend, reads, k, edge_centric, n):
    check(backend, reads, k, (n,), edge_centric)


@some
@given(
    seed=st.integers(0, 999),
    lengths=st.lists(st.integers(1, MOST_BASES), min_size=1, max_size=3),
    k=st.sampled_from([5, 7, 9]),
    n=st.sampled_from(N_PARTITIONS),
)
def test_cycles_begin_with_their_smallest_kmer(backend, seed, lengths, k, n):
    rng = np.random.default_rng(seed)
    circles = [random_sequence(rng, length) for length in lengths]
    with tuned(least_kmers_at_once=int(rng.integers(1, 8))):
        check(backend, [(k * circle)[: len(circle) + k - 1] for circle in circles], k, (n,))


@pytest.mark.parametrize("k", first_quick([31, 33, 127, 63, 65, 99, 255], 3))
def test_long_kmers(backend, k):
    rng = np.random.default_rng(k)
    n = 16 if is_simulated() else 300
    repeat = random_sequence(rng, k + 5)
    half = random_sequence(rng, k // 2)
    circle = random_sequence(rng, n)
    reads = [
        random_sequence(rng, n) + repeat + random_sequence(rng, n // 2) + naive.reverse_complement(repeat),
        random_sequence(rng, 20) + half + naive.reverse_complement(half) + random_sequence(rng, 20),
        (circle * (k + 1))[: n + k - 1],
    ]
    check(backend, reads[2:] if is_simulated() else reads, k)


@pytest.mark.skipif(is_simulated(), reason="too much for the simulator")
@pytest.mark.parametrize("k", [9, pytest.param(15, marks=pytest.mark.slow), pytest.param(21, marks=pytest.mark.slow)])
def test_genomes_with_repeats(backend, k):
    rng = np.random.default_rng(k)
    repeats = [random_sequence(rng, 60) for _ in range(3)]
    genome = "".join(random_sequence(rng, int(rng.integers(1, 200))) + repeats[i % 3] for i in range(30))
    reads = [genome[i : i + 100] for i in rng.integers(0, len(genome) - 100, 400)]
    wrong = [read[:50] + "A" + read[51:] for read in reads[::9]]
    with tuned(partitioned_kmers=1000, partitions_share=1e-6):
        check(backend, [*reads, *wrong], k)
        check(backend, [*reads, *wrong], k, (7,), edge_centric=True)


def test_spilled_partitions_change_nothing(backend, tune):
    tune(partitions_share=0.0, partitioned_kmers=16)
    rng = np.random.default_rng(2)
    check(backend, [random_sequence(rng, 30)], 7, (3,))


def test_little_memory_moves_kmers_and_segments_to_disk(backend, monkeypatch):
    """Memory is short until stores have moved."""
    rng = np.random.default_rng(3)
    looks = itertools.cycle([0, 0, 1 << 40])
    spilled = []
    monkeypatch.setattr(SpillingArrays, "spill", lambda arrays: spilled.append(spill(arrays)))
    monkeypatch.setattr(room, "memory_left_on_host", lambda _text: next(looks))
    check(backend, [random_sequence(rng, 30)], 7, (3,))
    assert len(spilled) >= 2


def test_too_large_a_partition_is_an_error(backend, monkeypatch):
    monkeypatch.setattr(backend.unitigs, "kmer_graph_bytes", lambda _n, _k: 1 << 60)
    table = table_of({"AAACC": 2}, 5).moved(backend.to_device)
    with pytest.raises(OutOfMemoryError, match=r"^Out of memory: the graph of 1 k-mer of one partition takes about"):
        compact_table(table, 1, None, RUN, backend)


def test_partitions_are_chosen_by_memory():
    backend = backends.host()
    run = RunOptions(memory=str(1 << 40))
    left = backend.memory_left(run)
    most = left // backend.unitigs.kmer_graph_bytes(1, 31)
    assert partitioned.choose_partitions(left // 2, left, 1) == 0
    assert partitioned.choose_partitions(2 * left, left, 1) > 2
    chooser = partitioned.partition_chooser(31, run, backend)
    assert chooser(0) == 0
    assert chooser(4 * most) > chooser(2 * most) > 2
