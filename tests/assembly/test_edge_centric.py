"""Unitigs whose k-mers are joined only where the (k+1)-mer occurs, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from debruijn_gpu.assembly.contigs import spell
from debruijn_gpu.assembly.euler_contigs import tig_trails
from debruijn_gpu.assembly.unitig_graph import unitig_graph
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.graph import occurrences
from debruijn_gpu.graph.de_bruijn import kmer_graph
from debruijn_gpu.graph.occurrences import occurring_edges
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.options import RunOptions
from tests.helpers import n_examples, random_sequence, sequences_of, table_of
from tests.naive import kmers as naive, trails as naive_trails

pytestmark = pytest.mark.cuda

some = settings(
    deadline=None,
    max_examples=3 if is_simulated() else n_examples(150),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
reads_of = st.lists(st.text("ACGT", max_size=24) | st.text("AT", max_size=9), max_size=8)


def on_device(counts: dict[str, int], k: int, backend) -> KmerTable:
    table = table_of(counts, k)
    return KmerTable(k, backend.to_device(table.codes), backend.to_device(table.counts))


def compacted(reads: list[str], k: int, backend, min_count: int = 1):
    """The edge-centric unitig graph of the k-mers of reads that are frequent enough."""
    kept = {kmer: n for kmer, n in naive.count(reads, k).items() if n >= min_count}
    table, edges = on_device(kept, k, backend), on_device(naive.count(reads, k + 1), k + 1, backend)
    return unitig_graph(occurring_edges(kmer_graph(table, backend), table, edges, backend), table, backend)


def links_of(contigs) -> set[tuple[str, str]]:
    """Pairs of sequences that are linked, in both directions; circular ones to themselves."""
    oriented = strands_of(contigs)
    circles = [(2 * i, 2 * i) for i in np.flatnonzero(contigs.circular).tolist()]
    pairs = [*contigs.links.tolist(), *circles]
    return {(oriented[a], oriented[b]) for tail, head in pairs for a, b in ((tail, head), (head ^ 1, tail ^ 1))}


def strands_of(contigs) -> list[str]:
    return [strand for s in sequences_of(contigs) for strand in (s, naive.reverse_complement(s))]


@some
@given(reads=reads_of, k=st.sampled_from([3, 5, 7]), min_count=st.integers(1, 2))
@example(reads=["AAAAAAA"], k=3, min_count=1)  # a cycle of one k-mer
@example(reads=["AAA"], k=3, min_count=1)  # the same without its edge
@example(reads=["ACACACAC"], k=3, min_count=1)  # a cycle of two
@example(reads=["ACACA"], k=3, min_count=1)  # the same, cut open
@example(reads=["AATT"], k=3, min_count=1)  # AAT -> ATT is AAT -> its own reverse complement, and AATT a palindrome
@example(reads=["AAT", "ATT"], k=3, min_count=1)
@example(reads=["CAATTG", "GAATTC"], k=5, min_count=1)
@example(reads=["ACGTTGCA", "GTTGG"], k=5, min_count=1)  # a branch that no read takes
def test_unitigs_are_those_of_brute_force(backend, reads, k, min_count):
    counts, edges = naive.count(reads, k), naive.count(reads, k + 1)
    kmers = sorted(kmer for kmer, n in counts.items() if n >= min_count)
    contigs = spell(compacted(reads, k, backend, min_count), backend)
    assert set(sequences_of(contigs)) == naive.unitigs(kmers, edges)
    assert contigs.n_kmers.sum() == len(kmers)
    assert contigs.kmer_counts.sum() == sum(counts[kmer] for kmer in kmers)
    assert links_of(contigs) == {
        (a, b)
        for a in strands_of(contigs)
        for b in strands_of(contigs)
        if a[1 - k :] == b[: k - 1] and naive.canonical(a[-k:] + b[k - 1]) in edges
    }


@pytest.mark.parametrize("k", [3, 15, 31, 33, 63, 65, 127, 129, 253])
@pytest.mark.parametrize("edges_at_once", [7, 1 << 22])
def test_every_number_of_words(backend, monkeypatch, k, edges_at_once):
    monkeypatch.setattr(occurrences, "_EDGES_AT_ONCE", edges_at_once)
    rng = np.random.default_rng(k)
    genome = random_sequence(rng, k + 20)
    reads = [genome, genome[5 : 5 + k], genome[10:] + "A", naive.reverse_complement(genome)[3:]]
    reads += [genome[8 : 8 + k - 1] + base for base in "ACGT"]
    counts, edges = naive.count(reads, k), naive.count(reads, k + 1)
    contigs = spell(compacted(reads, k, backend), backend)
    assert set(sequences_of(contigs)) == naive.unitigs(sorted(counts), edges)


@some
@given(reads=reads_of, k=st.sampled_from([3, 5]))
@example(reads=["CAATTG", "GAATTC", "CAATTC"], k=5)
@example(reads=["AACC", "CACC", "CACG"], k=3)
def test_strings_of_each_kmer_follow_edges_only(backend, reads, k):
    counts, edges = naive.count(reads, k), naive.count(reads, k + 1)
    graph = compacted(reads, k, backend)
    run = RunOptions(backend="cpu")
    contigs = tig_trails(graph, np.ones(len(graph), np.int64), run, backend, are_complete=False)
    strings = sequences_of(contigs)
    assert naive.count(strings, k) == dict.fromkeys(counts, 1)
    assert set(naive.count(strings, k + 1)) <= set(edges)
    assert len(strings) <= len(graph)
    if len(counts) <= 9:
        fewest = naive_trails.fewest_strings_of_all(sorted(counts), edges)
        assert fewest <= len(strings) <= fewest + int(contigs.circular.sum())


@pytest.mark.slow
@some
@given(reads=reads_of, k=st.sampled_from([3, 5]))
def test_where_all_overlaps_occur_strings_are_fewest(backend, reads, k):
    counts = naive.count(reads, k)
    table = on_device(counts, k, backend)
    graph = unitig_graph(kmer_graph(table, backend), table, backend)
    found = [
        tig_trails(graph, np.ones(len(graph), np.int64), RunOptions(backend="cpu"), backend, are_complete=complete)
        for complete in (True, False)
    ]
    assert sequences_of(found[0]) == sequences_of(found[1])
