"""Estimate by how much the depth of single-copy sequence varies from place to place, beyond chance."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.unitigs.sizes import COVER_BIN_BP
from debruijn_gpu.pairs.agreement import Agreement
from debruijn_gpu.pairs.copies import CopyNumbers

#: Bases of a window, and windows, at least and at most
_WINDOW_BP, _LEAST_WINDOWS, _MOST_WINDOWS = 512, 8, 20_000
#: Standard deviations in a median absolute deviation (normal distribution)
_MAD = 1.4826


def depth_spread(
    agreement: Agreement | None,
    lengths: NDArray[np.int64],
    copies: CopyNumbers,
    k: int,
    read_bp: int,
    insert_bp: float = math.inf,
) -> float:
    """Estimate the standard deviation of the depth of windows of single-copy sequence, as a part of the depth.

    What chance makes of fragments that begin anywhere (Poisson) is taken off. Infinite if there are few windows, or
    reads were not compared with unitigs.

    Parameters
    ----------
    agreement : Agreement or None
    lengths : ndarray, dtype=int64, shape=(n_unitigs,)
    copies : CopyNumbers
    k : int
    read_bp : int
        Length of a typical read.
    insert_bp : float
        Typical insert size; infinite without pairs.
    """
    if agreement is None:
        return math.inf
    edge_bp, n_bins = k + read_bp, _WINDOW_BP // COVER_BIN_BP
    offsets = np.append(0, np.cumsum(lengths))
    firsts = -(-(offsets[:-1] + edge_bp) // COVER_BIN_BP)
    n_windows = ((offsets[1:] - edge_bp) // COVER_BIN_BP - firsts) // n_bins
    n_windows = np.where(copies.is_single, np.maximum(0, n_windows), 0)
    total = int(n_windows.sum())
    if total < _LEAST_WINDOWS:
        return math.inf
    chosen = np.arange(0, total, -(-total // _MOST_WINDOWS))
    ends = np.cumsum(n_windows)
    unitigs = np.searchsorted(ends, chosen, "right")
    starts = firsts[unitigs] + (chosen - ends[unitigs] + n_windows[unitigs]) * n_bins
    depths = agreement.cover[starts[:, None] + np.arange(n_bins)].mean(axis=1) / copies.shares[unitigs]
    typical = float(np.median(depths))
    if typical <= 0.0:
        return math.inf
    spread = _MAD * float(np.median(np.abs(depths - typical))) / typical
    by_chance = _by_chance(typical, max(1, read_bp - 2 * agreement.margin_bp), insert_bp - read_bp)
    return math.sqrt(max(0.0, spread**2 - by_chance))


def _by_chance(depth: float, covered_bp: int, apart_bp: float) -> float:
    """Compute the variance of the depth of a window by chance, as a part of its square.

    Reads cover so many bases. Mates that begin so many bases apart may be in one window.
    """
    shorter, longer = sorted((covered_bp, _WINDOW_BP))
    of_both = 1.0 + min(1.0, max(0.0, 1.0 - apart_bp / _WINDOW_BP))
    return of_both * (longer - shorter / 3) * covered_bp / (depth * longer**2)
