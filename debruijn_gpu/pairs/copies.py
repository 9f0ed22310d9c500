"""Tell unitigs of single-copy sequence from those of repeats, by the number of reads that begin in them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.placed_reads import END_BP

Longs = NDArray[np.int64]

#: Unitigs of this length and more show how many reads begin at a base of single-copy sequence.
_LONG_BP = 2_000
#: Odds, as a logarithm, that a unitig has two copies rather than one: below the negative it is taken for single-copy,
#: above for a repeat, and in between it is neither.
_SURE = 2.0


@dataclass(frozen=True)
class CopyNumbers:
    """Copy numbers of unitigs.

    Attributes
    ----------
    rate : float
        Reads that begin at a base of single-copy sequence.
    copies : ndarray, dtype=float64, shape=(n,)
    is_single, is_repeat : ndarray, dtype=bool, shape=(n,)
        Whether that is certain.
    """

    rate: float
    copies: NDArray[np.float64]
    is_single: NDArray[np.bool_]
    is_repeat: NDArray[np.bool_]

    def of(self, unitigs: Longs) -> CopyNumbers:
        """The same for unitigs by number, which may repeat."""
        return CopyNumbers(self.rate, self.copies[unitigs], self.is_single[unitigs], self.is_repeat[unitigs])

    def extended(self, n: int) -> CopyNumbers:
        """The same for n unitigs; further ones are single-copy."""
        more = n - len(self.copies)
        return CopyNumbers(
            self.rate,
            np.append(self.copies, np.ones(more)),
            np.append(self.is_single, np.ones(more, np.bool_)),
            np.append(self.is_repeat, np.zeros(more, np.bool_)),
        )


def estimate_copies(
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    depths: NDArray[np.float64],
    n_open: NDArray[np.int64],
    k: int,
    anchor_bp: int,
) -> CopyNumbers:
    """Estimate the copy number of unitigs by reads, or by k-mers where they have no anchor.

    Reads that enter a unitig from a neighbour have an anchor there before; those that begin in the bases that it shares
    with a neighbour have their first one within.

    Parameters
    ----------
    starts : ndarray, dtype=int64, shape=(n,)
        Reads whose first anchor is on the unitig.
    lengths : ndarray, dtype=int64, shape=(n,)
    depths : ndarray, dtype=float64, shape=(n,)
        k-mer depths.
    n_open : ndarray, dtype=int64, shape=(n,)
        Ends, of two, that lead on to other unitigs and share k - 1 bases with them, where no read has an anchor.
    k, anchor_bp : int
        Length of the k-mers of the graph, and of those by which reads are placed.
    """
    room = np.maximum(1, lengths - anchor_bp + 1 - (k - anchor_bp) * n_open // 2)
    has_anchors = lengths - anchor_bp + 1 > (k - anchor_bp + 1) * n_open
    long = has_anchors & (lengths >= min(_LONG_BP, int(np.median(lengths))))
    rate = max(1e-9, _middle(starts[long] / room[long], room[long]))
    expected = rate * room
    odds = starts * math.log(2.0) - expected
    by_depth = depths / max(1e-9, _middle(depths[long], room[long]))
    return CopyNumbers(
        rate,
        np.where(has_anchors, starts / expected, by_depth),
        has_anchors & (odds < -_SURE),
        has_anchors & (odds > _SURE),
    )


def end_odds(end_starts: Longs, lengths: Longs, k: int, rate: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the odds, as a logarithm, that a vertex ends in two copies rather than one.

    Where copies of a repeat differ by little, cleaning leaves one sequence of them, which may begin at the end of a
    single-copy unitig.

    Parameters
    ----------
    end_starts : ndarray, dtype=int64, shape=(n_vertices,)
        See `PlacedReads`.
    lengths : ndarray, dtype=int64, shape=(n_vertices,)
    k : int
    rate : float or ndarray of float64, shape=(n_vertices,)
        See `CopyNumbers`; half of these reads run along a vertex.

    Returns
    -------
    ndarray, dtype=float64, shape=(n_vertices,)
        0 where a vertex is too short.
    """
    odds = end_starts * math.log(2.0) - rate / 2 * END_BP
    return np.where(lengths >= k + END_BP, odds, 0.0)


def _middle(values: NDArray[np.float64], weights: NDArray[np.int64]) -> float:
    """Return the weighted median; 0 of nothing."""
    if not len(values):
        return 0.0
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(upto, int(upto[-1]) // 2)])
