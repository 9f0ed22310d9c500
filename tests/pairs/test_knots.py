"""Long unitigs that follow each other across knots of short ones."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.knots import Knot, across_knots, find_knots
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link
from tests.pairs.layouts import graph_of

K = 61
BEFORE, BEHIND, SIDE, TIP, OTHER_TIP, OTHER = 0, 2, 4, 6, 8, 10
EDGES = {(BEFORE, SIDE), (SIDE, BEHIND), (BEFORE, TIP), (OTHER_TIP, BEHIND)}
LENGTHS = (3000, 3000, 121, 90, 80, 3000)
INNER = {SIDE >> 1, TIP >> 1, OTHER_TIP >> 1}


def knots_of(edges=EDGES, lengths=LENGTHS, copies=None) -> list[Knot]:
    graph = graph_of(set(edges), len(lengths))
    ends = LinkGraph(K, np.repeat(lengths, 2), np.diff(graph.row_ptr) > 0)
    counts = np.ones(len(lengths)) if copies is None else np.array(copies)
    return find_knots(graph, ends, CopyNumbers(0.1, counts, np.full(len(lengths), 100.0), np.ones(len(lengths))))


def link(tail: int, head: int, gap_bp: float = 0.0) -> Link:
    return Link(tail, head, 4, gap_bp, 20.0, 1.0, 4.0, ())


def both(*steps: tuple[int, int]) -> dict[int, Link]:
    """Links of both strands by tail."""
    links = [one for step in steps for one in (link(*step), link(*step).turned)]
    return {one.tail: one for one in links}


def across(knots, chosen, beyond):
    return across_knots(knots, chosen, beyond, PairOptions())


def heads(found: dict[int, Link]) -> dict[int, int]:
    return {tail: one.head for tail, one in found.items()}


def test_knot_has_the_sides_and_the_dead_ends_between_two_long_unitigs():
    (knot,) = knots_of()
    assert (knot.tail, knot.head, knot.unitigs, knot.gap_bp) == (BEFORE, BEHIND, INNER, 1)
    turned = {(head ^ 1, tail ^ 1) for tail, head in EDGES}
    assert knots_of(turned) == [knot]


@pytest.mark.parametrize(
    "more",
    [
        {(TIP, OTHER)},  # a way out
        {(OTHER, OTHER_TIP)},  # a way in
        {(BEFORE, OTHER)},
        {(SIDE, TIP), (TIP, SIDE)},  # a cycle
        {(TIP, SIDE ^ 1)},  # both strands
        {(TIP, BEFORE)},
        {(TIP, BEHIND)},  # two paths
    ],
)
def test_what_leads_elsewhere_or_turns_is_no_knot(more):
    assert knots_of(EDGES | more) == []


def test_knot_leads_across_and_is_between_long_single_copy_unitigs():
    assert knots_of(EDGES - {(SIDE, BEHIND)}) == []
    assert knots_of(lengths=(1000, *LENGTHS[1:])) == []
    assert knots_of(lengths=(*LENGTHS[:2], 1059, *LENGTHS[3:])) == []
    assert knots_of(copies=(1.0, 2.0, 1.0, 1.0, 1.0, 1.0)) == []
    assert knots_of({(BEFORE, BEHIND)}) == []


def test_long_unitigs_follow_each_other_where_a_dead_end_is_nearer():
    found = across(knots_of(), both((BEFORE, TIP)), both((BEFORE, BEHIND)))
    assert heads(found) == {BEFORE: BEHIND, BEHIND ^ 1: BEFORE ^ 1}
    found = across(knots_of(), both((BEFORE, TIP), (TIP, OTHER_TIP), (OTHER_TIP, BEHIND)), both((BEFORE, BEHIND)))
    assert heads(found) == {BEFORE: BEHIND, BEHIND ^ 1: BEFORE ^ 1}


def test_followers_along_edges_are_kept():
    chosen = both((BEFORE, SIDE), (SIDE, BEHIND))
    assert across(knots_of(), chosen, both((BEFORE, BEHIND))) == chosen


def test_fragments_have_to_lead_across_and_nowhere_else():
    chosen = both((BEFORE, TIP))
    assert across(knots_of(), chosen, {}) == chosen
    assert across(knots_of(), chosen, both((BEFORE, OTHER))) == chosen
    far = {one.tail: one for one in (link(BEFORE, BEHIND, 100.0), link(BEFORE, BEHIND, 100.0).turned)}
    assert across(knots_of(), chosen, far) == chosen
    elsewhere = both((BEFORE, TIP), (TIP, OTHER))
    assert across(knots_of(), elsewhere, both((BEFORE, BEHIND))) == elsewhere
