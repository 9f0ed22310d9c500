"""Strains of unequal depth, told from alleles by the sides of bubbles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.round_cleaner import RoundCleaner
from debruijn_gpu.assembly.simple_bubbles import simple_bubbles
from debruijn_gpu.assembly.situation import Findings
from debruijn_gpu.assembly.strains import are_strains
from debruijn_gpu.run.options import RunOptions
from tests.assembly.test_cleaning import CPU, graph_of
from tests.assembly.test_single_copy_bubbles import graph_from, in_both_strands
from tests.assembly.test_thresholds import counts_of
from tests.helpers import random_sequence
from tests.naive.cleaning import simple_bubbles as naive_simple_bubbles

VERTICES = st.integers(0, 11)


@given(st.lists(st.tuples(VERTICES, VERTICES), max_size=8), st.booleans())
def test_simple_bubbles_are_those_of_all_pairs_of_unitigs(pairs, has_bubble):
    edges = in_both_strands([*pairs, *[(0, 4), (0, 6), (4, 2), (6, 2)] * has_bubble])
    found = simple_bubbles(graph_from(edges, 6))
    assert sorted(zip(*(vertices.tolist() for vertices in found), strict=True)) == naive_simple_bubbles(edges, 6)


def chain(depths, shared, n=40):
    """A chain of bubbles of these depths, whose neighbours have so many k-mers, and the arrays of its unitigs."""
    pairs, sizes = [], [(shared, shared * sum(depths))]
    for i in range(0, 3 * n, 3):
        pairs += [(2 * tail, 2 * head) for tail, head in ((i, i + 1), (i, i + 2), (i + 1, i + 3), (i + 2, i + 3))]
        sizes += [(21, 21 * depths[0]), (21, 21 * depths[1]), (shared, shared * sum(depths))]
    return graph_from(in_both_strands(pairs), len(sizes)), *np.array(sizes, np.int64).T


@pytest.mark.parametrize(
    ("depths", "shared", "most_depth", "spacing_bp", "found"),
    [
        ((20, 20), 10, 100.0, 5_000, False),
        ((24, 17), 10, 100.0, 5_000, False),  # by chance
        ((40, 20), 10, 100.0, 5_000, True),
        ((40, 20), 28, 100.0, 5_000, True),
        ((40, 20), 29, 100.0, 5_000, False),  # too far from each other for whole strains
        ((40, 20), 10, 59.0, 5_000, False),  # copies of a repeat
        ((40, 20), 10, 100.0, 50, False),  # a few differences
        ((96, 8), 10, 200.0, 5_000, True),
        ((97, 8), 10, 200.0, 5_000, False),  # errors that recur
    ],
)
def test_strains_have_close_bubbles_whose_sides_are_unequal(depths, shared, most_depth, spacing_bp, found):
    assert are_strains(*chain(depths, shared), most_depth, spacing_bp) == found


def strains(depths):
    """Two sequences that differ at every 30th base."""
    rng = np.random.default_rng(4)
    one = random_sequence(rng, 3_000)
    other = "".join("ACGT"["TGAC".index(base)] if i % 30 == 29 else base for i, base in enumerate(one))
    return dict(zip((one, other), depths, strict=True))


@pytest.mark.parametrize(("depths", "kept_bp"), [((30, 10), 6_000), ((20, 20), 3_000)])
def test_both_strains_are_kept_and_one_allele_of_two(depths, kept_bp):
    cleaner = RoundCleaner(CleanOptions(strand_chance=0.0), counts_of(40, ks=(21, 43)), None, RunOptions(), CPU)
    graph, _cleaned, _deferred = cleaner.clean(graph_of(strains(depths))[0], True, [])
    assert cleaner.found.has_strains == (depths[0] != depths[1])
    assert cleaner.found.has_two_alleles != cleaner.found.has_strains
    assert int(graph.n_kmers.sum()) == pytest.approx(kept_bp, rel=0.2)


def test_the_last_k_decides_in_samples_of_strains():
    """Thresholds that follow from what was found are no deferring ones."""
    graph = graph_of({random_sequence(np.random.default_rng(17), 600): 20})[0]
    cleaner = RoundCleaner(CleanOptions(), counts_of(20), None, RunOptions(), CPU, Findings(has_strains=True))
    assert cleaner.clean(graph, False, [])[2] is None
