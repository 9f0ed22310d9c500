"""Ploidy and heterozygosity from the two peaks of a k-mer spectrum.

A heterozygous site changes k k-mers, which are then on one of two haplotypes and occur half as often as the others.
With heterozygosity r, a k-mer is on both haplotypes with the probability q = (1 - r)^k. Of a diploid genome with a
share d of sequence in two copies, distinct k-mers around 1, 2 and 4 times the depth of one haplotype are in
proportion to

    a = 2 (1 - d) (1 - q) + 2 d (1 - q)^2 + 2 d q (1 - q)
    b = (1 - d) q + d (1 - q)^2
    c = d q^2

as in GenomeScope (Vurture et al. 2017; Ranallo-Benavidez et al. 2020), whose equations these are. The numbers of k-mers
are those of the fitted peaks (`kmers.spectrum_model`), so that only q and d are left to solve for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate
from debruijn_gpu.kmers.spectrum_model import LEAST_ALLELE_DEPTH, LEAST_ALLELE_SHARE, SpectrumModel

#: K-mer depth from which a peak of heterozygous k-mers, if there is one, is found at half of it.
LEAST_TOLD_DEPTH = 25.0
#: With at least this ratio of k-mers in the second peak to those in the first, the first one is of alleles. A haploid
#: genome would need a sixth of its sequence in two copies; a heterozygosity above 5 % (k = 21) has less.
LEAST_HOMOZYGOUS = 0.2
#: Peaks whose dispersion is at most this share of the depth, and so whose deviation is below a quarter of it, are two.
MOST_DISPERSION = 0.05
_ROUNDS = 30
_DIGITS = 3  # of a heterozygosity: what a float model finds leaves it rounded


@dataclass(frozen=True)
class PloidyEstimate:
    """Ploidy and heterozygosity of a sample.

    Attributes
    ----------
    ploidy : int or None
        2 if the spectrum has two peaks of alleles, 1 if it has one peak; None if it is too shallow to tell.
    heterozygosity : float or None
        Heterozygous sites per base of a diploid, in three digits; else None.
    haplotype_depth : float or None
        K-mer depth of one haplotype; None without a ploidy.
    haploid_genome_bp : int or None
        Length of one haplotype; None without a ploidy.
    why : str
        The reason, in a clause.
    """

    ploidy: int | None
    heterozygosity: float | None
    haplotype_depth: float | None
    haploid_genome_bp: int | None
    why: str


def estimate_ploidy(spectrum: Spectrum, found: SpectrumEstimate, model: SpectrumModel) -> PloidyEstimate:
    """Estimate ploidy and heterozygosity of a haploid or diploid sample.

    Parameters
    ----------
    spectrum : Spectrum
    found : SpectrumEstimate
        Of `kmers.spectrum.estimate`.
    model : SpectrumModel
        Of `kmers.spectrum_model.fit`.
    """
    if model.depth is None or found.peak is None:
        return _untold("the k-mer spectrum has no peak")
    kmers = {copies: float(frequency.sum()) for copies, frequency in model.peaks}
    depth, single = model.depth, kmers[1.0]
    if 0.5 in kmers:
        return _diploid(spectrum, model, depth / 2, (kmers[0.5], single, kmers.get(2.0, 0.0)))
    paired = kmers.get(2.0, 0.0)
    if paired >= LEAST_HOMOZYGOUS * single and depth >= LEAST_ALLELE_DEPTH:
        if not _has_two_peaks(model):
            return _untold("coverage is too uneven")
        return _diploid(spectrum, model, depth, (single, paired, kmers.get(4.0, 0.0)))
    if depth < LEAST_TOLD_DEPTH:
        return _untold(f"the k-mer depth is {depth:.1f}x, below {LEAST_TOLD_DEPTH:g}x")
    least = 1.0 - (1.0 - LEAST_ALLELE_SHARE / 2) ** (1.0 / spectrum.k)
    why = f"one peak, at {depth:.1f}x; or heterozygosity below {least:.2%}"
    return PloidyEstimate(1, None, round(depth, 1), found.genome_bp, why)


def _has_two_peaks(model: SpectrumModel) -> bool:
    """Return whether the peaks at one and two times the depth are narrow, or have a valley between them.

    Where coverage is uneven, a single broad peak is fitted by several, too.
    """
    assert model.depth is not None
    if model.dispersion <= MOST_DISPERSION * model.depth:
        return True
    between = (model.multiplicity > model.depth) & (model.multiplicity < 2 * model.depth)
    first, second = np.interp([model.depth, 2 * model.depth], model.multiplicity, model.total)
    return bool(model.total[between].min(initial=np.inf) < min(first, second))


def _untold(why: str) -> PloidyEstimate:
    return PloidyEstimate(None, None, None, None, why)


def _diploid(
    spectrum: Spectrum, model: SpectrumModel, depth: float, kmers: tuple[float, float, float]
) -> PloidyEstimate:
    """Ploidy 2 with peaks at one, two and four times a depth, and the distinct k-mers of each."""
    shared = shared_share(*kmers)
    heterozygosity = float(f"{1.0 - shared ** (1.0 / spectrum.k):.{_DIGITS}g}")
    n_genomic = spectrum.n_total - float(model.errors @ model.multiplicity)
    why = f"peaks at {depth:.1f}x and {2 * depth:.1f}x"
    return PloidyEstimate(2, heterozygosity, round(depth, 1), round(n_genomic / (2 * depth)), why)


def shared_share(single: float, double: float, fourfold: float) -> float:
    """Solve the equations of the module for q, the share of k-mers that both haplotypes have.

    Parameters
    ----------
    single, double, fourfold : float
        Distinct k-mers around 1, 2 and 4 times the depth of a haplotype; the second above 0.
    """
    repeated, shared = 0.0, double / (double + single / 2)
    for _ in range(_ROUNDS):
        unshared = 1.0 - shared
        both = (1.0 - repeated) * shared + repeated * unshared**2
        repeated = min(0.5, fourfold / double * both / shared**2)
        # a / b is what was counted; with d fixed, its terms but those of d = 0 are moved to the other side
        ratio = single / double
        extra = 2 * repeated * unshared * (unshared + shared) - ratio * repeated * unshared**2
        shared = (2 * (1.0 - repeated) + extra) / ((1.0 - repeated) * (2 + ratio))
        shared = min(max(shared, 1e-6), 1.0)
    return shared
