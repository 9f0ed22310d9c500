"""Measure the depths of windows of single-copy sequence, by their GC: how depth varies from place to place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import packed_codes
from debruijn_gpu.assembly.intervals import bases_at
from debruijn_gpu.assembly.unitig_graph import PackedSequences
from debruijn_gpu.backends.unitigs.sizes import COVER_BIN_BP
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.placed_reads import PlacedReads

Floats = NDArray[np.float64]

#: Bases of a window; windows of all sequence at least and at most, and those of similar GC at least
_WINDOW_BP, _LEAST_WINDOWS, _MOST_WINDOWS, _LEAST_SIMILAR = 512, 32, 4_096, 16
#: Difference in GC of similar sequence
_SIMILAR_GC = 0.03
#: Standard deviations in a median absolute deviation (normal distribution)
_MAD = 1.4826


@dataclass(frozen=True)
class WindowDepths:
    """Depths of windows of single-copy sequence.

    Attributes
    ----------
    sequences : PackedSequences
        Of the unitigs, in NumPy arrays.
    gc : ndarray, dtype=float64, shape=(n,)
        Share of G and C of each window.
    depths : ndarray, dtype=float64, shape=(n,)
        Relative to those of their genome, and to the median of all.
    by_chance : float
        Variance of a depth of 1 that chance makes of fragments that begin anywhere (Poisson).
    """

    sequences: PackedSequences
    gc: Floats
    depths: Floats
    by_chance: float

    @cached_property
    def spread(self) -> float:
        """Standard deviation of all, without what chance makes; infinite if there are few windows."""
        return self._spread(self.depths) if len(self.depths) >= _LEAST_WINDOWS else math.inf

    @cached_property
    def _typical_gc(self) -> float:
        return float(np.median(self.gc))

    def typical(self, unitigs: Sequence[int], n_bases: float) -> float | None:
        """Return the median depth of windows with the GC of some unitigs; None if few windows have it.

        Libraries have less of sequence with much or little GC.

        Parameters
        ----------
        unitigs : sequence of int
        n_bases : float
            That they have in all copies. Where these are few, as many around them count as a window has.
        """
        near = self._near(unitigs, n_bases)
        return float(np.median(near)) if len(near) >= _LEAST_SIMILAR else None

    def range_of(
        self, unitigs: Sequence[int], n_bases: float, depth_beside: float, least_off: float, n_spreads: float
    ) -> tuple[float, float]:
        """Return the least and the most depth that some unitigs of one copy may have.

        Parameters
        ----------
        unitigs, n_bases
            See `typical`.
        depth_beside : float
            Of single-copy sequence beside them.
        least_off, n_spreads : float
            Part by which depths may differ at least, and standard deviations by which they may.

        Returns
        -------
        float, float
            0 and infinity if nothing is known.
        """
        near = self._near(unitigs, n_bases)
        if len(near) < _LEAST_SIMILAR or self.spread == math.inf:
            return 0.0, math.inf
        off = max(least_off, n_spreads * max(self.spread, self._spread(near)))
        depths = 1.0, depth_beside, float(np.median(near))
        return max(0.0, 1.0 - off) * min(depths), (1.0 + off) * max(depths)

    def _near(self, unitigs: Sequence[int], n_bases: float) -> Floats:
        """Depths of the windows whose GC is that of some unitigs."""
        if not len(self.gc):
            return self.depths
        offsets, bases = self.sequences.offsets, self.sequences.bases
        codes = [packed_codes(bases, int(offsets[one]), int(offsets[one + 1])) for one in unitigs]
        own = min(1.0, n_bases / _WINDOW_BP)
        gc = own * float(_is_gc(np.concatenate(codes)).mean()) + (1.0 - own) * self._typical_gc
        return self.depths[np.abs(self.gc - gc) <= _SIMILAR_GC]

    def _spread(self, depths: Floats) -> float:
        """Standard deviation as a part of the median; fewer reads vary more by chance."""
        typical = float(np.median(depths))
        if typical <= 0.0:
            return math.inf
        variance = (_MAD * float(np.median(np.abs(depths - typical))) / typical) ** 2
        return math.sqrt(max(0.0, variance - self.by_chance / typical))


def window_depths(
    placed: PlacedReads, sequences: PackedSequences, copies: CopyNumbers, k: int, libraries: Sequence[Library]
) -> WindowDepths:
    """Measure the depths of windows of single-copy unitigs where reads agree with these.

    Parameters
    ----------
    placed : PlacedReads
        Without an agreement there are no windows.
    sequences : PackedSequences
        Of the unitigs, in NumPy arrays.
    copies : CopyNumbers
    k : int
    libraries : sequence of Library
        Whose pairs are used.
    """
    agreement, offsets, read_bp = placed.agreement, sequences.offsets, placed.mean_bp
    if agreement is None:
        return WindowDepths(sequences, np.empty(0), np.empty(0), 0.0)
    unitigs, bins = _windows(offsets, copies.is_single, k + read_bp)
    depths = agreement.cover[bins[:, None] + np.arange(_WINDOW_BP // COVER_BIN_BP)].mean(axis=1)
    depths = depths / copies.shares[unitigs]
    typical = float(np.median(depths)) if len(depths) else 0.0
    if typical <= 0.0:
        return WindowDepths(sequences, np.empty(0), np.empty(0), 0.0)
    gc = _is_gc(bases_at(sequences.bases, COVER_BIN_BP * bins[:, None] + np.arange(_WINDOW_BP))).mean(axis=1)
    by_chance = _by_chance(typical, max(1, read_bp - 2 * agreement.margin_bp))
    return WindowDepths(sequences, gc, depths / typical, _of_mates(placed, libraries) * by_chance)


def _windows(
    offsets: NDArray[np.int64], is_single: NDArray[np.bool_], edge_bp: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List windows within single-copy unitigs, without their ends: unitig, and first bin of cover."""
    n_bins = _WINDOW_BP // COVER_BIN_BP
    firsts = -(-(offsets[:-1] + edge_bp) // COVER_BIN_BP)
    n_windows = np.maximum(0, (offsets[1:] - edge_bp) // COVER_BIN_BP - firsts) // n_bins * is_single
    total = int(n_windows.sum())
    chosen = np.arange(0, total, max(1, -(-total // _MOST_WINDOWS)))
    stops = np.cumsum(n_windows)
    unitigs = np.searchsorted(stops, chosen, "right")
    return unitigs, firsts[unitigs] + (chosen - stops[unitigs] + n_windows[unitigs]) * n_bins


def _is_gc(codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether two-bit codes are of C or G."""
    found: NDArray[np.bool_] = (codes == 1) | (codes == 2)
    return found


def _by_chance(depth: float, covered_bp: int) -> float:
    """Compute the variance of the depth of a window by chance, as a part of its square."""
    shorter, longer = sorted((covered_bp, _WINDOW_BP))
    return (longer - shorter / 3) * covered_bp / (depth * longer**2)


def _of_mates(placed: PlacedReads, libraries: Sequence[Library]) -> float:
    """Compute by how much that variance is greater as mates may be in one window."""
    more = 0.0
    for library in libraries:
        share = 2 * placed.libraries[library.number].n_pairs / max(1, placed.n_reads)
        more += share * min(1.0, max(0.0, 1.0 - (library.mean_bp - placed.mean_bp) / _WINDOW_BP))
    return 1.0 + min(1.0, more)
