"""Bin contigs into genomes: a self-organizing map of their features, cut along the ridges of its U-matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.binning.basins import merge_by_contigs
from debruijn_gpu.binning.features import Contigs, Features, compute_features
from debruijn_gpu.binning.fixed_point import fixed_point_of
from debruijn_gpu.binning.options import BinOptions, SomOptions
from debruijn_gpu.binning.training import distance_of, train
from debruijn_gpu.binning.u_matrix import heights, neighbours
from debruijn_gpu.binning.watershed import watershed
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import VectorBackend

Longs = NDArray[np.int64]

#: Bin of contigs that are in none
UNBINNED = 0
_LEAST_SIDE, _MOST_SIDE = 6, 400
_UNITS_PER_WINDOW = 2
_SHORTEST_WINDOW_BP, _LONGEST_WINDOW_BP, _WANTED_WINDOWS = 2000, 5000, 400
#: A ridge is as high over the shallower of its basins as this part of the median height, or it is none
_RIDGE_PART = 4


@dataclass(frozen=True)
class Binning:
    """Bins of contigs, and the map they were cut from.

    Attributes
    ----------
    bins : ndarray, dtype=int64, shape=(n,)
        Bin of each contig, 1 the largest; `UNBINNED` for those in none.
    units : ndarray, dtype=int64, shape=(n,)
        Best matching unit of each contig; -1 for contigs that are too short.
    heights : ndarray, dtype=int64, shape=(rows, columns)
        U-matrix, in integers.
    unit_bins : ndarray, dtype=int64, shape=(rows, columns)
        Bin of each unit.
    n_windows : int
        Windows that the map was trained with.
    """

    bins: Longs
    units: Longs
    heights: Longs
    unit_bins: Longs
    n_windows: int

    @property
    def n_bins(self) -> int:
        """Number of bins."""
        return int(self.bins.max(initial=0))


def bin_contigs(contigs: Contigs, options: BinOptions, backend: VectorBackend) -> Binning:
    """Bin contigs by composition and depths.

    The map is trained with windows of the contigs of at least ``min_length``, and its U-matrix is cut into basins by
    watershed; basins that contigs connect are merged. A contig of several windows belongs to the basin of most of them,
    a shorter one to that of its best matching unit.

    Raises
    ------
    ParameterError
        If no contig is long enough.
    """
    lengths = contigs.lengths
    shaping = np.flatnonzero(lengths >= options.min_length)
    if not len(shaping):
        longest = int(lengths.max(initial=0))
        raise ParameterError(
            f"no contig of at least {options.min_length:,} bases; the longest has {longest:,}",
            "assemble more reads, or lower --min-length",
        )
    assigned = np.flatnonzero(lengths >= min(options.min_length, options.min_assigned))
    with log.stage("compute features", len(assigned), "contigs"):
        window_bp = options.window or _window_bp(int(lengths[shaping].sum()), contigs.depths.shape[1] > 0)
        features = compute_features(contigs, shaping, assigned, window_bp, backend)
    return _cut(contigs, features, _map_options(options, len(features.windows)), options, backend)


def _window_bp(n_bases: int, has_depths: bool) -> int:
    """Choose the size of windows: shorter ones for few bases, if depths make up for the noise of their composition."""
    if not has_depths:
        return _LONGEST_WINDOW_BP
    return min(_LONGEST_WINDOW_BP, max(_SHORTEST_WINDOW_BP, n_bases // _WANTED_WINDOWS))


def _map_options(options: BinOptions, n_windows: int) -> SomOptions:
    """Choose the size of the map: two units for each window, in a square."""
    side = math.isqrt(_UNITS_PER_WINDOW * n_windows - 1) + 1
    side = min(_MOST_SIDE, max(_LEAST_SIDE, side))
    rows, columns = options.map_size or (side, side)
    return SomOptions(rows=rows, columns=columns, distance=options.distance, epochs=options.epochs, seed=options.seed)


def _cut(contigs: Contigs, features: Features, som: SomOptions, options: BinOptions, backend: VectorBackend) -> Binning:
    """Train the map, and cut it into bins."""
    fixed = fixed_point_of(np.concatenate([features.of_windows, features.of_contigs]), som.scale)
    vectors = fixed.encode(features.of_windows)
    weights = train(vectors, fixed.bits, som, backend)
    levels = heights(weights, som)
    basins = watershed(levels.ravel(), neighbours(som), int(np.median(levels)) // _RIDGE_PART)

    def match(rows: NDArray[np.int32]) -> Longs:
        on_device = backend.to_device(rows), backend.to_device(weights)
        units, _distances = backend.vectors.best_matching_units(*on_device, distance_of(som))
        return np.asarray(backend.to_host(units), np.int64)

    of_windows = basins[match(vectors)]
    merged = merge_by_contigs(of_windows, features.windows.contigs)
    basins = np.array([merged.get(basin, basin) for basin in basins.tolist()], np.int64)
    of_windows = np.array([merged.get(basin, basin) for basin in of_windows.tolist()], np.int64)
    units = np.full(len(contigs), -1, np.int64)
    units[features.contigs] = match(fixed.encode(features.of_contigs))
    of_contigs = np.where(units >= 0, basins[units], -1)
    _assign_by_windows(of_contigs, of_windows, features.windows.contigs)
    numbers = _numbers(of_contigs, contigs.lengths, options.min_bin)
    shape = levels.shape
    unit_bins = np.array([numbers.get(basin, UNBINNED) for basin in basins.tolist()], np.int64).reshape(shape)
    bins = np.array([numbers.get(basin, UNBINNED) for basin in of_contigs.tolist()], np.int64)
    return Binning(bins, units, levels, unit_bins, len(vectors))


def _assign_by_windows(of_contigs: Longs, of_windows: Longs, contigs: Longs) -> None:
    """Assign each contig to the basin of most of its windows, the lowest of equal ones."""
    pairs, numbers = np.unique(np.stack([contigs, of_windows]), axis=1, return_counts=True)
    order = np.lexsort((pairs[1], -numbers, pairs[0]))
    owners = pairs[0][order]
    first = np.concatenate([[True], owners[1:] != owners[:-1]])
    of_contigs[owners[first]] = pairs[1][order][first]


def _numbers(of_contigs: Longs, lengths: Longs, least_bp: int) -> dict[int, int]:
    """Number the basins from the one of most bases on; those of fewer than ``least_bp`` get none."""
    is_assigned = of_contigs >= 0
    names, place = np.unique(of_contigs[is_assigned], return_inverse=True)
    sizes = np.zeros(len(names), np.int64)
    np.add.at(sizes, place, lengths[is_assigned])
    order = [i for i in np.lexsort((names, -sizes)).tolist() if sizes[i] >= max(1, least_bp)]
    return {int(names[i]): number for number, i in enumerate(order, 1)}
