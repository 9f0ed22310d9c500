from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu.kmers.evenness import (
    has_thin_parts,
    has_two_alleles,
    is_uneven,
    needs_mercy,
    several_k_cutoff,
)
from debruijn_gpu.kmers.spectrum import Spectrum, estimate
from tests.kmers.test_depth_limit import spectrum_of

GENOME = 100_000


def with_errors(spectrum: Spectrum, load: float) -> Spectrum:
    """Add k-mers of errors, for each of the genome: once mostly, a twentieth of them twice."""
    n_errors = int(load * GENOME)
    counts = dict(zip(spectrum.multiplicity.tolist(), spectrum.frequency.tolist(), strict=True))
    for multiplicity, share in ((1, 0.95), (2, 0.05)):
        counts[multiplicity] = counts.get(multiplicity, 0) + int(share * n_errors)
    multiplicity = np.array(sorted(counts))
    return Spectrum(spectrum.k, multiplicity, np.array([counts[m] for m in multiplicity.tolist()]))


def sample(*parts: tuple[float, int]) -> Spectrum:
    return with_errors(spectrum_of(*parts), 0.06 * max(depth for depth, _n in parts))


@pytest.mark.parametrize("depth", [5, 8, *range(11, 20), 25, 60, 120, 400])
def test_a_genome_is_even_at_every_depth(depth: int) -> None:
    parts = (depth, GENOME), (2 * depth, GENOME // 20), (7 * depth, GENOME // 100)
    spectrum = with_errors(spectrum_of(*parts), 0.06 * depth)
    found = estimate(spectrum)
    assert not is_uneven(spectrum, found)
    assert not has_two_alleles(spectrum, found)
    assert not has_thin_parts(spectrum, found)
    assert several_k_cutoff(spectrum) == found.cutoff
    assert not needs_mercy(found.cutoff, spectrum, estimate(spectrum))
    assert needs_mercy(found.cutoff + 1, spectrum, estimate(spectrum))


def with_recurrent_errors(spectrum: Spectrum, depth: int, rate: float) -> Spectrum:
    """Add k-mers with one error: any of the 3 k beside a k-mer of the deep genome may occur, and recur."""
    expected, most = depth * rate / 3, 40
    frequency = np.bincount(
        spectrum.multiplicity, spectrum.frequency, max(most, int(spectrum.multiplicity.max()) + 1)
    ).astype(np.int64)
    for m in range(1, most):
        chance = math.exp(m * math.log(expected) - expected - math.lgamma(m + 1))
        frequency[m] += round(3 * spectrum.k * GENOME * chance)
    multiplicity = np.flatnonzero(frequency)
    return Spectrum(spectrum.k, multiplicity, frequency[multiplicity])


@pytest.mark.parametrize("depth", [*range(9, 24), 40, 60, 80, 100])
@pytest.mark.parametrize("rate", [0.0005, 0.002, 0.01, 0.02])
def test_errors_leave_a_genome_even(depth: int, rate: float) -> None:
    spectrum = with_recurrent_errors(spectrum_of((depth, GENOME), (3 * depth, GENOME // 50)), depth, rate)
    assert not is_uneven(spectrum, estimate(spectrum))


@pytest.mark.parametrize(
    ("deep", "rare", "share"), [(40, 2, 3), (100, 5, 0.1), (150, 3, 3), (150, 8, 0.1), (300, 10, 0.1), (300, 5, 1)]
)
@pytest.mark.parametrize("rate", [0.0005, 0.002, 0.005])
def test_errors_hide_no_rare_genome(deep: int, rare: int, share: float, rate: float) -> None:
    spectrum = with_recurrent_errors(spectrum_of((deep, GENOME), (rare, int(share * GENOME))), deep, rate)
    assert is_uneven(spectrum, estimate(spectrum))


@pytest.mark.parametrize("depth", [15, 30, 60, 120])
@pytest.mark.parametrize("n_steps", [10, 30])
def test_thin_parts_of_a_genome_need_mercy_kmers(depth: int, n_steps: int) -> None:
    """A fiftieth of the genome has from a tenth to nearly a third of the depth, or more up to most of it."""
    parts = [(depth, GENOME), *((depth * i / 40, GENOME // 500) for i in range(4, 4 + n_steps))]
    spectrum = with_errors(spectrum_of(*parts), 0.06 * depth)
    found = estimate(spectrum)
    assert has_thin_parts(spectrum, found)
    assert not is_uneven(spectrum, found)
    assert needs_mercy(max(2, found.cutoff), spectrum, found)
    assert not needs_mercy(1, spectrum, found)


@pytest.mark.parametrize(
    ("deep", "rare", "cutoff"), [(50, 5, 2), (50, 8, 2), (100, 4, 2), (100, 10, 2), (400, 7, 2), (400, 12, 2)]
)
def test_genomes_of_different_depths_are_uneven(deep: int, rare: int, cutoff: int) -> None:
    spectrum = sample((deep, GENOME), (rare, GENOME))
    assert is_uneven(spectrum, estimate(spectrum))
    assert several_k_cutoff(spectrum) == cutoff
    assert needs_mercy(2, spectrum, estimate(spectrum))
    assert not needs_mercy(1, spectrum, estimate(spectrum))


@pytest.mark.parametrize("depth", [3, 5, 8, 12])  # at 3x, the spectrum has no peak
def test_kmers_that_occur_once_are_left_out_where_errors_are_dense(depth: int) -> None:
    for load, cutoff in ((0.0, 1), (0.6, 1), (1.5, 2), (4.0, 2)):
        spectrum = with_errors(spectrum_of((depth, GENOME)), load)
        assert estimate(spectrum).cutoff == 1
        assert several_k_cutoff(spectrum) == cutoff
        assert needs_mercy(cutoff, spectrum, estimate(spectrum)) == (cutoff > 1)


@pytest.mark.parametrize("depth", [0.5, 1, 2])
def test_a_genome_without_errors_is_kept_at_the_lowest_depths(depth: float) -> None:
    assert several_k_cutoff(spectrum_of((depth, GENOME))) == 1


@pytest.mark.parametrize(("k", "cutoff"), [(17, 3), (19, 3), (21, 2)])
def test_short_kmers_are_kept_as_errors_allow(k: int, cutoff: int) -> None:
    """Errors recur in deep genomes."""
    assert several_k_cutoff(replace(sample((400, GENOME), (7, GENOME)), k=k)) == cutoff


def test_the_ends_of_a_small_linear_genome_are_no_thin_parts() -> None:
    parts = [(60, 5_000), *((60 * i / 100, 3) for i in range(1, 100))]
    spectrum = spectrum_of(*parts)
    assert not has_thin_parts(spectrum, estimate(spectrum))


@pytest.mark.parametrize("depth", [20, 30, 45, 100])
@pytest.mark.parametrize("heterozygosity", [0.005, 0.02, 0.1])
def test_alleles_are_no_thin_parts(depth: int, heterozygosity: float) -> None:
    n_single = int(2 * heterozygosity * GENOME)
    spectrum = sample((depth, GENOME - n_single), (depth / 2, n_single))
    assert not has_thin_parts(spectrum, estimate(spectrum))


@pytest.mark.parametrize("depth", [12, 20, 40])
def test_two_alleles_share_deeper_kmers(depth: int) -> None:
    """So heterozygous that most k-mers belong to one allele."""
    spectrum = sample((depth, GENOME), (2 * depth, GENOME // 2))
    found = estimate(spectrum)
    assert found.peak == pytest.approx(depth, rel=0.1)
    assert has_two_alleles(spectrum, found)


def test_nothing_is_even() -> None:
    spectrum = Spectrum(21, np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert not is_uneven(spectrum, estimate(spectrum))
    assert several_k_cutoff(spectrum) == 1
