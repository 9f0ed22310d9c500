"""Spectra of all reads, extrapolated from those of a part."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.kmers.expected_spectrum import ReadModel, fit_reads
from debruijn_gpu.kmers.spectrum import Spectrum


@pytest.mark.parametrize("depth", [0.3, 1, 3, 6, 12, 100, 1000])
@pytest.mark.parametrize("error_rate", [0.0, 0.002, 0.005])
def test_a_model_is_found_in_its_spectrum(depth, error_rate):
    model = ReadModel(1e5, error_rate, 0.0)
    found = fit_reads(model.spectrum(31, 1e5 * depth), 1.0)
    assert found.genome_bp == pytest.approx(1e5, rel=0.15)
    assert found.error_rate == pytest.approx(error_rate, rel=0.15, abs=3e-4)


def test_a_sample_of_the_kmers_has_that_share_of_the_genome():
    spectrum = ReadModel(1e5, 0.002, 0.0).spectrum(31, 2e6)
    assert fit_reads(spectrum, 0.25).genome_bp == pytest.approx(4e5, rel=0.05)


def test_the_expected_spectrum_adds_up():
    spectrum = ReadModel(1e5, 0.004, 0.0).spectrum(21, 3e6)
    assert spectrum.n_total == pytest.approx(3e6, rel=1e-3)
    assert (np.diff(spectrum.multiplicity) > 0).all()
    assert (spectrum.frequency > 0).all()


@pytest.mark.parametrize("multiplicity", [[], [1], [1, 5]])
def test_tiny_spectra(multiplicity):
    frequency = np.ones(len(multiplicity), np.int64)
    found = fit_reads(Spectrum(21, np.array(multiplicity, np.int64), frequency), 1.0)
    assert found.genome_bp >= 0
    assert 0 <= found.error_rate < 1
    assert ReadModel(found.genome_bp, found.error_rate, 0.0).spectrum(21, 1).n_total >= 0
