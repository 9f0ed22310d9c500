"""Walks over unitigs along joins, and their extension into repeats."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.walks import Behind, Walk, before_repeats, extended_walks, joined_walks, steps_behind
from tests.pairs.layouts import graph_of

LINEAR = np.zeros(5, np.bool_)


def copies_of(*copies):
    """Copy numbers that are certain."""
    numbers = np.array(copies, np.float64)
    return CopyNumbers(0.1, numbers, np.full(len(numbers), 1e3), np.ones(len(numbers)))


def joins_of(*joins):
    """Joins of tail, head and path, in both strands."""
    found = {}
    for tail, head, path in joins:
        turned = None if path is None else tuple(vertex ^ 1 for vertex in reversed(path))
        for one, other, way in ((tail, head, path), (head ^ 1, tail ^ 1, turned)):
            found[one] = Join(Link(one, other, 9, 50.0, 5.0, 1.0, 9.0, ()), way)
    return found


def steps_of(walks):
    return sorted((min(walk.steps, walk.turned.steps), walk.is_circular) for walk in walks)


def test_repeat_is_left_out_when_all_copies_are_used():
    found = joins_of((0, 2, (8,)), (4, 6, (8,)))
    assert steps_of(joined_walks(found, LINEAR, copies_of(1, 1, 1, 1, 2))) == [([0, 8, 2], False), ([4, 8, 6], False)]


def test_repeat_with_a_further_copy_stays():
    found = joins_of((0, 2, (8,)), (4, 6, (8,)))
    walks = joined_walks(found, LINEAR, copies_of(1, 1, 1, 1, 3))
    assert steps_of(walks) == [([0, 8, 2], False), ([4, 8, 6], False), ([8], False)]


def test_joins_without_a_path_are_no_walks():
    walks = joined_walks(joins_of((0, 2, None)), LINEAR[:2], copies_of(1, 1))
    assert steps_of(walks) == [([0], False), ([2], False)]


def test_chain_is_one_walk_in_one_strand():
    walks = joined_walks(joins_of((0, 3, ()), (3, 4, ())), LINEAR[:3], copies_of(1, 1, 1))
    assert steps_of(walks) == [([0, 3, 4], False)]


def test_circle_closes():
    (walk,) = joined_walks(joins_of((0, 2, (4,)), (2, 0, (4,))), LINEAR[:3], copies_of(1, 1, 2))
    assert walk.is_circular
    assert sorted(step >> 1 for step in walk.steps) == [0, 1, 2, 2]


def test_single_unitig_closes_through_a_repeat():
    (walk,) = joined_walks(joins_of((0, 0, (2,))), LINEAR[:2], copies_of(1, 1))
    assert walk.is_circular
    assert sorted(step >> 1 for step in walk.steps) == [0, 1]


def test_circular_unitigs_stay_circular():
    (walk,) = joined_walks({}, np.ones(1, np.bool_), copies_of(1))
    assert (walk.steps, walk.is_circular) == ([0], True)


# A - repeat - B and C - repeat - D, not joined
UNRESOLVED = graph_of({(0, 8), (8, 2), (4, 8), (8, 6)}, 5)
ADDED = np.array([2000, 2000, 2000, 2000, 250])
COPIES = copies_of(1, 1, 1, 1, 2)


def extended(walks, graph, added, copies, gaps, most_bp):
    """Extend walks by all repeats that follow their ends, as far as there is room."""
    behind = steps_behind(walks, graph, added, copies, gaps, most_bp)
    return extended_walks(walks, {tail: one.within(10**6, added)[0] for tail, one in behind.items()}, copies)


def singles():
    return [Walk([2 * unitig]) for unitig in range(5)]


def test_walks_are_extended_into_the_repeat_that_alone_follows():
    walks = extended(singles(), UNRESOLVED, ADDED, COPIES, {}, 400)
    assert steps_of(walks) == [([0, 8], False), ([3, 9], False), ([4, 8], False), ([7, 9], False)]
    first = min(walks, key=lambda walk: walk.steps)
    assert (first.first, first.last, first.n_before, first.n_behind) == (0, 0, 0, 1)


def test_walks_are_not_extended_beyond_what_pairs_reach():
    walks = extended(singles(), UNRESOLVED, ADDED, COPIES, {}, 249)
    assert steps_of(walks) == [([2 * unitig], False) for unitig in range(5)]


def test_walks_are_not_extended_where_several_unitigs_follow():
    graph = graph_of({(0, 8), (0, 2), (8, 2), (4, 8)}, 5)
    walks = extended(singles(), graph, ADDED, COPIES, {}, 400)
    assert ([0], False) in steps_of(walks)


def test_extensions_leave_each_other_half_of_a_gap():
    gaps = {0: 520.0, 3: 520.0}
    walks = extended(singles(), UNRESOLVED, ADDED, COPIES, gaps, 400)
    assert ([0, 8], False) in steps_of(walks)
    walks = extended(singles(), UNRESOLVED, ADDED, COPIES, {0: 400.0, 3: 400.0}, 400)
    assert ([0], False) in steps_of(walks)


def test_circular_walks_are_not_extended():
    walks = extended([Walk([0], True)], UNRESOLVED, ADDED, COPIES, {}, 400)
    assert steps_of(walks) == [([0], True)]


def test_no_sequence_is_lost():
    for reach in (0, 250, 1000):
        walks = extended(singles(), UNRESOLVED, ADDED, COPIES, {}, reach)
        assert {step >> 1 for walk in walks for step in walk.steps} == set(range(5))


def test_ends_that_may_be_extended_are_those_before_repeats():
    assert np.flatnonzero(before_repeats(UNRESOLVED, COPIES)).tolist() == [0, 3, 4, 7]


@pytest.mark.parametrize(
    ("n_bases", "room_bp", "steps", "part"),
    [
        (349, 400, [8], (10, 99)),
        (299, 400, [8], None),
        (349, 305, [8], (10, 55)),
        (350, 400, [8, 10], None),
        (500, 400, [8, 10], None),
        (249, 400, [], (8, 249)),
        (49, 400, [], None),
        (0, 0, [], None),
    ],
)
def test_steps_within_some_bases_and_a_part_of_the_next(n_bases, room_bp, steps, part):
    added = np.array([2000, 2000, 2000, 2000, 250, 100])
    assert Behind([8, 10], room_bp).within(n_bases, added) == (steps, part)


def test_repeat_at_both_ends_of_a_walk_extends_one_of_them():
    graph = graph_of({(0, 2), (2, 0), (4, 2)}, 3)
    (walk, *_others) = extended([Walk([0])], graph, np.array([2000, 250, 2000]), copies_of(1, 2, 1), {}, 400)
    assert (walk.steps, walk.n_before + walk.n_behind) == ([0, 2], 1)
