"""Which mates may lead across an end, and which mate pairs are short fragments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu.pairs.insert_counts import InsertCounts
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.link_evidence import LinkGraph, evidence
from debruijn_gpu.pairs.placed_reads import LoosePairs, PlacedLibrary, PlacedReads

K = 61
ENDS = LinkGraph(K, np.repeat([1000, 1200], 2), np.array([True, False, False, True]), read_bp=100)
MATES = Library(0, "RF", np.array([1500, 3000]), np.array([1, 1]), 2250.0, 750.0, inward_bp=400)


def placed(*pairs):
    """Pairs by vertex and start of both mates."""
    anchors = np.array([(v, s, v, s, w, t, w, t) for v, s, w, t in pairs], np.int64).T
    none = np.empty((8, 0), np.int64)
    loose = LoosePairs(none, np.empty((2, 0), np.int64), np.empty((4, 0), np.int64))
    library = PlacedLibrary(len(pairs), InsertCounts(), anchors, len(pairs), loose)
    counts = np.zeros(2, np.int64), np.zeros(4, np.int64)
    return PlacedReads(2 * len(pairs), 0, 2 * len(pairs), *counts, np.empty((4, 0), np.int64), [library])


@pytest.mark.parametrize(("further_bp", "expected"), [(0, [1, 1, 1, 1]), (80, [42, 12, 12, 42])])
def test_a_mate_that_points_away_from_an_end_begins_there(further_bp, expected):
    """Its other bases place it, if the read is long enough."""
    ends = replace(ENDS, further_bp=np.full(4, further_bp))
    assert ends.least_outward_bp.tolist() == expected
    corners = ends.corners(np.array([0]), np.array([2]), "RF")
    assert corners[0].tolist() == [expected[0] + expected[3] - 1]
    assert ends.corners(np.array([0]), np.array([2]))[0].tolist() == [2 * K + 2 * further_bp - 1]


def test_corners_do_not_depend_on_orientation_if_the_length_of_reads_is_unknown():
    ends = replace(ENDS, read_bp=0)
    ahead = np.array([0]), np.array([2])
    assert np.array_equal(ends.corners(*ahead, "RF"), ends.corners(*ahead))


def test_short_fragments_among_mate_pairs_are_no_evidence():
    """Both mates are near the place where the unitigs meet, and point to each other; mate pairs would surround them."""
    long, short = (1, 499, 2, 700), (0, 900, 3, 1000)
    with_short, without = placed(long, short), placed(long)
    found = evidence(ENDS, with_short, {0: MATES})
    assert all(
        np.array_equal(one, other) for one, other in zip(found, evidence(ENDS, without, {0: MATES}), strict=True)
    )
    assert set(zip(found[0].tolist(), found[1].tolist(), strict=True)) == {(0, 2), (3, 1)}
    tails, heads, _sources, _reaches = evidence(ENDS, with_short, {0: replace(MATES, inward_bp=0)})
    assert set(zip(tails.tolist(), heads.tolist(), strict=True)) == {(0, 2), (3, 1), (1, 3), (2, 0)}
