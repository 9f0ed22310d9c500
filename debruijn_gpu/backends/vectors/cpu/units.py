"""Find best matching units; see `VectorOperations`."""

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


@kernel
def _fill_tiles(weights, first, last, is_euclid, tiles, bases):
    """Copy the weights of units to tiles, component by component.

    Parameters
    ----------
    weights : in, int32 (n_units, d)
    first, last : int64; tiles to fill
    is_euclid : bool
    tiles : out, float64 (n_tiles, components, _UNITS); components are d, up to a multiple of _TOGETHER, filled with 0
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
    tile : in, float64 (components * _UNITS,)
    k : int64; first component
    x : in, float64 (4, components)
    scores : in and out, float64 (4 * _UNITS,)
    """
    a0, a1, a2, a3 = 2 * x[0, k], 2 * x[0, k + 1], 2 * x[0, k + 2], 2 * x[0, k + 3]
    b0, b1, b2, b3 = 2 * x[1, k], 2 * x[1, k + 1], 2 * x[1, k + 2], 2 * x[1, k + 3]
    c0, c1, c2, c3 = 2 * x[2, k], 2 * x[2, k + 1], 2 * x[2, k + 2], 2 * x[2, k + 3]
    d0, d1, d2, d3 = 2 * x[3, k], 2 * x[3, k + 1], 2 * x[3, k + 2], 2 * x[3, k + 3]
    part = tile[k * _UNITS : (k + _TOGETHER) * _UNITS]
    for u in range(_UNITS):
        w0, w1, w2, w3 = part[u], part[_UNITS + u], part[2 * _UNITS + u], part[3 * _UNITS + u]
        scores[u] -= a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3
        scores[_UNITS + u] -= b0 * w0 + b1 * w1 + b2 * w2 + b3 * w3
        scores[2 * _UNITS + u] -= c0 * w0 + c1 * w1 + c2 * w2 + c3 * w3
        scores[3 * _UNITS + u] -= d0 * w0 + d1 * w1 + d2 * w2 + d3 * w3


@lenient_kernel
def _score_taxicab(tile, k, x, scores):
    """Add |x - w| of four components to the scores of four vectors; see `_score_euclid`."""
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
    scores : in, float64 (at least start + _UNITS,)
    start : int64
    lanes : scratch, float64 (_LANES,)
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
def _norm(row):
    """|x|^2 of a vector (float64)."""
    total = 0.0
    for k in range(row.size):
        total += row[k] * row[k]
    return total


@lenient_kernel
def _first_equal(scores, start, least):
    """Position from ``start`` on of the first score (float64) that is the least."""
    lane = 0
    while scores[start + lane] != least:
        lane += 1
    return lane


@kernel
def _find_nearest(vectors, first, last, tiles, bases, is_euclid, units, distances):
    """Nearest units of the vectors first..last - 1.

    Parameters
    ----------
    vectors : in, int32 (n, d)
    first, last : int64
    tiles : in, float64 (n_tiles, components * _UNITS); those of `_fill_tiles`
    bases, is_euclid : in; see `_fill_tiles`
    units : out, int32 (n,)
    distances : out, int64 (n,)
    """
    n_tiles, n_components = tiles.shape[0], tiles.shape[1] // _UNITS
    x = np.zeros((_TOGETHER, n_components), np.float64)
    scores = np.empty(_TOGETHER * _UNITS, np.float64)
    best, lanes = np.empty(_TOGETHER, np.float64), np.empty(_LANES, np.float64)
    for start in range(first, last, _TOGETHER):
        n_here = min(_TOGETHER, last - start)
        for i in range(n_here):
            for k in range(vectors.shape[1]):
                x[i, k] = vectors[start + i, k]
        best[:] = 2 * _NEVER
        for tile in range(n_tiles):
            flat, own = tiles[tile], bases[tile]
            for i in range(_TOGETHER):
                for u in range(_UNITS):
                    scores[i * _UNITS + u] = own[u]
            for k in range(0, n_components, _TOGETHER):
                if is_euclid:
                    _score_euclid(flat, k, x, scores)
                else:
                    _score_taxicab(flat, k, x, scores)
            for i in range(n_here):
                least = _least(scores, i * _UNITS, lanes)
                if least < best[i]:
                    best[i] = least
                    units[start + i] = tile * _UNITS + _first_equal(scores, i * _UNITS, least)
        for i in range(n_here):
            distances[start + i] = np.int64(best[i] + (_norm(x[i]) if is_euclid else 0.0))


def best_matching_units(vectors: Array, weights: Array, distance: Distance) -> tuple[Array, Array]:
    """See `VectorOperations.best_matching_units`."""
    vectors, weights = np.ascontiguousarray(vectors), np.ascontiguousarray(weights)
    (n, d), n_units = vectors.shape, len(weights)
    n_tiles, n_components = -(-n_units // _UNITS), -(-d // _TOGETHER) * _TOGETHER
    tiles = np.empty((n_tiles, n_components, _UNITS))
    bases = np.empty((n_tiles, _UNITS))
    is_euclid = distance == "euclidean"

    def fill(first: int, last: int) -> None:
        _fill_tiles(weights, first, last, is_euclid, tiles, bases)

    threads.over_ranges(n_tiles, fill, work=tiles.size)
    units: NDArray[np.int32] = np.empty(n, np.int32)
    distances: NDArray[np.int64] = np.empty(n, np.int64)

    flat = tiles.reshape(n_tiles, n_components * _UNITS)

    def find(first: int, last: int) -> None:
        _find_nearest(vectors, first, last, flat, bases, is_euclid, units, distances)

    threads.over_ranges(n, find, work=n * tiles.size)
    return units, distances
