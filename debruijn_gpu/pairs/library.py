"""The insert sizes of a paired library, and what they make expected of pairs across a gap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.insert_counts import LEAST_PAIRS, InsertCounts, deviation, quantile
from debruijn_gpu.pairs.insert_sums import InsertSums

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Insert sizes further than so many deviations from the median are those of chimeras.
_MOST_DEVIATIONS, _SLACK_BP = 6, 10
_STEPS = 40  # of a bisection
#: Short fragments among mate pairs are at most such a part of their mean.
_PARTS_OF_MEAN = 3
#: Bases on both sides of a gap between which the mean is compared, and the least result
_SLOPE_BP, _LEAST_SLOPE = 10.0, 0.1
_BLOCK = 1 << 14  # gaps that are estimated together, so that their sums stay in caches


@dataclass(frozen=True)
class Library:
    """Insert sizes of a paired input.

    Attributes
    ----------
    number : int
        Of the paired input.
    orientation : str
        ``FR``, ``RF``, ``FF`` or ``RR``.
    sizes : ndarray, dtype=int64, shape=(n,)
        Ascending insert sizes that occur, chimeras left out.
    numbers : ndarray, dtype=int64, shape=(n,)
        Pairs that have each.
    mean_bp, spread_bp : float
        Mean and standard deviation.
    inward_bp : int
        Size up to which a library of mate pairs (RF) has short fragments (FR) in it; 0: none.
    """

    number: int
    orientation: str
    sizes: Longs
    numbers: Longs
    mean_bp: float
    spread_bp: float
    inward_bp: int = 0

    @property
    def longest_bp(self) -> int:
        return int(self.sizes[-1])

    @property
    def shares(self) -> Floats:
        """Share of the pairs that has each size."""
        return self.numbers / int(self.numbers.sum())

    @cached_property
    def sums(self) -> InsertSums:
        """Sums over the insert sizes."""
        return InsertSums(self.sizes, self.numbers)


def library_of(number: int, counts: InsertCounts) -> Library | None:
    """Describe a library by its pairs within unitigs, if these can be used."""
    if counts.why_unusable() is not None:
        return None
    orientation = counts.orientation()
    numbers = counts.sizes(orientation)
    median = quantile(numbers, 1, 2)
    spread = deviation(numbers, median)
    sizes = np.flatnonzero(numbers)
    sizes = sizes[np.abs(sizes - median) <= _MOST_DEVIATIONS * spread + _SLACK_BP]
    weights = numbers[sizes]
    total = int(weights.sum())
    mean = int((weights * sizes).sum()) / total
    variance = float((weights * (sizes - mean) ** 2).sum()) / total
    return Library(number, orientation, sizes, weights, mean, variance**0.5, _inward_bp(counts, orientation, mean))


def _inward_bp(counts: InsertCounts, orientation: str, mean_bp: float) -> int:
    """Return the size up to which mate pairs have short fragments among them, at most a third of the mean; 0: none."""
    numbers = counts.sizes("FR")
    if orientation != "RF" or int(numbers.sum()) < LEAST_PAIRS:
        return 0
    median = quantile(numbers, 1, 2)
    longest = int(median + _MOST_DEVIATIONS * deviation(numbers, median)) + _SLACK_BP
    return min(longest, int(mean_bp) // _PARTS_OF_MEAN) if _PARTS_OF_MEAN * median <= mean_bp else 0


def share_of_both(library: Library, n_within: int, rates: Floats, lengths: Longs) -> float:
    """Compute the share of the fragments with one mate placed that have both placed, by those within unitigs.

    Mates with many errors have no anchor: of 2 x 50 reads with 2 % errors, half.

    Parameters
    ----------
    library : Library
    n_within : int
        Its pairs within one unitig.
    rates : ndarray, dtype=float64, shape=(n_unitigs,)
        Its fragments that begin at a base of each unitig, if all mates of placed reads were placed.
    lengths : ndarray, dtype=int64, shape=(n_unitigs,)
    """
    n_up_to, bp_up_to = (np.append(0, np.cumsum(sums)) for sums in (library.numbers, library.numbers * library.sizes))
    fitting = np.searchsorted(library.sizes, lengths, side="right")
    room = ((lengths + 1) * n_up_to[fitting] - bp_up_to[fitting]) / int(library.numbers.sum())
    expected = float((rates * room).sum())
    return min(1.0, n_within / expected) if expected >= LEAST_PAIRS else 1.0


def estimated_gaps(
    library: Library, corners: Longs, reaches: Floats, least_bp: float, least_pairs: Floats | None = None
) -> Floats:
    """Estimate the gaps between unitigs from the mean numbers of bases that spanning fragments have on both sides.

    Source: the estimate of maximum likelihood, as in Sahlin et al., Bioinformatics 28 (2012) 2215 (GapEst).

    Parameters
    ----------
    library : Library
    corners : ndarray, dtype=int64, shape=(4, n)
        See `Ends.corners`.
    reaches : ndarray, dtype=float64, shape=(n,)
    least_bp : float
        Smallest gap.
    least_pairs : ndarray, dtype=float64, shape=(n,), optional
        Pairs that are expected across the gap, at least, in units of `InsertSums.n_pairs`: the mean of few fragments
        says little where many insert sizes occur, and a gap that hardly any can span would go with it, too.
    """
    least = np.zeros(len(reaches)) if least_pairs is None else least_pairs
    found = np.empty(len(reaches))
    for start in range(0, len(reaches), _BLOCK):
        block = slice(start, start + _BLOCK)
        low = np.full(len(reaches[block]), least_bp)
        high = (library.longest_bp - corners[0, block] - 1).astype(np.float64)
        for _ in range(_STEPS):
            middle = (low + high) / 2
            means = library.sums.means(corners[:, block], middle)
            too_small = means > reaches[block]  # a larger gap leaves fewer bases; where none spans it, it is too large
            too_small &= library.sums.n_pairs(corners[:, block], middle) >= least[block]
            low, high = np.where(too_small, middle, low), np.where(too_small, high, middle)
        found[block] = (low + high) / 2
    return found


def slopes(library: Library, corners: Longs, gaps: Floats) -> Floats:
    """Compute by how many bases the mean on both sides of gaps falls for each base that a gap is longer.

    It is about 1 for gaps that are short relative to the insert sizes, and less for those that only few fragments span.

    Parameters
    ----------
    library, corners
        See `estimated_gaps`.
    gaps : ndarray, dtype=float64, shape=(n,)
    """
    before, behind = (library.sums.means(corners, gaps + step) for step in (-_SLOPE_BP, _SLOPE_BP))
    found: Floats = np.clip(np.nan_to_num((before - behind) / (2 * _SLOPE_BP), nan=_LEAST_SLOPE), _LEAST_SLOPE, 1.0)
    return found
