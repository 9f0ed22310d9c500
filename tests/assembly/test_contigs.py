"""Sequences of trails: eulertigs against formula and brute force, genomes from their k-mers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.assembly.contigs import Contigs, cut_circular_contigs, spell_trails
from debruijn_gpu.assembly.links import unitig_trails
from debruijn_gpu.assembly.unitig_graph import unitig_graph
from debruijn_gpu.graph.de_bruijn import copy_numbers, kmer_graph
from debruijn_gpu.run.options import RunOptions
from tests.helpers import first_quick, n_examples, random_sequence, sequences_of, table_of
from tests.naive import kmers as naive_kmers, trails as naive
from tests.naive.kmers import canonical, reverse_complement
from tests.naive.sequences import smallest_rotation

CPU = backends.load(RunOptions(backend="cpu", threads=2))


def trails_of(counts: Counter[str], k: int, *, once: bool) -> Contigs:
    """The trails of a table: each k-mer once, or each unitig as often as its mean count says."""
    table = table_of(counts, k)
    graph = unitig_graph(kmer_graph(table, CPU), table, CPU)
    copies = np.ones(len(graph), np.int64) if once else copy_numbers(graph.kmer_counts / graph.n_kmers, 1.0)
    return spell_trails(unitig_trails(graph, copies, CPU), graph, CPU).contigs


def check_eulertigs(reads: list[str], k: int) -> list[str]:
    counts = naive_kmers.count(reads, k)
    kmers = sorted(counts)
    found = trails_of(counts, k, once=True)
    strings = sequences_of(found)
    assert naive.canonical_kmers(strings, k) == Counter(kmers)
    assert len(strings) == naive.fewest_strings(kmers)
    if len(kmers) <= 7:
        assert len(strings) == naive.fewest_strings_of_all(kmers)
    assert found.offsets[-1] == len(kmers) + (k - 1) * len(strings)
    assert found.n_kmers.tolist() == [len(s) - k + 1 for s in strings]
    assert found.kmer_counts.tolist() == [sum(counts[kmer] for kmer in naive.canonical_kmers([s], k)) for s in strings]
    assert strings == sorted(map(canonical, strings), key=lambda s: (-len(s), s))
    return strings


READS = st.lists(st.text("ACGT", max_size=25) | st.text("AT", max_size=25), max_size=4)


@settings(max_examples=n_examples(80))
@given(reads=READS, k=st.sampled_from([3, 5, 7]))
@example(reads=["AAAAAAA"], k=3)  # a cycle of one k-mer
@example(reads=["ACACACAC"], k=3)  # a cycle of two
@example(reads=["AATT"], k=3)  # AT is a palindrome, and so each of its ends can meet any other
@example(reads=["GAATTC", "CAATTG"], k=5)
@example(reads=["AACG", "AACT"], k=3)  # both begin where nothing ends
def test_eulertigs_are_the_shortest_strings(reads, k):
    check_eulertigs(reads, k)


@settings(max_examples=n_examples(30))
@given(arm=st.text("ACGT", min_size=4, max_size=12), loop=st.text("ACGT", max_size=6), k=st.sampled_from([3, 5]))
def test_eulertigs_of_hairpins(arm, loop, k):
    check_eulertigs([arm + loop + reverse_complement(arm)], k)


@pytest.mark.parametrize("k", first_quick([31, 33, 127, 63, 65, 97, 129, 255], 3))
def test_eulertigs_of_long_kmers(k):
    rng = np.random.default_rng(k)
    repeat = random_sequence(rng, 2 * k)
    genome = "".join(random_sequence(rng, 300) + repeat for _ in range(3)) + reverse_complement(repeat)
    assert len(check_eulertigs([genome], k)) == 3  # beginning, 2 ways too many into the repeat, 3 out of it: 6 ends


def walk_genome(genome: str, k: int, *, circular: bool) -> list[tuple[str, bool]]:
    text = genome + (genome * k)[: k - 1] if circular else genome
    found = cut_circular_contigs(trails_of(naive_kmers.count([text], k), k, once=False), CPU)
    assert found.n_kmers.sum() == found.kmer_counts.sum() == len(text) - k + 1
    return list(zip(sequences_of(found), found.circular.tolist(), strict=True))


def genome_of(n: int, seed: int) -> str:
    return random_sequence(np.random.default_rng(seed), n)


@pytest.mark.parametrize("k", [15, 31, 33, 63, 127, 193])
def test_a_genome_comes_back(k):
    genome = genome_of(2000, k)
    strands = genome, reverse_complement(genome)
    assert walk_genome(genome, k, circular=True) == [(min(map(smallest_rotation, strands)), True)]
    assert walk_genome(genome, k, circular=False) == [(min(strands), False)]


@settings(max_examples=n_examples(100))
@given(st.text("ACGT", min_size=1, max_size=40), st.sampled_from([3, 5, 7]))
def test_every_kmer_is_used_as_often_as_it_is_there(genome, k):
    """A circular genome comes as one contig, whatever its repeats."""
    (spelled,) = walk_genome(genome, k, circular=True)
    assert spelled[1]
    assert len(spelled[0]) == len(genome)
    kmers = [naive.canonical_kmers([text + (text * k)[: k - 1]], k) for text in (spelled[0], genome)]
    assert kmers[0] == kmers[1]


@pytest.mark.parametrize("circular", [False, True])
def test_strands_that_meet_in_an_inverted_repeat_are_one_molecule(circular):
    arm = genome_of(40, 3)
    genome = genome_of(100, 4) + arm + genome_of(60, 5) + reverse_complement(arm) + genome_of(80, 6)
    ((sequence, is_circular),) = walk_genome(genome, 21, circular=circular)
    assert (len(sequence), is_circular) == (len(genome), circular)


def test_a_repeat_as_often_as_it_is_covered_and_what_does_not_fit():
    """A repeat is walked twice; a unitig that is too often there for its neighbours is a trail of its own, too."""
    a, b, c, repeat = (genome_of(n, n) for n in (300, 200, 150, 60))
    genome = a + repeat + b + repeat + c
    counts = naive_kmers.count([genome], 21)
    found = trails_of(counts, 21, once=False)
    assert sequences_of(found) == [canonical(genome)]
    inner = naive_kmers.count([b], 21)
    counts.update(dict.fromkeys(naive_kmers.count([repeat[-20:] + b + repeat[:20]], 21), 1))
    found = trails_of(counts, 21, once=False)
    assert sequences_of(found) == [canonical(genome), canonical(repeat[-20:] + b + repeat[:20])]
    assert len(inner) < found.n_kmers[1] == found.kmer_counts[1]


def test_copies_share_the_counts_in_whole_numbers():
    counts = Counter({canonical(kmer): n for kmer, n in (("AAC", 5), ("ACC", 7))})
    table = table_of(counts, 3)
    graph = unitig_graph(kmer_graph(table, CPU), table, CPU)
    trails = unitig_trails(graph, np.array([5]), CPU)
    assert sorted(trails.kmer_counts.tolist()) == [2, 2, 2, 3, 3]
    assert trails.n_kmers.tolist() == [2] * 5
