"""Sum vectors by unit, smooth the sums over the map, and move weights; see `VectorOperations`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel
from debruijn_gpu.backends.vectors import scalars

_compiled = compile_module(inlined_kernel, scalars)
quotient, reach_before, reach_behind = _compiled.quotient, _compiled.reach_before, _compiled.reach_behind
shifted, wrapped = _compiled.shifted, _compiled.wrapped


@kernel
def _sum(vectors, units, one, sums):
    """Add vectors to the sums of their units.

    Parameters
    ----------
    vectors : in, int32 (n, d)
    units : in, int32 (n,)
    one : int64
    sums : in and out, int64 (n_units, d + 1)
    """
    d = vectors.shape[1]
    for i in range(units.size):
        row = sums[units[i]]
        for k in range(d):
            row[k] += vectors[i, k]
        row[d] += one


def sum_by_unit(vectors: Array, units: Array, n_units: int, one: int) -> Array:
    """See `VectorOperations.sum_by_unit`."""
    sums: NDArray[np.int64] = np.zeros((n_units, vectors.shape[1] + 1), np.int64)
    _sum(np.ascontiguousarray(vectors), np.ascontiguousarray(units), one, sums)
    return sums


@kernel
def _smooth(sums, start, stop, table, is_torus, shift, smoothed):
    """Convolve the lines start..stop - 1 along the middle axis.

    Parameters
    ----------
    sums : in, int64 (outer, middle, inner)
    start, stop : int64; of outer * middle lines
    table : in, int64 (n_distances,)
    is_torus : bool
    shift : int64
    smoothed : out, int64 (outer, middle, inner)
    """
    length = sums.shape[1]
    for line in range(start, stop):
        outer, position = line // length, line % length
        own = smoothed[outer, position]
        own[:] = 0
        before = reach_before(position, length, table.size, is_torus)
        for offset in range(-before, reach_behind(position, length, table.size, is_torus) + 1):
            weight, other = table[abs(offset)], sums[outer, wrapped(position + offset, length)]
            for i in range(own.size):
                own[i] += weight * other[i]
        for i in range(own.size):
            own[i] = shifted(own[i], shift)


def smooth(sums: Array, shape: tuple[int, int, int], table: Array, is_torus: bool, shift: int) -> Array:
    """See `VectorOperations.smooth`."""
    lines = np.ascontiguousarray(sums).reshape(shape)
    smoothed = np.empty_like(lines)

    def smooth_lines(start: int, stop: int) -> None:
        _smooth(lines, start, stop, table, is_torus, shift, smoothed)

    threads.over_ranges(shape[0] * shape[1], smooth_lines, work=lines.size * min(table.size, shape[1]))
    return smoothed.reshape(sums.shape)


@kernel
def _move(sums, start, stop, one_bits, least, weights, moved):
    """Divide the sums of the units start..stop - 1 by their numbers.

    Parameters
    ----------
    sums : in, int64 (n_units, d + 1)
    start, stop, one_bits, least : int64
    weights : in, int32 (n_units, d)
    moved : out, int32 (n_units, d)
    """
    d = weights.shape[1]
    for unit in range(start, stop):
        number = shifted(sums[unit, d], one_bits)
        for k in range(d):
            moved[unit, k] = weights[unit, k] if number < least else quotient(sums[unit, k], number)


def move_weights(sums: Array, weights: Array, one_bits: int, least: int) -> Array:
    """See `VectorOperations.move_weights`."""
    weights = np.ascontiguousarray(weights)
    moved = np.empty_like(weights)

    def move(start: int, stop: int) -> None:
        _move(sums, start, stop, one_bits, least, weights, moved)

    threads.over_ranges(len(weights), move, work=8 * weights.size)
    return moved
