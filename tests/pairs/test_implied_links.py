"""Links that follow from those of two unitigs to the same third one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu.pairs.implied_links import implied_links
from debruijn_gpu.pairs.joins import joins, mutual, next_links
from tests.pairs.layouts import Layout
from tests.pairs.test_joins import OPTIONS, both_strands, paths, resolved

# Two short unitigs before a long one, a repeat between neighbours; each repeat has another copy between long unitigs
FIRST, SECOND, LONG, REPEAT, OTHER_REPEAT, *OTHERS = 0, 2, 4, 6, 8, 10, 12, 14
ROW = Layout(
    (160, 130, 3000, 150, 150, 2500, 2500, 2500),
    ((FIRST, REPEAT, SECOND, OTHER_REPEAT, LONG), (OTHERS[0], REPEAT, OTHERS[1], OTHER_REPEAT, OTHERS[2])),
)
IS_SINGLE = np.array([True, True, True, False, False, True, True, True])


def choices(changed=None):
    """All choices of followers, whether mutual or not, and what they imply; some links may be changed before."""
    links = ROW.links(ROW.placed(ROW.fragments()))
    near = links.among(IS_SINGLE)
    near = {tail: [(changed or (lambda link: link))(link) for link in some] for tail, some in near.items()}
    chosen = next_links(near, links, ROW.ends.lengths, OPTIONS)
    return chosen, implied_links(chosen, near, links, ROW.ends, OPTIONS)


def test_short_unitigs_before_the_same_one_are_joined():
    chosen, implied = choices()
    assert chosen[FIRST].head == chosen[SECOND].head == LONG
    assert FIRST not in mutual(chosen)
    assert implied.keys() == {FIRST, SECOND ^ 1}
    link = implied[FIRST]
    assert link.head == SECOND
    assert link.is_implied
    assert abs(link.gap_bp - 30) < 4 * link.error_bp
    assert implied[SECOND ^ 1] == link.turned
    ways = (FIRST, SECOND, (REPEAT,)), (SECOND, LONG, (OTHER_REPEAT,))
    others = (OTHERS[0], OTHERS[1], (REPEAT,)), (OTHERS[1], OTHERS[2], (OTHER_REPEAT,))
    assert paths(resolved(ROW, ROW.fragments(), IS_SINGLE)) == both_strands(*ways, *others)


def test_order_has_to_be_certain():
    def blurred(link):
        return replace(link, error_bp=80.0) if {link.tail, link.head ^ 1} & {FIRST} else link

    assert choices(blurred)[1] == {}


def test_a_unitig_that_leads_elsewhere_is_not_joined():
    def elsewhere(link):
        return replace(link, head=OTHERS[1]) if link.tail == FIRST else link

    chosen, implied = choices(elsewhere)
    assert chosen[FIRST].head == OTHERS[1]
    assert implied == {}


@pytest.mark.parametrize("gap_bp", [30.0, 400.0])
def test_implied_join_is_kept_along_a_path_or_is_thin(gap_bp):
    _chosen, implied = choices()
    moved = {tail: replace(link, gap_bp=gap_bp) for tail, link in implied.items()}
    links = ROW.links(ROW.placed(ROW.fragments()))
    found = joins(moved, links, ROW.graph, ROW.ends.k, ROW.ends.lengths, OPTIONS, IS_SINGLE)
    assert found[FIRST].is_thin
    assert found[FIRST].path == ((REPEAT,) if gap_bp == 30.0 else None)
