"""Ploidy and heterozygosity of spectra whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.kmers.ploidy import PloidyEstimate, estimate_ploidy, shared_share
from debruijn_gpu.kmers.spectrum import Spectrum, estimate
from debruijn_gpu.kmers.spectrum_model import fit
from tests.kmers.test_spectrum import GENOME_BP, simulated, spectrum

K = 31


def estimated(counted: Spectrum) -> PloidyEstimate:
    found = estimate(counted)
    return estimate_ploidy(counted, found, fit(counted, found))


def peaks(shared: float, repeated: float) -> tuple[float, float, float]:
    """Share of distinct k-mers around 1, 2 and 4 times the depth of a haplotype: GenomeScope's model."""
    unshared = 1 - shared
    single = 2 * (1 - repeated) * unshared + 2 * repeated * unshared**2 + 2 * repeated * shared * unshared
    return single, (1 - repeated) * shared + repeated * unshared**2, repeated * shared**2


@pytest.mark.parametrize("shared", [1.0, 0.98, 0.8, 0.5, 0.3])
@pytest.mark.parametrize("repeated", [0.0, 0.02, 0.2])
def test_the_share_of_common_kmers_solves_the_model(shared: float, repeated: float) -> None:
    assert shared_share(*peaks(shared, repeated)) == pytest.approx(shared, abs=1e-6)


def diploid(heterozygosity: float, depth: float, repeated: float = 0.02) -> Spectrum:
    """Spectrum of a diploid with this k-mer depth of each haplotype, and errors that are mostly seen once."""
    rng = np.random.default_rng(3)
    single, double, fourfold = peaks((1 - heterozygosity) ** K, repeated)
    numbers = [round(GENOME_BP * share) for share in (single, double, fourfold)]
    genomic = [rng.poisson(copies * depth, n) for copies, n in zip((1, 2, 4), numbers, strict=True)]
    erroneous = 1 + rng.poisson(0.03, int(0.1 * depth * GENOME_BP))
    histogram = np.bincount(np.concatenate([*genomic, erroneous]))
    multiplicity = np.flatnonzero(histogram[1:]) + 1
    return Spectrum(K, multiplicity, histogram[multiplicity])


@pytest.mark.parametrize("depth", [15, 25, 60])
@pytest.mark.parametrize("heterozygosity", [0.001, 0.003, 0.01, 0.02, 0.03])
def test_heterozygosity_of_diploids(heterozygosity: float, depth: int) -> None:
    found = estimated(diploid(heterozygosity, depth))
    assert found.ploidy == 2
    assert found.heterozygosity == pytest.approx(heterozygosity, rel=0.15)
    assert found.haplotype_depth == pytest.approx(depth, rel=0.05)
    assert found.haploid_genome_bp == pytest.approx(GENOME_BP * 1.02, rel=0.05)


@pytest.mark.parametrize("depth", [30, 60, 150, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("spread", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("errors", [0.0, 0.06, 0.3])
def test_a_haploid_is_not_diploid(depth: int, spread: float, errors: float) -> None:
    found = estimated(simulated(depth, errors, spread))
    assert (found.ploidy, found.heterozygosity) == (1, None)
    assert found.haploid_genome_bp == pytest.approx(GENOME_BP, rel=0.06)


@pytest.mark.parametrize("depth", [10, 20, 30, 60, 150])
@pytest.mark.parametrize("spread", [0.4, 0.5, 0.6, 0.8, 1.0])
def test_uneven_coverage_is_not_diploid(depth: int, spread: float) -> None:
    assert estimated(simulated(depth, spread=spread)).ploidy != 2


@pytest.mark.parametrize("depth", [1, 3, 5, 8])
@pytest.mark.parametrize("heterozygosity", [0.0, 0.001, 0.01])
def test_low_depth_is_not_enough(depth: int, heterozygosity: float) -> None:
    found = estimated(diploid(heterozygosity, depth / 2, repeated=0))
    assert found.ploidy is None
    assert "depth" in found.why or "no peak" in found.why


def test_no_kmers_have_no_ploidy() -> None:
    assert estimated(spectrum({})).ploidy is None
