"""Rows to columns and back."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cpu import pool
from debruijn_gpu.backends.cpu.jit import kernel

_TILE = 32  # a tile of uint64 and its transpose fit the cache


@kernel
def _transpose(matrix, first_row, last_row, result):
    """Copy rows first_row..last_row of a matrix (n, m) to the columns of the result (m, n), tile by tile."""
    for top in range(first_row, last_row, _TILE):
        bottom = min(top + _TILE, last_row)
        for left in range(0, matrix.shape[1], _TILE):
            for column in range(left, min(left + _TILE, matrix.shape[1])):
                for row in range(top, bottom):
                    result[column, row] = matrix[row, column]


def transpose(matrix: Array) -> Array:
    """See `ArrayBackend.transpose`."""
    n, m = matrix.shape
    result = np.empty((m, n), matrix.dtype)
    word = f"u{matrix.dtype.itemsize}"
    bits, out = np.ascontiguousarray(matrix).view(word), result.view(word)
    pool.over_ranges(n, lambda start, stop: _transpose(bits, start, stop, out))
    return result
