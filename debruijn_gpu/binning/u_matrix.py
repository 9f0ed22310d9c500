"""U-matrix of a map: how far the weights of each unit are from those of its neighbours (Ultsch and Siemon 1990)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.binning.options import SomOptions

#: Fractional bits of the heights
HEIGHT_BITS = 4


def neighbours(options: SomOptions) -> NDArray[np.int64]:
    """Return the units beside each unit, shape=(n_units, 4): above, below, left and right; -1 where there is none."""
    units = np.arange(options.n_units, dtype=np.int64).reshape(options.rows, options.columns)
    beside = [_shifted(units, step, axis, options.is_torus).ravel() for axis in (0, 1) for step in (1, -1)]
    return np.stack(beside, axis=1)


def _shifted(units: NDArray[np.int64], step: int, axis: int, is_torus: bool) -> NDArray[np.int64]:
    """Unit beside each one in a direction."""
    length = units.shape[axis]
    beside = np.roll(units, step, axis)
    if length == 1 or (length == 2 and is_torus and step < 0):  # no neighbour, or the one of the other direction
        return np.full_like(units, -1)
    if not is_torus:
        edge = [slice(None), slice(None)]
        edge[axis] = slice(0, 1) if step > 0 else slice(length - 1, length)
        beside[tuple(edge)] = -1
    return beside


def heights(weights: NDArray[np.int32], options: SomOptions) -> NDArray[np.int64]:
    """Compute the mean distance of each unit to its neighbours, in units of 2^-HEIGHT_BITS.

    Parameters
    ----------
    weights : ndarray, dtype=int32, shape=(n_units, d)
    options : SomOptions

    Returns
    -------
    ndarray, dtype=int64, shape=(rows, columns)
    """
    total, number = np.zeros(options.n_units, np.int64), np.zeros(options.n_units, np.int64)
    for distances, is_there in _distances_beside(weights, options):
        total += np.where(is_there, distances, 0)
        number += is_there
    found: NDArray[np.int64] = (total + number // 2) // np.maximum(number, 1)
    return found.reshape(options.rows, options.columns)


def _distances_beside(
    weights: NDArray[np.int32], options: SomOptions
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Distance of each unit to its neighbour in each direction, and whether there is one."""
    wide = weights.astype(np.int64)
    for beside in neighbours(options).T:
        gaps = np.abs(wide - wide[np.maximum(beside, 0)])
        if options.distance == "taxicab":
            distances = gaps.sum(axis=1) << HEIGHT_BITS
        else:  # the square root of an integer below 2^53 is rounded alike everywhere
            distances = np.rint(np.sqrt((gaps * gaps).sum(axis=1)) * (1 << HEIGHT_BITS)).astype(np.int64)
        yield distances, beside >= 0
