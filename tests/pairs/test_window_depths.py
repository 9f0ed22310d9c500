"""By how much depth varies beyond chance, and with GC."""

from __future__ import annotations

import math

import numpy as np
import pytest

from debruijn_gpu.alphabet import packed_codes
from debruijn_gpu.backends.unitigs.sizes import COVER_BIN_BP
from debruijn_gpu.pairs import window_depths as module
from debruijn_gpu.pairs.agreement import Agreement
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.insert_counts import InsertCounts
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.placed_reads import LoosePairs, PlacedLibrary, PlacedReads
from debruijn_gpu.pairs.window_depths import WindowDepths, window_depths
from tests.pairs.windows import even_windows, sequences_of

K, READ_BP, MARGIN = 31, 100, 25
NOTHING = np.empty(0, np.int64)


def cover_of(n_bp, starts):
    """Reads that cover each bin without margins."""
    firsts, stops = -(-(starts + MARGIN) // COVER_BIN_BP), (starts + READ_BP - MARGIN) // COVER_BIN_BP
    change = np.zeros(n_bp // COVER_BIN_BP + READ_BP, np.int64)
    np.add.at(change, firsts, 1)
    np.add.at(change, stops, -1)
    return np.cumsum(change)[: n_bp // COVER_BIN_BP].astype(np.int32)


def placed_of(cover, n_reads=1000, n_pairs=()):
    loose = LoosePairs(*(np.empty((n, 0), np.int64) for n in (8, 2, 4)))
    libraries = [PlacedLibrary(n, InsertCounts(), np.empty((8, 0), np.int64), 0, loose) for n in n_pairs]
    agreement = None if cover is None else Agreement(MARGIN, cover, np.empty((2, 0), np.int64))
    columns = NOTHING, NOTHING, np.empty((4, 0), np.int64)
    return PlacedReads(n_reads, 0, n_reads, *columns, libraries, agreement, mean_bp=READ_BP)


def copies_of(n, copies=None, shares=None):
    ones = np.ones(n)
    return CopyNumbers(1.0, ones if copies is None else np.array(copies), 1000 * ones, np.array(shares or ones))


def library(number, mean_bp):
    return Library(number, "FR", np.array([int(mean_bp)]), np.array([1]), mean_bp, 0.0)


def windows(cover, lengths, copies=None, libraries=(), gcs=None, **options):
    sequences = sequences_of(gcs or [0.5] * len(lengths), lengths)
    return window_depths(placed_of(cover, **options), sequences, copies or copies_of(len(lengths)), K, libraries)


def starts_of(rng, n_bp, depth, weight):
    """Reads that begin by chance, more or fewer of them by a weight of at most 1 of each kilobase."""
    starts = rng.integers(0, n_bp - READ_BP, depth * n_bp // READ_BP)
    return starts[rng.random(len(starts)) < weight[starts // 1000]]


@pytest.mark.parametrize("depth", [10, 40])
def test_chance_is_taken_off(depth):
    rng = np.random.default_rng(depth)
    n_bp = 400_000
    assert windows(cover_of(n_bp, starts_of(rng, n_bp, depth, np.ones(400))), [n_bp]).spread < 0.06


@pytest.mark.parametrize("deviation", [0.15, 0.3])
def test_what_varies_beyond_chance_is_found(deviation):
    rng = np.random.default_rng(3)
    n_bp = 400_000
    weight = np.clip(0.5 * (1 + deviation * rng.standard_normal(400)), 0, 1)
    cover = cover_of(n_bp, starts_of(rng, n_bp, 80, weight))
    assert windows(cover, [n_bp]).spread == pytest.approx(deviation, rel=0.25)


def test_mates_in_one_window_vary_more_by_chance():
    rng = np.random.default_rng(4)
    n_bp = 400_000
    firsts = starts_of(rng, n_bp - 500, 15, np.ones(400))
    cover = cover_of(n_bp, np.append(firsts, firsts + 200))
    options = {"n_reads": 2 * len(firsts), "n_pairs": [len(firsts)]}
    alone = windows(cover, [n_bp], **options)  # the library is not used
    paired = windows(cover, [n_bp], libraries=[library(0, 300.0)], **options)
    assert paired.spread < 0.03 < 0.05 < alone.spread
    assert paired.by_chance / alone.by_chance == pytest.approx(1 + 1 - 200 / 512)


@pytest.mark.parametrize(
    ("n_pairs", "sizes", "more"),
    [([100], [100.0], 0.2), ([100], [90.0], 0.2), ([100], [356.0], 0.1), ([100], [900.0], 0.0), ([], [], 0.0)],
)
def test_chance_of_mates_counts_for_reads_that_have_them(n_pairs, sizes, more):
    cover = np.full(40_000 // COVER_BIN_BP, 50, np.int32)
    alone = windows(cover, [40_000])
    libraries = [library(number, size) for number, size in enumerate(sizes)]
    found = windows(cover, [40_000], libraries=libraries, n_pairs=n_pairs)
    assert found.by_chance / alone.by_chance == pytest.approx(1 + more)


def test_only_single_copy_unitigs_count_relative_to_their_genome():
    cover = np.repeat(np.array([40, 10, 90], np.int32), 20_000 // COVER_BIN_BP)
    copies = copies_of(3, [1.0, 1.0, 2.0], [1.0, 0.25, 1.0])
    assert windows(cover, [20_000] * 3, copies).spread == 0.0
    assert windows(cover, [20_000] * 3, copies_of(3, [1.0, 1.0, 2.0])).spread > 0.5


def test_ends_of_unitigs_do_not_count():
    n_bins, n_end = 20_000 // COVER_BIN_BP, (K + READ_BP) // COVER_BIN_BP
    cover = np.full(n_bins, 1000, np.int32)
    cover[:n_end] = cover[-n_end:] = 0
    found = windows(np.tile(cover, 50), [20_000] * 50)
    assert found.depths.tolist() == [1.0] * (50 * 38)


def test_every_window_has_its_own_bases():
    sequences = sequences_of([0.3, 0.6, 0.5], [3_000, 5_000, 4_000])
    cover = np.arange(12_000 // COVER_BIN_BP, dtype=np.int32)
    copies = copies_of(3, [1.0, 2.0, 1.0])
    found = window_depths(placed_of(cover), sequences, copies, K, ())
    codes = packed_codes(sequences.bases, 0, 12_000)
    starts = [*range(136, 3_000 - 131 - 511, 512), *range(8_136, 12_000 - 131 - 511, 512)]
    assert found.gc.tolist() == [np.isin(codes[start : start + 512], (1, 2)).mean() for start in starts]
    means = np.array([cover[start // COVER_BIN_BP : (start + 512) // COVER_BIN_BP].mean() for start in starts])
    assert found.depths == pytest.approx(means / np.median(means))


@pytest.mark.parametrize("n_windows", [10, 11, 25, 100])
def test_windows_are_taken_evenly_if_there_are_many(monkeypatch, n_windows):
    monkeypatch.setattr(module, "_MOST_WINDOWS", 10)
    n_bp = 512 * n_windows + 2 * 136
    cover = np.arange(n_bp // COVER_BIN_BP, dtype=np.int32)
    found = windows(cover, [n_bp])
    assert 5 < len(found.depths) <= 10
    assert np.ptp(np.diff(found.depths)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("lengths", [[2_000], [32 * 512 + 2 * 131 - 1], [400] * 200, [32 * 512 + 2 * 136]])
def test_few_windows_tell_nothing(lengths):
    cover = np.full(sum(lengths) // COVER_BIN_BP, 30, np.int32)
    found = windows(cover, lengths)
    assert (found.spread == math.inf) == (len(found.depths) < 32)
    assert (len(found.depths) == 32) == (lengths == [32 * 512 + 2 * 136])
    assert (found.range_of([0], 1000, 1.0, 0.1, 2.0) == (0.0, math.inf)) == (found.spread == math.inf)


def test_nothing_is_known_without_reads():
    for cover in (None, np.zeros(100_000 // COVER_BIN_BP, np.int32)):
        found = windows(cover, [100_000])
        assert (found.spread, found.typical([0], 1000), found.range_of([0], 1000, 1.0, 0.1, 2.0)) == (
            math.inf,
            None,
            (0.0, math.inf),
        )


def test_range_has_a_least_width_and_grows_with_the_spread():
    assert even_windows(1).range_of([0], 1000, 1.0, 0.1, 2.0) == pytest.approx((0.9, 1.1))
    assert even_windows(1, 0.2).range_of([0], 1000, 1.0, 0.1, 2.0) == pytest.approx((0.6, 1.4))


def test_range_reaches_to_the_depth_of_sequence_with_the_same_gc():
    less, more = (even_windows(1, gc=0.65, depth=depth, own_gc=0.65) for depth in (0.7, 1.5))
    assert (less.typical([0], 1000), more.typical([0], 1000)) == (pytest.approx(0.7), pytest.approx(1.5))
    assert less.range_of([0], 1000, 1.0, 0.1, 0.0) == pytest.approx((0.63, 1.1))
    assert more.range_of([0], 1000, 1.0, 0.1, 0.0) == pytest.approx((0.9, 1.65))
    other = even_windows(1, gc=0.65, depth=0.7)
    assert other.range_of([0], 1000, 1.0, 0.1, 0.0) == pytest.approx((0.9, 1.1))


def test_nothing_is_known_of_a_gc_that_few_windows_have():
    assert even_windows(1, own_gc=0.6).typical([0], 1000) is None
    assert even_windows(1, own_gc=0.6).range_of([0], 1000, 1.0, 0.1, 2.0) == (0.0, math.inf)
    assert even_windows(1, own_gc=0.515).typical([0], 1000) == 1.0


def test_depth_beside_counts_with_the_spread_of_the_sample():
    found = even_windows(1, 0.2)
    assert found.range_of([0], 1000, 0.5, 0.1, 2.0) == pytest.approx((0.3, 1.4))
    assert found.range_of([0], 1000, 1.5, 0.1, 2.0) == pytest.approx((0.6, 2.1))


@pytest.mark.parametrize(("by_chance", "spread"), [(0.0, 0.2), (0.01, 0.02**0.5), (0.02, 0.05)])
def test_spread_is_relative_to_the_depth_of_the_same_gc(by_chance, spread):
    """Windows of half the depth vary by 0.2 of it, and twice as much by chance as the others do."""
    near = 0.5 + np.tile([-0.1, 0.1], 25) / 1.4826
    gcs, depths = np.repeat([0.5, 0.65], [300, 50]), np.append(np.ones(300), near)
    found = WindowDepths(sequences_of([0.65], [1000]), gcs, depths, by_chance)
    least, most = found.range_of([0], 1000, 1.0, 0.1, 2.0)
    assert (least, most) == (pytest.approx((1 - 2 * spread) * 0.5), pytest.approx(1 + 2 * spread))


@pytest.mark.parametrize(("n_bases", "is_known"), [(100, True), (512, False), (160, False), (5000, False)])
def test_few_bases_count_with_those_around_them(n_bases, is_known):
    sequences = sequences_of([0.6, 0.4], [1000, 1000])
    found = WindowDepths(sequences, np.full(100, 0.5), np.ones(100), 0.0)
    assert found.typical([0], n_bases) == (1.0 if is_known else None)
    assert found.typical([0, 1], n_bases) == 1.0
