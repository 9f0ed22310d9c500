"""k-mer graph and unitigs against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.assembly import contigs as spelling
from debruijn_gpu.assembly.contigs import cut_circular_contigs, spell, spell_trails
from debruijn_gpu.assembly.links import unitig_trails
from debruijn_gpu.assembly.unitig_graph import unitig_graph
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.graph.de_bruijn import kmer_graph
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.tuning import tuned
from tests.helpers import n_examples, random_sequence, sequences_of, table_of, unpack
from tests.naive import kmers as naive, trails as naive_trails

pytestmark = pytest.mark.cuda

some = settings(
    max_examples=3 if is_simulated() else n_examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)


def compacted(reads: list[str], k: int, backend):
    """The unitig graph of reads, in arrays of the backend."""
    table = table_of(naive.count(reads, k), k)
    table = KmerTable(k, backend.to_device(table.codes), backend.to_device(table.counts))
    return unitig_graph(kmer_graph(table, backend), table, backend)


def unpacked(graph, backend) -> list[str]:
    """The sequences of a unitig graph, as they are stored."""
    return unpack(graph.sequences.moved(backend.to_host))


def spelled(reads: list[str], k: int, backend):
    return spell(compacted(reads, k, backend), backend)


@some
@given(reads=st.lists(st.text("ACGT", max_size=40), max_size=8), k=st.sampled_from([3, 5, 7]))
@example(reads=["AAAAAAA"], k=3)  # a cycle of one k-mer
@example(reads=["ACACACAC"], k=3)  # a cycle of two
@example(reads=["AATT"], k=3)  # AAT -> ATT is AAT -> its own reverse complement: the shared (k-1)-mer is a palindrome
@example(reads=["CAATTG", "GAATTC"], k=5)
def test_unitigs_are_those_of_brute_force(backend, reads, k):
    counts = naive.count(reads, k)
    kmers = sorted(counts)
    contigs = spelled(reads, k, backend)
    assert set(sequences_of(contigs)) == naive.unitigs(kmers)
    assert contigs.n_kmers.sum() == len(kmers)
    assert contigs.kmer_counts.sum() == sum(counts.values())


@some
@given(reads=st.lists(st.text("ACGT", max_size=30), max_size=3), k=st.sampled_from([3, 5]), seed=st.integers(0, 99))
@example(reads=["AATT", "ACACACAC"], k=3, seed=1)
def test_what_is_kept_is_joined(backend, reads, k, seed):
    counts = naive.count(reads, k)
    graph = compacted(reads, k, backend)
    is_kept = np.random.default_rng(seed).random(len(graph)) < 0.6
    kept = [
        naive.canonical(kmer)
        for sequence, kept in zip(unpacked(graph, backend), is_kept, strict=True)
        for kmer in naive.windows(sequence, k)
        if kept
    ]
    graph = graph.keep(backend.to_device(is_kept), backend)
    contigs = spell(graph, backend)
    assert set(sequences_of(contigs)) == naive.unitigs(sorted(kept))
    assert contigs.n_kmers.sum() == len(kept)
    assert contigs.kmer_counts.sum() == sum(counts[kmer] for kmer in kept)
    assert len(contigs.links) == graph.n_links


@some
@given(reads=st.lists(st.text("ACGT", max_size=30), max_size=3), k=st.sampled_from([3, 5]))
def test_sequences_of_neighbours_overlap(backend, reads, k):
    graph = compacted(reads, k, backend)
    strands = [s for sequence in unpacked(graph, backend) for s in (sequence, naive.reverse_complement(sequence))]
    links = graph.graph.on_host()
    for v in range(links.n_vertices):
        for w in links.col[links.row_ptr[v] : links.row_ptr[v + 1]].tolist():
            assert strands[v][1 - k :] == strands[w][: k - 1]
    for u in np.flatnonzero(backend.to_host(graph.circular)).tolist():
        assert strands[2 * u][1 - k :] == strands[2 * u][: k - 1]
    assert [len(strand) - k + 1 for strand in strands[::2]] == backend.to_host(graph.n_kmers).tolist()


@some
@given(reads=st.lists(st.text("ACGT", max_size=20), max_size=3))
def test_trails_are_spelled(backend, reads):
    graph = compacted(reads, 5, backend)
    trails = unitig_trails(graph.moved(backend.to_host), np.ones(len(graph), np.int64), backends.host())
    contigs = spell_trails(trails, graph, backend).contigs
    assert naive_trails.canonical_kmers(sequences_of(contigs), 5) == dict.fromkeys(naive.count(reads, 5), 1)


@pytest.mark.parametrize("k", [31, 33, 63, 65, 95, 97, 127, 129, 191, 193, 255])
def test_long_kmers(backend, k):
    rng = np.random.default_rng(k)
    repeat = random_sequence(rng, 2 * k)
    genome = "".join(random_sequence(rng, 300) + repeat for _ in range(3)) + naive.reverse_complement(repeat)
    reads = [genome]
    assert set(sequences_of(spelled(reads, k, backend))) == naive.unitigs(sorted(naive.count(reads, k)))


def test_order_and_strand(backend):
    contigs = spelled(["ACCGTTAGC", "TTTTGCAATCC", "GGATGCCCATAT"], 5, backend)
    sequences = sequences_of(contigs)
    assert sequences == sorted(sequences, key=lambda s: (-len(s), s))
    assert all(s == naive.canonical(s) for s in sequences)


def test_links_are_the_overlaps(backend):
    rng = np.random.default_rng(3)
    k = 7
    contigs = spelled([random_sequence(rng, 1000)], k, backend)
    oriented = [s for t in sequences_of(contigs) for s in (t, naive.reverse_complement(t))]
    expected = {
        (a, b)
        for a in range(len(oriented))
        for b in range(len(oriented))
        if oriented[a][1 - k :] == oriented[b][: k - 1]
    }
    listed = {tuple(link) for link in contigs.links.tolist()}
    assert listed == {min((a, b), (b ^ 1, a ^ 1)) for a, b in expected}
    assert contigs.links.tolist() == sorted(contigs.links.tolist())


@pytest.mark.parametrize("shift", [0, 17, 200])
def test_a_circular_contig_is_cut_once_wherever_it_is_opened(backend, shift):
    rng = np.random.default_rng(4)
    genome = random_sequence(rng, 400)
    turned = genome[shift:] + genome[:shift]
    contigs = cut_circular_contigs(spelled([turned + turned[:20]], 21, backend), backend)
    strands = (genome, naive.reverse_complement(genome))
    assert contigs.circular.tolist() == [True]
    assert sequences_of(contigs) == [min(s[i:] + s[:i] for s in strands for i in range(len(s)))]


def test_cutting_circular_contigs_keeps_the_order_and_the_links(backend):
    rng = np.random.default_rng(5)
    circular, line = random_sequence(rng, 100), random_sequence(rng, 110)
    contigs = spelled([circular + circular[:20], line], 21, backend)
    assert contigs.lengths.tolist() == [120, 110]
    cut = cut_circular_contigs(contigs, backend)
    assert cut.lengths.tolist() == [110, 100]
    assert cut.circular.tolist() == [False, True]
    assert cut.links.tolist() == [[2, 2]]


@pytest.mark.parametrize("few", [0, 3, 1000])
@given(
    heads=st.lists(st.text("ACGT", max_size=3), min_size=1, max_size=12),
    shared=st.integers(0, 1100),
)
def test_sequences_are_ordered_by_length_and_then_by_their_bases(few, heads, shared):
    """However long a start they have in common, and in whichever way ties are resolved."""
    sequences = [head[:1] + "ACGTTGCA" * (shared // 8) + head + "A" for head in heads]
    text = np.frombuffer("".join(sequences).encode(), np.uint8)
    with tuned(few_tied_sequences=few, few_sequences=few):
        order = spelling._order(text, np.cumsum([0, *map(len, sequences)]))
    assert sorted(order.tolist()) == list(range(len(sequences)))
    assert [sequences[i] for i in order] == sorted(sequences, key=lambda s: (-len(s), s))
