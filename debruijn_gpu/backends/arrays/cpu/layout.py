"""Transpose matrices: rows to columns and back."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel

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
