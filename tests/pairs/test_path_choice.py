"""The choice of a path by the unitigs that are joined around it."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.path_choice import Chain, PathChoice

OVERLAP = 60
# FAR - shared repeat - TAIL - (ONE or OTHER) - HEAD - shared repeat - BEYOND
FAR, SHARED, TAIL, ONE, OTHER, HEAD, BEYOND = range(0, 14, 2)
LENGTHS = np.repeat([900, 100, 130, 150, 150, 140, 800], 2)
LINK = Link(TAIL, HEAD, 9, 30.0, 5.0, 1.0, 9.0, ((0, 9, 300.0),))
WAYS = {TAIL ^ 1: ((SHARED ^ 1,), FAR ^ 1), HEAD: ((SHARED,), BEYOND)}


class FewLinks:
    """Links with given fragments and gaps, by tail and head."""

    longest_bp = 400

    def __init__(self, found):
        turned = {(head ^ 1, tail ^ 1): numbers for (tail, head), numbers in found.items()}
        self._found = found | turned

    def find(self, tail, head):
        n_pairs, gap_bp = self._found.get((tail, head), (0, 0.0))
        return Link(tail, head, n_pairs, gap_bp, 5.0, 1.0, 9.0, ()) if n_pairs > 1 else None

    def support_of(self, tail, head):
        return self._found.get((tail, head), (0, 0.0))[0]

    def deviation(self, link, gap_bp):
        return abs(link.gap_bp - gap_bp) / link.error_bp


def chosen(found, ways=WAYS):
    choice = PathChoice(FewLinks(found), LENGTHS, OVERLAP, PairOptions())
    before, behind = choice.chain(TAIL ^ 1, ways), choice.chain(HEAD, ways)
    return choice.best([(ONE,), (OTHER,)], LINK, before, behind)


def test_chain_ends_where_fragments_do_not_reach():
    choice = PathChoice(FewLinks({}), LENGTHS, OVERLAP, PairOptions())
    assert choice.chain(HEAD, WAYS) == Chain((BEYOND,), (140 - 60 + 100 - 60,))
    assert choice.chain(FAR, {FAR: ((), HEAD), **WAYS}) == Chain()
    circle = {HEAD: ((SHARED,), BEYOND), BEYOND: ((), HEAD)}
    assert choice.chain(HEAD, circle) == Chain((BEYOND,), (120,))


@pytest.mark.parametrize("far", [{(FAR, OTHER): (4, -60 + 110.0)}, {(OTHER, BEYOND): (4, -60 + 120.0)}])
def test_fragments_of_unitigs_joined_to_both_ends_count(far):
    assert chosen(far, {}) is None
    assert chosen(far) == (OTHER,)
    assert chosen(far | {(TAIL, ONE): (2, -60.0)}) is None  # not three times as many


def test_fragments_at_another_distance_do_not_count():
    assert chosen({(FAR, OTHER): (4, 100.0)}) is None


def test_fragments_of_both_ends_count_at_any_distance():
    assert chosen({(TAIL, ONE): (3, 100.0)}, {}) == (ONE,)
