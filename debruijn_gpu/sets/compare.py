"""Similarity of sets of k-mers: Jaccard index, containment, Mash distance, and average nucleotide identity (ANI).

All are computed from numbers of shared k-mers with decimal arithmetic, whose logarithms and roots are exact to the last
digit on every machine. The Mash distance is that of Ondov et al. (2016), the ANI is estimated from the containment of
the smaller set (Koslicki and Zabeti 2019): a mutation rate of d leaves (1 - d)^k of the k-mers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal

import numpy as np
from numpy.typing import NDArray

MEASURES = ("jaccard", "containment", "mash", "ani", "shared")
PAIR_COLUMNS = ("a", "b", "kmers_a", "kmers_b", "shared", "jaccard", "containment_a", "containment_b", "mash", "ani")

_EXACT = Context(prec=30, rounding=ROUND_HALF_EVEN)
_DECIMALS = Decimal("0.000001")


@dataclass(frozen=True)
class Comparison:
    """Numbers of k-mers that each two sets share.

    Attributes
    ----------
    names : tuple of str
    k : int
    shared : ndarray, dtype=int64, shape=(n, n)
        With the sizes of the sets in the diagonal.
    """

    names: tuple[str, ...]
    k: int
    shared: NDArray[np.int64]

    def value(self, measure: str, i: int, j: int) -> Decimal:
        """Compute a measure of two sets, to six decimals.

        Parameters
        ----------
        measure : str
            One of `MEASURES`; ``containment`` is the share of the k-mers of set i that are in set j.
        i, j : int
        """
        both, one, other = int(self.shared[i, j]), int(self.shared[i, i]), int(self.shared[j, j])
        if measure == "shared":
            return Decimal(both)
        if measure == "containment":
            return _rounded(_ratio(both, one))
        jaccard = _ratio(both, one + other - both)
        if measure == "jaccard":
            return _rounded(jaccard)
        if measure == "mash":
            return _rounded(self._mash(jaccard))
        return _rounded(self._ani(_ratio(both, min(one, other))))

    def matrix(self, measure: str) -> list[list[Decimal]]:
        """Compute a measure of all pairs."""
        n = len(self.names)
        return [[self.value(measure, i, j) for j in range(n)] for i in range(n)]

    def pairs(self) -> Iterator[tuple[str, ...]]:
        """Yield the cells of `PAIR_COLUMNS` for each pair of different sets."""
        for i, first in enumerate(self.names):
            for j in range(i + 1, len(self.names)):
                sizes = self.shared[i, i], self.shared[j, j], self.shared[i, j]
                values = (
                    self.value("jaccard", i, j),
                    self.value("containment", i, j),
                    self.value("containment", j, i),
                    self.value("mash", i, j),
                    self.value("ani", i, j),
                )
                yield (first, self.names[j], *map(str, sizes), *(f"{value:f}" for value in values))

    def _mash(self, jaccard: Decimal) -> Decimal:
        if not jaccard:
            return Decimal(1)
        share = _EXACT.divide(2 * jaccard, 1 + jaccard)
        return min(Decimal(1), max(Decimal(0), _EXACT.divide(-_EXACT.ln(share), Decimal(self.k))))

    def _ani(self, containment: Decimal) -> Decimal:
        if not containment:
            return Decimal(0)
        return _EXACT.exp(_EXACT.divide(_EXACT.ln(containment), Decimal(self.k)))


def _ratio(part: int, whole: int) -> Decimal:
    """A ratio; of nothing to nothing it is 0."""
    return _EXACT.divide(Decimal(part), Decimal(whole)) if whole else Decimal(0)


def _rounded(value: Decimal) -> Decimal:
    return value.quantize(_DECIMALS, ROUND_HALF_EVEN)
