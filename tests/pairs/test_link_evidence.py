"""Which mates may lead across an end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu.pairs.link_evidence import LinkGraph

K = 61
ENDS = LinkGraph(K, np.repeat([1000, 1200], 2), np.array([True, False, False, True]), read_bp=100)


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
