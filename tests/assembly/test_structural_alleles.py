"""Structural alleles: bubbles of sides of any lengths between single-copy unitigs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.contigs import spell
from debruijn_gpu.assembly.popped import PoppedBubble, noter
from debruijn_gpu.assembly.round_cleaner import RoundCleaner
from debruijn_gpu.assembly.structural_alleles import rarer_alleles
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.assembly.variant_options import VariantOptions
from debruijn_gpu.assembly.variants import place_variants
from debruijn_gpu.kmers.evenness import has_two_alleles
from debruijn_gpu.kmers.spectrum import Spectrum
from debruijn_gpu.run.options import RunOptions
from tests.assembly.test_cleaning import CPU, graph_of
from tests.assembly.test_single_copy_bubbles import graph_from, in_both_strands
from tests.assembly.test_thresholds import counts_of
from tests.helpers import random_sequence, sequences_of, unpack
from tests.naive.cleaning import rarer_alleles as naive_rarer_alleles
from tests.naive.kmers import canonical, reverse_complement, windows

K, PER_READ, DEPTH = 21, 130, 30
RNG = np.random.default_rng(8)
BEFORE, BEHIND = random_sequence(RNG, 900), random_sequence(RNG, 900)
SHORT, LONG, VERY_LONG = (random_sequence(RNG, n) for n in (200, 800, 2_000))
BUBBLE = in_both_strands([(0, 4), (0, 6), (4, 2), (6, 2)])


def found_in(depths, n_kmers, edges=BUBBLE, single=float(DEPTH), per_read=PER_READ):
    """Which unitigs are rarer alleles; the first two are before and behind the others."""
    n_kmers = np.array(n_kmers, np.int64)
    kmer_counts = np.rint(n_kmers * depths).astype(np.int64)
    return rarer_alleles(graph_from(edges, len(n_kmers)), n_kmers, kmer_counts, K, per_read, single)


SIZES = st.tuples(
    st.sampled_from([249, 250, 499, 500, 900, 1_600, 3_000]),
    st.sampled_from([3.0, 9.0, 15.0, 16.0, 24.0, 30.0, 42.0, 43.0]),
)


@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=5),
    st.sampled_from([[(0, 4), (0, 6), (4, 2), (6, 2)], [(0, 4), (0, 7), (4, 3), (7, 3)]]),
    st.lists(SIZES, min_size=6, max_size=6),
    st.sampled_from([PER_READ, 50]),
)
def test_rarer_alleles_are_those_of_all_simple_bubbles(pairs, planted, sizes, per_read):
    edges = in_both_strands([*planted, *pairs])
    n_kmers, depths = zip(*sizes, strict=True)
    counts = [round(n * depth) for n, depth in sizes]
    expected = naive_rarer_alleles(edges, list(n_kmers), counts, per_read, float(DEPTH))
    assert found_in(np.array(depths), n_kmers, edges, per_read=per_read).found.tolist() == expected


@pytest.mark.parametrize(
    ("n_kmers", "depths", "is_found"),
    [
        ((600, 600), (24, 6), True),
        ((2_500, 600), (24, 6), True),
        ((2_500, 600), (16, 14), False),  # alike, and of very different lengths
        ((1_599, 600), (16, 14), True),
        ((1_600, 600), (16, 14), False),
        ((2_500, 20), (24, 9), False),  # nine reads are not certainly less than 24 / 1.6
        ((2_500, 20), (24, 8), True),
        ((2_500, 700), (24, 12), False),
        ((2_500, 1_400), (24, 12), True),
        ((600, 600), (30, 13), False),  # deeper than what is before and behind: copies
    ],
)
def test_alleles_are_decided_by_depth_or_by_length(n_kmers, depths, is_found):
    found = found_in(np.array([DEPTH, DEPTH, *depths]), (900, 900, *n_kmers)).found
    assert found.tolist() == [False, False, False, is_found]


@pytest.mark.parametrize("sizes", [((499, 900), (30, 30)), ((900, 900), (30, 43)), ((900, 900), (43, 30))])
def test_alleles_between_short_or_repeated_unitigs_stay(sizes):
    n_kmers, depths = sizes
    assert not found_in(np.array([*depths, 24, 6]), (*n_kmers, 600, 600)).found.any()


@pytest.mark.parametrize(("n_kmers", "per_read", "is_found"), [(250, 50, True), (249, 50, False), (250, 51, False)])
def test_short_unitigs_of_many_reads_are_single_copy(n_kmers, per_read, is_found):
    """At a depth of 30, 250 k-mers are in 150 reads of 50 k-mers."""
    found = found_in(np.array([30, 30, 24, 6]), (n_kmers, 900, 600, 600), per_read=per_read).found
    assert found.tolist() == [False, False, False, is_found]


def test_nothing_is_decided_where_the_depth_is_unknown():
    assert not found_in(np.array([30, 30, 24, 6]), (900, 900, 600, 600), single=np.zeros(4)).found.any()


@pytest.mark.parametrize(("n_kmers", "is_apart"), [(519, False), (520, True)])
def test_long_rarer_alleles_stay_apart(n_kmers, is_apart):
    """500 bases are not those of the unitigs beside it: n_kmers - (k - 1)."""
    rarer = found_in(np.array([30, 30, 24, 6]), (900, 900, 600, n_kmers))
    assert rarer.found.tolist() == [False, False, False, True]
    assert rarer.are_apart.tolist() == [False, False, False, is_apart]


def cleaned(alleles: dict[str, int], is_last: bool = True, **options) -> tuple[UnitigGraph, list[PoppedBubble]]:
    """Clean the graph of alleles between two single-copy sequences, each given with its depth."""
    reads = {BEFORE + allele + BEHIND: depth for allele, depth in alleles.items()}
    popped: list[PoppedBubble] = []
    note = noter(popped, 1, lambda _k: 1.0, VariantOptions(), CPU)
    counts = counts_of(sum(alleles.values()), ks=(K,) if is_last else (K, 41))
    cleaner = RoundCleaner(CleanOptions(**options), counts, note, RunOptions(), CPU)
    return cleaner.clean(graph_of(reads)[0], False, [])[0], popped


def has_all(graph: UnitigGraph, sequence: str) -> bool:
    """Whether one unitig holds a sequence."""
    kmers = {canonical(kmer) for kmer in windows(sequence, K)}
    return any(kmers <= {canonical(kmer) for kmer in windows(unitig, K)} for unitig in unpack(graph.sequences))


@pytest.mark.parametrize(
    ("usual", "rarer", "n_unitigs"),
    [("", SHORT, 1), (SHORT, "", 1), ("", LONG, 2), (LONG, "", 1), (LONG, VERY_LONG, 2), (VERY_LONG, SHORT, 1)],
)
def test_what_is_before_and_behind_the_usual_allele_is_one_unitig(usual, rarer, n_unitigs):
    graph, popped = cleaned({usual: 24, rarer: 6})
    assert has_all(graph, BEFORE + usual + BEHIND)
    assert (len(graph), graph.n_links) == (n_unitigs, 0)
    assert has_all(graph, rarer) or n_unitigs == 1
    (bubble,) = popped
    assert bubble.kmer_counts == 6 * bubble.n_kmers


@pytest.mark.parametrize("alleles", [("", SHORT), (SHORT, ""), (LONG, ""), (LONG, SHORT), (SHORT, VERY_LONG)])
def test_a_structural_variant_is_one_difference(alleles):
    usual, rarer = alleles
    graph, popped = cleaned({usual: 24, rarer: 6})
    contigs = spell(graph, CPU)
    (variant,) = place_variants(popped, contigs, len(contigs))
    assert (variant.reference_depth, variant.alternative_depth) == (24, 6)
    sequence = sequences_of(contigs)[variant.contig]
    end = variant.position + len(variant.reference)
    assert sequence[variant.position : end] == variant.reference.decode()
    other = sequence[: variant.position] + variant.alternative.decode() + sequence[end:]
    assert other in (BEFORE + rarer + BEHIND, reverse_complement(BEFORE + rarer + BEHIND))


@pytest.mark.parametrize("more", [{"is_last": False}, {"haplotype_ratio": 0.0}, {"bubble_length": 0.0}])
def test_structural_alleles_stay_before_the_last_k_and_where_there_are_no_alleles(more):
    graph, _popped = cleaned({LONG: 24, "": 6}, **more)
    assert len(graph) == 4


def test_repeats_that_double_the_depth_by_the_spectrum_are_no_alleles():
    """Many k-mers are twice as deep as the peak, as in heterozygous samples, but no bubble says that this is one."""
    counts = counts_of(15)
    counts.spectrum = Spectrum(K, np.array([15, 30]), np.array([1_000, 1_000]))
    counts.estimate.cutoff = 1
    assert has_two_alleles(counts.spectrum, counts.estimate)
    reads = {BEFORE + allele + BEHIND: depth for allele, depth in {LONG: 24, "": 6}.items()}
    cleaner = RoundCleaner(CleanOptions(), counts, None, RunOptions(), CPU)
    assert len(cleaner.clean(graph_of(reads)[0], False, [])[0]) == 4


def test_the_depth_of_each_genome_counts():
    """What is before is single-copy in a genome of that depth, but not in one of half of it."""
    single = np.array([30.0, 30.0, 30.0, 30.0])
    assert found_in(np.array([30, 30, 24, 6]), (900, 900, 600, 600), single=single).found.any()
    single[1] = 15.0
    assert not found_in(np.array([30, 20, 24, 6]), (900, 900, 600, 600), single=single).found.any()


@pytest.mark.parametrize("n_kmers", [(700, 600), (600, 600)])
def test_of_equal_alleles_the_shorter_or_later_one_goes(n_kmers):
    assert found_in(np.array([30, 30, 15, 15]), (900, 900, *n_kmers)).found.tolist() == [False, False, False, True]


def test_a_variant_within_an_allele_is_decided_first():
    within = random_sequence(RNG, 900)
    graph, popped = cleaned({LONG + SHORT + within: 18, LONG + within: 6, "": 6})
    assert has_all(graph, BEFORE + LONG + SHORT + within + BEHIND)
    assert (len(graph), len(popped)) == (1, 2)
