"""Sum vectors by unit, smooth the sums over the map, and move weights; see `VectorOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.vectors import scalars

_compiled = compile_module(device_function, scalars)
quotient, reach_before, reach_behind = _compiled.quotient, _compiled.reach_before, _compiled.reach_behind
shifted, wrapped = _compiled.shifted, _compiled.wrapped


@kernel
def _sum(vectors, units, one, sums):
    """Add vectors to the sums of their units. One thread per component, and one for the number.

    Additions of integers modulo 2^64 give the same in any order.

    Parameters
    ----------
    vectors : in, int32 (n, d)
    units : in, int32 (n,)
    one : int64
    sums : in and out, uint64 (n_units * (d + 1),); two's complement
    """
    d = vectors.shape[1]
    for item in range(cuda.grid(1), units.size * (d + 1), cuda.gridsize(1)):
        i = item // (d + 1)
        k = item - i * (d + 1)
        value = np.int64(vectors[i, k]) if k < d else one
        cuda.atomic.add(sums, np.int64(units[i]) * (d + 1) + k, np.uint64(value))


@guarded
def sum_by_unit(vectors: Array, units: Array, n_units: int, one: int) -> Array:
    """See `VectorOperations.sum_by_unit`."""
    width = vectors.shape[1] + 1
    sums = xp.zeros(n_units * width, np.uint64)
    launch(_sum, units.size * width, contiguous(vectors), contiguous(units), np.int64(one), sums)
    return sums.view(np.int64).reshape(n_units, width)


@kernel
def _smooth(sums, table, is_torus, shift, smoothed):
    """Convolve along the middle axis. One thread per item; those of neighbours read neighbouring items.

    Parameters
    ----------
    sums : in, int64 (outer, middle, inner)
    table : in, int64 (n_distances,)
    is_torus : int64, 0 or 1
    shift : int64
    smoothed : out, int64 (outer, middle, inner)
    """
    length, inner = sums.shape[1], sums.shape[2]
    for item in range(cuda.grid(1), sums.size, cuda.gridsize(1)):
        line = item // inner
        column, outer = item - line * inner, line // length
        position = line - outer * length
        before = reach_before(position, length, table.size, is_torus)
        total = np.int64(0)
        for offset in range(-before, reach_behind(position, length, table.size, is_torus) + 1):
            total += table[abs(offset)] * sums[outer, wrapped(position + offset, length), column]
        smoothed[outer, position, column] = shifted(total, shift)


@guarded
def smooth(sums: Array, shape: tuple[int, int, int], table: Array, is_torus: bool, shift: int) -> Array:
    """See `VectorOperations.smooth`."""
    lines = contiguous(sums).reshape(shape)
    smoothed = xp.empty(shape, np.int64)
    launch(_smooth, lines.size, lines, contiguous(table), np.int64(is_torus), np.int64(shift), smoothed)
    return smoothed.reshape(sums.shape)


@kernel
def _move(sums, one_bits, least, weights, moved):
    """Divide sums by numbers. One thread per component of a unit.

    Parameters
    ----------
    sums : in, int64 (n_units, d + 1)
    one_bits, least : int64
    weights : in, int32 (n_units, d)
    moved : out, int32 (n_units, d)
    """
    d = weights.shape[1]
    for item in range(cuda.grid(1), weights.size, cuda.gridsize(1)):
        unit = item // d
        k = item - unit * d
        number = shifted(sums[unit, d], one_bits)
        moved[unit, k] = weights[unit, k] if number < least else quotient(sums[unit, k], number)


@guarded
def move_weights(sums: Array, weights: Array, one_bits: int, least: int) -> Array:
    """See `VectorOperations.move_weights`."""
    weights = contiguous(weights)
    moved = xp.empty(weights.shape, np.int32)
    launch(_move, weights.size, contiguous(sums), np.int64(one_bits), np.int64(least), weights, moved)
    return moved
