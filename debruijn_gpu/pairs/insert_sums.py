"""Sum what the insert sizes of a library make expected of pairs across gaps, many gaps at a time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ends:
    """Ends of pairs of unitigs that gaps separate.

    Attributes
    ----------
    lengths : tuple of ndarray, dtype=int64, shape=(n,)
        Of the unitigs before and behind.
    least : tuple of ndarray, dtype=int64, shape=(n,)
        Bases from the end of the unitig that a mate needs at least, to be placed on it.
    """

    lengths: tuple[Longs, Longs]
    least: tuple[Longs, Longs]

    def corners(self) -> Longs:
        """Compute the numbers of bases on both sides of a gap at which the places of a fragment begin to rise, stop,
        begin to fall, and end; shape (4, n)."""
        (length, other_length), (least, other_least) = self.lengths, self.least
        rises, ends = least + other_least - 1, length + other_length + 1
        one, other = length + other_least, least + other_length
        found = np.stack((rises, np.minimum(one, other), np.maximum(one, other), ends))
        found[:, found[1] <= rises] = 0  # a unitig is too short for any mate
        return found


@dataclass(frozen=True)
class Spanning:
    """Fragments that span gaps, if one begins at each base, and the bases that they have on both sides.

    Attributes
    ----------
    n_pairs : ndarray, dtype=float64, shape=(n,)
    means, spreads : ndarray, dtype=float64, shape=(n,)
        Mean and standard deviation; NaN if none can span.
    """

    n_pairs: Floats
    means: Floats
    spreads: Floats


class InsertSums:
    """Sums over the insert sizes of a library, so that a gap takes the same time whatever their number.

    Between its corners the number of places of a fragment is linear in its size. So it is the sum of four ramps, and
    sums over all sizes follow from those over sizes beyond each corner. All but the share of a base in a gap that is no
    integer is summed in integers.

    Parameters
    ----------
    sizes, numbers : ndarray, dtype=int64, shape=(n_sizes,)
        Ascending insert sizes, and how many pairs have each.
    """

    def __init__(self, sizes: Longs, numbers: Longs) -> None:
        self._total = int(numbers.sum())
        self._centre = int((numbers * sizes).sum()) // self._total  # small numbers are summed from here
        self._longest = int(sizes[-1])
        dense = np.zeros((3, self._longest + 2), np.int64)
        from_centre = sizes - self._centre
        dense[0, sizes] = numbers
        dense[1, sizes] = numbers * from_centre
        dense[2, sizes] = dense[1, sizes] * from_centre
        cubes = np.zeros(self._longest + 2)
        cubes[sizes] = dense[2, sizes] * from_centre.astype(np.float64)
        #: Pairs of this size or a larger one, and the sums of the powers of their distances from the centre
        self._beyond = np.cumsum(dense[:, ::-1], axis=1)[:, ::-1].copy()
        self._cubes_beyond = np.cumsum(cubes[::-1])[::-1].copy()

    def n_pairs(self, corners: Longs, gaps: Floats) -> Floats:
        """Compute the pairs by which gaps are expected to be spanned, for one fragment that begins at each base."""
        return self._moments(corners, gaps, 1)[0] / self._total

    def spanning(self, corners: Longs, gaps: Floats) -> Spanning:
        """Compute what is expected of the fragments that span gaps.

        Only long fragments span a long gap, so their mean is not the mean insert size less the gap.
        """
        some, first, second = self._moments(corners, gaps, 3)
        n_pairs, mean = some / self._total, _ratio(first, some)
        spread = np.sqrt(np.maximum(0.0, _ratio(second, some) - mean * mean))
        return Spanning(n_pairs, mean + (self._centre - gaps), spread)

    def means(self, corners: Longs, gaps: Floats) -> Floats:
        """Compute the mean bases that spanning fragments have on both sides of gaps; NaN if none can span."""
        some, first = self._moments(corners, gaps, 2)
        return _ratio(first, some) + (self._centre - gaps)

    def _moments(self, corners: Longs, gaps: Floats, n_moments: int) -> list[Floats]:
        """Sum over all sizes the number of places, and its products with powers of the distance from the centre."""
        whole = np.floor(gaps).astype(np.int64)
        part = gaps - whole
        corners = corners + whole
        at = np.clip(corners + 1, 0, self._longest + 1)
        corners -= self._centre
        sums = [self._beyond[power].take(at) for power in range(min(3, n_moments + 1))]
        if n_moments == 3:
            sums.append(self._cubes_beyond.take(at))
        found = []
        for lower, upper in pairwise(sums):
            found.append(_signed(upper - corners * lower) - part * _signed(lower))
        return found


def _signed(ramps: NDArray[np.int64 | np.float64]) -> NDArray[np.int64 | np.float64]:
    """Add up ramps, shape (4, n): two that rise and, between them, two that fall."""
    total: NDArray[np.int64 | np.float64] = ramps[0] - ramps[1] - ramps[2] + ramps[3]
    return total


def _ratio(numerators: Floats, denominators: Floats) -> Floats:
    """Divide; NaN where the denominator is not positive."""
    ratios: Floats = np.full(len(denominators), np.nan)
    np.divide(numerators, denominators, out=ratios, where=denominators > 0)
    return ratios
