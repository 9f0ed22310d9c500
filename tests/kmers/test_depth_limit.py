from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.kmers.depth_limit import (
    AMPLE_BASES,
    AMPLE_DEPTH,
    LEAST_COUNT,
    MOST_DEPTH,
    NO_LIMIT,
    bases_to_keep,
    limit_depth,
    used_limit,
)
from debruijn_gpu.kmers.spectrum import Spectrum, estimate
from debruijn_gpu.reads.read_statistics import ReadLengths

K, READ_BP, GENOME_BP = 31, 150, 100_000


def poisson(depth: float, n: int) -> np.ndarray:
    return np.bincount(np.random.default_rng(1).poisson(depth, n), minlength=1)


def spectrum_of(*parts: tuple[float, int]) -> Spectrum:
    """The spectrum of parts of a depth and a number of k-mers each."""
    histograms = [poisson(*part) for part in parts]
    counts = np.zeros(max(map(len, histograms)), np.int64)
    for histogram in histograms:
        counts[: len(histogram)] += histogram
    multiplicity = np.flatnonzero(counts[1:]) + 1
    return Spectrum(K, multiplicity, counts[multiplicity])


def reads(depth: float) -> ReadLengths:
    return ReadLengths(np.array([READ_BP]), np.array([int(depth * GENOME_BP / READ_BP)]))


def kmer_depth(depth: float) -> float:
    return depth * (READ_BP - K + 1) / READ_BP


@pytest.mark.parametrize("depth", [100, 149])
def test_reads_below_the_limit_are_all_kept(depth: int) -> None:
    spectrum = spectrum_of((kmer_depth(depth), GENOME_BP))
    limit = limit_depth(150, reads(depth), spectrum, estimate(spectrum))
    assert not limit.is_exceeded
    assert limit.read_depth == pytest.approx(depth, abs=1)


@pytest.mark.parametrize("depth", [160, 300, 1000])
def test_share_is_that_of_the_depths(depth: int) -> None:
    spectrum = spectrum_of((kmer_depth(depth), GENOME_BP))
    limit = limit_depth(150, reads(depth), spectrum, estimate(spectrum))
    assert limit.is_exceeded
    assert limit.kept / limit.of == pytest.approx(150 / depth, rel=0.02)
    assert f"{limit.read_depth}x" in limit.why


def test_long_sequences_count_for_the_depth() -> None:
    """Of 300x, 100x are long: a quarter of the others is kept for 150x."""
    spectrum = spectrum_of((kmer_depth(200) + 100, GENOME_BP))
    short, long = reads(200), ReadLengths(np.array([10_000]), np.array([100 * GENOME_BP // 10_000]))
    limit = limit_depth(150, short + long, spectrum, estimate(spectrum))
    assert limit.kept / limit.of == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize("rare", [(30, GENOME_BP // 10), (40, GENOME_BP // 15), (30, GENOME_BP // 2)])
def test_uneven_coverage_keeps_all_reads(rare: tuple[int, int]) -> None:
    spectrum = spectrum_of((kmer_depth(400), GENOME_BP), rare)
    limit = limit_depth(150, reads(400), spectrum, estimate(spectrum))
    assert not limit.is_exceeded


@pytest.mark.parametrize(("depth", "kept_depth"), [(900, 900), (3000, MOST_DEPTH)])
def test_uneven_coverage_is_limited_where_errors_recur(depth: int, kept_depth: int) -> None:
    spectrum = spectrum_of((kmer_depth(depth), GENOME_BP), (40, GENOME_BP // 10))
    limit = limit_depth(150, reads(depth), spectrum, estimate(spectrum))
    assert limit.kept / limit.of == pytest.approx(kept_depth / depth, rel=0.02)
    assert limit.max_depth == MOST_DEPTH
    assert "uneven" in limit.why


@pytest.mark.parametrize(
    ("depth", "least_bases", "kept_depth"),
    [(400, 0, 150), (400, 10_000_000, 150), (400, 25_000_000, 250), (400, 40_000_000, 400), (3000, 10**9, MOST_DEPTH)],
)
def test_small_samples_keep_more_reads(depth: int, least_bases: int, kept_depth: int) -> None:
    spectrum = spectrum_of((kmer_depth(depth), GENOME_BP))
    limit = limit_depth(150, reads(depth), spectrum, estimate(spectrum), least_bases)
    assert limit.kept / limit.of == pytest.approx(kept_depth / depth, rel=0.02)
    assert limit.max_depth == pytest.approx(kept_depth, rel=0.02)


@pytest.mark.parametrize("depth", [200, 400, 1000])
def test_counts_of_rare_parts_are_below_a_quarter_of_the_depth_and_below_the_limit(depth: int) -> None:
    peak = kmer_depth(depth)
    spectrum = spectrum_of((peak, GENOME_BP), (25, GENOME_BP // 50))
    limit = limit_depth(150, reads(depth), spectrum, estimate(spectrum))
    if depth == 200:  # most reads are kept
        assert (limit.rare_from, limit.rare_below) == (0, 0)
    else:
        assert limit.rare_from == LEAST_COUNT  # there are no errors
        assert limit.rare_below == pytest.approx(peak * min(0.25, 150 / depth), rel=0.02)


def recurring(depth: float, *more: tuple[float, int]) -> Spectrum:
    """A genome and its errors, which recur: 8 % as many k-mers as of the genome reach the cutoff of 11."""
    errors = spectrum_of((kmer_depth(depth), GENOME_BP), *more)
    counts = {m: 4_000_000 >> m - 1 for m in range(1, 24)}
    for m, n in zip(errors.multiplicity.tolist(), errors.frequency.tolist(), strict=True):
        counts[m] = counts.get(m, 0) + n
    return Spectrum(K, np.array(sorted(counts)), np.array([counts[m] for m in sorted(counts)]))


@pytest.mark.parametrize(
    ("more", "keeps_all"),
    [
        ([], False),
        ([(20, GENOME_BP // 20)], True),  # rises above errors
        ([(60, GENOME_BP // 20)], True),
        ([(60, GENOME_BP // 50)], False),  # few enough to be kept when reads are subsampled
        ([(13, GENOME_BP // 5)], True),  # more than errors are
        ([(m, GENOME_BP // 200) for m in range(6, 80, 4)], True),  # hardly fall
    ],
)
def test_errors_that_recur_are_no_uneven_coverage(more: list[tuple[float, int]], keeps_all: bool) -> None:
    spectrum = recurring(600, *more)
    limit = limit_depth(150, reads(600), spectrum, estimate(spectrum))
    assert limit.is_exceeded != keeps_all
    assert ("uneven" in limit.why) == keeps_all
    assert keeps_all or 0 < limit.rare_from < 12


@pytest.mark.parametrize(("few_bases", "are_looked_for"), [(10**9, True), (0, False)])
def test_rare_parts_as_frequent_as_errors_are_looked_for_among_few_bases(
    monkeypatch: pytest.MonkeyPatch, few_bases: int, are_looked_for: bool
) -> None:
    """The cutoff is 15."""
    errors = {1: 10_000_000, 2: 4_000_000, **{m: 2_000_000 >> (m - 3) for m in range(3, 19)}}
    peak = spectrum_of((kmer_depth(1_200), GENOME_BP))
    multiplicity = np.concatenate((np.array(list(errors)), peak.multiplicity))
    spectrum = Spectrum(K, multiplicity, np.concatenate((np.array(list(errors.values())), peak.frequency)))
    monkeypatch.setattr("debruijn_gpu.kmers.depth_limit.FEW_BASES", few_bases)
    limit = limit_depth(150, reads(1_200), spectrum, estimate(spectrum))
    assert limit.is_exceeded
    assert (limit.rare_from > 0) == are_looked_for


def test_even_coverage_has_no_rare_parts() -> None:
    spectrum = spectrum_of((kmer_depth(400), GENOME_BP))
    assert limit_depth(150, reads(400), spectrum, estimate(spectrum)).rare_below == 0


def test_a_plasmid_of_many_copies_is_not_uneven() -> None:
    spectrum = spectrum_of((kmer_depth(300), GENOME_BP), (50 * kmer_depth(300), 500))
    assert limit_depth(150, reads(300), spectrum, estimate(spectrum)).is_exceeded


def test_a_spectrum_without_a_peak_keeps_all_reads() -> None:
    spectrum = Spectrum(K, np.array([1]), np.array([1000]))
    limit = limit_depth(1, reads(10), spectrum, estimate(spectrum))
    assert (limit.is_exceeded, limit.read_depth) == (False, None)


def test_only_auto_keeps_more_reads_of_small_samples() -> None:
    assert [bases_to_keep(max_depth) for max_depth in (None, 150, NO_LIMIT)] == [AMPLE_BASES, 0, 0]


def test_auto_is_off_with_one_given_k() -> None:
    assert [used_limit(None, n_ks) for n_ks in (0, 1, 5)] == [AMPLE_DEPTH, NO_LIMIT, AMPLE_DEPTH]
    assert [used_limit(200, n_ks) for n_ks in (0, 1, 5)] == [200] * 3
    assert used_limit(0, 0) == NO_LIMIT
