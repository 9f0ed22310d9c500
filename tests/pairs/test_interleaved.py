"""Two chains of joins through the same sequence, which become one."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.interleaved import as_one_chain
from debruijn_gpu.pairs.joins import Join, turned
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.path_choice import PathChoice
from tests.pairs.test_path_choice import OVERLAP, FewLinks

# What two copies of a repeat share (A, B, C), and bases of their own: of this copy 1, 2, 3, 4, of the other one X, Y
ONE, A, TWO, B, THREE, C, FOUR, X, Y = range(0, 18, 2)
LENGTHS = np.repeat([500, 80, 121, 80, 121, 80, 500, 121, 121], 2)
#: Fragments are longer than two unitigs: the first is linked to the third, and the second to the fourth
FIRST = Link(ONE, THREE, 9, 41.0, 5.0, 1.0, 9.0, ((0, 9, 300.0),))
SECOND = Link(TWO, FOUR, 7, 41.0, 5.0, 1.0, 9.0, ((0, 7, 300.0),))
PATHS = {ONE: [(A, TWO, B), (A, X, B)], TWO: [(B, THREE, C), (B, Y, C)]}
CHAIN = {ONE: ((A,), TWO), TWO: ((B,), THREE), THREE: ((C,), FOUR)}
#: Of this copy, fragments link what is not beside each other
FAR = {(TWO, FOUR): (7, 41.0), (ONE, THREE): (9, 41.0)}


def both_strands(joins):
    return {**joins, **{join.link.head ^ 1: turned_join(join) for join in joins.values()}}


def turned_join(join):
    return Join(join.link.turned, None if join.path is None else turned(join.path))


def merged(first_path, second_path, found, paths=PATHS):
    """The ways of joins of one strand."""
    joins = both_strands({ONE: Join(FIRST, first_path), TWO: Join(SECOND, second_path)})
    choice = PathChoice(FewLinks(found), LENGTHS, OVERLAP, PairOptions())

    def paths_of(link):
        return paths[link.tail] if link.tail in paths else [turned(path) for path in paths[link.head ^ 1]]

    done = as_one_chain(joins, paths_of, choice)
    for tail, join in done.items():
        back = done[join.link.head ^ 1]
        assert (tail, back.link.head) == (join.link.tail, tail ^ 1)
        assert back.path == (None if join.path is None else turned(join.path))
    return {tail: (join.path, join.link.head) for tail, join in done.items() if not tail & 1}


@pytest.mark.parametrize("first_path", [(A, X, B), None])
@pytest.mark.parametrize("second_path", [(B, Y, C), None])
def test_unitigs_that_are_passed_over_are_joined_in_their_order(first_path, second_path):
    assert merged(first_path, second_path, FAR | {(ONE, TWO): (2, -40.0)}) == CHAIN
    assert merged(first_path, second_path, FAR | {(TWO, THREE): (2, -40.0), (THREE, FOUR): (2, -40.0)}) == CHAIN


def test_links_of_what_is_made_are_those_of_the_path():
    joins = both_strands({ONE: Join(FIRST, (A, X, B)), TWO: Join(SECOND, (B, Y, C))})
    choice = PathChoice(FewLinks({(ONE, TWO): (2, -40.0)}), LENGTHS, OVERLAP, PairOptions())
    by_tail = {ONE: PATHS[ONE], TWO: PATHS[TWO], FOUR ^ 1: [], THREE ^ 1: []}
    done = as_one_chain(joins, lambda link: by_tail[link.tail], choice)
    link = done[THREE].link
    assert (link.tail, link.head, link.gap_bp, link.is_implied, done[THREE].is_thin) == (THREE, FOUR, -40.0, True, True)


def test_without_fragments_that_tell_the_ways_apart_there_is_no_path():
    assert merged((A, X, B), (B, Y, C), FAR) == {ONE: (None, THREE), TWO: (None, FOUR)}


def test_fragments_of_the_other_way_keep_both_chains():
    found = {(ONE, X): (3, -40.0), (TWO, Y): (3, -40.0)}
    assert merged((A, X, B), (B, Y, C), found) == {ONE: ((A, X, B), THREE), TWO: ((B, Y, C), FOUR)}


@pytest.mark.parametrize("found", [{}, {(ONE, TWO): (2, -40.0)}])
def test_a_unitig_whose_own_join_leads_elsewhere_is_not_passed(found):
    paths = {ONE: PATHS[ONE], TWO: [(B, Y, C)]}
    kept = {ONE: ((A, X, B), THREE), TWO: ((B, Y, C), FOUR)}
    assert merged((A, X, B), (B, Y, C), found, paths) == kept


def test_what_contradicts_another_join_is_taken_back():
    """By fragments, the first join leads through the second unitig and the third, and the second join does not."""
    found = {(ONE, TWO): (2, -40.0), (TWO, Y): (3, -40.0)}
    assert merged((A, X, B), (B, Y, C), found) == {ONE: ((A, X, B), THREE), TWO: ((B, Y, C), FOUR)}


def test_where_a_path_has_a_unitig_twice_nothing_changes():
    paths = {ONE: [*PATHS[ONE], (A, X, A, X, B)], TWO: [(B, Y, C)]}
    kept = {ONE: ((A, X, B), THREE), TWO: ((B, Y, C), FOUR)}
    assert merged((A, X, B), (B, Y, C), {(ONE, TWO): (2, -40.0)}, paths) == kept
