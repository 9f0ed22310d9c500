"""Short unitigs that look single-copy, but that no fragment spans."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.doubtful_copies import deep_unitigs, doubtful_unitigs, rare_connections
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link
from tests.pairs.layouts import graph_of
from tests.pairs.test_joins import OPTIONS, REPEAT

A, B, D, SHORT = 0, 2, 6, 8  # A - short - B and C - short - D


def found(path, odds, fragments=None):
    """Doubtful unitigs where a path is chosen, by the odds of two copies of the short unitig."""
    placed = REPEAT.placed(REPEAT.fragments() if fragments is None else fragments)
    links, copies = REPEAT.links(placed), REPEAT.copies(placed)
    copies = replace(
        copies,
        copies=np.append(copies.copies[:-1], 1.0),
        expected=np.append(copies.expected[:-1], odds / (math.log(2.0) - 1.0)),
    )
    pairs = list(pairwise(path))
    pairs += [(b ^ 1, a ^ 1) for a, b in pairs]
    chosen = {a: links.find(a, b) or Link(a, b, 2, -60.0, 20.0, 1.0, 2.0, ()) for a, b in pairs}
    return doubtful_unitigs(chosen, links, copies, REPEAT.ends.lengths, OPTIONS).tolist()


def test_unitig_between_neighbours_of_two_copies_is_doubtful():
    assert found((A, SHORT, D), -2.5) == [SHORT >> 1]
    assert found((D ^ 1, SHORT ^ 1, A ^ 1), -2.5) == [SHORT >> 1]


@pytest.mark.parametrize(("path", "odds"), [((A, SHORT, B), -2.5), ((A, SHORT, D), -40.0), ((A, SHORT), -2.5), ((), 0)])
def test_unitig_that_fragments_span_or_that_is_certain_is_not_doubtful(path, odds):
    assert found(path, odds) == []


def test_chimeras_do_not_remove_a_doubt():
    fragments = REPEAT.fragments()
    fragments.append((REPEAT.fragment(0, 1800, 400)[0], REPEAT.fragment(1, 2600, 500)[1]))  # from A into D
    assert found((A, SHORT, D), -2.5, fragments) == [SHORT >> 1]
    assert found((A, SHORT, D), -40.0, fragments) == []


def rare(copies=(1.0, 0.1, 1.0), length=250, n_expected=10.0, edges=((0, 2), (2, 4))):
    """Rare connections where a short unitig is between two long ones."""
    graph = graph_of(set(edges), 3)
    ends = LinkGraph(61, np.repeat([3000, length, 3000], 2), np.diff(graph.row_ptr) > 0)
    expected = np.array([300.0, n_expected, 300.0])
    starts = np.rint(expected * np.array(copies)).astype(np.int64)
    return rare_connections(CopyNumbers(0.1, np.array(copies), expected, np.ones(3)), starts, graph, ends, 400.0)


def test_short_unitig_with_hardly_a_read_between_others_is_no_copy():
    assert rare().tolist() == [1]
    assert rare(copies=(0.1, 0.1, 1.0)).tolist() == [1]


@pytest.mark.parametrize(
    "but",
    [
        {"copies": (1.0, 0.4, 1.0)},
        {"copies": (0.1, 0.1, 0.1)},  # of a rarer genome
        {"length": 400},
        {"n_expected": 4.0},
        {"edges": ((0, 2),)},  # a dead end
    ],
)
def test_unitigs_that_may_be_copies_are_no_rare_connections(but):
    assert rare(**but).tolist() == []


def deep_ones(depths, n_kmers=100, k=51, reads=0.6, shares=1.0):
    """Deep unitigs of some k-mer depths, beside two long ones of a depth of 20; reads are of 100 bases."""
    lengths = np.array([5_000, 3_000, *[n_kmers] * len(depths)])
    counts = (lengths * np.array([20, 20, *depths])).astype(np.int64)
    n = len(lengths)
    copies = CopyNumbers(1.0, np.append([1.0, 1.0], np.full(n - 2, reads)), np.full(n, 100.0), np.full(n, shares))
    return (deep_unitigs(copies, lengths, counts, k, 100) - 2).tolist()


def test_unitig_of_few_reads_whose_kmers_are_of_two_copies_is_doubtful():
    assert deep_ones([20, 40, 25, 60]) == [1, 3]
    assert deep_ones([40], shares=0.5) == [0]


def test_unitig_of_two_copies_by_few_kmers_is_kept():
    assert deep_ones([40], n_kmers=10) == []
    assert deep_ones([40], n_kmers=10, k=100) == [0]


def test_unitig_that_is_not_single_copy_by_reads_is_not_listed():
    assert deep_ones([40], reads=1.5) == []


def test_no_unitig_is_deep_where_none_is_long():
    copies = CopyNumbers(1.0, np.full(2, 0.5), np.full(2, 100.0), np.ones(2))
    assert not len(deep_unitigs(copies, np.array([100, 200]), np.array([100, 9_000]), 51, 100))
