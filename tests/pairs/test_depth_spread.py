"""By how much depth varies beyond chance."""

from __future__ import annotations

import math

import numpy as np
import pytest

from debruijn_gpu.backends.unitigs.sizes import COVER_BIN_BP
from debruijn_gpu.pairs.agreement import Agreement
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.depth_spread import depth_spread

K, READ_BP, MARGIN = 31, 100, 25


def cover_of(n_bp, starts):
    """Reads that cover each bin without margins."""
    firsts, stops = -(-(starts + MARGIN) // COVER_BIN_BP), (starts + READ_BP - MARGIN) // COVER_BIN_BP
    change = np.zeros(n_bp // COVER_BIN_BP + READ_BP, np.int64)
    np.add.at(change, firsts, 1)
    np.add.at(change, stops, -1)
    return np.cumsum(change)[: n_bp // COVER_BIN_BP].astype(np.int32)


def agreement(cover):
    return Agreement(MARGIN, cover, np.empty((2, 0), np.int64))


def copies_of(n, copies=None, shares=None):
    ones = np.ones(n)
    return CopyNumbers(1.0, ones if copies is None else np.array(copies), 1000 * ones, np.array(shares or ones))


def spread(n_bp, starts, insert_bp=math.inf):
    found = agreement(cover_of(n_bp, starts))
    return depth_spread(found, np.array([n_bp]), copies_of(1), K, READ_BP, insert_bp)


def starts_of(rng, n_bp, depth, weight):
    """Reads that begin by chance, more or fewer of them by a weight of at most 1 of each kilobase."""
    starts = rng.integers(0, n_bp - READ_BP, depth * n_bp // READ_BP)
    return starts[rng.random(len(starts)) < weight[starts // 1000]]


@pytest.mark.parametrize("depth", [10, 40])
def test_chance_is_taken_off(depth):
    rng = np.random.default_rng(depth)
    n_bp = 400_000
    assert spread(n_bp, starts_of(rng, n_bp, depth, np.ones(400))) < 0.06


@pytest.mark.parametrize("deviation", [0.15, 0.3])
def test_what_varies_beyond_chance_is_found(deviation):
    rng = np.random.default_rng(3)
    n_bp = 400_000
    weight = np.clip(0.5 * (1 + deviation * rng.standard_normal(400)), 0, 1)
    assert spread(n_bp, starts_of(rng, n_bp, 80, weight)) == pytest.approx(deviation, rel=0.25)


def test_mates_in_one_window_vary_more_by_chance():
    rng = np.random.default_rng(4)
    n_bp = 400_000
    firsts = starts_of(rng, n_bp - 500, 15, np.ones(400))
    starts = np.append(firsts, firsts + 200)
    assert spread(n_bp, starts, 300.0) < 0.03 < 0.05 < spread(n_bp, starts)


def test_only_single_copy_unitigs_count_relative_to_their_genome():
    cover = np.repeat(np.array([40, 10, 90], np.int32), 20_000 // COVER_BIN_BP)
    lengths = np.full(3, 20_000)
    copies = copies_of(3, [1.0, 1.0, 2.0], [1.0, 0.25, 1.0])
    assert depth_spread(agreement(cover), lengths, copies, K, READ_BP) == 0.0
    assert depth_spread(agreement(cover), lengths, copies_of(3, [1.0, 1.0, 2.0]), K, READ_BP) > 0.5


def test_ends_of_unitigs_do_not_count():
    n_bins, n_end = 20_000 // COVER_BIN_BP, (K + READ_BP) // COVER_BIN_BP
    cover = np.full(n_bins, 1000, np.int32)
    cover[:n_end] = cover[-n_end:] = 0
    many = np.tile(cover, 50)
    assert depth_spread(agreement(many), np.full(50, 20_000), copies_of(50), K, READ_BP) == 0.0


@pytest.mark.parametrize("lengths", [[2_000], [8 * 512 + 2 * 131 - 1], [400] * 50])
def test_few_windows_tell_nothing(lengths):
    cover = np.full(sum(lengths) // COVER_BIN_BP, 30, np.int32)
    assert depth_spread(agreement(cover), np.array(lengths), copies_of(len(lengths)), K, READ_BP) == math.inf


def test_nothing_is_known_without_reads():
    assert depth_spread(None, np.array([100_000]), copies_of(1), K, READ_BP) == math.inf
    nothing = agreement(np.zeros(100_000 // COVER_BIN_BP, np.int32))
    assert depth_spread(nothing, np.array([100_000]), copies_of(1), K, READ_BP) == math.inf
