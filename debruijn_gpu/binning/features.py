"""Features of contigs for binning: composition and depths, in units of their own noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.binning.composition import Windows, count_canonical, cut_windows, log_ratios
from debruijn_gpu.binning.fixed_point import LOG_BITS, Floats, log2_of

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import VectorBackend

Longs = NDArray[np.int64]

#: Pairs of neighbouring windows from which the noise of the composition is measured
_LEAST_PAIRS = 30
#: Depths of contigs of one genome differ by a factor of 2^(1/8): copies near the origin, GC content, repeats
_DEPTHS_PER_DOUBLING = 8
_DEPTH_UNIT = 1 << 8
_LEAST_DEPTH = 1 << 6  # a quarter, added to each depth, so that 0 has a logarithm
_SQUARE_SHIFT = 8  # so that sums of squares fit into 64 bits


@dataclass(frozen=True)
class Contigs:
    """Contigs to be binned.

    Attributes
    ----------
    names : list of str
    codes : ndarray, dtype=uint8
        Bases of all contigs one after another: 0 to 3, or 4 for ambiguous ones.
    offsets : ndarray, dtype=int64, shape=(n + 1,)
    depths : ndarray, dtype=float64, shape=(n, n_samples)
    """

    names: list[str]
    codes: NDArray[np.uint8]
    offsets: Longs
    depths: Floats

    def __len__(self) -> int:
        return len(self.names)

    @property
    def lengths(self) -> Longs:
        """Bases of each contig."""
        return np.diff(self.offsets)


@dataclass(frozen=True)
class Features:
    """Features of windows, and of whole contigs.

    Attributes
    ----------
    windows : Windows
        Of the contigs that shape the map.
    of_windows : ndarray, dtype=float64, shape=(n_windows, d)
    contigs : ndarray, dtype=int64, shape=(n,)
        Contigs that are assigned, ascending.
    of_contigs : ndarray, dtype=float64, shape=(n, d)
    """

    windows: Windows
    of_windows: Floats
    contigs: Longs
    of_contigs: Floats


def compute_features(
    contigs: Contigs, shaping: Longs, assigned: Longs, window_bp: int, backend: VectorBackend
) -> Features:
    """Compute the features of windows of the contigs that shape the map, and of all that are assigned.

    Each logarithm of a frequency is divided by its noise: the standard deviation between neighbouring windows of one
    contig; or, of fewer than 30 such pairs, that of a Poisson distribution of the mean count.
    """
    windows = cut_windows(contigs.offsets, shaping, window_bp)
    counts = count_canonical(contigs.codes, windows, backend)
    ratios = log_ratios(counts)
    noise = _noise(ratios, counts, windows)
    whole = Windows(assigned, contigs.offsets[assigned], contigs.offsets[assigned + 1])
    whole_ratios = log_ratios(count_canonical(contigs.codes, whole, backend))
    depths = _depth_features(contigs.depths)
    return Features(
        windows,
        np.column_stack([_divided(ratios, noise), depths[windows.contigs]]),
        assigned,
        np.column_stack([_divided(whole_ratios, noise), depths[assigned]]),
    )


def _divided(ratios: Longs, noise: Floats) -> Floats:
    """Ratios in units of their noise; 0 where there is no noise."""
    return np.divide(ratios, noise, out=np.zeros(ratios.shape), where=noise > 0)


def _noise(ratios: Longs, counts: Longs, windows: Windows) -> Floats:
    """Standard deviation of each column within contigs, in the unit of the ratios."""
    is_pair = windows.contigs[1:] == windows.contigs[:-1]
    n_pairs = int(is_pair.sum())
    if n_pairs >= _LEAST_PAIRS:
        gaps = np.abs(ratios[1:][is_pair] - ratios[:-1][is_pair])
        squares = ((gaps * gaps) >> _SQUARE_SHIFT).sum(axis=0)
        return np.asarray(np.sqrt(squares * ((1 << _SQUARE_SHIFT) / (2 * n_pairs))), np.float64)
    # Of a count c, the natural logarithm has the variance 1 / c.
    means = (counts.sum(axis=0) + 0.5 * len(counts)) / len(counts)
    return np.asarray(np.sqrt(_NATURAL_SQUARE / means), np.float64)


_NATURAL_SQUARE = (1 << 2 * LOG_BITS) * 2.0813689810056077  # 1 / ln(2)^2: of binary logarithms in their unit


def _depth_features(depths: Floats) -> Floats:
    """Binary logarithms of depths, in eighths."""
    most = float(1 << 40)
    whole = np.rint(np.minimum(depths, most) * _DEPTH_UNIT).astype(np.int64)
    return np.asarray(log2_of(whole + _LEAST_DEPTH) * (_DEPTHS_PER_DOUBLING / (1 << LOG_BITS)), np.float64)
