"""Which single-copy unitigs follow each other, and the paths between them."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.copies import end_odds
from debruijn_gpu.pairs.implied_links import implied_links
from debruijn_gpu.pairs.joins import Join, between_equal_depths, between_single_ends, joins, mutual, next_links
from debruijn_gpu.pairs.walks import joined_walks
from tests.pairs.layouts import Layout

OPTIONS = PairOptions()
# A - repeat - B and C - repeat - D: unitigs 0, 1, 2, 3, and the repeat 4
REPEAT = Layout((2000, 2500, 3000, 2200, 250), ((0, 8, 2), (4, 8, 6)))


def followers(links, is_single, ends, options=OPTIONS):
    near = links.among(is_single)
    chosen = next_links(near, links, ends.lengths, options)
    return mutual(chosen) | implied_links(chosen, near, links, ends, options)


def resolved(layout, fragments, is_single=None, options=OPTIONS):
    placed = layout.placed(fragments)
    links = layout.links(placed, options)
    is_single = layout.copies(placed).is_single if is_single is None else is_single
    chosen = followers(links, is_single, layout.ends, options)
    return joins(chosen, links, layout.graph, layout.ends.k, layout.ends.lengths, options, is_single)


def paths(found: dict[int, Join]):
    return {(tail, join.link.head): join.path for tail, join in found.items()}


def both_strands(*found):
    """Joins and their reverse complements."""
    turned = [
        (head ^ 1, tail ^ 1, None if path is None else tuple(v ^ 1 for v in path[::-1])) for tail, head, path in found
    ]
    return {(tail, head): path for tail, head, path in (*found, *turned)}


def test_repeat_of_two_copies_is_resolved():
    found = resolved(REPEAT, REPEAT.fragments())
    assert paths(found) == both_strands((0, 2, (8,)), (4, 6, (8,)))


def test_ends_in_several_copies_are_not_joined():
    """Deep reads at the end of A: what seems one copy of a repeat may be the rest of a tandem array."""
    placed = REPEAT.placed(REPEAT.fragments())
    lengths, rate = REPEAT.ends.lengths, REPEAT.copies(placed).rate
    chosen = followers(REPEAT.links(placed), REPEAT.copies(placed).is_single, REPEAT.ends, OPTIONS)
    assert between_single_ends(chosen, end_odds(placed.end_starts, lengths, REPEAT.ends.k, rate)) == chosen
    for vertex in (0, 2 ^ 1):  # the end of A, and that of B seen from there
        deep = placed.end_starts.copy()
        deep[vertex] *= 4
        found = between_single_ends(chosen, end_odds(deep, lengths, REPEAT.ends.k, rate))
        assert found.keys() == chosen.keys() - {0, 2 ^ 1}


@pytest.mark.parametrize(
    ("n_reads", "is_kept"),
    [((100, 100), True), ((100, 250), True), ((100, 350), False), ((1000, 1500), True), ((1000, 2000), False)],
)
def test_unitigs_of_different_depths_are_not_joined_in_mixtures(n_reads, is_kept):
    """Few reads do not tell depths that differ by a factor of 1.6 from equal ones."""
    placed = REPEAT.placed(REPEAT.fragments())
    chosen = followers(REPEAT.links(placed), REPEAT.copies(placed).is_single, REPEAT.ends, OPTIONS)
    expected = np.full(5, 500.0)
    for numbers in (n_reads, n_reads[::-1]):  # of A and B
        reads = np.array([*numbers, 500, 500, 1000], np.float64)
        found = between_equal_depths(chosen, reads, expected)
        assert found.keys() == chosen.keys() - (set() if is_kept else {0, 2 ^ 1})


def test_repeat_longer_than_inserts_is_not_resolved():
    layout = Layout((2000, 2500, 3000, 2200, 700), ((0, 8, 2), (4, 8, 6)))
    assert paths(resolved(layout, layout.fragments())) == {}


def test_single_chimera_is_ignored():
    fragments = REPEAT.fragments()
    for place in (1750, 1800):  # from A into D
        fragments.append((REPEAT.fragment(0, place, 400)[0], REPEAT.fragment(1, 2600, 500)[1]))
    assert paths(resolved(REPEAT, fragments)) == both_strands((0, 2, (8,)), (4, 6, (8,)))


def test_contradicting_links_join_nothing():
    """The same repeat with both pairings at equal depth, as in a mixture of two strains."""
    layout = Layout((2000, 2500, 3000, 2200, 250), ((0, 8, 2), (4, 8, 6), (0, 8, 6), (4, 8, 2)))
    is_single = np.array([True, True, True, True, False])
    assert paths(resolved(layout, layout.fragments(), is_single)) == {}


def test_join_has_to_be_mutual():
    """A is followed by B, but B follows A and C."""
    layout = Layout((2000, 2500, 3000, 250), ((0, 6, 2), (4, 6, 2)))
    is_single = np.array([True, True, True, False])
    assert paths(resolved(layout, layout.fragments(), is_single)) == {}


def test_gap_is_a_join_without_path():
    layout = Layout((2000, 3000), ((0, 2),), {(0, 2): 100})
    found = resolved(layout, layout.fragments())
    assert paths(found) == both_strands((0, 2, None))
    assert abs(found[0].link.gap_bp - 100) < 4 * found[0].link.error_bp


def test_path_of_the_right_length_is_chosen():
    """Between A and B there are paths of 40 and of 190 further bases; the genome has the longer one."""
    layout = Layout((2000, 3000, 160, 310), ((0, 6, 2),), further_edges={(0, 4), (4, 2)})
    is_single = np.array([True, True, False, False])
    found = resolved(layout, layout.fragments(), is_single)
    assert paths(found) == both_strands((0, 2, (6,)))


def test_paths_of_equal_length_are_told_apart_by_their_own_links():
    layout = Layout((2000, 3000, 200, 200), ((0, 6, 2),), further_edges={(0, 4), (4, 2)})
    is_single = np.array([True, True, False, False])
    assert paths(resolved(layout, layout.fragments(), is_single)) == both_strands((0, 2, (6,)))
    mixed = Layout((2000, 3000, 200, 200), ((0, 6, 2), (0, 4, 2)))
    assert paths(resolved(mixed, mixed.fragments(), is_single)) == both_strands((0, 2, None))


def test_too_many_paths_are_not_searched():
    options = PairOptions(most_steps=1)
    assert paths(resolved(REPEAT, REPEAT.fragments(), options=options)) == both_strands((0, 2, None), (4, 6, None))


def test_short_single_copy_unitig_is_passed():
    """A, B and C in a row: A is linked to both."""
    layout = Layout((2000, 150, 3000), ((0, 2, 4),), {(0, 2): 20, (2, 4): 30})
    found = resolved(layout, layout.fragments(), np.ones(3, np.bool_))
    assert paths(found) == both_strands((0, 2, None), (2, 4, None))


def test_joins_do_not_depend_on_order_of_pairs():
    fragments = REPEAT.fragments()
    assert resolved(REPEAT, fragments) == resolved(REPEAT, [pair[::-1] for pair in fragments[::-1]])


def test_resolved_repeat_is_in_both_walks_and_in_none_of_its_own():
    placed = REPEAT.placed(REPEAT.fragments())
    copies = REPEAT.copies(placed)
    walks = joined_walks(resolved(REPEAT, REPEAT.fragments()), np.zeros(5, np.bool_), copies)
    assert sorted(min(walk.steps, walk.turned.steps) for walk in walks) == [[0, 8, 2], [4, 8, 6]]
