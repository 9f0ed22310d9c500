"""Find best matching units; see `VectorOperations`.

A block compares a tile of vectors with one tile of units after another, both in shared memory; a thread computes four
by four scores in registers. (Volkov and Demmel, SC 2008.)
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    contiguous,
    cuda,
    device_function,
    float64,
    int64,
    kernel,
    launch,
    xp,
)
from debruijn_gpu.backends.vectors.protocol import Distance

_SIDE = int(BLOCK**0.5)  # threads of a block along the vectors, and along the units
_TILE = 4 * _SIDE  # vectors, and units
_DEPTH = 16  # components in shared memory at once
_UNROLLED = 4  # components of a step; divides _DEPTH
_STRIDE = _TILE + 1  # so that threads which write one component after another use different banks
_SECOND, _THIRD, _FOURTH = np.uint64(_SIDE), np.uint64(2 * _SIDE), np.uint64(3 * _SIDE)
_TILE_ITEMS, _SCORES = _DEPTH * _STRIDE, _TILE * _SIDE  # shared arrays; their sizes are constants to numba
_PER_SLICE = 8  # tiles of units that a block compares at least
_WANTED_BLOCKS = 2048  # enough for all multiprocessors
_FAR = 2.0**60


@device_function
def _less_products(scores, x, w):
    """Scores (four float64) of four units w, and a component x of a vector: less 2 x w."""
    twice = 2.0 * x
    return scores[0] - twice * w[0], scores[1] - twice * w[1], scores[2] - twice * w[2], scores[3] - twice * w[3]


@device_function
def _plus_differences(scores, x, w):
    """Scores (four float64) of four units w, and a component x of a vector: plus |x - w|."""
    return scores[0] + abs(x - w[0]), scores[1] + abs(x - w[1]), scores[2] + abs(x - w[2]), scores[3] + abs(x - w[3])


@device_function
def _load(rows, first, start, tile, thread):
    """Copy components start..start + _DEPTH - 1 of `_TILE` rows to shared memory; 0 beyond the ends.

    Parameters
    ----------
    rows : in, int32 (n, d)
    first, start, thread : int64
    tile : out, shared, float64 (_DEPTH * _STRIDE,)
    """
    for item in range(thread, _TILE * _DEPTH, BLOCK):
        row = item // _DEPTH
        k = item - row * _DEPTH
        value = 0.0
        if first + row < rows.shape[0] and start + k < rows.shape[1]:
            value = np.float64(rows[np.uint64(first + row), np.uint64(start + k)])
        tile[np.uint64(k * _STRIDE + row)] = value


@device_function
def _four(tile, at):
    """Four components of a tile in shared memory, from ``at`` (uint64: others may count from the end) on."""
    return tile[at], tile[at + _SECOND], tile[at + _THIRD], tile[at + _FOURTH]


@device_function
def _bases_of(bases, first, last):
    """Scores that four units start with: those of `bases`, far for units from ``last`` on."""
    return (
        bases[first] if first < last else _FAR,
        bases[first + _SIDE] if first + _SIDE < last else _FAR,
        bases[first + 2 * _SIDE] if first + 2 * _SIDE < last else _FAR,
        bases[first + 3 * _SIDE] if first + 3 * _SIDE < last else _FAR,
    )


@device_function
def _nearer(scores, first, best, unit):
    """The least of the best score so far and those of units ``first``, ``first + _SIDE`` and so on, and its unit."""
    if scores[0] < best:
        best, unit = scores[0], first
    if scores[1] < best:
        best, unit = scores[1], first + _SIDE
    if scores[2] < best:
        best, unit = scores[2], first + 2 * _SIDE
    if scores[3] < best:
        best, unit = scores[3], first + 3 * _SIDE
    return best, unit


@kernel
def _norms(weights, is_euclid, bases):
    """|w|^2 of each unit, or 0 for the taxicab distance. One thread per unit.

    Parameters
    ----------
    weights : in, int32 (n_units, d)
    is_euclid : int64, 0 or 1
    bases : out, float64 (n_units,)
    """
    for unit in range(cuda.grid(1), weights.shape[0], cuda.gridsize(1)):
        total = 0.0
        if is_euclid:
            for k in range(weights.shape[1]):
                total += np.float64(weights[unit, k]) * np.float64(weights[unit, k])
        bases[unit] = total


@device_function
def _tile_scores(vectors, first, weights, unit, bases, last, is_euclid, x_tile, w_tile):
    """Scores of four vectors and four units of a thread; see `_compare`. All threads of a block must come here.

    Vectors of at most `_DEPTH` components are in shared memory already.
    """
    thread = cuda.threadIdx.x
    row = thread // _SIDE
    column = thread - row * _SIDE
    a = _bases_of(bases, unit + column, last)
    b, c, e = a, a, a
    for start in range(0, vectors.shape[1], _DEPTH):
        cuda.syncthreads()
        if vectors.shape[1] > _DEPTH:
            _load(vectors, first, start, x_tile, thread)
        _load(weights, unit, start, w_tile, thread)
        cuda.syncthreads()
        n_steps = (min(_DEPTH, vectors.shape[1] - start) + _UNROLLED - 1) // _UNROLLED
        for step in range(n_steps):
            for k in range(_UNROLLED):  # components beyond the last are 0
                at = (step * _UNROLLED + k) * _STRIDE
                x = _four(x_tile, np.uint64(at + row))
                w = _four(w_tile, np.uint64(at + column))
                if is_euclid:
                    a, b = _less_products(a, x[0], w), _less_products(b, x[1], w)
                    c, e = _less_products(c, x[2], w), _less_products(e, x[3], w)
                else:
                    a, b = _plus_differences(a, x[0], w), _plus_differences(b, x[1], w)
                    c, e = _plus_differences(c, x[2], w), _plus_differences(e, x[3], w)
    return a, b, c, e


@device_function
def _least_of_row(least, nearest, row):
    """The least score of the threads of a row, and its unit, the first of equal ones."""
    best, unit = least[row * _SIDE], nearest[row * _SIDE]
    for other in range(row * _SIDE + 1, (row + 1) * _SIDE):
        if least[other] < best or (least[other] == best and nearest[other] < unit):
            best, unit = least[other], nearest[other]
    return best, unit


@kernel
def _compare(vectors, weights, bases, is_euclid, per_slice, scores, units):
    """The nearest unit of each vector, in each slice of the units. A block takes a tile of vectors and a slice.

    Parameters
    ----------
    vectors : in, int32 (n, d)
    weights : in, int32 (n_units, d)
    bases : in, float64 (n_units,); see `_norms`
    is_euclid : int64, 0 or 1
    per_slice : int64; units of a slice, a multiple of _TILE
    scores, units : out, float64 and int64 (n_slices, n)
    """
    x_tile = cuda.shared.array(_TILE_ITEMS, float64)  # a line each: the simulator tells them apart by it
    w_tile = cuda.shared.array(_TILE_ITEMS, float64)
    least = cuda.shared.array(_SCORES, float64)
    nearest = cuda.shared.array(_SCORES, int64)
    n, n_units, n_slices = vectors.shape[0], weights.shape[0], scores.shape[0]
    thread = cuda.threadIdx.x
    row = thread // _SIDE  # vectors row, row + _SIDE and so on
    column = thread - row * _SIDE
    for item in range(cuda.blockIdx.x, -(-n // _TILE) * n_slices, cuda.gridDim.x):
        part = item % n_slices
        first = (item // n_slices) * _TILE
        last = min(n_units, (part + 1) * per_slice)
        a_best, b_best, c_best, d_best = _FAR, _FAR, _FAR, _FAR
        a_unit, b_unit, c_unit, d_unit = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        if vectors.shape[1] <= _DEPTH:
            _load(vectors, first, 0, x_tile, thread)
        for unit in range(part * per_slice, last, _TILE):
            own = unit + column
            a, b, c, e = _tile_scores(vectors, first, weights, unit, bases, last, is_euclid, x_tile, w_tile)
            a_best, a_unit = _nearer(a, own, a_best, a_unit)
            b_best, b_unit = _nearer(b, own, b_best, b_unit)
            c_best, c_unit = _nearer(c, own, c_best, c_unit)
            d_best, d_unit = _nearer(e, own, d_best, d_unit)
        at = row * _SIDE + column
        least[at], nearest[at] = a_best, a_unit
        least[at + BLOCK], nearest[at + BLOCK] = b_best, b_unit
        least[at + 2 * BLOCK], nearest[at + 2 * BLOCK] = c_best, c_unit
        least[at + 3 * BLOCK], nearest[at + 3 * BLOCK] = d_best, d_unit
        cuda.syncthreads()
        for i in range(thread, min(_TILE, n - first), BLOCK):
            best, unit = _least_of_row(least, nearest, i)
            scores[part, first + i], units[part, first + i] = best, unit
        cuda.syncthreads()


@kernel
def _merge(vectors, scores, slice_units, is_euclid, units, distances):
    """The nearest of the units of all slices, which ascend, and its distance. One thread per vector.

    Parameters
    ----------
    vectors : in, int32 (n, d)
    scores, slice_units : in, float64 and int64 (n_slices, n)
    is_euclid : int64, 0 or 1
    units : out, int32 (n,)
    distances : out, int64 (n,)
    """
    for i in range(cuda.grid(1), units.size, cuda.gridsize(1)):
        best, unit = scores[0, i], slice_units[0, i]
        for part in range(1, scores.shape[0]):
            if scores[part, i] < best:
                best, unit = scores[part, i], slice_units[part, i]
        if is_euclid:
            for k in range(vectors.shape[1]):
                best += np.float64(vectors[i, k]) * np.float64(vectors[i, k])
        units[i], distances[i] = unit, np.int64(best)


@guarded
def best_matching_units(vectors: Array, weights: Array, distance: Distance) -> tuple[Array, Array]:
    """See `VectorOperations.best_matching_units`."""
    vectors, weights = contiguous(vectors), contiguous(weights)
    n, n_units, is_euclid = vectors.shape[0], weights.shape[0], np.int64(distance == "euclidean")
    bases = xp.empty(n_units, np.float64)
    launch(_norms, n_units, weights, is_euclid, bases)
    n_tiles, n_unit_tiles = -(-n // _TILE), -(-n_units // _TILE)
    n_slices = max(1, min(-(-_WANTED_BLOCKS // max(1, n_tiles)), n_unit_tiles // _PER_SLICE))
    per_slice = -(-n_unit_tiles // n_slices)
    n_slices = -(-n_unit_tiles // per_slice)
    scores, slice_units = xp.empty((n_slices, n), np.float64), xp.empty((n_slices, n), np.int64)
    arguments = vectors, weights, bases, is_euclid, np.int64(per_slice * _TILE), scores, slice_units
    launch(_compare, n_tiles * n_slices, *arguments, per_block=1)
    units, distances = xp.empty(n, np.int32), xp.empty(n, np.int64)
    launch(_merge, n, vectors, scores, slice_units, is_euclid, units, distances)
    return units, distances
