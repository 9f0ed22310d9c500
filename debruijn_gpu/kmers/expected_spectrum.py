"""Extrapolate the k-mer spectrum of all reads from that of a part of them.

K-mers of the genome occur as often as a Poisson distribution tells, and so does each single error of them (Lander and
Waterman 1988). What both are follows from the spectrum of a part: how often k-mers occur that occur at least twice,
which are few errors, and how many occur once. Nothing is assembled from these estimates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.kmers.spectrum import Spectrum, estimate

_DEEPEST = 1e4  # of k-mers
_OTHER_BASES = 3  # that one may be mistaken for
_TIMES_MEDIAN = 3  # more frequent k-mers are of repeats
_CLEAR_PEAK = 8  # below, a peak and the pile of errors run into each other
_TAIL = 8.0  # standard deviations of a Poisson distribution that are looked at


@dataclass(frozen=True)
class ReadModel:
    """Genome and errors that reads come from.

    Attributes
    ----------
    genome_bp : float
        Number of distinct k-mers.
    error_rate : float
        Errors per base.
    depth : float
        Depth of k-mers without errors in the reads that were looked at.
    """

    genome_bp: float
    error_rate: float
    depth: float

    def spectrum(self, k: int, n_kmers: float) -> Spectrum:
        """Return the spectrum that is to be expected of a number of k-mer occurrences."""
        error_free = (1.0 - self.error_rate) ** k
        depth = n_kmers / max(1.0, self.genome_bp)
        n_errors = _OTHER_BASES * k * self.genome_bp  # single ones that may occur
        parts = [_poisson(depth * error_free, self.genome_bp)]
        parts.append(_poisson(n_kmers * (1.0 - error_free) / max(1.0, n_errors), n_errors))
        frequency = np.zeros(max(map(len, parts)), np.float64)
        for part in parts:
            frequency[: len(part)] += part
        counted = np.round(frequency[1:]).astype(np.int64)
        multiplicity = np.flatnonzero(counted) + 1
        return Spectrum(k, multiplicity, counted[multiplicity - 1])


def fit_reads(spectrum: Spectrum, sample: float) -> ReadModel:
    """Estimate genome and errors from the spectrum of reads of any depth.

    Parameters
    ----------
    spectrum : Spectrum
    sample : float
        Share of the distinct k-mers that it holds.
    """
    found = estimate(spectrum)
    if found.peak is not None and found.peak >= _CLEAR_PEAK:
        return ReadModel(found.genome_bp / sample, found.error_rate, found.peak)
    repeated = spectrum.multiplicity >= 2
    counts, numbers = spectrum.multiplicity[repeated], spectrum.frequency[repeated]
    if not len(counts):
        return ReadModel(spectrum.n_distinct / sample, 0.0, 0.0)
    median = counts[np.searchsorted(np.cumsum(numbers), numbers.sum() / 2)]
    usual = counts <= max(4, _TIMES_MEDIAN * median)
    counts, numbers = counts[usual], numbers[usual]
    depth = _depth_of_mean(float((counts * numbers).sum() / numbers.sum()))
    genome = float(numbers.sum()) / -(math.expm1(-depth) + depth * math.exp(-depth))
    once = spectrum.distinct_from(1) - spectrum.distinct_from(2)
    share = max(0.0, once - genome * depth * math.exp(-depth)) / max(1, spectrum.n_total)
    return ReadModel(genome / sample, 1.0 - (1.0 - share) ** (1.0 / spectrum.k), depth)


def _depth_of_mean(mean: float) -> float:
    """Find the Poisson distribution whose values from 2 on have a mean; by halving."""
    low, high = 1e-3, _DEEPEST
    for _ in range(100):
        middle = (low + high) / 2
        rest = -math.expm1(-middle) - middle * math.exp(-middle)
        expected = 2.0 if rest <= 0 else middle * -math.expm1(-middle) / rest
        low, high = (middle, high) if expected < mean else (low, middle)
    return low


def _poisson(mean: float, n: float) -> NDArray[np.float64]:
    """Expected numbers of n things that occur 0, 1, ... times."""
    longest = int(mean + _TAIL * math.sqrt(mean) + _TAIL) + 1
    occurrences = np.arange(longest)
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.maximum(1, occurrences[1:])))))
    numbers: NDArray[np.float64] = n * np.exp(occurrences * math.log(max(mean, 1e-300)) - mean - logs)
    return numbers
