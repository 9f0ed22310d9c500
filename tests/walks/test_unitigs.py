"""k-mer graph and unitigs against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from debruijn_gpu import backends
from debruijn_gpu.contigs.spell import cut_circles, spell
from debruijn_gpu.graph.kmer_graph import kmer_graph
from debruijn_gpu.options import RunOptions
from debruijn_gpu.walks.unitig_graph import unitig_graph
from tests.helpers import random_sequence, sequences_of, table_of
from tests.naive import kmers as naive

CPU = backends.load(RunOptions(backend="cpu", threads=2))


def spelled(reads: list[str], k: int):
    table = table_of(naive.count(reads, k), k)
    graph = unitig_graph(kmer_graph(table, CPU), table, CPU)
    return spell(graph, table, CPU)


@settings(max_examples=100)
@given(reads=st.lists(st.text("ACGT", max_size=40), max_size=8), k=st.sampled_from([3, 5, 7]))
@example(reads=["AAAAAAA"], k=3)  # a circle of one k-mer
@example(reads=["ACACACAC"], k=3)  # a circle of two
@example(reads=["AATT"], k=3)  # AAT -> ATT is AAT -> its own mirror: the junction is a palindrome
@example(reads=["CAATTG", "GAATTC"], k=5)
def test_graph_and_unitigs_are_those_of_brute_force(reads, k):
    counts = naive.count(reads, k)
    kmers = sorted(counts)
    table = table_of(counts, k)
    graph = kmer_graph(table, CPU)
    rows = [graph.col[graph.row_ptr[v] : graph.row_ptr[v + 1]].tolist() for v in range(graph.n_vertices)]
    assert rows == naive.successors(kmers)
    contigs = spelled(reads, k)
    assert set(sequences_of(contigs)) == naive.unitigs(kmers)
    assert contigs.n_kmers.sum() == len(kmers)
    assert contigs.kmer_counts.sum() == sum(counts.values())


@pytest.mark.parametrize("k", [31, 33, 63, 65, 95, 97, 127])
def test_long_kmers(k):
    rng = np.random.default_rng(k)
    repeat = random_sequence(rng, 2 * k)
    genome = "".join(random_sequence(rng, 300) + repeat for _ in range(3)) + naive.reverse_complement(repeat)
    reads = [genome]
    assert set(sequences_of(spelled(reads, k))) == naive.unitigs(sorted(naive.count(reads, k)))


def test_order_and_strand():
    contigs = spelled(["ACCGTTAGC", "TTTTGCAATCC", "GGATGCCCATAT"], 5)
    sequences = sequences_of(contigs)
    assert sequences == sorted(sequences, key=lambda s: (-len(s), s))
    assert all(s == naive.canonical(s) for s in sequences)


def test_links_are_the_overlaps():
    rng = np.random.default_rng(3)
    k = 7
    contigs = spelled([random_sequence(rng, 3000)], k)
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
def test_a_circle_is_cut_once_wherever_it_is_opened(shift):
    rng = np.random.default_rng(4)
    genome = random_sequence(rng, 400)
    turned = genome[shift:] + genome[:shift]
    contigs = cut_circles(spelled([turned + turned[:20]], 21))
    strands = (genome, naive.reverse_complement(genome))
    assert contigs.circular.tolist() == [True]
    assert sequences_of(contigs) == [min(s[i:] + s[:i] for s in strands for i in range(len(s)))]


def test_cutting_circles_keeps_the_order_and_the_links():
    rng = np.random.default_rng(5)
    circle, line = random_sequence(rng, 100), random_sequence(rng, 110)
    contigs = spelled([circle + circle[:20], line], 21)
    assert contigs.lengths.tolist() == [120, 110]
    cut = cut_circles(contigs)
    assert cut.lengths.tolist() == [110, 100]
    assert cut.circular.tolist() == [False, True]
    assert cut.links.tolist() == [[2, 2]]
