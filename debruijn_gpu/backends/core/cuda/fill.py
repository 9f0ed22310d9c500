"""Create, fill and copy arrays.

CuPy would compile a kernel of its own for each of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import SIMULATED, cuda, kernel, launch, xp


@kernel
def _fill(array, value):
    """The same value everywhere. One thread per element."""
    for i in range(cuda.grid(1), array.size, cuda.gridsize(1)):
        array[i] = value


@kernel
def _count(array, first):
    """Consecutive numbers (from an int64). One thread per element."""
    for i in range(cuda.grid(1), array.size, cuda.gridsize(1)):
        array[i] = first + i


@kernel
def _scatter(positions, values, array):
    """Values to positions. One thread per value."""
    for i in range(cuda.grid(1), positions.size, cuda.gridsize(1)):
        array[positions[i]] = values[i]


def filled(n: int, value: Any) -> Array:
    """n times a NumPy scalar; one whose bytes are equal takes no launch."""
    array, content = xp.empty(n, value.dtype), value.tobytes()
    if SIMULATED or content.strip(content[:1]):
        launch(_fill, n, array, value)
    elif n:
        array.data.memset_async(content[0], array.nbytes)
    return array


def clear(array: Array) -> None:
    """Fill a contiguous array of the device with zero bytes."""
    if SIMULATED:
        array[...] = 0
    elif array.size:
        array.data.memset_async(0, array.nbytes)


def counted(n: int, dtype: Any, first: int = 0) -> Array:
    """The n numbers from the first one on."""
    array = xp.empty(n, dtype)
    launch(_count, n, array, np.int64(first))
    return array


def concatenated(first: Array, second: Array) -> Array:
    """One array after another of the same type."""
    assert first.dtype == second.dtype
    array = xp.empty(first.size + second.size, first.dtype)
    assign(array[: first.size], first)
    assign(array[first.size :], second)
    return array


def scattered(positions: Array, values: Array) -> Array:
    """The array whose element ``positions[i]`` is ``values[i]``; positions are a permutation."""
    array = xp.empty(values.size, values.dtype)
    launch(_scatter, values.size, positions, values, array)
    return array


def assign(target: Any, source: Any) -> None:
    """Copy a contiguous array of the device to one of the same size and dtype."""
    assert target.nbytes == source.nbytes
    if SIMULATED:
        target[...] = source
    elif source.size:
        target.data.copy_from_device_async(source.data, source.nbytes)


def assign_columns(target: Any, start: int, source: Any) -> None:
    """Copy a contiguous array of the device (rows, n) to n columns, from ``start`` on, of another one of its dtype."""
    for to, row in zip(target, source, strict=True):
        assign(to[start : start + row.size], row)


def first_columns(array: Any, n: int) -> Any:
    """Return the first n columns of an array of the device (rows, m), contiguous."""
    columns = xp.empty((array.shape[0], n), array.dtype)
    for column, row in zip(columns, array, strict=True):
        assign(column, row[:n])
    return columns


def copied(array: Any) -> Any:
    """Return a copy of a contiguous array; see `assign`."""
    copy = xp.empty(array.shape, array.dtype)
    assign(copy, array)
    return copy
