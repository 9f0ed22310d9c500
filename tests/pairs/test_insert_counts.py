"""Insert sizes and orientations of pairs within unitigs."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.insert_sizes import TOO_FEW, UNRELATED
from debruijn_gpu.pairs.insert_counts import ORIENTATIONS, InsertCounts, insert_sizes
from debruijn_gpu.pairs.library import library_of

READ_BP = 100


def anchors_of(starts, sizes, lengths, orientation, around=None):
    """Vertices and starts of both mates whose first bases are so far apart; circular unitigs go round."""
    left, right = starts, starts + sizes - 1
    if around is not None:
        left, right = left % around, right % around
    zero = np.zeros(len(starts), np.int64)
    on_left = {"FR": 0, "RF": 1, "FF": 0}[orientation]
    on_right = {"FR": 1, "RF": 0, "FF": 0}[orientation]
    first = zero + on_left, lengths - 1 - left if on_left else left
    second = zero + on_right, lengths - 1 - right if on_right else right
    return np.stack((*first, *second))


def random_pairs(rng, lengths, mean, spread, orientation="FR", n=2000):
    """Pairs of fragments that lie within unitigs."""
    lengths = np.repeat(lengths, n)
    sizes = np.rint(rng.normal(mean, spread, len(lengths))).astype(np.int64)
    starts = rng.integers(0, lengths)
    inside = (starts + sizes <= lengths) & (sizes > 0)
    lengths = lengths[inside]
    anchors = anchors_of(starts[inside], sizes[inside], lengths, orientation)
    turned = rng.random(len(lengths)) < 0.5
    if orientation == "FF":  # on the other strand the second mate is ahead of the first as well
        other = np.stack((anchors[2] ^ 1, lengths - 1 - anchors[3], anchors[0] ^ 1, lengths - 1 - anchors[1]))
        anchors[:, turned] = other[:, turned]
    else:
        anchors[:, turned] = anchors[:, turned][[2, 3, 0, 1]]
    return anchors, lengths


@pytest.mark.parametrize("orientation", ["FR", "RF", "FF"])
def test_orientation_and_size_are_found(orientation):
    rng = np.random.default_rng(1)
    counts = InsertCounts()
    anchors, lengths = random_pairs(rng, [5000], 500, 30, orientation)
    counts.add(anchors, lengths, np.zeros_like(lengths))
    found = insert_sizes(3000, counts)
    assert found.orientation == counts.orientation() == orientation
    assert found.n_placed == len(lengths)
    assert found.sizes is not None
    assert abs(found.sizes.median_bp - 500) <= 3
    assert abs(found.sizes.spread_bp - 30) <= 4


@pytest.mark.parametrize("orientation", ["FR", "RF", "FF"])
def test_exchanged_mates_and_turned_unitigs_count_the_same(orientation):
    rng = np.random.default_rng(2)
    anchors, lengths = random_pairs(rng, [900, 3000], 500, 100, orientation)
    zero = np.zeros_like(lengths)
    counts, exchanged = InsertCounts(), InsertCounts()
    counts.add(anchors, lengths, zero)
    exchanged.add(anchors[[2, 3, 0, 1]], lengths, zero)
    other = "RR" if orientation == "FF" else orientation
    assert exchanged.orientation() == other
    assert np.array_equal(counts.sizes(orientation), exchanged.sizes(other))
    assert counts.by_orientation()[orientation] == exchanged.by_orientation()[other] == len(lengths)


def test_overlap_of_a_circular_unitig_with_itself_counts_once():
    around, overlap = 3000, 30
    starts, sizes = np.arange(0, around, 7), 500
    lengths = np.full(len(starts), around + overlap)
    mates = starts, np.zeros_like(starts), lengths - (starts + sizes - 1) % around - 1, np.ones_like(starts)
    counts = InsertCounts()
    counts.add(np.stack((mates[1], mates[0], mates[3], mates[2])), lengths, np.full(len(starts), around))
    assert np.flatnonzero(counts.sizes("FR")).tolist() == [sizes]


def test_pairs_of_all_unitigs_are_counted_as_those_of_each():
    rng = np.random.default_rng(5)
    n = 5000
    lengths = rng.integers(100, 3000, n)
    around = np.where(rng.random(n) < 0.3, lengths - 30, 0)
    starts = rng.integers(-50, lengths, (2, n))
    vertices = rng.integers(0, 2, (2, n))
    anchors = np.stack((vertices[0], starts[0], vertices[1], starts[1]))
    counts, alone = InsertCounts(), InsertCounts()
    counts.add(anchors, lengths, around)
    for i in range(n):
        alone.add(anchors[:, [i]], lengths[[i]], around[[i]])
    assert counts.by_orientation() == alone.by_orientation()
    for orientation in ORIENTATIONS:
        assert np.array_equal(counts.sizes(orientation), alone.sizes(orientation))


@pytest.mark.parametrize("orientation", ["FR", "FF"])
def test_pairs_across_the_origin_of_a_circular_unitig_are_counted(orientation):
    around = 3000
    starts = np.arange(0, around, 7)
    sizes = np.full(len(starts), 500)
    lengths = np.full(len(starts), around)
    counts = InsertCounts()
    counts.add(anchors_of(starts, sizes, lengths, orientation, around), lengths, lengths)
    assert counts.orientation() == orientation
    assert np.flatnonzero(counts.sizes(orientation)).tolist() == [500]
    assert counts.sizes(orientation)[500] == len(starts)


def test_short_unitigs_do_not_cut_long_inserts_off():
    """In unitigs of 300 to 600 bases the mean of all pairs is far too small."""
    rng = np.random.default_rng(3)
    anchors, lengths = random_pairs(rng, np.repeat([300, 400, 500, 600, 3000], [300, 200, 60, 40, 4]), 500, 80, n=500)
    counts = InsertCounts()
    counts.add(anchors, lengths, np.zeros_like(lengths))
    sizes = anchors[3] * 0 + lengths - anchors[3] - anchors[1]
    assert sizes.mean() < 440
    found = insert_sizes(len(lengths), counts).sizes
    assert found is not None
    assert abs(found.median_bp - 500) <= 8
    assert abs(found.spread_bp - 80) <= 8


def test_few_pairs_have_no_distribution():
    rng = np.random.default_rng(4)
    anchors, lengths = random_pairs(rng, [5000], 500, 30, n=30)
    counts = InsertCounts()
    counts.add(anchors[:, :19], lengths[:19], np.zeros(19, np.int64))
    found = insert_sizes(19, counts)
    assert (found.n_placed, found.orientation, found.sizes, found.why_unusable) == (19, None, None, TOO_FEW)


def test_no_pairs_have_no_distribution():
    found = insert_sizes(0, InsertCounts())
    assert (found.n_placed, found.orientation, found.sizes) == (0, None, None)


def test_unrelated_mates_are_random():
    rng = np.random.default_rng(5)
    lengths = np.full(400, 4000)
    counts = InsertCounts()
    anchors = np.stack([rng.integers(0, n, 400) for n in (2, 3900, 2, 3900)])
    counts.add(anchors, lengths, np.zeros_like(lengths))
    assert counts.why_unusable() == UNRELATED
    found = insert_sizes(1000, counts)
    assert (found.n_placed, found.orientation, found.sizes, found.why_unusable) == (400, None, None, UNRELATED)
    assert library_of(0, counts) is None
    counts = InsertCounts()
    anchors, lengths = random_pairs(rng, [5000], 500, 30, "FR")
    counts.add(anchors, lengths, np.zeros_like(lengths))
    assert counts.why_unusable() is insert_sizes(500, counts).why_unusable is None
