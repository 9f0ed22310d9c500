"""What the insert sizes of a library make expected of pairs across a gap."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu.pairs.insert_counts import InsertCounts
from debruijn_gpu.pairs.insert_sums import Ends
from debruijn_gpu.pairs.library import Library, estimated_gaps, library_of, share_of_both, slopes


def normal_library(mean=400, spread=40):
    sizes = np.arange(mean - 5 * spread, mean + 5 * spread + 1)
    numbers = np.rint(1e5 * np.exp(-(((sizes - mean) / spread) ** 2) / 2)).astype(np.int64)
    return Library(0, "FR", sizes, numbers, float(mean), float(spread))


def corners_of(*ends):
    """Corners of pairs of ends: lengths, and bases that mates need."""
    columns = np.array(ends, np.int64).transpose(1, 2, 0)
    return Ends((columns[0, 0], columns[0, 1]), (columns[1, 0], columns[1, 1])).corners()


def brute_force(library, lengths, least, gap):
    """Bases on both sides of the gap of each place of each fragment, with its share."""
    found = []
    for size, share in zip(library.sizes.tolist(), library.shares.tolist(), strict=True):
        for ahead in range(least[0], lengths[0] + 1):
            behind = size - gap - ahead
            if least[1] <= behind <= lengths[1]:
                found.append((ahead + behind, share))
    return found


LENGTHS = [(1000, 1000), (120, 1000), (1000, 90), (100, 100), (31, 500), (30, 500), (500, 20)]


@pytest.mark.parametrize("gap", [-50, 0, 77, 250, 380])
def test_expected_pairs_and_reach_are_those_of_all_places(gap):
    library, least = normal_library(400, 20), (31, 61)
    gaps = np.full(len(LENGTHS), float(gap))
    corners = corners_of(*((lengths, least) for lengths in LENGTHS))
    expected = library.sums.spanning(corners, gaps)
    assert np.array_equal(expected.n_pairs, library.sums.n_pairs(corners, gaps))
    assert np.array_equal(expected.means, library.sums.means(corners, gaps), equal_nan=True)
    for i, lengths in enumerate(LENGTHS):
        found = brute_force(library, lengths, least, gap)
        total = sum(share for _, share in found)
        assert expected.n_pairs[i] == pytest.approx(total)
        if not total:
            assert math.isnan(expected.means[i])
            assert math.isnan(expected.spreads[i])
            continue
        mean = sum(reach * share for reach, share in found) / total
        assert expected.means[i] == pytest.approx(mean)
        variance = sum((reach - mean) ** 2 * share for reach, share in found) / total
        assert expected.spreads[i] == pytest.approx(variance**0.5, abs=1e-3)


def test_sums_of_gaps_with_a_share_of_a_base_are_those_over_all_sizes():
    rng = np.random.default_rng(3)
    library = normal_library(400, 30)
    gaps = rng.uniform(-60, 500, 400)
    lengths, least = rng.integers(20, 700, (2, 400)), rng.integers(20, 130, (2, 400))
    expected = library.sums.spanning(Ends(tuple(lengths), tuple(least)).corners(), gaps)
    for i, gap in enumerate(gaps.tolist()):
        reach = library.sizes - gap
        (one, other), (own, others) = lengths[:, i], least[:, i]
        places = np.maximum(0, np.minimum(one, reach - others) - np.maximum(own, reach - other) + 1)
        weights = places * library.shares
        assert expected.n_pairs[i] == pytest.approx(weights.sum(), abs=1e-12)
        if weights.sum() > 0:
            mean = (weights * reach).sum() / weights.sum()
            assert expected.means[i] == pytest.approx(mean)
            spread = ((weights * (reach - mean) ** 2).sum() / weights.sum()) ** 0.5
            assert expected.spreads[i] == pytest.approx(spread, abs=1e-3)


def test_estimates_do_not_depend_on_each_other(monkeypatch):
    rng = np.random.default_rng(4)
    library = normal_library()
    corners = Ends(tuple(rng.integers(20, 900, (2, 99))), (np.full(99, 31), np.full(99, 61))).corners()
    reaches = rng.uniform(100, 450, 99)
    whole = estimated_gaps(library, corners, reaches, -61.0)
    alone = [estimated_gaps(library, corners[:, [i]], reaches[[i]], -61.0)[0] for i in range(99)]
    assert whole.tolist() == alone
    monkeypatch.setattr("debruijn_gpu.pairs.library._BLOCK", 10)
    assert np.array_equal(estimated_gaps(library, corners, reaches, -61.0), whole)


@pytest.mark.parametrize("gap", [-40, 0, 100, 200, 300, 330])
@pytest.mark.parametrize("lengths", [(2000, 2000), (150, 2000), (200, 250)])
def test_gap_of_simulated_fragments_is_recovered(gap, lengths):
    """Only long fragments span a long gap: their mean insert size would give too small a gap."""
    rng = np.random.default_rng(gap + 1000)
    library = normal_library()
    sizes = rng.choice(library.sizes, 400_000, p=library.shares)
    ahead = rng.integers(1, 600, len(sizes))
    behind = sizes - gap - ahead
    spans = (ahead >= 31) & (ahead <= lengths[0]) & (behind >= 31) & (behind <= lengths[1])
    reach = (ahead + behind)[spans]
    corners = corners_of((lengths, (31, 31)))
    (found,) = estimated_gaps(library, corners, np.array([reach.mean()]), -61.0)
    around = library.sums.spanning(np.repeat(corners, 3, axis=1), np.array([gap - 5.0, gap, gap + 5.0]))
    # Where ends or inserts limit the reach, it depends less on the gap, whose error is larger then.
    slope = abs(around.means[2] - around.means[0]) / 10
    assert abs(found - gap) < 4 * around.spreads[1] / len(reach) ** 0.5 / slope + 1
    if gap == 300 and lengths[0] == 2000:
        assert abs(library.mean_bp - reach.mean() - gap) > 20


def test_gap_that_hardly_any_pair_can_span_is_none_of_few_pairs():
    """Among many insert sizes, two pairs may have fewer bases than the mean of any gap but the largest."""
    sizes = np.arange(60, 901)
    numbers = np.rint(1e5 * np.exp(-0.5 * (np.log(sizes / 340) / 0.28) ** 2)).astype(np.int64) + (sizes == 900)
    library = replace(normal_library(), sizes=sizes, numbers=numbers)
    corners, reaches = corners_of(((1000, 1000), (62, 62))), np.array([240.0])
    (alone,) = estimated_gaps(library, corners, reaches, -61.0)
    assert alone > 500
    least = np.array([20.0])
    (found,) = estimated_gaps(library, corners, reaches, -61.0, least)
    assert found < 350
    assert library.sums.n_pairs(corners, np.array([found]))[0] == pytest.approx(20.0, rel=0.01)
    spread = library.sums.spanning(corners, np.array([found])).spreads / slopes(library, corners, np.array([found]))
    assert spread[0] > 100  # of the estimate from one pair, which says little
    usual = np.array([library.sums.means(corners, np.array([50.0]))[0]])
    assert estimated_gaps(library, corners, usual, -61.0, least)[0] == pytest.approx(50, abs=1)


def test_library_leaves_chimeras_out():
    rng = np.random.default_rng(1)
    sizes = np.append(np.rint(rng.normal(400, 20, 3000)).astype(np.int64), np.arange(2000, 4000, 20))
    starts = np.full(len(sizes), 10)
    lengths = np.full(len(sizes), 5000)
    zero = np.zeros_like(sizes)
    counts = InsertCounts()
    counts.add(np.stack((zero, starts, zero + 1, lengths - starts - sizes)), lengths, zero)
    library = library_of(3, counts)
    assert library is not None
    assert (library.number, library.orientation) == (3, "FR")
    assert abs(library.mean_bp - 400) < 2
    assert abs(library.spread_bp - 20) < 2
    assert library.longest_bp < 600
    assert library.shares.sum() == pytest.approx(1)


def test_few_pairs_make_no_library():
    assert library_of(0, InsertCounts()) is None


@pytest.mark.parametrize(("gap", "expected"), [(0.0, 1.0), (300.0, 0.85), (400.0, 0.37), (560.0, 0.2), (900.0, 0.1)])
def test_slope_is_how_fast_the_mean_falls_with_the_gap(gap, expected):
    """Of a gap as long as the mean insert, only the tail of the sizes tells; beyond the longest, nothing does."""
    library, corners = normal_library(400, 40), corners_of(((1000, 1000), (1, 1)))
    found = slopes(library, corners, np.array([gap]))
    assert found[0] == pytest.approx(expected, abs=0.06)


def test_standard_errors_of_gaps_follow_from_slopes():
    """Means of few fragments give gaps that scatter by more where the slope is less."""
    library, rng = normal_library(400, 40), np.random.default_rng(5)
    corners, gap, n = corners_of(((1000, 1000), (1, 1))), 400.0, 20
    weights = np.maximum(0, library.sizes - gap - 1) * library.shares
    sizes = rng.choice(library.sizes, (2000, n), p=weights / weights.sum())
    reaches = (sizes - gap).mean(axis=1)
    gaps = estimated_gaps(library, np.repeat(corners, 2000, axis=1), reaches, -60.0)
    spread = library.sums.spanning(corners, np.array([gap])).spreads[0]
    error = spread / n**0.5 / slopes(library, corners, np.array([gap]))[0]
    assert gaps.std() == pytest.approx(error, rel=0.15)
    assert gaps.std() > 2 * spread / n**0.5


@pytest.mark.parametrize(
    ("n_short", "size", "is_found"), [(100, 300, True), (10, 300, False), (100, 1300, False), (0, 300, False)]
)
def test_short_fragments_among_mate_pairs_are_found(n_short, size, is_found):
    def pairs(vertices, starts, n):
        return np.repeat(np.array([[vertices[0]], [starts[0]], [vertices[1]], [starts[1]]]), n, axis=1)

    counts, length = InsertCounts(), 10_000
    mates = pairs((1, 0), (length - 2001, 5000), 500), pairs((0, 1), (2000, length - 2000 - size), n_short)
    for anchors in mates:
        counts.add(anchors, np.full(anchors.shape[1], length), np.zeros(anchors.shape[1], np.int64))
    library = library_of(0, counts)
    assert (library.orientation, library.inward_bp > 0) == ("RF", is_found)
    assert not is_found or size <= library.inward_bp < 400


@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
def test_share_of_fragments_with_both_mates_placed(share):
    """Fragments begin anywhere in unitigs, and have both mates within where they end there."""
    rng = np.random.default_rng(3)
    library = normal_library()
    lengths = np.array([50_000, 350, 90, 120_000])
    rates = np.array([0.5, 0.5, 0.5, 1.0])
    n_within = 0
    for length, rate in zip(lengths.tolist(), rates.tolist(), strict=True):
        n = int(rate * length)
        sizes = rng.choice(library.sizes, n, p=library.shares)
        fits = rng.integers(0, length, n) + sizes <= length
        n_within += int(np.count_nonzero(fits & (rng.random(n) < share)))
    assert share_of_both(library, n_within, rates, lengths) == pytest.approx(share, abs=0.01)


def test_share_of_both_is_whole_where_little_is_known():
    library = normal_library()
    assert share_of_both(library, 3, np.array([0.5]), np.array([420])) == 1.0
    assert share_of_both(library, 9_000, np.array([0.5]), np.array([9_000])) == 1.0
    assert share_of_both(library, 0, np.empty(0), np.empty(0, np.int64)) == 1.0
