"""Thresholds of cleaning by the depth of each round."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from debruijn_gpu.assembly import thresholds
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.cleaning import CleanCounts
from debruijn_gpu.assembly.deferring import Deferred
from debruijn_gpu.assembly.round_cleaner import RoundCleaner
from debruijn_gpu.assembly.situation import Findings
from debruijn_gpu.assembly.thresholds import least_sure_depth, sure_depth, thresholds_for, used_thresholds
from debruijn_gpu.kmers.spectrum import Spectrum
from debruijn_gpu.run.options import RunOptions
from tests.assembly.test_cleaning import CPU, A, graph_of, with_error
from tests.helpers import random_sequence

COPY = A[100:200] + random_sequence(np.random.default_rng(2), 21)


def counts_of(depth: float, genome_bp: int = 5_000_000, ks: tuple[int, ...] = (21,), falls_by: float = 1.0) -> Any:
    """Counts of a run whose k-mers have this depth, which falls by a factor from each k to the next."""
    estimate = SimpleNamespace(peak=depth, depth=depth, genome_bp=genome_bp, cutoff=1)
    return SimpleNamespace(
        estimate=estimate,
        choice=SimpleNamespace(ks=ks),
        lengths=SimpleNamespace(typical=150),
        spectrum=Spectrum(21, np.array([round(depth)]), np.array([genome_bp])),
        depth_at=lambda k: depth / falls_by ** ks.index(k),
    )


@pytest.mark.parametrize(
    ("depth", "is_first", "n_tips"), [(7, False, 0), (15, False, 0), (16, False, 1), (7, True, 1), (60, True, 1)]
)
def test_dead_ends_are_errors_at_the_first_k_and_where_no_place_lacks_reads(depth, is_first, n_tips):
    """A copy of a repeat whose reads end: of nearly the depth of the path beside it."""
    cleaner = RoundCleaner(CleanOptions(haplotype_depth=100), counts_of(depth), None, RunOptions(), CPU)
    assert cleaner.clean(graph_of({A: 10, COPY: 8})[0], is_first, [])[1].tips == n_tips


def test_the_depth_from_which_dead_ends_are_errors_is_an_option():
    cleaner = RoundCleaner(CleanOptions(haplotype_depth=100, later_tip_depth=5), counts_of(7), None, RunOptions(), CPU)
    assert cleaner.clean(graph_of({A: 10, COPY: 8})[0], False, [])[1].tips == 1


@pytest.mark.parametrize(("genome_bp", "depth"), [(5_000, 9), (48_502, 11), (5_000_000, 16), (1 << 40, 16)])
def test_dead_ends_of_a_short_genome_are_errors_at_less_depth(genome_bp, depth):
    assert least_sure_depth(CleanOptions(), counts_of(20, genome_bp)) == depth


@pytest.mark.parametrize(
    ("depth", "falls_by", "rare"),
    [(35, 3, 8), (35, 2, 6), (60, 1.2, 4), (8, 1.2, 2), (5, 1.2, 1.5)],
)
def test_sides_of_bubbles_that_would_break_at_the_next_k_are_not_handed_on(depth, falls_by, rare):
    """Three times the factor by which depth falls, and at most a quarter of the depth."""
    used = used_thresholds(CleanOptions(), 21, counts_of(depth, ks=(21, 31), falls_by=falls_by))
    assert used.bubble_rare == rare


@pytest.mark.parametrize("ks", [(21,), (21, 31)])
def test_nothing_is_handed_on_at_the_last_k_or_where_the_next_is_too_thin(ks):
    options = CleanOptions()
    assert used_thresholds(options, 21, counts_of(6, ks=ks, falls_by=3)) is options


def test_more_sides_of_bubbles_are_variants_where_coverage_is_uneven(monkeypatch):
    options, counts = CleanOptions(), counts_of(40)
    assert thresholds_for(options, counts) is options
    monkeypatch.setattr(thresholds, "is_uneven", lambda _spectrum, _estimate: True)
    found = thresholds_for(options, counts)
    assert (found.bubble_ratio, found.early_bubble_ratio) == (0.5, 0.1)
    given = CleanOptions(bubble_ratio=5.0, early_bubble_ratio=1.0)
    assert thresholds_for(given, counts) == given
    graph = graph_of({A: 30, with_error(A, 150): 10})[0]
    options = CleanOptions(haplotype_depth=100)
    assert RoundCleaner(options, counts, None, RunOptions(), CPU).clean(graph, True, [])[1].bubbles == 1
    monkeypatch.undo()
    assert RoundCleaner(options, counts, None, RunOptions(), CPU).clean(graph, True, [])[1].bubbles == 0


def test_what_is_handed_on_is_counted():
    """A side of a bubble with a tenth of the depth of the other, which is as weak as an erroneous connection, is left
    to the next k, where it is removed."""
    graph = graph_of({A: 100, with_error(A, 150): 10})[0]
    options, counts = CleanOptions(haplotype_depth=100), counts_of(40, ks=(21, 31), falls_by=1.2)
    found, cleaned, deferred = RoundCleaner(options, counts, None, RunOptions(), CPU).clean(graph, True, [])
    assert (cleaned.bubbles, deferred) == (0, Deferred(1, 1))
    assert len(found) == len(graph)
    _found, cleaned, deferred = RoundCleaner(options, counts_of(40), None, RunOptions(), CPU).clean(graph, True, [])
    assert (cleaned, deferred) == (CleanCounts(bubbles=1, rounds=2), None)


@pytest.mark.parametrize(("depth", "n_bubbles"), [(4, 0), (5, 1), (6, 1), (7.9, 1)])
def test_alleles_of_a_heterozygous_sample_are_told_at_less_depth(depth, n_bubbles):
    """A bubble of two alleles in 280 bases; but where one side is rarer, it is of an error, and depth tells nothing."""
    alleles = {A: round(depth / 2), with_error(A, 150): round(depth / 2)}
    cleaner = RoundCleaner(CleanOptions(thin_bubble_ratio=0.0), counts_of(depth), None, RunOptions(), CPU)
    assert cleaner.clean(graph_of(alleles)[0], True, [])[1].bubbles == n_bubbles
    assert cleaner.found.has_two_alleles == bool(n_bubbles)
    thin = RoundCleaner(CleanOptions(), counts_of(5), None, RunOptions(), CPU)
    assert thin.clean(graph_of({A: 4, with_error(A, 150): 1})[0], True, [])[1].bubbles == 0
    assert not thin.found.has_two_alleles


@pytest.mark.parametrize(("peak", "of_peak"), [(12, 1.0), (9, 1.0), (7, 12 / 7), (6, 2.0)])
def test_single_copy_depth_is_that_of_both_alleles_together(peak, of_peak):
    """Three pairs of alleles of 12 together, one of them thinner by chance, which shows that there are alleles."""
    others = [random_sequence(np.random.default_rng(seed), len(A)) for seed in (3, 4)]
    depths = {A: 4, with_error(A, 150): 4}
    for other in others:
        depths |= {other: 6, with_error(other, 150): 6}
    cleaner = RoundCleaner(CleanOptions(), counts_of(peak, ks=(21, 31)), None, RunOptions(), CPU)
    graph, *_ = cleaner.clean(graph_of(depths)[0], True, [])
    assert cleaner.found.has_two_alleles
    assert cleaner.found.of_peak == pytest.approx(of_peak)
    assert sure_depth(CleanOptions(), 21, counts_of(peak), cleaner.found) == pytest.approx(of_peak * peak)
    assert len(graph) == 3


@pytest.mark.parametrize(
    ("depth", "cutoff", "typical", "ratio", "n_bubbles"),
    [
        (4.4, 1, 150, 1.0, 1),
        (None, 1, 150, 1.0, 1),
        (4.5, 1, 150, 1.0, 0),
        (4.4, 2, 150, 1.0, 0),
        (4.4, 1, 5_000, 1.0, 0),
        (4.4, 1, 150, 0.4, 0),
        (4.4, 1, 150, 0.5, 1),
    ],
)
def test_any_rarer_side_of_a_bubble_is_an_error_where_reads_are_few(depth, cutoff, typical, ratio, n_bubbles):
    """Nothing tells copies from errors there; sequences that are no reads are few by nature."""
    counts = counts_of(4)
    counts.estimate.peak, counts.estimate.cutoff, counts.lengths.typical = depth, cutoff, typical
    cleaner = RoundCleaner(CleanOptions(thin_bubble_ratio=ratio), counts, None, RunOptions(), CPU)
    assert cleaner.clean(graph_of({A: 2, with_error(A, 150): 1})[0], True, [])[1].bubbles == n_bubbles


@pytest.mark.parametrize(("peak", "has_local_depths", "depth"), [(None, True, 20), (3, True, 20), (None, False, 0)])
def test_depths_nearby_need_no_peak(peak, has_local_depths, depth):
    counts = counts_of(20)
    counts.estimate.peak = peak
    assert sure_depth(CleanOptions(), 21, counts, Findings(has_local_depths=has_local_depths)) == depth
