"""Generate look-and-say terms; see `SequenceOperations`.

A thread says the runs that begin in some digits of its own, and looks for the end of the last one behind them. It does
not look far: where a run is long, all is done again with a table that says in which intervals of the term no run
begins.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.scans import add_up
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.blocks import block_sum
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    SIMULATED,
    contiguous,
    cuda,
    device_function,
    int64,
    kernel,
    launch,
    to_host,
    uint8,
    xp,
)
from debruijn_gpu.backends.sequences.containers import ReadTerm

_OWN = 16  # digits in which the runs of a thread begin
_TILE = BLOCK * _OWN
_NEAR = 5 if SIMULATED else 64  # digits of a run that are looked at one by one
_TEXT = 2 * _TILE + 32  # digits said of a tile: two for each at most, but for its last run, whose end is elsewhere
_ZERO = ord("0")
_NOWHERE = np.int64(-1)


@device_function
def _end_of_same(term, at, stop):
    """Where the run ends to which place ``at - 1`` belongs, or ``stop`` if that is first."""
    while at < stop and term[at] == term[at - 1]:
        at += 1
    return at


@device_function
def _end_of_run(term, start, tile_starts):
    """Where the run ends that begins at a place; `_NOWHERE` if that is far and ``tile_starts`` is empty."""
    stop = min(start + _NEAR, term.size)
    end = _end_of_same(term, start + 1, stop)
    if end < stop or stop == term.size:
        return end
    if tile_starts.size == 0:
        return _NOWHERE
    tile = end // _TILE + 1
    stop = min(tile * _TILE, term.size)
    end = _end_of_same(term, end, stop)
    if end < stop:
        return end
    while tile < tile_starts.size and tile_starts[tile] == _NOWHERE:
        tile += 1
    return tile_starts[tile] if tile < tile_starts.size else np.int64(term.size)


@device_function
def _n_digits(number):
    """Decimal digits of a positive number."""
    n = 1
    while number >= 10:
        number //= 10
        n += 1
    return n


@device_function
def _first_run(term, start):
    """Where the first run begins that begins among the digits of a thread, from ``start`` on, or behind them all."""
    if start == 0:
        return start
    return _end_of_same(term, start, min(start + _OWN, term.size))


@device_function
def _count_said(term, start, tile_starts):
    """Digits said of the runs of a thread; `_NOWHERE` if the end of one is far and not known."""
    n_said, at = 0, _first_run(term, start)
    stop = min(start + _OWN, term.size)
    while at < stop:
        end = _end_of_run(term, at, tile_starts)
        if end == _NOWHERE:
            return _NOWHERE
        n_said += _n_digits(end - at) + 1
        at = end
    return np.int64(n_said)


@kernel
def _measure(term, tile_starts, sizes):
    """Digits said of each tile. One block per tile.

    Parameters
    ----------
    term : in, uint8 (n,)
    tile_starts : in, int64 (0,) or (tiles,); see `_find_tile_starts`
    sizes : out, int64 (tiles + 1,); the last one is set to 1 if a run is long and there is no table, else not written
    """
    partial = cuda.shared.array(BLOCK, int64)
    thread = cuda.threadIdx.x
    for tile in range(cuda.blockIdx.x, sizes.size - 1, cuda.gridDim.x):
        n_said = _count_said(term, tile * _TILE + thread * _OWN, tile_starts)
        if n_said == _NOWHERE:
            sizes[sizes.size - 1] = 1
        n_said = block_sum(partial, thread, n_said)
        if thread == 0:
            sizes[tile] = n_said


@kernel
def _find_tile_starts(term, tile_starts):
    """The first place in each tile where a run begins, or `_NOWHERE`. One thread per tile.

    Parameters
    ----------
    term : in, uint8 (n,)
    tile_starts : out, int64 (tiles,)
    """
    for tile in range(cuda.grid(1), tile_starts.size, cuda.gridsize(1)):
        stop = min((tile + 1) * _TILE, term.size)
        at = _end_of_same(term, tile * _TILE, stop) if tile else 0
        tile_starts[tile] = at if at < stop else _NOWHERE


@kernel
def _say(term, tile_starts, ends, said):
    """Write what is said. One block per tile: each thread counts, the counts are scanned (Hillis and Steele 1986), each
    thread writes to shared memory, and all together copy that.

    Parameters
    ----------
    term : in, uint8 (n,)
    tile_starts : in, int64 (0,) or (tiles,); see `_find_tile_starts`
    ends : in, int64 (tiles,), where what is said of each tile ends
    said : out, uint8 (ends[tiles - 1],)
    """
    sums = cuda.shared.array(BLOCK, int64)
    text = cuda.shared.array(_TEXT, uint8)
    thread = cuda.threadIdx.x
    for tile in range(cuda.blockIdx.x, ends.size, cuda.gridDim.x):
        start = tile * _TILE + thread * _OWN
        n_own = _count_said(term, start, tile_starts)
        sums[thread] = n_own
        cuda.syncthreads()
        step = 1
        while step < BLOCK:
            before = sums[thread - step] if thread >= step else 0
            cuda.syncthreads()
            sums[thread] += before
            cuda.syncthreads()
            step *= 2
        to, at = sums[thread] - n_own, _first_run(term, start)
        stop = min(start + _OWN, term.size)
        while at < stop:
            end = _end_of_run(term, at, tile_starts)
            rest = end - at
            n_digits = _n_digits(rest)
            for place in range(n_digits):
                text[to + n_digits - 1 - place] = _ZERO + rest % 10
                rest //= 10
            text[to + n_digits] = term[at]
            to += n_digits + 1
            at = end
        cuda.syncthreads()
        first = ends[tile - 1] if tile else 0
        for i in range(thread, sums[BLOCK - 1], BLOCK):
            said[first + i] = text[i]
        cuda.syncthreads()


def _measured(term: Array, tile_starts: Array) -> tuple[Array, int, bool]:
    """Where what is said of each tile ends, all that is said, and whether it is not known, for want of the table."""
    n_tiles = -(-term.size // _TILE)
    sizes = xp.zeros(n_tiles + 1, np.int64)
    launch(_measure, n_tiles, term, tile_starts, sizes, per_block=1)
    ends = add_up(sizes)
    n_said, with_flag = to_host(ends[-2:]).tolist()
    return ends[:-1], n_said, with_flag > n_said


@guarded
def look_at_term(term: Array) -> ReadTerm:
    """See `SequenceOperations.look_at_term`."""
    tile_starts = xp.empty(0, np.int64)
    if not term.size:
        return ReadTerm(term, 0, (tile_starts, tile_starts))
    term = contiguous(term)
    ends, n_said, is_far = _measured(term, tile_starts)
    if is_far:
        tile_starts = xp.empty(ends.size, np.int64)
        launch(_find_tile_starts, tile_starts.size, term, tile_starts)
        ends, n_said, _ = _measured(term, tile_starts)
    return ReadTerm(term, n_said, (tile_starts, ends))


@guarded
def say_term(read: ReadTerm) -> Array:
    """See `SequenceOperations.say_term`."""
    tile_starts, ends = read.places
    said = xp.empty(read.n_said, np.uint8)
    launch(_say, ends.size, read.term, tile_starts, ends, said, per_block=1)
    return said
