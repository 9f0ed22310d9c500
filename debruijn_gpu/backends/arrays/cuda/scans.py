"""Compute scans and reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import float_bits, min_max, sign_of
from debruijn_gpu.backends.arrays.protocol import Reduction
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.blocks import block_sum
from debruijn_gpu.backends.core.cuda.fill import clear
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    contiguous,
    cuda,
    device_function,
    float64,
    int64,
    kernel,
    launch,
    launch_waiting,
    to_host,
    uint64,
    xp,
)
from debruijn_gpu.backends.core.cuda.waiting import wait_for_grid

_PER_THREAD = 8
_TILE = BLOCK * _PER_THREAD
_PADDED = BLOCK * (_PER_THREAD + 1)  # a word of padding for each thread keeps its items in banks of their own


@device_function
def _sum_tile(values, tile, partial):
    """The sum of a tile of values, in the type of ``partial`` (shared; see `block_sum`), for each thread of a block."""
    thread = cuda.threadIdx.x
    total = partial.dtype.type(0)
    first = tile * _TILE + thread
    for j in range(_PER_THREAD):
        i = first + j * BLOCK
        if i < values.size:
            total += partial.dtype.type(values[i])
    return block_sum(partial, thread, total)


@device_function
def _scan_sums(sums, thread, zero):
    """Inclusive scan of the sums (shared, of `BLOCK`) of the threads of a block (Hillis and Steele 1986)."""
    step = 1
    while step < BLOCK:
        before = sums[thread - step] if thread >= step else zero
        cuda.syncthreads()
        sums[thread] += before
        cuda.syncthreads()
        step *= 2


@device_function
def _scan_tile(values, tile, before, items, sums, scanned):
    """Inclusive scan of a tile by a block: items to shared memory, each thread adds up its eight, the sums of threads
    are scanned (Hillis and Steele 1986), and back.

    Parameters
    ----------
    values : any (n,)
    tile : int
    before : sum type; what is added to each
    items, sums : shared, sum type (`_PADDED`,) and (`BLOCK`,)
    scanned : out, sum type (n,)
    """
    thread = cuda.threadIdx.x
    for j in range(_PER_THREAD):
        at = j * BLOCK + thread
        i = tile * _TILE + at
        items[at + at // _PER_THREAD] = items.dtype.type(values[i]) if i < values.size else items.dtype.type(0)
    cuda.syncthreads()
    own = thread * (_PER_THREAD + 1)
    total = items.dtype.type(0)
    for j in range(_PER_THREAD):
        total += items[own + j]
    sums[thread] = total
    cuda.syncthreads()
    _scan_sums(sums, thread, items.dtype.type(0))
    running = before
    if thread > 0:
        running += sums[thread - 1]
    for j in range(_PER_THREAD):
        running += items[own + j]
        items[own + j] = running
    cuda.syncthreads()
    for j in range(_PER_THREAD):
        at = j * BLOCK + thread
        i = tile * _TILE + at
        if i < values.size:
            scanned[i] = items[at + at // _PER_THREAD]
    cuda.syncthreads()


def _make_tile_sums(sum_type: Any) -> Any:
    """The first pass of a scan that adds in one type."""

    @kernel
    def tile_sums(values, sums):
        """Sum of each tile. One block per tile.

        Parameters
        ----------
        values : in, any (n,)
        sums : out, sum type (tiles,)
        """
        partial = cuda.shared.array(BLOCK, sum_type)
        for tile in range(cuda.blockIdx.x, sums.size, cuda.gridDim.x):
            total = _sum_tile(values, tile, partial)
            if cuda.threadIdx.x == 0:
                sums[tile] = total

    return tile_sums


def _make_scan_tiles(sum_type: Any) -> Any:
    """The second pass of a scan that adds in one type."""

    @kernel
    def scan_tiles(values, ends, scanned):
        """Inclusive scan of each tile on top of what is before it. One block per tile.

        Parameters
        ----------
        values : in, any (n,)
        ends : in, sum type (tiles,), inclusive scan of the sums of tiles
        scanned : out, sum type (n,)
        """
        items = cuda.shared.array(_PADDED, sum_type)
        sums = cuda.shared.array(BLOCK, sum_type)
        for tile in range(cuda.blockIdx.x, ends.size, cuda.gridDim.x):
            before = ends[tile - 1] if tile > 0 else sum_type(0)
            _scan_tile(values, tile, before, items, sums, scanned)

    return scan_tiles


@device_function
def scan_by_grid(values, tile_sums, items, sums, scanned, arrived, n_waits):
    """Inclusive scan by all blocks, which wait for each other once. All threads must come here.

    Parameters
    ----------
    values : any (n,)
    tile_sums : work, sum type (tiles,); see `tiles_of`
    items, sums : shared, as in `_scan_tile`
    scanned : out, sum type (n,); may be ``values``
    arrived, n_waits : as in `wait_for_grid`
    """
    thread, n_tiles = cuda.threadIdx.x, (values.size + _TILE - 1) // _TILE
    for tile in range(cuda.blockIdx.x, n_tiles, cuda.gridDim.x):
        total = _sum_tile(values, tile, sums)
        if thread == 0:
            tile_sums[tile] = total
    wait_for_grid(arrived, n_waits)
    for tile in range(cuda.blockIdx.x, n_tiles, cuda.gridDim.x):
        before = sums.dtype.type(0)
        for other in range(thread, tile, BLOCK):
            before += tile_sums[other]
        _scan_tile(values, tile, block_sum(sums, thread, before), items, sums, scanned)


@device_function
def scan_longs_by_grid(values, tile_sums, scanned, arrived, n_waits):
    """`scan_by_grid` of int64 values, with shared memory of its own."""
    items = cuda.shared.array(_PADDED, int64)
    sums = cuda.shared.array(BLOCK, int64)
    scan_by_grid(values, tile_sums, items, sums, scanned, arrived, n_waits)


def tiles_of(n: int) -> int:
    """Number of tiles of n values."""
    return -(-n // _TILE)


def _make_scan_few_tiles(sum_type: Any) -> Any:
    """Both passes of a scan of up to `BLOCK` tiles that adds in one type."""

    @kernel
    def scan_few_tiles(values, tile_sums, scanned, arrived):
        """Inclusive scan. Blocks wait for each other; parameters are those of `scan_by_grid`."""
        items = cuda.shared.array(_PADDED, sum_type)
        sums = cuda.shared.array(BLOCK, sum_type)
        scan_by_grid(values, tile_sums, items, sums, scanned, arrived, np.int64(1))

    return scan_few_tiles


_SUM_TYPES = {"i": int64, "u": uint64, "f": float64}
_TILE_SUMS = {kind: _make_tile_sums(of) for kind, of in _SUM_TYPES.items()}
_SCAN_TILES = {kind: _make_scan_tiles(of) for kind, of in _SUM_TYPES.items()}
_SCAN_FEW_TILES = {kind: _make_scan_few_tiles(of) for kind, of in _SUM_TYPES.items()}
_SUM_DTYPES = {"i": np.int64, "u": np.uint64, "b": np.int64, "f": np.float64}


def _sums_of_tiles(values: Array, dtype: Any) -> Array:
    sums = xp.empty(tiles_of(values.size), dtype)
    launch(_TILE_SUMS[sums.dtype.kind], sums.size, values, sums, per_block=1)
    return sums


def _scan_into(values: Array, scanned: Array) -> None:
    """Inclusive scan of at least one value; both may be the same array."""
    n_tiles = tiles_of(values.size)
    if 1 < n_tiles <= BLOCK:
        sums, arrived = xp.empty(n_tiles, scanned.dtype), xp.zeros(1, np.int64)
        launch_waiting(_SCAN_FEW_TILES[scanned.dtype.kind], values.size, values, sums, scanned, arrived)
        return
    if n_tiles > 1:
        ends = _sums_of_tiles(values, scanned.dtype)
        _scan_into(ends, ends)
    else:
        ends = xp.empty(1, scanned.dtype)  # which nothing reads
    launch(_SCAN_TILES[scanned.dtype.kind], ends.size, values, ends, scanned, per_block=1)


def add_up(values: Array) -> Array:
    """The same array (int64, uint64 or float64) with the sum up to each value in its place."""
    if values.size:
        _scan_into(values, values)
    return values


@guarded
def inclusive_scan(values: Array) -> Array:
    """See `ArrayOperations.inclusive_scan`."""
    scanned = xp.empty(values.size, _SUM_DTYPES[values.dtype.kind])
    if values.size:
        _scan_into(contiguous(values), scanned)
    return scanned


@guarded
def exclusive_scan(values: Array) -> Array:
    """See `ArrayOperations.exclusive_scan`."""
    scanned = xp.empty(values.size + 1, _SUM_DTYPES[values.dtype.kind])
    clear(scanned[:1])
    if values.size:
        _scan_into(contiguous(values), scanned[1:])
    return scanned


@guarded
def reduce(values: Array, reduction: Reduction) -> int | float:
    """See `ArrayOperations.reduce`; sums of floats are added in an order that depends on their number alone."""
    if reduction == "sum":
        return _sum(values)
    if not values.size:
        raise ValueError(f"{reduction} of no values")
    key = min_max(contiguous(values))[reduction == "max"]
    return _float_of(key, values.dtype) if values.dtype.kind == "f" else _integer_of(key, values.dtype)


def _sum(values: Array) -> int | float:
    sums, dtype = contiguous(values), np.dtype(_SUM_DTYPES[values.dtype.kind])
    if not sums.size:
        return dtype.type(0).item()
    sums = _sums_of_tiles(sums, dtype)
    while sums.size > 1:
        sums = _sums_of_tiles(sums, dtype)
    total: int | float = to_host(sums)[0].item()
    return total


def _integer_of(key: int, dtype: Any) -> int:
    sign = int(sign_of(dtype))
    return (key ^ sign) - 2 * (sign & ~key)


def _float_of(key: int, dtype: Any) -> float:
    top, _, nan = (int(bits) for bits in float_bits(dtype))
    full = 2 * top - 1
    bits = nan if key == full else key ^ top if key & top else key ^ full
    return float(np.array([bits], f"u{np.dtype(dtype).itemsize}").view(dtype)[0])
