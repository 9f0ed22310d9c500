"""Compute prefix sums and extremes.

Blocks have one size for any number of threads, so that sums of floats are always the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from debruijn_gpu.backends.arrays.protocol import Reduction
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel

_BLOCK = 1 << 16
_LONG = np.dtype(np.int64)
_SUM_DTYPES = {"b": _LONG, "i": _LONG, "u": np.dtype(np.uint64), "f": np.dtype(np.float64)}


@kernel
def _sum(values, total):
    """Sum of integers, on top of a total (int64 or uint64) that gives the dtype."""
    for i in range(values.size):
        total += values[i]
    return total


@kernel
def _scan(values, before, block, out):
    """Inclusive scan of blocks of values, block i beginning with ``before[i]`` (in, as out)."""
    for i in range(before.size):
        total = before[i]
        part = values[i * block : (i + 1) * block]
        to = out[i * block : (i + 1) * block]
        for j in range(part.size):
            total += part[j]
            to[j] = total


def _sum_of(values: Array, dtype: np.dtype[Any]) -> Any:
    """Sum of some values; NumPy is slow where it has to convert."""
    if values.dtype == np.bool_:
        return np.count_nonzero(values)
    if values.dtype == dtype:
        return np.add.reduce(values)
    return np.add.reduce(values.astype(dtype)) if dtype.kind == "f" else dtype.type(_sum(values, dtype.type(0)))


def _block_sums(values: Array, dtype: np.dtype[Any]) -> Array:
    """Sum of each block of ``_BLOCK`` values."""
    n_blocks = -(-len(values) // _BLOCK)
    sums = np.empty(n_blocks, dtype)

    def add(first: int, last: int) -> None:
        with np.errstate(all="ignore"):  # inf - inf is NaN
            for block in range(first, last):
                sums[block] = _sum_of(values[block * _BLOCK : (block + 1) * _BLOCK], dtype)

    threads.over_ranges(n_blocks, add, 1, work=len(values))
    return sums


def _scan_into(values: Array, out: Array) -> None:
    """Inclusive scan: each block by itself, on top of what is before it."""
    before = np.zeros(-(-len(values) // _BLOCK) + 1, out.dtype)
    with np.errstate(all="ignore"):
        np.cumsum(_block_sums(values, out.dtype), out=before[1:])

    def scan(first: int, last: int) -> None:
        part = slice(first * _BLOCK, last * _BLOCK)
        _scan(values[part], before[first:last], _BLOCK, out[part])

    threads.over_ranges(len(before) - 1, scan, work=len(values))


def inclusive_scan(values: Array) -> Array:
    """See `ArrayOperations.inclusive_scan`."""
    result = np.empty(len(values), _SUM_DTYPES[values.dtype.kind])
    _scan_into(values, result)
    return result


def exclusive_scan(values: Array) -> Array:
    """See `ArrayOperations.exclusive_scan`."""
    result = np.zeros(len(values) + 1, _SUM_DTYPES[values.dtype.kind])
    _scan_into(values, result[1:])
    return result


def reduce(values: Array, reduction: Reduction) -> int | float:
    """See `ArrayOperations.reduce`."""
    if reduction == "sum":
        return _total(values)
    if len(values) == 0:
        raise ValueError(f"{reduction} of no values")
    # NaN is above all numbers: the least only of NaNs, the greatest of any
    function = np.fmin if reduction == "min" else np.maximum
    ends = threads.over_ranges(len(values), lambda start, stop: function.reduce(values[start:stop]), 1)
    extreme = function.reduce(np.array(ends)) + values.dtype.type(0)  # 0.0 of -0.0
    return math.nan if extreme != extreme else extreme.item()  # NaN comes in two signs


def _total(values: Array) -> int | float:
    """Sum of all values; only of floats does it depend on the blocks."""
    dtype = _SUM_DTYPES[values.dtype.kind]
    if dtype.kind == "f":
        sums = _block_sums(values, dtype)
    else:
        sums = np.array(threads.over_ranges(len(values), lambda a, b: _sum_of(values[a:b], dtype), 1), dtype)
    with np.errstate(all="ignore"):
        return sums.sum(dtype=dtype).item()  # type: ignore[no-any-return]
