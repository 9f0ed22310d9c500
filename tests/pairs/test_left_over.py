"""Joins that are left over when all other ways through a repeat are known."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import Join, turned
from debruijn_gpu.pairs.left_over import LeftOver
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.path_choice import PathChoice
from tests.pairs.test_path_choice import OVERLAP, FewLinks

IN, OTHER_IN, REPEAT, OUT, OTHER_OUT, THIRD_IN, THIRD_OUT = range(0, 14, 2)
CROSS = [(IN, REPEAT), (OTHER_IN, REPEAT), (REPEAT, OUT), (REPEAT, OTHER_OUT)]
KNOWN = {IN: ((REPEAT,), OUT)}
LEFT = {OTHER_IN: ((REPEAT,), OTHER_OUT)}


class AllLinks(FewLinks):
    """Links by which so many fragments are expected everywhere."""

    def __init__(self, found, expected=0.0):
        super().__init__(found)
        self._expected = expected

    def among(self, is_wanted):
        assert len(is_wanted)
        return {}

    def expected(self, tail, head, gap_bp):
        return self._expected if tail != head else 0.0


def graph_of(edges, n=7):
    both = sorted({edge for tail, head in edges for edge in ((tail, head), (head ^ 1, tail ^ 1))})
    row_ptr = np.searchsorted([tail for tail, _head in both], np.arange(2 * n + 1)).astype(np.int64)
    return Graph(row_ptr, np.array([head for _tail, head in both], np.uint32))


def join_of(tail, path, head):
    return Join(Link(tail, head, 9, 0.0, 5.0, 1.0, 9.0, ((0, 9, 300.0),)), path)


def left_over(edges, known, n_copies=2.0, expected=30.0, links=None, odds=0.0, share=1.0):
    """Return the ways that are found beside the known ones, in one strand."""
    copies = np.ones(7)
    copies[REPEAT >> 1] = n_copies
    of_one = np.full(7, 50.0)
    of_one[REPEAT >> 1] = expected
    shares, end_odds = np.ones(7), np.full(14, -9.0)
    shares[OTHER_OUT >> 1], end_odds[OTHER_IN] = share, odds
    numbers = CopyNumbers(1.0, copies, of_one, shares)
    assert not numbers.is_single[REPEAT >> 1]
    found = {tail: join_of(tail, path, head) for tail, (path, head) in known.items()}
    found |= {join.link.head ^ 1: Join(join.link.turned, turned(join.path)) for join in found.values()}
    links = links or AllLinks({})
    choice = PathChoice(links, np.full(14, 300), OVERLAP, PairOptions())
    done = LeftOver(graph_of(edges), numbers, links, end_odds, choice, PairOptions()).with_joins(found)
    for tail, join in done.items():
        assert done[join.link.head ^ 1].path == turned(join.path)
        assert tail == join.link.tail
    return {tail: (join.path, join.link.head) for tail, join in done.items() if tail not in found and not tail & 1}


def test_the_last_of_two_ways_is_left_over():
    assert left_over(CROSS, KNOWN) == LEFT


def test_of_two_unknown_ways_none_is_left_over():
    assert left_over(CROSS, {}) == {}


def test_a_third_way_leaves_over_another_one():
    edges = [*CROSS, (THIRD_IN, REPEAT), (REPEAT, THIRD_OUT)]
    assert left_over(edges, KNOWN, 3.0) == {}
    known = KNOWN | {THIRD_IN: ((REPEAT,), THIRD_OUT)}
    assert left_over(edges, known, 3.0) == LEFT


@pytest.mark.parametrize("more", [[(THIRD_IN, REPEAT)], [(REPEAT, THIRD_OUT)], [(REPEAT, REPEAT)], [(OUT ^ 1, REPEAT)]])
def test_where_the_graph_leads_elsewhere_nothing_is_left_over(more):
    assert left_over([*CROSS, *more], KNOWN) == {}


def test_known_ways_have_to_be_through_the_repeat():
    assert left_over(CROSS, {IN: ((), THIRD_OUT), THIRD_IN: ((), OUT)}) == {}


@pytest.mark.parametrize(("n_copies", "is_left"), [(1.5, False), (1.7, True), (2.0, True), (2.4, True), (2.5, False)])
def test_a_repeat_has_as_many_copies_as_ways(n_copies, is_left):
    assert left_over(CROSS, KNOWN, n_copies, 100.0) == (LEFT if is_left else {})


def test_without_reads_of_its_own_a_repeat_has_any_number():
    assert left_over(CROSS, KNOWN, expected=0.0) == LEFT


@pytest.mark.parametrize(("n_pairs", "is_left"), [(0, False), (2, True), (9, True)])
def test_fragments_are_not_missing(n_pairs, is_left):
    """Of 10 that are expected, 2 may be there by chance."""
    links = AllLinks({(OTHER_IN, OTHER_OUT): (n_pairs, 180.0)}, 10.0)
    assert left_over(CROSS, KNOWN, links=links) == (LEFT if is_left else {})


def test_ends_of_several_copies_and_of_two_genomes_are_not_joined():
    assert left_over(CROSS, KNOWN, odds=5.1) == {}
    assert left_over(CROSS, KNOWN, share=0.3) == {}


def test_what_is_on_the_path_of_a_join_is_not_joined_again():
    known = KNOWN | {THIRD_IN: ((OTHER_OUT,), THIRD_OUT)}
    assert left_over([*CROSS, (THIRD_IN, OTHER_OUT), (OTHER_OUT, THIRD_OUT)], known) == {}


@pytest.mark.parametrize(
    ("more", "is_left"), [([], True), ([Link(OTHER_IN, THIRD_OUT, 9, 0.0, 5.0, 1.0, 9.0, ())], False)]
)
def test_links_do_not_contradict(more, is_left):
    class Contradicting(AllLinks):
        def among(self, is_wanted):
            return {OTHER_IN: more} if more else {}

        def expected(self, tail, head, gap_bp):
            return 9.0 if (tail, head) == (OTHER_OUT, THIRD_OUT) else 0.0

    assert left_over(CROSS, KNOWN, links=Contradicting({})) == (LEFT if is_left else {})


def test_of_several_paths_none_is_left_over():
    edges = [(IN, REPEAT), (OTHER_IN, REPEAT), (REPEAT, OUT), (REPEAT, OTHER_OUT), (OTHER_IN, OTHER_OUT)]
    assert left_over(edges, KNOWN) == {}


def test_a_repeat_with_an_end_leaves_nothing_over():
    assert left_over([edge for edge in CROSS if edge[1] != OTHER_OUT], KNOWN) == {}
