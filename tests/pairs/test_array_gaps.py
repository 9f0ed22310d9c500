"""Gaps of scaffolds in place of tandem arrays."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.array_gaps import ArrayGaps
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link
from tests.pairs.few_links import FewLinks
from tests.pairs.layouts import graph_of
from tests.pairs.test_walks import joins_of

K = 61
BEFORE, BEHIND, REPEAT, UNIT, OTHER = 0, 2, 4, 6, 8  # before - repeat - unit - repeat - behind, and elsewhere
EDGES = {(BEFORE, REPEAT), (REPEAT, UNIT), (UNIT, REPEAT), (REPEAT, BEHIND)}
LENGTHS = (3000, 3000, 200, 260, 3000)
COPIES = (1.0, 1.0, 3.2, 1.9, 1.0)


LINKED = {(BEFORE, UNIT): 5, (REPEAT, BEHIND): 1}


def gaps(joins=(), edges=EDGES, lengths=LENGTHS, copies=COPIES, numbers=LINKED, others=()):
    """Joins of an array: tail, head and gap of open ones, in one strand, and all paths."""
    graph = graph_of(edges, len(lengths))
    ends = LinkGraph(K, np.repeat(lengths, 2), np.diff(graph.row_ptr) > 0)
    expected = np.where(np.array(lengths) > 1000, 300.0, 30.0)
    numbers_of = CopyNumbers(0.1, np.array(copies), expected, np.ones(len(copies)))
    found = ArrayGaps(graph, ends, numbers_of, FewLinks(numbers, others), PairOptions()).with_gaps(joins_of(*joins))
    assert all(found[join.link.head ^ 1].link.head == tail ^ 1 for tail, join in found.items())
    return {(tail, join.link.head, join.link.gap_bp) for tail, join in found.items() if tail <= join.link.head ^ 1}


ARRAY = {(BEFORE, BEHIND, 3 * 140 + 2 * 200 - 60.0)}


def test_array_with_one_way_in_and_out_is_a_gap():
    assert gaps() == ARRAY


def test_strand_of_the_array_does_not_matter():
    turned = {(BEFORE, REPEAT ^ 1), (REPEAT ^ 1, UNIT), (UNIT, REPEAT ^ 1), (REPEAT ^ 1, BEHIND)}
    assert gaps(edges=turned, numbers={(BEFORE, UNIT): 5, (REPEAT ^ 1, BEHIND): 2}) == ARRAY


@pytest.mark.parametrize(
    "edge",
    [(REPEAT, OTHER), (OTHER, REPEAT), (OTHER, UNIT ^ 1), (OTHER, BEHIND), (BEFORE, OTHER), (UNIT, UNIT ^ 1)],
)
def test_array_that_other_sequence_leads_to_is_none(edge):
    assert gaps(edges=EDGES | {edge}) == set()


def test_array_with_a_dead_end_is_none():
    assert gaps(edges=EDGES | {(REPEAT, 10)}, lengths=(*LENGTHS, 200), copies=(*COPIES, 1.0)) == set()


def test_bubble_is_none():
    bubble = {(BEFORE, REPEAT), (BEFORE, UNIT), (REPEAT, BEHIND), (UNIT, BEHIND)}
    assert gaps(edges=bubble) == set()


def test_long_array_is_none():
    assert gaps(copies=(1.0, 1.0, 5.0, 4.0, 1.0)) == set()


def test_sides_are_long_and_single_copy():
    assert gaps(lengths=(1059, *LENGTHS[1:])) == set()
    assert gaps(copies=(1.9, *COPIES[1:])) == set()


@pytest.mark.parametrize("numbers", [{}, {(BEFORE, UNIT): 1, (REPEAT, BEHIND): 1}, {(REPEAT, BEHIND): 9}])
def test_fragments_link_both_sides_to_the_array(numbers):
    assert gaps(numbers=numbers) == set()


def test_fragments_to_other_sequence_contradict():
    def other(gap_bp):
        return Link(BEFORE, OTHER, 9, gap_bp, 5.0, 1.0, 9.0, ((0, 9, 300.0),))

    assert gaps(others=[other(500.0)]) == set()
    assert gaps(others=[other(3900.0)]) == ARRAY  # behind what follows


@pytest.mark.parametrize(("edges", "expected"), [(set(), set()), ({(10, OTHER)}, ARRAY)])
def test_array_that_fragments_link_to_another_dead_end_is_none(edges, expected):
    lengths, copies = (*LENGTHS, 900), (*COPIES, 1.0)
    link = Link(UNIT, OTHER, 2, 100.0, 5.0, 1.0, 9.0, ((0, 2, 300.0),))
    assert gaps(edges=EDGES | edges, lengths=lengths, copies=copies, others=[link]) == expected


def test_joined_sides_stay_as_they_are():
    joined = ((BEFORE, UNIT, (REPEAT,)),)
    assert gaps(joined) == {
        (tail, join.link.head, join.link.gap_bp)
        for tail, join in joins_of(*joined).items()
        if tail <= join.link.head ^ 1
    }


def test_open_gap_to_a_unitig_of_the_array_is_left_out():
    assert gaps(((UNIT, BEHIND, None),)) == ARRAY
