"""Copy arrays between layouts."""

from __future__ import annotations

from debruijn_gpu.backends.arrays.cuda.keys import unsigned_dtype
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import SIMULATED, contiguous, cuda, kernel, launch, uint64, xp

_SIDE = 4 if SIMULATED else 32  # of a tile
_ROWS = 2 if SIMULATED else 8  # that a block moves at once
_PADDED_TILE = _SIDE * (_SIDE + 1)  # a column of padding keeps a column of the tile in banks of its own
_NARROW = 16


@kernel
def _transpose_narrow(source, target):
    """Transpose a matrix with few rows or few columns. One thread per index of the long side.

    Parameters
    ----------
    source : in, unsigned (n, m)
    target : out, same dtype (m, n)
    """
    n, m = source.shape
    for i in range(cuda.grid(1), max(n, m), cuda.gridsize(1)):
        if n >= m:
            for j in range(m):
                target[j, i] = source[i, j]
        else:
            for j in range(n):
                target[i, j] = source[j, i]


@kernel
def _transpose_tiles(source, target):
    """Transpose by way of tiles in shared memory. One block per tile of _SIDE x _SIDE, _ROWS x _SIDE threads. (Ruetsch
    and Micikevicius 2009.)

    Parameters
    ----------
    source : in, unsigned (n, m)
    target : out, same dtype (m, n)
    """
    tile = cuda.shared.array(_PADDED_TILE, uint64)
    n, m = source.shape
    column = cuda.threadIdx.x % _SIDE
    row = cuda.threadIdx.x // _SIDE
    tiles_across = (m + _SIDE - 1) // _SIDE
    tiles_down = (n + _SIDE - 1) // _SIDE
    for t in range(cuda.blockIdx.x, tiles_across * tiles_down, cuda.gridDim.x):
        top = t // tiles_across * _SIDE
        left = t % tiles_across * _SIDE
        for r in range(row, _SIDE, _ROWS):
            if top + r < n and left + column < m:
                tile[r * (_SIDE + 1) + column] = source[top + r, left + column]
        cuda.syncthreads()
        for r in range(row, _SIDE, _ROWS):
            if left + r < m and top + column < n:
                target[left + r, top + column] = tile[column * (_SIDE + 1) + r]
        cuda.syncthreads()


@guarded
def transpose(matrix: Array) -> Array:
    """See `ArrayOperations.transpose`."""
    n, m = matrix.shape
    turned = xp.empty((m, n), matrix.dtype)
    bits = unsigned_dtype(matrix.dtype)
    source, target = contiguous(matrix).view(bits), turned.view(bits)
    if not matrix.size:
        return turned
    if min(n, m) <= _NARROW:
        launch(_transpose_narrow, max(n, m), source, target)
    else:
        n_tiles = -(-n // _SIDE) * -(-m // _SIDE)
        launch(_transpose_tiles, n_tiles, source, target, per_block=1, block=_SIDE * _ROWS)
    return turned
