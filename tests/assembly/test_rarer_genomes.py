"""Genomes of a mixture, and the unitigs that are of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.quantiles import weighted_median
from debruijn_gpu.assembly.rarer_genomes import Genomes, border, find_genomes
from debruijn_gpu.assembly.round_cleaner import RoundCleaner
from debruijn_gpu.assembly.situation import Findings
from debruijn_gpu.run.options import RunOptions
from tests.assembly.test_cleaning import CPU, graph_of, kept_kmers, other_base
from tests.assembly.test_single_copy_bubbles import graph_from, in_both_strands
from tests.assembly.test_thresholds import counts_of
from tests.helpers import random_sequence
from tests.naive.kmers import windows
from tests.naive.mixtures import parts_of as naive_parts_of

PER_READ = 130
RNG = np.random.default_rng(12)


def sizes(*groups):
    """Numbers of k-mers and counts of groups of equal unitigs, each given as number, k-mers, depth."""
    n_kmers = np.concatenate([np.full(n, kmers) for n, kmers, _depth in groups])
    return n_kmers, n_kmers * np.concatenate([np.full(n, depth) for n, _kmers, depth in groups])


@pytest.mark.parametrize(
    ("groups", "parts"),
    [
        ([(100, 1_000, 30)], ()),
        ([(100, 1_000, 30), (30, 1_000, 60), (5, 1_000, 90)], ()),  # repeats
        ([(100, 1_000, 30), (9, 2_000, 90)], ()),
        ([(100, 1_000, 30), (11, 1_000, 90)], ()),  # less than a tenth of the sequence
        ([(100, 1_000, 30), (12, 1_000, 90)], (3000, 1000)),
        ([(100, 1_000, 30), (20, 1_000, 67)], ()),  # 2.25 times as deep
        ([(100, 1_000, 30), (20, 1_000, 68)], (2267, 1000)),
        ([(100, 1_000, 30), (20, 1_000, 90), (20, 1_000, 300), (10, 1_000, 10)], (10000, 3000, 1000, 333)),
        ([(100, 1_000, 30), (10, 1_000, 10)], (1000, 333)),
        ([(100, 1_000, 30), (9, 1_000, 10)], ()),
        ([(100, 1_000, 30), (20, 499, 10)], ()),
        ([(100, 1_000, 30), (20, 1_000, 20)], ()),
        ([(100, 1_000, 30), (20, 1_000, 18)], (1000, 600)),
        ([(100, 1_000, 30), (20, 2_000, 10), (20, 6_000, 3)], (1000, 333, 100)),  # most rare sequence is of the rarest
        ([(100, 1_000, 30), (30, 2_000, 10), (9, 6_000, 3)], (1000, 333)),
        ([(100, 1_000, 30), (60, 2_000, 10), (12, 6_000, 3)], (1000, 333, 100)),
    ],
)
def test_genomes_have_several_long_unitigs_of_another_depth(groups, parts):
    n_kmers, kmer_counts = sizes(*groups)
    assert find_genomes(graph_from(set(), len(n_kmers)), n_kmers, kmer_counts, 30.0, PER_READ) == parts


@pytest.mark.parametrize(("n_beside", "parts"), [(0, (3000, 1000)), (1, (3000, 1000)), (2, ())])
def test_deep_unitigs_beside_less_deep_ones_are_repeats(n_beside, parts):
    """Behind a repeat all unitigs are less deep; errors may be beside one that is as deep."""
    n_kmers, kmer_counts = sizes((100, 1_000, 30), (20, 1_000, 90), (20, 40, 90), (20, 40, 30))
    beside = [(2 * (100 + i), 2 * (120 + i)) for i in range(20)] if n_beside < 2 else []
    copies = [(2 * (100 + i), 2 * (140 + i)) for i in range(20)] if n_beside else []
    graph = graph_from(in_both_strands([*beside, *copies]), len(n_kmers))
    assert find_genomes(graph, n_kmers, kmer_counts, 30.0, PER_READ) == parts


@pytest.mark.parametrize(("depth", "kmers", "is_found"), [(30.0, 650, True), (30.0, 649, False), (0.0, 5_000, False)])
def test_unitigs_that_few_reads_are_expected_in_show_no_rarer_genome(depth, kmers, is_found):
    """650 k-mers at a depth of 30 are 150 reads."""
    graph = graph_from(set(), 20)
    assert bool(find_genomes(graph, *sizes((20, kmers, 10)), depth, PER_READ)) == is_found


@given(
    st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), max_size=14),
    st.lists(st.tuples(st.sampled_from([40, 500, 1999, 2000]), st.sampled_from([1, 3, 8, 12, 16, 30])), min_size=8),
    st.sampled_from([(), (1000, 600), (1000, 300), (1000, 400, 100), (500, 100)]),
)
def test_parts_are_those_of_walks_from_long_rare_unitigs(pairs, unitigs, parts):
    n_kmers, depths = np.array(unitigs[:8], np.int64).T
    edges = in_both_strands(pairs)
    found = Genomes(30.0, parts).parts_of(graph_from(edges, 8), n_kmers, n_kmers * depths, CPU)
    assert found.tolist() == naive_parts_of(edges, n_kmers.tolist(), (n_kmers * depths).tolist(), 30.0, parts)


def test_repeats_of_a_rarer_genome_are_of_it(backend):
    """The repeat, of three copies, is between two unitigs of the rare genome; the last two are of the deep one."""
    n_kmers, kmer_counts = sizes((2, 3_000, 10), (1, 600, 30), (2, 3_000, 30))
    graph = graph_from(in_both_strands([(0, 4), (4, 2), (6, 8)]), 5)
    found = Genomes(30.0, (1000, 333)).parts_of(graph, n_kmers, kmer_counts, backend)
    assert found.tolist() == [333, 333, 333, 1000, 1000]


@pytest.mark.parametrize(("rarer", "most"), [(10.0, 30 * 3**-0.5), (2.0, 15.0), (20.0, 600**0.5)])
def test_a_unitig_is_of_the_genome_whose_depth_is_closer(rarer, most):
    assert border(30.0, rarer) == pytest.approx(most)


def test_weighted_median_of_nothing_is_zero():
    assert weighted_median(np.zeros(0), np.zeros(0, np.int64)) == 0.0
    assert weighted_median(np.array([1.0, 9.0, 2.0]), np.array([1, 9, 1])) == 9.0


def mixture(has_rare):
    """Reads of a deep genome and of a rare one, which has a repeat whose two copies differ in one base."""
    deep = {random_sequence(RNG, 1_500): 30 for _ in range(18)}
    rare = {random_sequence(RNG, 2_500): 10 for _ in range(12)}
    repeat = random_sequence(RNG, 401)
    copies = [repeat, repeat[:200] + other_base(repeat[200]) + repeat[201:]]
    flanks = [random_sequence(RNG, 600) for _ in range(4)]
    of_copies = {flanks[i] + copy + flanks[i + 2]: 10 for i, copy in enumerate(copies)}
    return deep | (rare if has_rare else {}) | of_copies, copies


@pytest.mark.parametrize("has_rare", [True, False])
def test_copies_of_a_repeat_of_a_rarer_genome_are_no_alleles(has_rare):
    """Each copy has the depth of an allele of the deep genome, and what they share less than its single copies."""
    reads, copies = mixture(has_rare)
    forgotten, noted = [], []

    def note(_graph, is_kept):
        noted.append(is_kept)

    options = CleanOptions(strand_chance=0.0, bubble_ratio=0.1)
    cleaner = RoundCleaner(
        options, counts_of(30), note, RunOptions(), CPU, forget_popped=lambda: forgotten.append(len(noted))
    )
    graph, _cleaned, _deferred = cleaner.clean(graph_of(reads)[0], True, [])
    kept = set(kept_kmers(graph))
    n_whole = sum(kept.issuperset(min(w, _complement(w)) for w in windows(copy, graph.k)) for copy in copies)
    assert cleaner.found.genomes == ((1000, 333) if has_rare else ())
    assert n_whole == (2 if has_rare else 1)
    assert forgotten == ([1] if has_rare else [])
    assert len(noted) == 1


def _complement(word):
    return word[::-1].translate(str.maketrans("ACGT", "TGCA"))


@pytest.mark.parametrize(("part", "is_kept"), [(267, False), (266, True)])
def test_depth_tells_no_alleles_in_genomes_that_are_too_rare(part, is_kept):
    """A genome of a depth of 8 is deep enough (`--haplotype-depth`)."""
    a = random_sequence(np.random.default_rng(2), 1_300)
    sides = {a: 5, a[:630] + other_base(a[630]) + a[631:]: 3}
    cleaner = RoundCleaner(CleanOptions(), counts_of(30), None, RunOptions(), CPU, Findings(genomes=(1000, part)))
    graph, _cleaned, _deferred = cleaner.clean(graph_of(sides)[0], False, [])
    assert (len(graph) > 1) == is_kept


@pytest.mark.parametrize(
    ("flank", "n_edges", "parts"),
    [
        (30, 4, ()),
        (30, 3, (1000, 500)),  # no bubble: the junction leads nowhere
        (15, 4, (1000, 500)),  # what is before and behind is of the rarer genome, too
    ],
)
def test_structural_alleles_are_no_genome(flank, n_edges, parts):
    """Twenty insertions in one of two haplotypes, each beside the short unitig of the haplotype without it."""
    n_kmers, kmer_counts = sizes((100, 1_000, 30), (20, 1_000, 15), (20, 40, 15), (40, 1_000, flank))
    edges = []
    for i in range(20):
        insertion, junction, before, behind = (2 * (100 + i + offset) for offset in (0, 20, 40, 60))
        edges += [(before, insertion), (insertion, behind), (before, junction), (junction, behind)][:n_edges]
    graph = graph_from(in_both_strands(edges), len(n_kmers))
    assert find_genomes(graph, n_kmers, kmer_counts, 30.0, PER_READ) == parts
