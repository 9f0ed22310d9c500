"""Find best matching units; see `VectorOperations`.

Scores of all units are computed in single precision, twice as fast as in double: with their greatest error they say
which tiles of units may hold the nearest one, most often one tile. There, scores are exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel, lenient_kernel
from debruijn_gpu.backends.vectors.protocol import Distance

_UNITS = 256  # of a tile, whose scores stay in the L1 cache
_TOGETHER = 4  # vectors, and components, of one pass over a tile
_LANES = _UNITS // 4  # minima that are computed side by side
_NEVER = 2.0**60  # score of the units that fill the last tile
_ROUNDING = 2.0**-24  # greatest relative error of an operation in single precision


@kernel
def _fill_tiles(weights, first, last, is_euclid, tiles, bases):
    """Copy the weights of units to tiles, component by component.

    Parameters
    ----------
    weights : in, int32 (n_units, d)
    first, last : int64; tiles to fill
    is_euclid : bool
    tiles : out, float32 (n_tiles, components, _UNITS); components are d, up to a multiple of _TOGETHER, filled with 0
    bases : out, float64 (n_tiles, _UNITS); |w|^2, or 0 for the taxicab distance
    """
    n_units, d = weights.shape
    for tile in range(first, last):
        for lane in range(_UNITS):
            unit = tile * _UNITS + lane
            base = 0.0
            for k in range(tiles.shape[1]):
                value = np.float64(weights[unit, k]) if unit < n_units and k < d else 0.0
                tiles[tile, k, lane] = value
                base += value * value
            bases[tile, lane] = _NEVER if unit >= n_units else base if is_euclid else 0.0


@lenient_kernel
def _score_euclid(tile, k, x, scores):
    """Subtract 2 x w of four components from the scores of four vectors.

    Parameters
    ----------
    tile : in, float32 (components * _UNITS,)
    k : int64; first component
    x : in, float32 (4, components); the vectors, times two
    scores : in and out, float32 (4 * _UNITS,)
    """
    a0, a1, a2, a3 = x[0, k], x[0, k + 1], x[0, k + 2], x[0, k + 3]
    b0, b1, b2, b3 = x[1, k], x[1, k + 1], x[1, k + 2], x[1, k + 3]
    c0, c1, c2, c3 = x[2, k], x[2, k + 1], x[2, k + 2], x[2, k + 3]
    d0, d1, d2, d3 = x[3, k], x[3, k + 1], x[3, k + 2], x[3, k + 3]
    part = tile[k * _UNITS : (k + _TOGETHER) * _UNITS]
    for u in range(_UNITS):
        w0, w1, w2, w3 = part[u], part[_UNITS + u], part[2 * _UNITS + u], part[3 * _UNITS + u]
        scores[u] -= a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3
        scores[_UNITS + u] -= b0 * w0 + b1 * w1 + b2 * w2 + b3 * w3
        scores[2 * _UNITS + u] -= c0 * w0 + c1 * w1 + c2 * w2 + c3 * w3
        scores[3 * _UNITS + u] -= d0 * w0 + d1 * w1 + d2 * w2 + d3 * w3


@lenient_kernel
def _score_taxicab(tile, k, x, scores):
    """Add |x - w| of four components to the scores of the four vectors ``x``; see `_score_euclid`."""
    a0, a1, a2, a3 = x[0, k], x[0, k + 1], x[0, k + 2], x[0, k + 3]
    b0, b1, b2, b3 = x[1, k], x[1, k + 1], x[1, k + 2], x[1, k + 3]
    c0, c1, c2, c3 = x[2, k], x[2, k + 1], x[2, k + 2], x[2, k + 3]
    d0, d1, d2, d3 = x[3, k], x[3, k + 1], x[3, k + 2], x[3, k + 3]
    part = tile[k * _UNITS : (k + _TOGETHER) * _UNITS]
    for u in range(_UNITS):
        w0, w1, w2, w3 = part[u], part[_UNITS + u], part[2 * _UNITS + u], part[3 * _UNITS + u]
        scores[u] += abs(a0 - w0) + abs(a1 - w1) + abs(a2 - w2) + abs(a3 - w3)
        scores[_UNITS + u] += abs(b0 - w0) + abs(b1 - w1) + abs(b2 - w2) + abs(b3 - w3)
        scores[2 * _UNITS + u] += abs(c0 - w0) + abs(c1 - w1) + abs(c2 - w2) + abs(c3 - w3)
        scores[3 * _UNITS + u] += abs(d0 - w0) + abs(d1 - w1) + abs(d2 - w2) + abs(d3 - w3)


@lenient_kernel
def _least(scores, start, lanes):
    """Minimum of `_UNITS` scores.

    Parameters
    ----------
    scores : in, float32 or float64 (at least start + _UNITS,)
    start : int64
    lanes : scratch, of the scores' type (_LANES,)
    """
    own = scores[start : start + _UNITS]
    for lane in range(_LANES):  # a loop of this length becomes vector instructions; a chain of minima would not
        a, b, c, d = own[lane], own[_LANES + lane], own[2 * _LANES + lane], own[3 * _LANES + lane]
        first, second = a if a < b else b, c if c < d else d
        lanes[lane] = first if first < second else second
    least = lanes[0]
    for lane in range(0, _LANES, 4):
        a, b, c, d = lanes[lane], lanes[lane + 1], lanes[lane + 2], lanes[lane + 3]
        least = min(least, a, b, c, d)
    return least


@lenient_kernel
def _least_of(scores):
    """Minimum of some scores (float32)."""
    least = scores[0]
    for i in range(1, scores.size):
        least = min(least, scores[i])
    return least


@kernel
def _least_of_tiles(tiles, bases, is_euclid, x, scores, lanes, least):
    """Least score of each tile, in single precision, for each of four vectors.

    Parameters
    ----------
    tiles : in, float32 (n_tiles, components * _UNITS); those of `_fill_tiles`
    bases, is_euclid : in; see `_fill_tiles`
    x : in, float32 (_TOGETHER, components); see `_score_euclid` and `_score_taxicab`
    scores, lanes : scratch, float32 (_TOGETHER * _UNITS,) and (_LANES,)
    least : out, float32 (_TOGETHER, n_tiles)
    """
    for tile in range(tiles.shape[0]):
        flat, own = tiles[tile], bases[tile]
        for u in range(_UNITS):
            base = np.float32(own[u])
            for i in range(_TOGETHER):
                scores[i * _UNITS + u] = base
        for k in range(0, x.shape[1], _TOGETHER):
            if is_euclid:
                _score_euclid(flat, k, x, scores)
            else:
                _score_taxicab(flat, k, x, scores)
        for i in range(_TOGETHER):
            least[i, tile] = _least(scores, i * _UNITS, lanes)


@lenient_kernel
def _norm(row):
    """|x|^2 of a vector (float64)."""
    total = 0.0
    for k in range(row.size):
        total += np.float64(row[k]) * np.float64(row[k])
    return total


@lenient_kernel
def _score_exactly(tile, own, row, is_euclid, scores):
    """Scores of the units of a tile, which are whole numbers.

    Parameters
    ----------
    tile : in, float32 (components * _UNITS,)
    own : in, float64 (_UNITS,); bases
    row : in, int32 (d,); the vector
    is_euclid : bool
    scores : out, float64 (_UNITS,)
    """
    for u in range(_UNITS):
        scores[u] = own[u]
    for k in range(row.size):
        part, x = tile[k * _UNITS : (k + 1) * _UNITS], np.float64(row[k])
        if is_euclid:
            for u in range(_UNITS):
                scores[u] -= 2 * x * np.float64(part[u])
        else:
            for u in range(_UNITS):
                scores[u] += abs(x - np.float64(part[u]))


@lenient_kernel
def _first_equal(scores, least):
    """Position of the first score (float64) that is the least."""
    lane = 0
    while scores[lane] != least:
        lane += 1
    return lane


@kernel
def _nearest_in_tiles(row, tiles, bases, is_euclid, least, limit, scores, lanes):
    """The nearest unit of a vector (int64), the first of equal ones, and its score (float64).

    Parameters
    ----------
    row : in, int32 (d,)
    tiles, bases, is_euclid : in; see `_least_of_tiles`
    least : in, float32 (n_tiles,); least score of each tile, in single precision
    limit : float64; tiles whose least score is above cannot hold the nearest unit
    scores, lanes : scratch, float64 (_UNITS,) and (_LANES,)
    """
    unit, best = np.int64(0), 2 * _NEVER
    for tile in range(tiles.shape[0]):
        if least[tile] <= limit:
            _score_exactly(tiles[tile], bases[tile], row, is_euclid, scores)
            nearest = _least(scores, 0, lanes)
            if nearest < best:
                best, unit = nearest, tile * _UNITS + _first_equal(scores, nearest)
    return unit, best


@kernel
def _find_nearest(vectors, first, last, tiles, bases, is_euclid, greatest, units, distances):
    """Nearest units of the vectors first..last - 1.

    A score is a sum of terms, whose magnitudes sum to its scale; each operation errs by `_ROUNDING` of that at most.

    Parameters
    ----------
    vectors : in, int32 (n, d)
    first, last : int64
    tiles, bases, is_euclid : in; see `_least_of_tiles`
    greatest : float64; greatest |w|^2
    units : out, int32 (n,)
    distances : out, int64 (n,)
    """
    n_tiles, n_components = tiles.shape[0], tiles.shape[1] // _UNITS
    x = np.zeros((_TOGETHER, n_components), np.float32)
    scores, lanes = np.empty(_TOGETHER * _UNITS, np.float32), np.empty(_LANES, np.float32)
    least = np.empty((_TOGETHER, n_tiles), np.float32)
    exact, exact_lanes = np.empty(_UNITS, np.float64), np.empty(_LANES, np.float64)
    error = (2 * n_components + 4) * _ROUNDING
    for start in range(first, last, _TOGETHER):
        n_here = min(_TOGETHER, last - start)
        for i in range(n_here):
            for k in range(vectors.shape[1]):
                x[i, k] = (2 if is_euclid else 1) * vectors[start + i, k]
        _least_of_tiles(tiles, bases, is_euclid, x, scores, lanes, least)
        for i in range(n_here):
            row = vectors[start + i]
            norm = _norm(row) if is_euclid else 0.0
            least_of_all = np.float64(_least_of(least[i]))
            scale = greatest + 2 * np.sqrt(greatest * norm) if is_euclid else least_of_all
            limit = least_of_all + 2 * error * scale  # both it and the nearest unit's score have errors
            unit, best = _nearest_in_tiles(row, tiles, bases, is_euclid, least[i], limit, exact, exact_lanes)
            units[start + i], distances[start + i] = unit, np.int64(best + norm)


def best_matching_units(vectors: Array, weights: Array, distance: Distance) -> tuple[Array, Array]:
    """See `VectorOperations.best_matching_units`."""
    vectors, weights = np.ascontiguousarray(vectors), np.ascontiguousarray(weights)
    (n, d), n_units = vectors.shape, len(weights)
    n_tiles, n_components = -(-n_units // _UNITS), -(-d // _TOGETHER) * _TOGETHER
    tiles = np.empty((n_tiles, n_components, _UNITS), np.float32)
    bases = np.empty((n_tiles, _UNITS))
    is_euclid = distance == "euclidean"

    def fill(first: int, last: int) -> None:
        _fill_tiles(weights, first, last, is_euclid, tiles, bases)

    threads.over_ranges(n_tiles, fill, work=tiles.size)
    greatest = float(bases.ravel()[:n_units].max())
    units: NDArray[np.int32] = np.empty(n, np.int32)
    distances: NDArray[np.int64] = np.empty(n, np.int64)
    flat = tiles.reshape(n_tiles, n_components * _UNITS)

    def find(first: int, last: int) -> None:
        _find_nearest(vectors, first, last, flat, bases, is_euclid, greatest, units, distances)

    threads.over_ranges(n, find, work=n * tiles.size)
    return units, distances
