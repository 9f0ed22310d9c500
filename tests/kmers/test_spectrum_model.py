from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.kmers.spectrum import Spectrum, estimate
from debruijn_gpu.kmers.spectrum_model import SpectrumModel, _log_gamma, fit
from tests.helpers import n_examples
from tests.kmers.test_spectrum import GENOME_BP, simulated, spectrum


def fitted(counted: Spectrum) -> SpectrumModel:
    return fit(counted, estimate(counted))


def kmers(model: SpectrumModel) -> dict[float, float]:
    """Distinct k-mers of each peak."""
    return {copies: float(frequency.sum()) for copies, frequency in model.peaks}


@pytest.mark.parametrize("depth", [6, 10, 30, 100, 400])
def test_one_peak_and_errors(depth: int) -> None:
    model = fitted(simulated(depth))
    assert model.depth == pytest.approx(depth, rel=0.01)
    assert model.dispersion < 0.1  # Poisson
    assert kmers(model)[1.0] == pytest.approx(GENOME_BP, rel=0.01)
    assert sum(kmers(model).values()) == pytest.approx(GENOME_BP, rel=0.01)
    assert model.errors.sum() == pytest.approx(0.06 * depth * GENOME_BP, rel=0.05)
    assert model.multiplicity.tolist() == list(range(1, len(model.multiplicity) + 1))


def test_parts_add_up_to_the_spectrum() -> None:
    counted = simulated(30)
    model = fitted(counted)
    seen = np.bincount(counted.multiplicity, counted.frequency, 100)[model.multiplicity]
    assert np.abs(model.total - seen).sum() < 0.02 * counted.n_distinct


@pytest.mark.parametrize("depth", [10, 30, 100])
def test_reads_without_errors(depth: int) -> None:
    model = fitted(simulated(depth, errors=0))
    assert model.errors.sum() < 1e-3 * GENOME_BP
    assert kmers(model)[1.0] == pytest.approx(GENOME_BP, rel=0.01)


@pytest.mark.parametrize("depth", [20, 40, 100])
def test_rare_alleles_lie_at_half_the_depth(depth: int) -> None:
    found = kmers(fitted(simulated(depth, halved=0.3)))
    assert found[0.5] == pytest.approx(0.3 * GENOME_BP, rel=0.02)
    assert found[1.0] == pytest.approx(0.7 * GENOME_BP, rel=0.02)


@pytest.mark.parametrize("depth", [20, 40, 100])
def test_common_alleles_lie_at_the_depth(depth: int) -> None:
    found = kmers(fitted(simulated(depth, halved=0.8)))
    assert found[1.0] == pytest.approx(0.8 * GENOME_BP, rel=0.02)
    assert found[2.0] == pytest.approx(0.2 * GENOME_BP, rel=0.02)


def test_repeats() -> None:
    rng = np.random.default_rng(3)
    genomic = np.concatenate([rng.poisson(25 * copies, n) for copies, n in ((1, 90_000), (2, 6_000), (5, 4_000))])
    histogram = np.bincount(genomic)
    found = kmers(fitted(spectrum(dict(enumerate(histogram.tolist()[1:], 1)))))
    assert found[2.0] == pytest.approx(6_000, rel=0.05)
    assert found[5.0] == pytest.approx(4_000, rel=0.1)


@pytest.mark.parametrize("depth", [10, 40, 100])
def test_uneven_coverage_widens_the_peak(depth: int) -> None:
    model = fitted(simulated(depth, spread=0.3))
    assert model.depth == pytest.approx(depth, rel=0.02)
    assert model.dispersion == pytest.approx(0.09 * depth, rel=0.2)  # of gamma times Poisson


@pytest.mark.parametrize("counted", [{}, {1: 1}, {5: 1}, {1: 1000, 2: 500, 3: 200}, {1: 10, 2: 3, 30: 2}])
def test_nothing_to_fit(counted: dict[int, int]) -> None:
    model = fitted(spectrum(counted))
    assert model.depth is None
    assert model.peaks == ()
    assert not model.total.any()
    assert len(model.total) == len(model.multiplicity) == max(counted, default=0)


def test_very_deep() -> None:
    genomic = np.bincount(np.random.default_rng(3).poisson(40_000, 30_000))
    multiplicity = np.flatnonzero(genomic)
    model = fitted(Spectrum(31, multiplicity, genomic[multiplicity]))
    assert len(model.multiplicity) <= 4096
    assert np.all(np.diff(model.multiplicity) > 0)
    assert model.depth == pytest.approx(40_000, rel=0.02)


@settings(max_examples=n_examples(60), deadline=None)
@given(st.dictionaries(st.integers(1, 400) | st.integers(1, 1 << 30), st.integers(1, 1 << 30), max_size=40))
def test_any_spectrum(frequency: dict[int, int]) -> None:
    model = fitted(spectrum(frequency))
    assert np.isfinite(model.total).all()
    assert (model.total >= 0).all()
    assert len(model.total) <= 4096
    assert all(len(frequency) == len(model.multiplicity) for _copies, frequency in model.peaks)


def test_log_gamma() -> None:
    values = np.array([0.01, 0.5, 1, 3, 10, 1e5])
    assert _log_gamma(values) == pytest.approx([math.lgamma(value) for value in values], abs=1e-8)


#: K-mers that occur 50 to 99 times, 100 to 149, ... in the reads of one place of phiX174 (ERR266411)
PILED_UP = (71, 34, 17, 20, 20, 75, 29, 25, 47, 32, 44, 63, 83, 111, 33, 57, 36, 28, 6, 12, 19, 12, 6, 3)


def test_uneven_coverage_is_not_taken_for_alleles() -> None:
    depths = np.concatenate([50 * (i + 1) + np.arange(n) * 50 // n for i, n in enumerate(PILED_UP)])
    counted = np.bincount(depths)
    counted[1:50] = 66_000 // np.arange(1, 50) ** 2.2
    there = np.flatnonzero(counted)
    piled_up = Spectrum(31, there, counted[there])
    found = estimate(piled_up)
    assert found.peak == pytest.approx(700, rel=0.05)
    assert fit(piled_up, found).depth == pytest.approx(700, rel=0.1)


@pytest.mark.parametrize("depth", [10, 30, 100])
def test_low_depth_is_of_the_genome_alone(depth: int) -> None:
    """1.28 standard deviations below the mean, however many errors there are."""
    for errors in (0, 0.06, 0.3):
        low = fitted(simulated(depth, errors=errors)).low_depth
        assert low == pytest.approx(depth - 1.28 * math.sqrt(depth), abs=1.5)
