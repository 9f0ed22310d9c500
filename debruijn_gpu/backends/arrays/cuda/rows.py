"""Transpose, gather and concatenate rows of arrays; see `ArrayOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import unsigned_dtype
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import SIMULATED, contiguous, cuda, kernel, launch, uint64, xp
from debruijn_gpu.backends.core.cuda.scalars import row_of

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


_RUN = 16  # steps that a thread adds up


@kernel
def _lengths_of(offsets, chosen, lengths):
    """Items of the chosen lists. One thread per chosen one.

    Parameters
    ----------
    offsets : in, int64 (n_lists + 1,)
    chosen : in, unsigned or int64 (n,)
    lengths : out, int64 (n,)
    """
    for i in range(cuda.grid(1), lengths.size, cuda.gridsize(1)):
        at = np.int64(chosen[i])
        lengths[i] = offsets[at + 1] - offsets[at]


def offsets_of(offsets: Array, chosen: Array) -> Array:
    """Where the chosen ones of ragged lists begin when they come one after another, and where the last ends."""
    lengths = xp.empty(chosen.size, np.int64)
    launch(_lengths_of, lengths.size, offsets, chosen, lengths)
    return exclusive_scan(lengths)


@kernel
def _take_items(offsets, items, chosen, new_offsets, taken):
    """Items of the chosen lists. One thread per item of the result.

    Parameters
    ----------
    offsets : in, int64 (n_lists + 1,)
    items : in, uint8, uint32 or uint64
    chosen : in, int64 (n,)
    new_offsets : in, int64 (n + 1,)
    taken : out, dtype of items (new_offsets[n],)
    """
    for place in range(cuda.grid(1), taken.size, cuda.gridsize(1)):
        i = row_of(place, new_offsets, 0, chosen.size - 1)
        taken[place] = items[offsets[chosen[i]] + place - new_offsets[i]]


@guarded
def gather_rows(offsets: Array, items: Array, chosen: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.gather_rows`."""
    offsets, items, chosen = map(contiguous, (offsets, items, chosen))
    new_offsets = offsets_of(offsets, chosen)
    taken = xp.empty(int(new_offsets[-1]), items.dtype)
    launch(_take_items, taken.size, offsets, items, chosen, new_offsets, taken)
    return new_offsets, taken


@kernel
def _add_weights(weights, offsets, steps, sums):
    """Add the weights of steps to the sums of their walks. One thread per run of steps, which adds up what is of one
    walk before it adds that to the sum; so a long walk is no queue of threads.

    Parameters
    ----------
    weights : in, uint32 or int64
    offsets, steps : in, int64 (n + 1,), uint32 or uint64
    sums : in and out, int64 (n,)
    """
    for run in range(cuda.grid(1), -(-steps.size // _RUN), cuda.gridsize(1)):
        at = run * _RUN
        stop = min(at + _RUN, steps.size)
        walk = row_of(at, offsets, 0, sums.size - 1)
        while at < stop:
            end = min(offsets[walk + 1], stop)
            total = np.int64(0)
            for i in range(at, end):
                total += np.int64(weights[np.int64(steps[i]) >> 1])
            cuda.atomic.add(sums, walk, total)
            at = end
            walk += 1


@guarded
def segmented_sum(weights: Array, offsets: Array, steps: Array) -> Array:
    """See `ArrayOperations.segmented_sum`."""
    sums = xp.zeros(offsets.size - 1, np.int64)
    n_runs = -(-steps.size // _RUN)
    launch(_add_weights, n_runs, contiguous(weights), contiguous(offsets), contiguous(steps), sums)
    return sums
