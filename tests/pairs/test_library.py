"""What the insert sizes of a library make expected of pairs across a gap."""

from __future__ import annotations

import math

import numpy as np
import pytest

from debruijn_gpu.pairs.insert_counts import InsertCounts
from debruijn_gpu.pairs.library import Ends, Library, estimated_gap, expected_pairs, expected_reach, library_of


def normal_library(mean=400, spread=40):
    sizes = np.arange(mean - 5 * spread, mean + 5 * spread + 1)
    weights = np.exp(-(((sizes - mean) / spread) ** 2) / 2)
    return Library(0, "FR", sizes, weights / weights.sum(), float(mean), float(spread))


def brute_force(library, ends, gap):
    """Bases on both sides of the gap of each place of each fragment, with its share."""
    found = []
    for size, share in zip(library.sizes.tolist(), library.shares.tolist(), strict=True):
        for ahead in range(ends.least[0], ends.lengths[0] + 1):
            behind = size - gap - ahead
            if ends.least[1] <= behind <= ends.lengths[1]:
                found.append((ahead + behind, share))
    return found


@pytest.mark.parametrize("gap", [-50, 0, 77, 250, 380])
@pytest.mark.parametrize("lengths", [(1000, 1000), (120, 1000), (1000, 90), (100, 100), (31, 500)])
def test_expected_pairs_and_reach_are_those_of_all_places(gap, lengths):
    library, ends = normal_library(400, 20), Ends(lengths, (31, 61))
    found = brute_force(library, ends, gap)
    assert expected_pairs(library, ends, gap) == pytest.approx(sum(share for _, share in found))
    mean, spread = expected_reach(library, ends, gap)
    total = sum(share for _, share in found)
    if not total:
        assert math.isnan(mean)
        assert math.isnan(spread)
        return
    true_mean = sum(reach * share for reach, share in found) / total
    assert mean == pytest.approx(true_mean)
    true_variance = sum((reach - true_mean) ** 2 * share for reach, share in found) / total
    assert spread == pytest.approx(true_variance**0.5, abs=1e-3)


@pytest.mark.parametrize("gap", [-40, 0, 100, 200, 300, 330])
@pytest.mark.parametrize("lengths", [(2000, 2000), (150, 2000), (200, 250)])
def test_gap_of_simulated_fragments_is_recovered(gap, lengths):
    """Only long fragments span a long gap: their mean insert size would give too small a gap."""
    rng = np.random.default_rng(gap + 1000)
    library, ends = normal_library(), Ends(lengths, (31, 31))
    sizes = rng.choice(library.sizes, 400_000, p=library.shares)
    ahead = rng.integers(1, 600, len(sizes))
    behind = sizes - gap - ahead
    spans = (ahead >= 31) & (ahead <= lengths[0]) & (behind >= 31) & (behind <= lengths[1])
    reach = (ahead + behind)[spans]
    found = estimated_gap(library, ends, float(reach.mean()), -61.0)
    _, spread = expected_reach(library, ends, gap)
    # Where ends or inserts limit the reach, it depends less on the gap, whose error is larger then.
    slope = abs(expected_reach(library, ends, gap + 5)[0] - expected_reach(library, ends, gap - 5)[0]) / 10
    assert abs(found - gap) < 4 * spread / len(reach) ** 0.5 / slope + 1
    if gap == 300 and lengths[0] == 2000:
        assert abs(library.mean_bp - reach.mean() - gap) > 20


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
