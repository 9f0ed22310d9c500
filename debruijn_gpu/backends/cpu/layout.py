"""Rows to columns and back."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cpu import pool
from debruijn_gpu.backends.cpu.jit import kernel

_TILE = 32  # a tile of uint64 and its transpose fit the cache


@kernel
def _copy_tile(tile, result):
    """Copy a tile (n, m) to its transpose (m, n), along its longer side."""
    n, m = tile.shape
    if n < m:
        for row in range(n):
            for column in range(m):
                result[column, row] = tile[row, column]
    else:
        for column in range(m):
            for row in range(n):
                result[column, row] = tile[row, column]


@kernel
def _transpose(matrix, result):
    """Copy a matrix (n, m) to its transpose (m, n), tile by tile."""
    n, m = matrix.shape
    for top in range(0, n, _TILE):
        for left in range(0, m, _TILE):
            tile = matrix[top : top + _TILE, left : left + _TILE]
            _copy_tile(tile, result[left : left + _TILE, top : top + _TILE])


def transpose(matrix: Array) -> Array:
    """See `ArrayBackend.transpose`."""
    n, m = matrix.shape
    result = np.empty((m, n), matrix.dtype)
    bits, out = (x.view(f"u{matrix.dtype.itemsize}") for x in (np.ascontiguousarray(matrix), result))
    if n >= m:
        pool.over_ranges(n, lambda start, stop: _transpose(bits[start:stop], out[:, start:stop]))
    else:
        pool.over_ranges(m, lambda start, stop: _transpose(bits[:, start:stop], out[start:stop]))
    return result
