"""The insert sizes of a paired library, and what they make expected of pairs across a gap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.insert_counts import LEAST_PAIRS, InsertCounts, deviation, quantile

Longs = NDArray[np.int64]

#: Insert sizes further than so many deviations from the median are those of chimeras.
_MOST_DEVIATIONS, _SLACK_BP = 6, 10
_STEPS = 40  # of a bisection


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
    shares : ndarray, dtype=float64, shape=(n,)
        Share of the pairs that has each.
    mean_bp, spread_bp : float
        Mean and standard deviation.
    """

    number: int
    orientation: str
    sizes: Longs
    shares: NDArray[np.float64]
    mean_bp: float
    spread_bp: float

    @property
    def longest_bp(self) -> int:
        return int(self.sizes[-1])


@dataclass(frozen=True)
class Ends:
    """Ends of two unitigs that a gap separates.

    Attributes
    ----------
    lengths : tuple of int
        Of both unitigs.
    least : tuple of int
        Bases from the end of the unitig that a mate needs at least, to be placed on it.
    """

    lengths: tuple[int, int]
    least: tuple[int, int]


def library_of(number: int, counts: InsertCounts) -> Library | None:
    """Describe a library by its pairs within unitigs, if there are enough of them in one orientation."""
    orientation = counts.orientation()
    numbers = counts.sizes(orientation)
    if int(numbers.sum()) < LEAST_PAIRS or counts.is_random():
        return None
    median = quantile(numbers, 1, 2)
    spread = deviation(numbers, median)
    sizes = np.flatnonzero(numbers)
    sizes = sizes[np.abs(sizes - median) <= _MOST_DEVIATIONS * spread + _SLACK_BP]
    weights = numbers[sizes]
    total = int(weights.sum())
    mean = int((weights * sizes).sum()) / total
    variance = float((weights * (sizes - mean) ** 2).sum()) / total
    return Library(number, orientation, sizes, weights / total, mean, variance**0.5)


def placements(library: Library, ends: Ends, gap_bp: float) -> NDArray[np.float64]:
    """Count for each insert size the places of fragments with one mate on each side of a gap, shape (n,)."""
    (length, other_length), (least, other_least) = ends.lengths, ends.least
    reach = library.sizes - gap_bp
    found: NDArray[np.float64] = np.maximum(
        0.0, np.minimum(length, reach - other_least) - np.maximum(least, reach - other_length) + 1
    )
    return found


def expected_pairs(library: Library, ends: Ends, gap_bp: float) -> float:
    """Compute the pairs that a gap is expected to be spanned by, for one fragment that begins at each base."""
    return float((placements(library, ends, gap_bp) * library.shares).sum())


def expected_reach(library: Library, ends: Ends, gap_bp: float) -> tuple[float, float]:
    """Compute mean and standard deviation of the bases that spanning fragments have on both sides of a gap.

    Only long fragments span a long gap, so this is not the mean insert size less the gap. NaN if none can.
    """
    weights = placements(library, ends, gap_bp) * library.shares
    total = float(weights.sum())
    if total <= 0:
        return float("nan"), float("nan")
    reach = library.sizes - gap_bp
    mean = float((weights * reach).sum()) / total
    return mean, max(0.0, float((weights * (reach - mean) ** 2).sum()) / total) ** 0.5


def estimated_gap(library: Library, ends: Ends, reach_bp: float, least_bp: float) -> float:
    """Estimate the gap between unitigs from the mean number of bases that spanning fragments have on both sides.

    Source: the estimate of maximum likelihood, as in Sahlin et al., Bioinformatics 28 (2012) 2215 (GapEst).
    """
    low, high = least_bp, float(library.longest_bp - sum(ends.least))
    for _ in range(_STEPS):
        middle = (low + high) / 2
        mean, _deviation = expected_reach(library, ends, middle)
        if mean > reach_bp:  # a larger gap leaves fewer bases; where none spans it, it is too large
            low = middle
        else:
            high = middle
    return (low + high) / 2
