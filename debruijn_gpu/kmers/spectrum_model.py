"""A spectrum taken apart: k-mers with errors, and k-mers that the genome holds once, twice, and so on.

Sequence that is there ``j`` times gives k-mers around ``j`` times the depth. Each of these peaks is a negative
binomial with mean ``j * depth`` and variance ``1 + dispersion`` times the mean, as in GenomeScope (Vurture et al.
2017): the same for all peaks, because the k-mers of ``j`` places add up. They are fitted by expectation and
maximisation to the part of the spectrum where errors are few, and carried on to its left; errors are what the peaks
leave there.

Unlike GenomeScope this asks for no convergence: weights cannot be negative, and where the spectrum has no peak
there is nothing to fit. The fit is for looking at; `kmers.spectrum.estimate` does not depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.kmers.spectrum import LEAST_RISE, Spectrum, SpectrumEstimate, valley_and_peak

#: The peak of sequence that is there so often is the last one.
MOST_COPIES = 10
#: Peaks that hold a smaller share of the k-mers of all peaks are left out.
LEAST_PEAK = 1e-4
#: So deep must the peak of one of two alleles be, and such a share of the other must it hold, to be told from errors.
LEAST_ALLELE_DEPTH, LEAST_ALLELE_SHARE = 6.0, 0.03
#: By so much a peak of alleles may move the depth; beyond, coverage is uneven, and it has taken the peak's place.
MOST_MOVED = 0.25
#: The fit looks at so many places at most; wide peaks need no more.
_FIT_PLACES = 400
#: The result is given at so many places at most.
_PLACES = 4096
_ROUNDS = 60
_CONVERGED = 1e-5
_LEAST_DISPERSION = 1e-3
_LEAST_NUMBER = 1e-9

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SpectrumModel:
    """Parts of a k-mer spectrum whose sum approximates its frequencies.

    Attributes
    ----------
    multiplicity : ndarray, dtype=int64, shape=(n,)
        From 1 on, all of them up to the end of the last peak, or at most 4,096, of them all that are small.
    errors : ndarray, dtype=float64, shape=(n,)
        Frequency of k-mers with errors, for each multiplicity. Zero everywhere if there is no peak.
    peaks : tuple of (float, ndarray of dtype=float64 and shape=(n,))
        Copy number and frequency of each peak: 1, 2, ..., without nearly empty ones. Copy number one half is
        sequence of one allele of two.
    depth : float or None
        Mean multiplicity of the peak of single-copy sequence; None if there is no peak.
    dispersion : float
        The variance of a peak is its mean times one more than this; 0 if reads are spread at random.
    low_depth : float
        Nine of ten k-mers of the genome occur as often or more; unlike that of the estimate, k-mers with errors do
        not count. 0 if there is no peak.
    """

    multiplicity: NDArray[np.int64]
    errors: Floats
    peaks: tuple[tuple[float, Floats], ...]
    depth: float | None
    dispersion: float
    low_depth: float = 0.0

    @property
    def total(self) -> Floats:
        """All parts together, shape=(n,)."""
        return sum((frequency for _copies, frequency in self.peaks), start=self.errors)


@dataclass(frozen=True)
class _Fit:
    """Peaks at ``copies`` times the depth, and the number of distinct k-mers of each, both of shape=(p,)."""

    copies: Floats
    weights: Floats
    depth: float
    dispersion: float

    def densities(self, places: Floats) -> Floats:
        """Distinct k-mers of each peak for each multiplicity, shape=(n, p)."""
        return self.weights * _negative_binomial(places, self.copies * self.depth, self.dispersion)


def fit(spectrum: Spectrum, found: SpectrumEstimate) -> SpectrumModel:
    """Take a spectrum apart into errors and peaks.

    Parameters
    ----------
    spectrum : Spectrum
    found : SpectrumEstimate
        What `kmers.spectrum.estimate` makes of it.

    Returns
    -------
    SpectrumModel
        Without peaks if the spectrum has none.
    """
    bounds = None if found.peak is None else valley_and_peak(spectrum)
    if found.peak is None or bounds is None:
        return _without_peaks(spectrum)
    first_genomic, peak = bounds[0], found.peak
    places, widths, frequency = _binned(spectrum, (MOST_COPIES + 0.5) * peak)
    whole = np.arange(1, min(MOST_COPIES, max(1, round(places[-1] / peak))) + 1, dtype=np.float64)
    fitted = _fit_peaks(places, widths, frequency, whole, peak, (first_genomic + peak) / 2)
    if _has_alleles(places, frequency / widths, fitted):
        copies = np.concatenate([[0.5], whole])
        halved = _fit_peaks(places, widths, frequency, copies, fitted.depth, 0.35 * fitted.depth)
        if abs(halved.depth / fitted.depth - 1) < MOST_MOVED:
            fitted = halved
    return _model(spectrum, fitted, first_genomic)


def _without_peaks(spectrum: Spectrum) -> SpectrumModel:
    """Nothing told apart."""
    n = int(min(_PLACES, spectrum.multiplicity.max(initial=0)))
    return SpectrumModel(np.arange(1, n + 1), np.zeros(n), (), None, 0.0)


def _binned(spectrum: Spectrum, end: float) -> tuple[Floats, Floats, Floats]:
    """Bin a spectrum up to a multiplicity: centres, widths and frequencies of the bins; all of shape=(n,)."""
    end = min(end, float(spectrum.multiplicity[-1]))
    places = np.linspace(1, int(end) + 1, min(int(end), _FIT_PLACES) + 1).astype(np.int64)
    edges = np.array(sorted(set(places.tolist())))  # np.unique imports numpy.ma, which takes 10 ms
    inside = spectrum.multiplicity < edges[-1]
    where = np.searchsorted(edges, spectrum.multiplicity[inside], side="right") - 1
    frequency = np.bincount(where, spectrum.frequency[inside], len(edges) - 1)
    return (edges[:-1] + edges[1:] - 1) / 2, np.diff(edges).astype(np.float64), frequency.astype(np.float64)


def _fit_peaks(places: Floats, widths: Floats, frequency: Floats, copies: Floats, depth: float, start: float) -> _Fit:
    """Expectation and maximisation; left of ``start`` the peaks themselves say how many k-mers of theirs are there."""
    seen = places >= start
    weights = np.array([frequency[(places >= (c - 0.5) * depth) & (places < (c + 0.5) * depth)].sum() for c in copies])
    fitted = _Fit(copies, np.maximum(weights, _LEAST_NUMBER), depth, depth / 20)
    for _ in range(_ROUNDS):
        parts = fitted.densities(places) * widths[:, None]
        together = np.maximum(parts.sum(axis=1), _LEAST_NUMBER)
        filled = np.where(seen, frequency, np.minimum(together, frequency))
        following = _maximised(places, parts * (filled / together)[:, None], fitted)
        moved = abs(following.depth / fitted.depth - 1) + abs(following.dispersion - fitted.dispersion)
        fitted = following
        if moved < _CONVERGED:
            break
    return fitted


def _maximised(places: Floats, shares: Floats, before: _Fit) -> _Fit:
    """Weights, depth and dispersion of the k-mers that are given to each peak, shape=(n, p)."""
    weights = np.maximum(shares.sum(axis=0), _LEAST_NUMBER)
    near = before.copies <= 2  # those beyond are few, and of sequence that is only nearly there so often
    share, copies = shares[:, near], before.copies[near]
    depth = float((share.sum(axis=1) @ places) / (weights[near] @ copies))
    means = copies * depth
    spread = (share * (places[:, None] - means) ** 2 / means).sum() / weights[near].sum()
    return _Fit(before.copies, weights, depth, float(np.clip(spread - 1, _LEAST_DISPERSION, depth)))


def _negative_binomial(places: Floats, means: Floats, dispersion: float) -> Floats:
    """Compute probabilities of each multiplicity, shape=(n, p), for means of shape=(p,)."""
    sizes = means / dispersion
    x = places[:, None]
    chance = _log_gamma(x + sizes) - _log_gamma(sizes) - _log_gamma(x + 1)
    chance -= sizes * np.log1p(dispersion) + x * np.log1p(1 / dispersion)
    density: Floats = np.exp(chance)
    return density


def _log_gamma(values: Floats) -> Floats:
    """Logarithm of the gamma function of positive numbers, by Stirling's series seven places further on."""
    product = values.copy()
    for i in range(1, 7):
        product *= values + i
    z = values + 7
    series = 1 / (12 * z) - 1 / (360 * z**3) + 1 / (1260 * z**5)
    result: Floats = (z - 0.5) * np.log(z) - z + 0.5 * np.log(2 * np.pi) + series - np.log(product)
    return result


def _has_alleles(places: Floats, density: Floats, fitted: _Fit) -> bool:
    """Return whether counts outside the peaks rise around half the depth, unlike errors."""
    depth = fitted.depth
    if depth / 2 < LEAST_ALLELE_DEPTH:
        return False
    left = density - fitted.densities(places).sum(axis=1)
    before = left[(places > 0.2 * depth) & (places < 0.3 * depth)]
    middle = left[(places > 0.4 * depth) & (places < 0.6 * depth)]
    if not len(before) or not len(middle):
        return False
    holds = middle.mean() * 0.4 * depth
    risen = middle.mean() > LEAST_RISE * max(float(before.mean()), 0.0)
    return bool(risen and holds > LEAST_ALLELE_SHARE * fitted.weights[0])


def _model(spectrum: Spectrum, fitted: _Fit, first_genomic: int) -> SpectrumModel:
    """The parts at every multiplicity."""
    kept = fitted.weights > LEAST_PEAK * fitted.weights.sum()
    kept |= fitted.copies == 1
    end = int((fitted.copies[kept][-1] + 1) * fitted.depth) + 1
    multiplicity = _places_to_show(end)
    densities = fitted.densities(multiplicity.astype(np.float64))
    counted = np.zeros(end + 1)
    inside = spectrum.multiplicity <= end
    counted[spectrum.multiplicity[inside]] = spectrum.frequency[inside]
    errors = _errors(counted[multiplicity] - densities.sum(axis=1), np.searchsorted(multiplicity, first_genomic))
    columns = np.flatnonzero(kept)
    peaks = tuple((float(fitted.copies[i]), densities[:, i].copy()) for i in columns)
    low_depth = _low_depth(spectrum, np.interp(spectrum.multiplicity, multiplicity, errors, right=0.0))
    return SpectrumModel(multiplicity, errors, peaks, fitted.depth, fitted.dispersion, low_depth)


def _low_depth(spectrum: Spectrum, errors: Floats) -> float:
    """Multiplicity below which a tenth of the k-mers lie, less those with errors at each multiplicity, shape=(n,)."""
    genomic = np.cumsum(np.maximum(spectrum.frequency - errors, 0.0))
    return float(spectrum.multiplicity[np.searchsorted(genomic, genomic[-1] / 10)])


def _places_to_show(end: int) -> NDArray[np.int64]:
    """Choose each multiplicity up to the end or, where these are too many, all small ones and some others."""
    if end <= _PLACES:
        return np.arange(1, end + 1)
    n_small = _PLACES // 2
    return np.concatenate([np.arange(1, n_small), np.linspace(n_small, end, n_small).astype(np.int64)])


def _errors(left: Floats, n_sure: np.intp) -> Floats:
    """Extrapolate the errors left of the peaks, never rising, beyond the first ``n_sure`` counts."""
    errors = np.zeros(len(left))
    n = max(1, int(n_sure))
    errors[:n] = np.minimum.accumulate(np.maximum(left[:n], 0.0))
    last, before = errors[n - 1], errors[max(0, n - 3)]
    if last > 0 and before > last:
        falls_by = (last / before) ** (1 / max(1, n - 1 - max(0, n - 3)))
        errors[n:] = last * falls_by ** np.arange(1, len(left) - n + 1)
    return errors
