"""The k-mer spectrum and its estimates: error cutoff, k-mer depth, genome size, error rate.

A spectrum is the sum of a steep pile of k-mers with errors at the left, and of k-mers of the genome, which
lie around the coverage and its multiples (Lander and Waterman 1988; Kelley et al. 2010, Quake; Chikhi and
Medvedev 2014, KmerGenie; Vurture et al. 2017, GenomeScope). Where these fit a mixture model, which fails on
amplicons, pile-ups and tiny genomes, only the valley and the peak are located here, and the cutoff is bounded
so that it does no harm when they are wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Deeper than this no peak is searched.
DEEPEST_PEAK = 1 << 20
#: A peak rises above the valley at its left by this factor, or is none.
LEAST_RISE = 1.5
#: So many k-mers with errors, of those of the genome, may stay: cleaning the graph removes them.
ERRORS_LEFT = 0.02
#: A peak and what is right of it holds at least this share of all occurrences; noise in a tail does not.
LEAST_SHARE = 0.2
#: A peak is of errors if its k-mers are about as many as those with one wrong base of the k-mers that are so many times
#: as deep (3 k of each), and have at most such a share of their occurrences (errors at up to 1 % of the bases).
ERRORS_EXPECTED, MUCH_DEEPER, LEAST_DEEPER = (0.5, 1.25), 50, 0.35
#: A spectrum has no peak if more than this share of all possible k-mers occur: a typical one then has several places.
SATURATED = 0.75
#: Below this depth all k-mers are kept.
LEAST_DEPTH = 14
#: The cutoff is at most this where no peak tells errors from the genome.
HIGHEST_CUTOFF_WITHOUT_PEAK = 5


@dataclass(frozen=True)
class Spectrum:
    """A k-mer spectrum: the number of distinct k-mers of each multiplicity.

    Attributes
    ----------
    k : int
    multiplicity : ndarray, dtype=int64, shape=(n,)
        Ascending, 1 or more, uncapped.
    frequency : ndarray, dtype=int64, shape=(n,)
        Number of distinct k-mers of each multiplicity.
    """

    k: int
    multiplicity: NDArray[np.int64]
    frequency: NDArray[np.int64]

    @property
    def n_distinct(self) -> int:
        """Distinct k-mers."""
        return int(self.frequency.sum())

    @property
    def n_total(self) -> int:
        """Occurrences of k-mers."""
        return int((self.multiplicity * self.frequency).sum())

    def distinct_from(self, least: int) -> int:
        """Count distinct k-mers of at least a multiplicity."""
        return int(self.frequency[self.multiplicity >= least].sum())

    def distinct_at(self, multiplicity: int) -> int:
        """Count distinct k-mers of just a multiplicity."""
        return int(self.frequency[self.multiplicity == multiplicity].sum())

    def total_from(self, least: int) -> int:
        """Count occurrences of k-mers of at least a multiplicity."""
        kept = self.multiplicity >= least
        return int((self.multiplicity[kept] * self.frequency[kept]).sum())


@dataclass(frozen=True)
class SpectrumEstimate:
    """Estimates of a spectrum.

    Attributes
    ----------
    k : int
    cutoff : int
        Smallest count that keeps a k-mer; 1 keeps all.
    peak : float or None
        K-mer depth of sequence that is there once; None where the spectrum has no peak (very low or very
        uneven coverage, a genome itself, or k-mers so short that nearly all possible ones occur). With two
        alleles, the depth of the commoner kind of k-mer.
    depth : float
        The peak, or else the depth at which half of all k-mer occurrences lie.
    low_depth : float
        Nine of ten k-mers that are kept occur as often or more. Far below ``depth`` if coverage is uneven.
    genome_bp : int
        Occurrences without errors over the peak; without a peak the number of distinct k-mers that are kept.
    error_fraction : float
        Share of k-mer occurrences that hold an error.
    error_rate : float
        Errors per base that lead to this share; substitutions independent of each other.
    """

    k: int
    cutoff: int
    peak: float | None
    depth: float
    low_depth: float
    genome_bp: int
    error_fraction: float
    error_rate: float


_MOST_SATURABLE_K = 32  # of longer k-mers there are more than any file holds


def n_possible_kmers(k: int) -> int:
    """Number of sequences of k bases, reverse complements counted as one."""
    n_palindromes = 0 if k % 2 else 1 << k
    return ((1 << 2 * k) + n_palindromes) // 2


def is_saturated(k: int, n_distinct: int) -> bool:
    """Whether k-mers are too short for a depth: nearly all possible ones occur, most at several places."""
    return k <= _MOST_SATURABLE_K and n_distinct > SATURATED * n_possible_kmers(k)


def estimate(spectrum: Spectrum) -> SpectrumEstimate:
    """Estimate cutoff, coverage, genome size and error rate from a spectrum, whatever it looks like."""
    if not spectrum.n_distinct:
        return SpectrumEstimate(spectrum.k, 1, None, 0.0, 0.0, 0, 0.0, 0.0)
    found = valley_and_peak(spectrum)
    if found is None:
        peak, depth = None, _median_depth(spectrum)
        cutoff = _cutoff_without_peak(spectrum, depth)
        first_genomic, genome_bp = cutoff, spectrum.distinct_from(cutoff)
    else:
        first_genomic, mode = found
        peak = depth = _centre(spectrum, mode)
        cutoff = _cutoff(spectrum, first_genomic, peak)
        genome_bp = round(spectrum.total_from(first_genomic) / peak)
    error_fraction = 1.0 - spectrum.total_from(first_genomic) / spectrum.n_total
    return SpectrumEstimate(
        k=spectrum.k,
        cutoff=cutoff,
        peak=peak,
        depth=depth,
        low_depth=_low_depth(spectrum, cutoff),
        genome_bp=genome_bp,
        error_fraction=error_fraction,
        error_rate=1.0 - (1.0 - error_fraction) ** (1.0 / spectrum.k),
    )


def least_count(spectrum: Spectrum) -> int:
    """Estimate the smallest count that keeps a k-mer."""
    return estimate(spectrum).cutoff


def valley_and_peak(spectrum: Spectrum) -> tuple[int, int] | None:
    """The multiplicity where genomic k-mers begin, and that of the peak; None if there is no peak.

    The peak is the maximum of distinct k-mers on the scale of the square root, on which a Poisson peak is
    equally wide at every depth (Anscombe 1948). Only places that rise above the lowest one at their left come
    into question, by more than three standard deviations of the counted frequencies. Peaks of errors that recur are
    left out.
    """
    near, width = _numbers_nearby(spectrum)
    noise = 3 * np.sqrt(np.maximum(near, 1))
    scale = np.sqrt(1 + np.arange(len(near))) / width
    lowest_before = np.minimum.accumulate((near + noise) * scale)
    density = np.where((near - noise) * scale >= LEAST_RISE * lowest_before, near * scale, 0.0)
    while density.any():
        mode = int(np.argmax(density))
        valley = int(np.argmin((near / width)[:mode]))
        if not _are_errors(spectrum, valley + 1, mode + 1):
            break
        density[: MUCH_DEEPER * (mode + 1)] = 0.0
    else:
        return None
    if spectrum.total_from(valley + 1) < LEAST_SHARE * spectrum.n_total:
        return None
    if is_saturated(spectrum.k, spectrum.distinct_from(valley + 1)):
        return None
    return valley + 1, mode + 1


def _are_errors(spectrum: Spectrum, valley: int, mode: int) -> bool:
    """Whether a peak is of k-mers with one error, of sequence so deep that each of its errors recurs."""
    n_deeper, total_deeper = (count(MUCH_DEEPER * mode) for count in (spectrum.distinct_from, spectrum.total_from))
    n, total = spectrum.distinct_from(valley) - n_deeper, spectrum.total_from(valley) - total_deeper
    least, most = (part * 3 * spectrum.k * n_deeper for part in ERRORS_EXPECTED)
    return least <= n <= most and total <= LEAST_DEEPER * total_deeper


def _numbers_nearby(spectrum: Spectrum) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """K-mers within half a square root of each multiplicity from 1 on, and the width of that range."""
    searched = spectrum.multiplicity <= DEEPEST_PEAK
    multiplicity = spectrum.multiplicity[searched]
    limit = int(multiplicity.max(initial=0)) + 2
    at_most = np.cumsum(np.bincount(multiplicity, spectrum.frequency[searched], limit))
    centre = np.arange(1, limit)
    half_width = np.sqrt(centre).astype(np.int64) // 2
    upto, below = at_most[np.minimum(centre + half_width, limit - 1)], at_most[centre - half_width - 1]
    return upto - below, 2 * half_width + 1


def _centre(spectrum: Spectrum, mode: int) -> float:
    """Mean multiplicity within a quarter around the mode, which sampling moves less than the mode."""
    reach = max(1, mode // 4)
    near = np.abs(spectrum.multiplicity - mode) <= reach
    return float(np.average(spectrum.multiplicity[near], weights=spectrum.frequency[near]))


def _median_depth(spectrum: Spectrum) -> float:
    """Compute the multiplicity below which half of all occurrences are."""
    occurrences = np.cumsum(spectrum.multiplicity * spectrum.frequency)
    return float(spectrum.multiplicity[np.searchsorted(occurrences, occurrences[-1] / 2)])


def _low_depth(spectrum: Spectrum, cutoff: int) -> float:
    """Compute the multiplicity below which a tenth of the kept distinct k-mers are."""
    kept = spectrum.multiplicity >= cutoff
    distinct = np.cumsum(spectrum.frequency[kept])
    return float(spectrum.multiplicity[kept][np.searchsorted(distinct, distinct[-1] / 10)])


def _highest_cutoff(depth: float) -> int:
    """The highest cutoff that a depth allows: 1 below 14x, 3 at 20x, 6 at 100x, 14 at 700x.

    At 14x one k-mer of the genome in 100,000 occurs just once (Poisson); below, a cutoff of 2 takes more than
    errors cost. With reads of 2 x 150 of *E. coli* (minia) it cut the NG50 from 15 to 5 kbp at 7x (k = 31) and
    from 59 to 42 at 12x (k = 51); at 14x (k = 71) a cutoff of 3 instead of 2 cut it from 60 to 45.

    The same errors occur again, so their pile grows with the depth, and at 900x a fixed cutoff leaves a graph
    of errors; but a cutoff in proportion to the depth takes the ends of molecules and the gaps between
    amplicons.
    """
    return 1 if depth < LEAST_DEPTH else int(1 + depth**0.5 / 2)


def _cutoff(spectrum: Spectrum, valley: int, peak: float) -> int:
    """The smallest cutoff that leaves few errors, and in no case more than the depth allows.

    A k-mer of the genome that is lost breaks a contig, while an error that is left is seen from its
    surroundings in the graph. So this is lower than the valley, which minimises errors of both kinds
    together.
    """
    errors_left = ERRORS_LEFT * spectrum.distinct_from(valley)
    for cutoff in range(1, min(valley, _highest_cutoff(peak))):
        if spectrum.distinct_from(cutoff) - spectrum.distinct_from(valley) <= errors_left:
            return cutoff
    return min(valley, _highest_cutoff(peak))


def _cutoff_without_peak(spectrum: Spectrum, depth: float) -> int:
    """The smallest cutoff that leaves few errors, if these fall off as from once to twice."""
    highest = min(HIGHEST_CUTOFF_WITHOUT_PEAK, _highest_cutoff(depth))
    once, twice = (spectrum.distinct_at(m) for m in (1, 2))
    if twice >= once:
        return 1
    falls_by = twice / once
    for cutoff in range(1, highest):
        errors = once * falls_by ** (cutoff - 1) / (1 - falls_by)
        if errors <= ERRORS_LEFT * spectrum.distinct_from(cutoff):
            return cutoff
    return highest


def cutoff_sentence(spectrum: Spectrum, min_count: int, peak: float | None) -> str:
    """Say which k-mers are kept by a minimum count."""
    numbers = f"{spectrum.distinct_from(min_count):,} of {spectrum.n_distinct:,} distinct k-mers are kept"
    more = f"; k-mers of single-copy sequence occur {peak:.0f} times" if peak else ""
    return f"min-count {min_count}: {numbers}{more}"
