"""Bubbles between single-copy unitigs, decided where the depth of both sides is the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.edges import graph_of_edges
from debruijn_gpu.assembly.round_cleaner import RoundCleaner
from debruijn_gpu.assembly.single_copy_bubbles import LEAST_FLANK_KMERS, rarer_sides, single_copy_depth
from debruijn_gpu.run.options import RunOptions
from tests.assembly.test_cleaning import CPU, graph_of, kept_kmers, with_error
from tests.assembly.test_thresholds import counts_of
from tests.helpers import random_sequence
from tests.naive.cleaning import rarer_sides as naive_rarer_sides
from tests.naive.kmers import windows

LONG, DEPTH = LEAST_FLANK_KMERS, 2.0
GENOME = random_sequence(np.random.default_rng(3), 1_300)
MIDDLE = slice(630, 671)  # all k-mers of one base


def in_both_strands(pairs):
    """Edges in both strands."""
    return {edge for tail, head in pairs for edge in ((tail, head), (head ^ 1, tail ^ 1))}


def graph_from(edges, n):
    tails, heads = np.array(sorted(edges), np.int64).reshape(-1, 2).T
    return graph_of_edges(tails, heads, 2 * n)


SIZES = st.sampled_from(
    [(1, 1), (1, 2), (1, 1), (3, 3), (3, 4), (3, 6), (LONG, 2 * LONG), (LONG, 2 * LONG), (LONG, 4 * LONG)]
)


@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=6),
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=2),
    st.lists(SIZES, min_size=6, max_size=6),
)
def test_rarer_sides_are_those_of_all_pairs_of_unitigs(pairs, planted, sizes):
    bubbles = [(0, 4 + a) for a, _b in planted] + [(0, 6), (4, 2), (6, 2)] * bool(planted)
    edges = in_both_strands([*pairs, *bubbles])
    sizes = [(LONG, 2 * LONG), (LONG, 2 * LONG), *sizes[2:]] if planted else sizes
    n_kmers, kmer_counts = np.array(sizes, np.int64).T
    depth = single_copy_depth(n_kmers, kmer_counts)
    found = rarer_sides(graph_from(edges, len(sizes)), n_kmers, kmer_counts, 3, 1.5, 1.4)
    is_flank = (n_kmers >= LONG) & (kmer_counts <= 1.4 * depth * n_kmers)
    can_go = (n_kmers <= 3) & (kmer_counts <= 1.5 * n_kmers)
    columns = (column.tolist() for column in (n_kmers, kmer_counts, is_flank, can_go))
    assert found.tolist() == naive_rarer_sides(edges, *columns)


def test_single_copy_depth_is_that_of_most_long_sequence():
    n_kmers = np.array([LONG, LONG, 3 * LONG, LONG - 1], np.int64)
    assert single_copy_depth(n_kmers, n_kmers * [1, 9, 4, 20]) == 4.0
    assert single_copy_depth(n_kmers[3:], n_kmers[3:]) == 0.0
    assert single_copy_depth(n_kmers[:0], n_kmers[:0]) == 0.0


def thin(genome: str = GENOME, depth: int = 4, n_right: int = 1, n_wrong: int = 1) -> dict[str, int]:
    """Reads of a genome, one of two in a thin place with an error."""
    wrong = with_error(genome, 650)[MIDDLE]
    return {genome[:650]: depth, genome[651:]: depth, genome[MIDDLE]: n_right, wrong: n_wrong}


def n_popped(reads: dict[str, int], **options) -> tuple[int, set[str]]:
    options = {"thin_bubble_ratio": 0.0, **options}
    cleaner = RoundCleaner(CleanOptions(**options), counts_of(4), None, RunOptions(), CPU)
    graph, counts, _defers = cleaner.clean(graph_of(reads)[0], True, [])
    return counts.bubbles, set(kept_kmers(graph))


def test_of_two_reads_in_a_thin_place_one_decides():
    n, kept = n_popped(thin())
    assert n == 1
    assert len(kept) == len(GENOME) - 20


@pytest.mark.parametrize("reads", [thin(n_right=2, n_wrong=2), thin(n_right=3, n_wrong=2)])
def test_sides_of_several_reads_are_kept(reads):
    assert n_popped(reads)[0] == 0


def test_sides_between_copies_of_a_repeat_are_kept():
    other = {random_sequence(np.random.default_rng(4), 3_000): 2}
    assert n_popped({**thin(depth=4), **other})[0] == 0
    assert n_popped({**thin(depth=2), **other})[0] == 1


def test_sides_beside_short_unitigs_are_kept():
    assert n_popped(thin(GENOME[200:], n_right=1))[0] == 0


def test_a_rarer_side_with_a_deeper_rival_is_an_error():
    right = set(windows(GENOME[MIDDLE], 21))
    n, kept = n_popped(thin(n_right=3, n_wrong=1), bubble_ratio=100.0)
    assert n == 1
    assert all(min(kmer, kmer.translate(str.maketrans("ACGT", "TGCA"))[::-1]) in kept for kmer in right)
