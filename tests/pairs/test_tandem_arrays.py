"""Joins through cycles of the graph, by the reads in the unitigs of these."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.tandem_arrays import without_doubtful_arrays
from debruijn_gpu.pairs.window_depths import WindowDepths
from tests.pairs.layouts import graph_of
from tests.pairs.test_walks import joins_of
from tests.pairs.windows import even_windows, sequences_of

K, REACH = 61, 400.0
BEFORE, BEHIND, REPEAT, UNIT = 0, 2, 4, 6  # before - repeat - unit - repeat - behind
LENGTHS = (3000, 3000, 200, 260)
GRAPH = graph_of({(BEFORE, REPEAT), (REPEAT, UNIT), (UNIT, REPEAT), (REPEAT, BEHIND)}, 4)
ALL = ((BEFORE, UNIT, (REPEAT,)), (UNIT, BEHIND, (REPEAT,)))


def kept(joins, copies, expected, lengths=LENGTHS, graph=GRAPH, gap=None, slack_bp=20, windows=None):
    """Tails of the joins that are kept."""
    ends = LinkGraph(K, np.repeat(lengths, 2), np.diff(graph.row_ptr) > 0)
    numbers = CopyNumbers(0.1, np.array(copies, np.float64), np.array(expected, np.float64), np.ones(len(copies)))
    found = joins_of(*joins)

    def deviation(link, bases):
        assert any(link is join.link for join in found.values())
        return 0.0 if gap is None else abs(bases - gap) / 30

    windows = windows or even_windows(len(lengths))
    left = without_doubtful_arrays(found, graph, ends, numbers, REACH, deviation, slack_bp, windows)
    assert all(left[tail] is found[tail] for tail in left)
    return sorted(left)


@pytest.mark.parametrize("expected", [(300, 300, 20, 20), (300, 300, 0, 20)])  # with anchors in the repeat and without
def test_array_whose_reads_tell_its_turns_is_kept(expected):
    assert kept(ALL, (1, 1, 2, 1), expected) == sorted(joins_of(*ALL))


@pytest.mark.parametrize("expected", [(300, 300, 20, 20), (300, 300, 0, 20)])
def test_array_of_a_copy_more_than_the_joins_take_is_left_out(expected):
    assert kept(ALL, (1, 1, 3, 1.25), expected) == []
    assert kept((*ALL, (8, 10, None)), (1, 1, 3, 1.25, 1, 1), (*expected, 9, 9), (*LENGTHS, 900, 900)) == [8, 11]


def test_path_past_the_unit_of_an_array_is_left_out():
    joins = ((BEFORE, BEHIND, (REPEAT,)),)
    assert kept(joins, (1, 1, 3, 2), (300, 300, 20, 20)) == []
    assert kept(joins, (1, 1, 1, 0.05), (300, 300, 20, 20)) == sorted(joins_of(*joins))  # the unit is of errors


def test_repeat_without_a_short_cycle_is_kept():
    straight = graph_of({(BEFORE, REPEAT), (REPEAT, UNIT), (REPEAT, BEHIND)}, 4)
    joins = ((BEFORE, BEHIND, (REPEAT,)),)
    assert kept(joins, (1, 1, 5, 3), (300, 300, 20, 20), graph=straight) == sorted(joins_of(*joins))
    assert kept(joins, (1, 1, 5, 3), (300, 300, 20, 20), (3000, 3000, 200, 700)) == sorted(joins_of(*joins))


def test_distance_is_trusted_where_no_unitig_of_the_array_is_joined():
    joins = ((BEFORE, BEHIND, (REPEAT, UNIT, REPEAT)),)
    expected = (300, 300, 0, 0)  # without anchors
    assert kept(joins, (1, 1, 2.5, 1.5), expected) == sorted(joins_of(*joins))
    assert kept(joins, (1, 1, 4, 3), expected) == []


def test_copies_of_a_replicon_are_no_turns():
    expected = (300, 300, 20, 20)
    assert kept(ALL, (8, 8, 16, 8), expected) == sorted(joins_of(*ALL))
    assert kept(ALL, (8, 8, 24, 16), expected) == []


@pytest.mark.parametrize(("gap", "is_kept"), [(420, True), (500, True), (600, True), (760, False), (1500, True)])
def test_distance_may_state_one_turn_more(gap, is_kept):
    """A path of 420 bases, and turns of 340 each; what contradicts both tells nothing."""
    joins = ((BEFORE, BEHIND, (REPEAT, UNIT, REPEAT)),)
    assert bool(kept(joins, (1, 1, 2.2, 1.2), (300, 300, 0, 0), gap=gap)) == is_kept


def test_distance_says_nothing_of_turns_shorter_than_its_slack():
    joins = ((BEFORE, BEHIND, (REPEAT, UNIT, REPEAT)),)
    told = {"copies": (1, 1, 2.2, 1.2), "expected": (300, 300, 0, 0), "gap": 760}
    assert kept(joins, **told, slack_bp=339) == []
    assert kept(joins, **told, slack_bp=340) == sorted(joins_of(*joins))


def test_depth_of_a_copy_is_that_of_sequence_with_its_gc():
    """Three copies that are 0.73 as deep look like two."""
    joins, copies, expected = ALL, (1, 1, 2.2, 1.46), (300, 300, 60, 60)
    assert kept(joins, copies, expected) == sorted(joins_of(*joins))
    for windows, n_joins in (
        (even_windows(4, gc=0.63, depth=0.73, own_gc=0.63), 0),
        (even_windows(4, own_gc=0.63), 0),  # little sequence has that GC
        (even_windows(4, gc=0.63, depth=0.93, own_gc=0.63), 4),  # so much may be chance
        (even_windows(4, gc=0.63, depth=1.5, own_gc=0.63), 4),
        (WindowDepths(sequences_of([0.63] * 4, [1000] * 4), np.empty(0), np.empty(0), 0.0), 4),  # nothing is known
    ):
        assert len(kept(joins, copies, expected, windows=windows)) == n_joins
