"""Two chains of joins through the same sequence, which become one."""

from __future__ import annotations

from itertools import product, zip_longest

import numpy as np
import pytest
from hypothesis import given, strategies as st

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
ONE_KIND = np.ones(9)
#: Of this copy, fragments link what is not beside each other
FAR = {(TWO, FOUR): (7, 41.0), (ONE, THREE): (9, 41.0)}


def both_strands(joins):
    return {**joins, **{join.link.head ^ 1: turned_join(join) for join in joins.values()}}


def turned_join(join):
    return Join(join.link.turned, None if join.path is None else turned(join.path), join.is_thin)


def merged(first_path, second_path, found, paths=PATHS, kinds=ONE_KIND):
    """The ways of joins of one strand."""
    joins = both_strands({ONE: Join(FIRST, first_path), TWO: Join(SECOND, second_path)})
    choice = PathChoice(FewLinks(found), LENGTHS, OVERLAP, PairOptions())

    def paths_of(link):
        return paths[link.tail] if link.tail in paths else [turned(path) for path in paths[link.head ^ 1]]

    done = as_one_chain(joins, paths_of, choice, kinds)
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
    by_tail = PATHS | {FOUR ^ 1: [*map(turned, PATHS[TWO])], THREE ^ 1: [*map(turned, PATHS[ONE])]}
    done = as_one_chain(joins, lambda link: by_tail[link.tail], choice, np.ones(9))
    link = done[THREE].link
    assert (link.tail, link.head, link.gap_bp, link.is_implied, done[THREE].is_thin) == (THREE, FOUR, -40.0, True, True)


def test_without_fragments_that_tell_the_ways_apart_there_is_no_path():
    assert merged((A, X, B), (B, Y, C), FAR) == {ONE: (None, THREE), TWO: (None, FOUR)}


def test_fragments_of_the_other_way_keep_both_chains():
    found = {(ONE, X): (3, -40.0), (TWO, Y): (3, -40.0)}
    assert merged((A, X, B), (B, Y, C), found) == {ONE: ((A, X, B), THREE), TWO: ((B, Y, C), FOUR)}


@pytest.mark.parametrize(("kind", "is_one"), [(1.0, True), (0.3, False), (np.nan, False)])
def test_unitigs_of_another_genome_are_not_passed(kind, is_one):
    kinds = np.ones(9)
    kinds[TWO >> 1] = kind
    done = merged((A, X, B), None, {(ONE, TWO): (2, -40.0)}, kinds=kinds)
    assert done[ONE] == (((A,), TWO) if is_one else ((A, X, B), THREE))


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


N_PLACES = 5
PLACES = 4 * np.arange(N_PLACES + 1)
#: Of each place, the vertices of both copies, and the one that they share behind it
MANY = np.repeat([121, 121, 80, 1] * (N_PLACES + 1), 2)


def own(copy, place):
    return int(2 * (PLACES[place] + copy))


def ways_between(place, other):
    """All paths from one place to another: what is shared, and either copy of each place between."""
    shared = [int(2 * (PLACES[one] + 2)) for one in range(place, other)]
    for copies in product((0, 1), repeat=other - place - 1):
        between = [own(copy, one) for copy, one in zip(copies, range(place + 1, other), strict=True)]
        yield tuple(vertex for pair in zip_longest(shared, between) for vertex in pair if vertex is not None)


@st.composite
def joined_places(draw):
    """Joins between places of both copies, in one strand, with or without a path; and fragments between places."""
    ends = st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, N_PLACES), st.integers(0, N_PLACES))
    joins = {}
    for copy, other_copy, place, other in draw(st.lists(ends, max_size=8)):
        tail, head = own(copy, place), own(other_copy, other)
        if place < other and tail not in joins and head not in [join.link.head for join in joins.values()]:
            path = draw(st.sampled_from([None, *ways_between(place, other)]))
            joins[tail] = join_of(tail, path, head)
    joined = {vertex for tail, join in joins.items() for vertex in (tail, join.link.head)}
    for tail, join in joins.items():  # no path leads through what is joined, at first
        joins[tail] = join_of(tail, None if joined & set(join.path or ()) else join.path, join.link.head)
    fragments = draw(st.dictionaries(ends, st.integers(0, 9), max_size=12))
    choice = PathChoice(FewLinks({}), MANY, OVERLAP, PairOptions())
    found = {
        (own(copy, place), own(other_copy, other)): (n, choice.gap_of(next(ways_between(place, other))))
        for (copy, other_copy, place, other), n in fragments.items()
        if place < other
    }
    return joins, found


def paths_between_places(link):
    """All paths of a link in either strand."""
    tail, head = (link.tail, link.head) if not link.tail & 1 else (link.head ^ 1, link.tail ^ 1)
    paths = list(ways_between(*(int(np.searchsorted(PLACES, vertex // 2, "right")) - 1 for vertex in (tail, head))))
    return paths if tail == link.tail else [turned(path) for path in paths]


def join_of(tail, path, head):
    return Join(Link(tail, head, 5, 0.0, 5.0, 1.0, 5.0, ((0, 5, 300.0),)), path)


def test_a_path_may_become_what_it_was_once_it_is_known_what_is_before_its_head():
    """Nothing tells the ways of the first join apart, but the second one leads along one of them."""
    (first, _), (_, through) = ways_between(1, 3), ways_between(2, 4)
    joins = {own(0, 1): join_of(own(0, 1), first, own(1, 3)), own(0, 2): join_of(own(0, 2), None, own(0, 4))}
    found = {(own(1, 3), own(0, 4)): (2, -40.0)}
    choice = PathChoice(FewLinks(found), MANY, OVERLAP, PairOptions())
    done = as_one_chain(both_strands(joins), paths_between_places, choice, np.ones(len(MANY) // 2))
    heads = {tail: done[tail].link.head for tail in done if not tail & 1}
    assert through[1] == own(1, 3)
    assert heads == {own(0, 1): own(0, 2), own(0, 2): own(1, 3), own(1, 3): own(0, 4)}


@given(joined_places(), st.randoms())
def test_any_joins_become_chains_in_both_strands(given_joins, random):
    joins, found = given_joins
    choice = PathChoice(FewLinks(found), MANY, OVERLAP, PairOptions())

    both = both_strands(joins)
    done = as_one_chain(both, paths_between_places, choice, np.ones(len(MANY) // 2))
    assert all(done[join.link.head ^ 1].link.head == tail ^ 1 for tail, join in done.items())
    assert all(done[join.link.head ^ 1] == turned_join(join) for join in done.values() if join.path is not None)
    order = list(both)
    random.shuffle(order)
    assert (
        as_one_chain({tail: both[tail] for tail in order}, paths_between_places, choice, np.ones(len(MANY) // 2))
        == done
    )
