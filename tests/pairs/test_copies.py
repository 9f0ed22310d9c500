"""Copy numbers of unitigs by reads that begin in them."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.pairs.copies import are_alike, end_odds, estimate_copies
from debruijn_gpu.pairs.placed_reads import END_BP

K, ANCHOR_BP = 61, 31


def rooms(lengths, n_open):
    return lengths - ANCHOR_BP + 1 - (K - ANCHOR_BP) * n_open // 2


def test_copies_are_those_of_simulated_reads():
    rng = np.random.default_rng(1)
    lengths = np.concatenate((rng.integers(2000, 9000, 40), rng.integers(200, 900, 60)))
    true = np.append(np.ones(40, np.int64), rng.choice([1, 2, 3], 60))
    n_open = rng.integers(0, 3, 100)
    starts = rng.poisson(0.2 * true * rooms(lengths, n_open))
    found = estimate_copies(starts, lengths, 30.0 * true, n_open, K, ANCHOR_BP)
    assert abs(found.rate / 0.2 - 1) < 0.05
    assert not (found.is_single & (true > 1)).any()
    assert not (found.is_repeat & (true == 1)).any()
    assert found.is_single[true == 1].mean() > 0.95
    assert found.is_repeat[true > 1].mean() > 0.95
    assert np.abs(found.copies - true).mean() < 0.2


@pytest.mark.parametrize("depths", [(1.0, 0.03), (0.03, 1.0), (1.0, 0.1, 0.01)])
def test_copies_in_a_mixture_are_those_in_the_own_genome(depths):
    rng = np.random.default_rng(2)
    n = 30
    lengths = rng.integers(2000, 9000, n * len(depths))
    true = np.tile(np.append(np.ones(n - 3, np.int64), [2, 2, 3]), len(depths))
    lengths[true > 1] = 1500
    of_genome = np.repeat(depths, n)
    n_open = np.zeros(len(lengths), np.int64)
    starts = rng.poisson(3.0 * of_genome * true * rooms(lengths, n_open))
    found = estimate_copies(starts, lengths, 450.0 * of_genome * true, n_open, K, ANCHOR_BP)
    single = true == 1
    assert found.is_single[single].all()
    shares = found.rate * found.shares[single] / (3.0 * of_genome[single])
    assert np.abs(shares - 1).max() < 0.1
    assert found.is_repeat[~single].all()
    assert np.allclose(found.rates[::2], found.rate * found.shares)


def test_few_rare_unitigs_are_no_genome():
    lengths = np.full(40, 5000)
    starts = np.append(np.full(35, 5000), np.full(5, 50))
    found = estimate_copies(starts, lengths, starts / 10, np.zeros(40, np.int64), K, ANCHOR_BP)
    assert (found.shares == 1).all()
    assert found.copies[-1] == pytest.approx(0.01)


@pytest.mark.parametrize("rare", [[20_000] * 3, [48_000, 18_000, 1_500]])
def test_some_long_rare_unitigs_are_a_genome(rare):
    """Three of 2 kb and more with 50 kb; two of them and a short one are not."""
    lengths = np.append(np.full(35, 5_000), rare)
    starts = np.append(np.full(35, 5_000), np.array(rare) // 10)
    found = estimate_copies(starts, lengths, starts / 10, np.zeros(len(lengths), np.int64), K, ANCHOR_BP)
    is_genome = min(rare) > 2_000
    assert found.shares[35:] == pytest.approx(0.1 if is_genome else 1.0, rel=0.02)
    assert found.copies[35:] == pytest.approx(1.0 if is_genome else 0.1, rel=0.03)


@pytest.mark.parametrize(("depth", "are_thin"), [(0.42, True), (0.1, False)])
def test_thin_parts_of_a_genome_are_of_no_rarer_one(depth, are_thin):
    """Unitigs that may be repeats, as they lead to several others, are judged by the depth of the thin parts."""
    lengths = np.full(50, 5_000)
    starts = np.append(np.full(38, 5_000), np.full(12, int(5_000 * depth)))
    may_be_thin = np.ones(50, np.bool_)
    may_be_thin[-1] = False
    none = np.zeros(50, np.int64)
    found = estimate_copies(starts, lengths, starts / 10, none, K, ANCHOR_BP, None, may_be_thin)
    before = estimate_copies(starts, lengths, starts / 10, none, K, ANCHOR_BP)
    assert before.shares[38:] == pytest.approx(depth, rel=0.02)
    assert found.shares[38:-1] == pytest.approx(1.0 if are_thin else depth, rel=0.02)
    assert found.shares[-1] == before.shares[-1]


def test_short_unitigs_are_neither_single_nor_repeats():
    lengths = np.array([9000, 40])
    found = estimate_copies(np.array([900, 1]), lengths, np.array([30.0, 30.0]), np.zeros(2, np.int64), K, ANCHOR_BP)
    assert found.is_single.tolist() == [True, False]
    assert found.is_repeat.tolist() == [False, False]


def test_unitigs_without_anchors_are_judged_by_depth():
    lengths, n_open = np.array([9000, 70]), np.array([0, 2])
    found = estimate_copies(np.array([900, 0]), lengths, np.array([30.0, 90.0]), n_open, K, ANCHOR_BP)
    assert found.copies[1] == 3
    assert not found.is_single[1]
    assert not found.is_repeat[1]


def test_further_unitigs_are_single_copy():
    found = estimate_copies(np.array([900]), np.array([9000]), np.array([30.0]), np.zeros(1, np.int64), K, ANCHOR_BP)
    more = found.extended(3)
    assert more.copies.tolist() == [found.copies[0], 1, 1]
    assert more.is_single.all()
    assert not more.is_repeat.any()


def test_no_reads_are_no_error():
    found = estimate_copies(np.array([0]), np.array([900]), np.array([3.0]), np.zeros(1, np.int64), K, ANCHOR_BP)
    assert np.isfinite(found.copies).all()


def test_ends_of_several_copies_have_high_odds():
    lengths = np.array([5000, 5000, K + END_BP - 1])
    rate = 0.1
    found = end_odds(np.array([END_BP // 20, END_BP // 4, 90]), lengths, K, rate)
    assert found[0] < 0 < 5 < found[1]
    assert found[2] == 0  # too short


def known(found_starts, lengths, parts):
    """Copy numbers where the genome of each unitig is known."""
    starts, lengths = np.array(found_starts), np.array(lengths)
    return estimate_copies(starts, lengths, starts / 10, np.zeros(len(starts), np.int64), K, ANCHOR_BP, np.array(parts))


def test_single_copies_of_known_genomes_are_those_of_their_own_median():
    """Of genomes of 2:1, the median of all is of the deep one, and two copies of the rare one look like one of it."""
    room = 5_000 - ANCHOR_BP + 1
    starts = [room // 5] * 20 + [room // 10] * 19 + [room // 5]
    found = known(starts, [5_000] * 40, [1000] * 20 + [500] * 20)
    assert found.rate == pytest.approx(0.2, rel=0.01)
    assert found.shares == pytest.approx(np.repeat([1.0, 0.5], 20), rel=0.01)
    assert found.is_single[:39].all()
    assert found.copies[39] == pytest.approx(2.0, rel=0.01)
    assert found.is_repeat[39]


def test_unitigs_apart_from_known_genomes_are_of_one_by_their_depth():
    room = 5_000 - ANCHOR_BP + 1
    found = known([room // 5] * 20 + [room // 15] * 21, [5_000] * 41, [1000] * 20 + [333] * 20 + [1000])
    assert found.shares[40] == pytest.approx(1 / 3, rel=0.01)
    assert found.is_single.all()


def test_known_genomes_without_long_unitigs_have_the_rate_of_others():
    found = known([1_000] * 20 + [20], [5_000] * 20 + [100], [1000] * 20 + [333])
    assert found.shares == pytest.approx(1.0)


def test_copies_are_relative_to_what_is_near():
    """Each unitig is told by the reads that begin near it, but for one without anchors, and one near which nothing is
    known."""
    lengths = np.array([5_000, 5_000, 3_000, 3_000, 80, 4_000])
    n_open = np.array([0, 0, 0, 0, 2, 0])
    starts = np.array([5_000, 500, 6_000, 300, 0, 77])
    seen = []

    def nearby(room, starts):
        seen.append((room.tolist(), starts.tolist()))
        return np.array([1.0, 0.1, 1.0, 0.1, 0.1, 0.0])

    found = estimate_copies(starts, lengths, starts / 10.0, n_open, K, ANCHOR_BP, nearby=nearby)
    assert seen == [([4_970, 4_970, 2_970, 2_970, 0, 3_970], [5_000, 500, 6_000, 300, 0, 77])]
    assert found.copies[:4] == pytest.approx([5_000 / 4_970, 500 / 497, 6_000 / 2_970, 300 / 297])
    assert found.is_single.tolist() == [True, True, False, True, False, False]
    assert found.is_repeat.tolist() == [False, False, True, False, False, False]
    assert found.odds[4:].tolist() == [0.0, 0.0]
    assert found.is_mixture
    assert (found.rate * found.shares)[:5] == pytest.approx([1.0, 0.1, 1.0, 0.1, 0.1])
    assert found.copies[5] == pytest.approx(1.0)


@pytest.mark.parametrize(("one", "other", "alike"), [(1.0, 1.6, True), (1.0, 1.61, False), (np.nan, 1.0, False)])
def test_unitigs_of_one_genome_have_about_its_depth(one, other, alike):
    assert are_alike(np.array([one, other]), 0, 1) == are_alike(np.array([one, other]), 1, 0) == alike
