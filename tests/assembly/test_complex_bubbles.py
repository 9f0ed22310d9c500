"""Bubbles of several variants: which are found, and what of them is removed."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.assembly import complex_bubbles as module
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.cleaning import clean
from debruijn_gpu.assembly.complex_bubbles import Limits, complex_bubbles
from debruijn_gpu.assembly.contigs import spell
from debruijn_gpu.assembly.situation import Situation
from tests.assembly.test_cleaning import CPU, A, B, cleaned, graph_of, whole, with_error
from tests.assembly.test_single_copy_bubbles import graph_from, in_both_strands
from tests.helpers import n_examples, sequences_of
from tests.naive.complex_bubbles import complex_bubbles as naive_complex_bubbles

N = 8
#: Two variants close to each other, and all four combinations
FIRST, SECOND = with_error(A, 150), with_error(A, 160)
BOTH = with_error(FIRST, 160)


def limits_of(ratio: float, allele: float = 0.0, flank: float = 0.0, n: int = N) -> Limits:
    return Limits(20, 20, 3, 0.05, ratio, 0, 0.0, np.full(n, allele), np.full(n, flank))


@settings(max_examples=n_examples(200))
@given(
    st.lists(st.tuples(st.integers(0, 2 * N - 1), st.integers(0, 2 * N - 1)), max_size=3),
    st.lists(st.sampled_from([(0, 4), (0, 6), (4, 8), (6, 8), (4, 10), (6, 10), (8, 12), (10, 12), (12, 2), (12, 14)])),
    st.permutations([3**i for i in range(N)]),
    st.lists(st.integers(1, 3), min_size=N, max_size=N),
    st.sampled_from([0.1, 0.4, 2.0]),
    st.sampled_from([(0.0, 0.0), (50.0, 10_000.0)]),
)
def test_bubbles_are_those_of_all_pairs_of_vertices(pairs, planted, counts, n_kmers, ratio, alleles):
    edges = in_both_strands([*pairs, *planted])
    numbers = np.array(n_kmers, np.int64), np.array(counts, np.int64)
    limits = limits_of(ratio, *alleles)
    found = complex_bubbles(graph_from(edges, N), *numbers, limits)
    assert found.tolist() == naive_complex_bubbles(edges, n_kmers, counts, limits)


@settings(max_examples=n_examples(300))
@given(
    st.lists(st.tuples(st.integers(0, 2 * N - 1), st.integers(0, 2 * N - 1)), max_size=2),
    st.lists(st.sampled_from([(0, 4), (0, 6), (4, 8), (6, 8), (4, 10), (8, 12), (0, 14), (3, 8), (14, 4), (12, 6)])),
    st.permutations([3**i for i in range(N)]),
    st.lists(st.integers(1, 3), min_size=N, max_size=N),
    st.sampled_from([0.1, 2.0]),
    st.sampled_from([(0, 0.0), (1, 0.5), (2, 2.0)]),
)
def test_no_other_fork_has_a_bubble_with_dead_ends(pairs, planted, counts, n_kmers, ratio, ends):
    graph = graph_from(in_both_strands([*pairs, *planted]), N)
    numbers = np.array(n_kmers, np.int64), np.array(counts, np.int64)
    limits = replace(limits_of(ratio), longest_end=ends[0], end_ratio=ends[1])
    forks = np.flatnonzero(np.diff(graph.row_ptr) > 1).tolist()
    with patch.object(module, "_sources", return_value=forks):
        expected = complex_bubbles(graph, *numbers, limits)
    assert complex_bubbles(graph, *numbers, limits).tolist() == expected.tolist()


def test_dead_ends_into_both_sides_go_with_the_bubble():
    graph = graph_from(in_both_strands([(0, 4), (0, 6), (4, 8), (6, 8), (14, 4), (12, 6)]), N)
    counts = np.array([1000, 1, 1000, 10, 1000, 1, 5, 5], np.int64)
    limits = replace(limits_of(0.1), longest_end=1, end_ratio=0.5)
    found = complex_bubbles(graph, np.ones(N, np.int64), counts, limits)
    assert np.flatnonzero(found).tolist() == [3, 6, 7]


@pytest.mark.parametrize(("n_both", "is_one"), [(1, True), (3, True), (9, False)])
def test_rare_variants_close_to_each_other_become_one(n_both, is_one):
    """No side of this bubble is a unitig of its own, and the reads that have both variants are no error by theirs."""
    found, _counts = cleaned({A: 100, FIRST: 5, SECOND: 6, BOTH: n_both}, connection_ratio=0.0, recurrent_ratio=0.0)
    assert (found == whole(A)) == is_one


@pytest.mark.parametrize(("depth", "is_one"), [(0.0, False), (100.0, True), (70.0, False)])
def test_alleles_close_to_each_other_become_one_between_single_copies(depth, is_one):
    found, _counts = cleaned({A: 40, FIRST: 20, SECOND: 20, BOTH: 20}, depth)
    assert (found == whole(A)) == is_one


def test_bubbles_are_left_to_the_last_k():
    graph, _kmer_counts = graph_of({A: 100, FIRST: 9, SECOND: 9, BOTH: 5})
    assert clean(graph, CleanOptions(), CPU, Situation(100, is_early=True))[1].bubbles == 0
    assert clean(graph, CleanOptions(), CPU, Situation(100))[1].bubbles > 0


def test_there_are_none_without_bubbles():
    graph, _kmer_counts = graph_of({A: 100, FIRST: 9, SECOND: 9, BOTH: 5})
    assert clean(graph, CleanOptions(bubble_length=0.0), CPU, Situation(100))[1].bubbles == 0


@pytest.mark.parametrize(
    ("depths", "longest", "expected"),
    [((5, 5), 3, [3, 4, 6, 7]), ((11, 5), 3, []), ((5, 11), 3, []), ((5, 5), 2, []), ((100, 5), 3, [])],
)
def test_rare_dead_ends_within_a_bubble_go_with_it(depths, longest, expected):
    """One leads out of the rare path, another one into it; both are as deep as their rivals."""
    edges = in_both_strands([(0, 4), (0, 6), (6, 8), (4, 10), (8, 10), (10, 2), (6, 12), (14, 8)])
    n_kmers, depth = np.full(N, 3, np.int64), np.array([100, 100, 100, 5, 5, 100, *depths], np.int64)
    limits = replace(limits_of(0.1), longest_end=longest, end_ratio=0.1)
    found = complex_bubbles(graph_from(edges, N), n_kmers, 3 * depth, limits)
    assert np.flatnonzero(found).tolist() == expected


@pytest.mark.parametrize("other", [A[100:155] + B[:200], B[:200] + A[155:200]])
def test_a_path_that_leads_elsewhere_is_no_bubble(other):
    graph, _kmer_counts = graph_of({A: 100, FIRST: 9, SECOND: 9, BOTH: 5, other: 90})
    n_before = len(graph)
    left, counts = clean(graph, CleanOptions(), CPU, Situation())
    assert (counts.bubbles, len(left)) == (0, n_before)


def test_the_path_of_most_reads_is_kept():
    """The deepest successor does not lead to it."""
    edges = in_both_strands([(0, 4), (0, 6), (4, 8), (6, 8), (6, 10), (8, 2), (10, 2)])
    n_kmers, kmer_counts = np.ones(N, np.int64), np.array([100, 100, 60, 55, 70, 35, 1, 1], np.int64)
    limits = limits_of(0.1, 60, 140)
    assert np.flatnonzero(complex_bubbles(graph_from(edges, N), n_kmers, kmer_counts, limits)).tolist() == [3, 5]
    assert not complex_bubbles(graph_from(edges, N), n_kmers, kmer_counts, limits_of(0.1)).any()


def test_links_without_reads_count_as_a_depth_of_one():
    edges = in_both_strands([(0, 4), (0, 6), (4, 8), (6, 8), (6, 10), (8, 2), (10, 2)])
    for depth, n_removed in ((9, 0), (10, 2)):
        kmer_counts = np.array([depth, depth, depth, 0, depth, 0, 1, 1], np.int64)
        found = complex_bubbles(graph_from(edges, N), np.ones(N, np.int64), kmer_counts, limits_of(0.1))
        assert found.sum() == n_removed


def test_contigs_do_not_depend_on_the_strand_of_a_bubble():
    reads = {A: 40, FIRST: 20, SECOND: 20, BOTH: 20}
    turned = {read[::-1].translate(str.maketrans("ACGT", "TGCA")): n for read, n in reads.items()}
    found = [
        set(sequences_of(spell(clean(graph_of(some)[0], CleanOptions(), CPU, Situation(100))[0], CPU)))
        for some in (reads, turned)
    ]
    assert found[0] == found[1]
