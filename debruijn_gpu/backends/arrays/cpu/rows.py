"""Transpose, gather and concatenate rows of arrays; see `ArrayOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array, Counts, Longs, Vertices
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.threads import over_ranges

_TILE = 32  # a tile of uint64 and its transpose fit the cache


@kernel
def _transpose(matrix, top, bottom, left, right, result):
    """Copy a part of a matrix (n, m) to the result (m, n) tile by tile, writing along it unless its rows are short."""
    wide = matrix.shape[0] < _TILE
    for first_row in range(top, bottom, _TILE):
        last_row = min(first_row + _TILE, bottom)
        for first_column in range(left, right, _TILE):
            last_column = min(first_column + _TILE, right)
            if wide:
                for row in range(first_row, last_row):
                    for column in range(first_column, last_column):
                        result[column, row] = matrix[row, column]
            else:
                for column in range(first_column, last_column):
                    for row in range(first_row, last_row):
                        result[column, row] = matrix[row, column]


def transpose(matrix: Array) -> Array:
    """See `ArrayOperations.transpose`."""
    n, m = matrix.shape
    result = np.empty((m, n), matrix.dtype)
    bits, out = (x.view(f"u{matrix.dtype.itemsize}") for x in (np.ascontiguousarray(matrix), result))
    if n >= m:
        threads.over_ranges(n, lambda start, stop: _transpose(bits, start, stop, 0, m, out), work=n * m)
    else:
        threads.over_ranges(m, lambda start, stop: _transpose(bits, 0, n, start, stop, out), work=n * m)
    return result


@kernel
def _gather_rows(offsets, items, chosen, new_offsets, start, stop, taken):
    """Copy the lists ``chosen[start:stop]``."""
    for i in range(start, stop):
        source = offsets[chosen[i]]
        target = new_offsets[i]
        for j in range(new_offsets[i + 1] - target):
            taken[target + j] = items[source + j]


def gather_rows(offsets: Longs, items: Array, chosen: Longs) -> tuple[Longs, Array]:
    """See `ArrayOperations.gather_rows`."""
    lengths = offsets[chosen + 1] - offsets[chosen]
    new_offsets = np.concatenate(([0], np.cumsum(lengths)))
    taken = np.empty(new_offsets[-1], items.dtype)
    take = lambda start, stop: _gather_rows(offsets, items, chosen, new_offsets, start, stop, taken)  # noqa: E731
    over_ranges(len(chosen), take, work=len(chosen) + len(taken))
    return new_offsets, taken


def segmented_sum(weights: Longs | Counts, offsets: Longs, steps: Vertices) -> Longs:
    """See `ArrayOperations.segmented_sum`."""
    if len(offsets) == 1:
        return np.zeros(0, np.int64)
    return np.add.reduceat(weights[steps >> 1], offsets[:-1], dtype=np.int64)
