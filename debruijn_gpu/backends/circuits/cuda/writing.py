"""Circuits written from the segments of cycles, run by run."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.lines import STRIDE, copy_lines
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before, quotient
from debruijn_gpu.backends.circuits.cuda.runs import Runs, find_runs
from debruijn_gpu.backends.circuits.cuda.segments import Circuits, cut_cycles
from debruijn_gpu.backends.circuits.cuda.shares import WALKS_OF_BLOCK, share_of_block, take_next
from debruijn_gpu.backends.circuits.cuda.splices import Splices
from debruijn_gpu.backends.circuits.cuda.starts import LATER, Starts
from debruijn_gpu.backends.circuits.cuda.sublists import splitter_shift
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import filled
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    cuda,
    device_function,
    int64,
    kernel,
    launch,
    uint8,
    uint16,
    uint32,
    uint64,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import splitter

#: Lines begin at multiples of so many places, or of a part of it
LINE_PLACES = 64


@device_function
def _store_lines(line, bits, lows, tops, low, out):
    """Store the lines of a block of threads: each has items for the places from its low to its top one.

    Threads store the items of one line beside each other. Items written one by one by the thread that walks would each
    cause a memory transaction, because random loads evict the line from the cache in between.
    """
    mask = (np.int64(1) << bits) - 1
    for i in range(cuda.threadIdx.x, BLOCK << bits, BLOCK):
        thread = i >> bits
        place = (tops[thread] & ~mask) + (i & mask)
        if place >= max(low, lows[thread]) and place <= tops[thread] and place - low < out.size:
            out[place - low] = line[(i & mask) * STRIDE + thread]


def _make_gather(bits: int, symbols: bool) -> Any:
    """Build the function that gathers a line; see `_make_write`."""
    mask = (1 << bits) - 1

    @device_function
    def gather(edge, to, top, line, predecessor, n_vertices, degree):
        """Gather items for the places top down to ``to``, which are in one line; return the edge before them."""
        for place in range(top, to - 1, -1):
            line[(place & mask) * STRIDE + cuda.threadIdx.x] = quotient(edge, n_vertices) if symbols else edge
            edge = edge_before(edge, predecessor, n_vertices, degree)
        return edge

    return gather


def _make_write(out_type: Any, bits: int, symbols: bool) -> Any:
    """Build the kernel that writes edges of one type in lines of 2^bits, or the first symbols of their words."""
    n_shared, mask, gather = STRIDE << bits, (1 << bits) - 1, _make_gather(bits, symbols)

    @kernel
    def write(predecessor, n_edges, n_vertices, degree, shift, n_blocks, edges, at, run_lengths, low, out):
        """Write all runs. Each thread of a block gathers a line; then all lines are stored. A thread takes the next run
        of its block when it is done with one.

        Parameters
        ----------
        predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
        shift, n_blocks : in, as in `Sublists`
        edges, at, run_lengths : in, as in `Runs`
        low : int64; the place of the first of ``out``, a multiple of a line; others are not stored
        out : out, unsigned (n,); edges, or their symbols
        """
        line = cuda.shared.array(n_shared, out_type)
        lows = cuda.shared.array(BLOCK, int64)
        tops = cuda.shared.array(BLOCK, int64)
        taken = cuda.shared.array(1, uint32)
        first, stop = share_of_block(run_lengths.size, taken)
        run = take_next(first, taken)
        left, top, edge = np.int64(0), np.int64(0), np.uint64(0)
        while cuda.syncthreads_count(np.int32(1) if left > 0 or run < stop else np.int32(0)) > 0:
            if left == 0 and run < stop:
                left, top = run_lengths[run], at[run]
                edge = splitter(np.uint64(run), shift, n_edges) if run < n_blocks else np.uint64(edges[run - n_blocks])
                run = take_next(first, taken)
            to = max(top & ~np.int64(mask), top - left + 1)
            if left > 0:
                edge = gather(edge, to, top, line, predecessor, n_vertices, degree)
            lows[cuda.threadIdx.x], tops[cuda.threadIdx.x] = to, top if left > 0 else np.int64(-1)
            left, top = (left - (top - to + 1), to - 1) if left > 0 else (left, top)
            cuda.syncthreads()
            _store_lines(line, bits, lows, tops, low, out)

    return write


_WRITE_EDGES = {
    np.dtype(np.uint32): _make_write(uint32, 5, symbols=False),
    np.dtype(np.uint64): _make_write(uint64, 4, symbols=False),
}
_WRITE_SYMBOLS = {
    np.dtype(np.uint8): _make_write(uint8, 6, symbols=True),
    np.dtype(np.uint16): _make_write(uint16, 6, symbols=True),
    np.dtype(np.uint32): _make_write(uint32, 5, symbols=True),
}


def write_segments(pairing: Pairing, cycles: Cycles, circuits: Circuits, starts: Starts) -> tuple[Array, Array]:
    """Offsets and edges of circuits; completes the starts."""
    steps = xp.empty(pairing.size, pairing.dtype)
    offsets, runs = find_runs(pairing, cycles, circuits, starts)
    n_blocks = cycles.sublists.n_blocks
    if cycles.lines.owners.size:
        copy_lines(cycles.lines, runs.at, runs.lengths, steps)
        runs, n_blocks = Runs(runs.edges, runs.at[n_blocks:], runs.lengths[n_blocks:]), 0
    write_runs(pairing, runs, 0, steps, n_blocks)
    return offsets, steps


def write_runs(
    pairing: Pairing, runs: Runs, low: int, out: Array, n_blocks: int = 0, are_symbols: bool = False
) -> None:
    """Write the steps of runs from a place on; the first ``n_blocks`` begin at splitters, the others at their edges.

    Edges of a shift graph may be written as the symbols with which their words begin.
    """
    shift = np.uint64(splitter_shift(pairing.size))
    write = (_WRITE_SYMBOLS if are_symbols else _WRITE_EDGES)[out.dtype]
    arrays = (runs.edges, runs.at, runs.lengths, np.int64(low), out)
    launch(write, runs.at.size, *pairing.arguments, shift, np.int64(n_blocks), *arrays, per_block=WALKS_OF_BLOCK)


def starts_at_least(circuits: Circuits) -> Starts:
    """Circuits begin with their smallest edges, which are found later."""
    n = circuits.offsets.size - 1
    first = LATER if n > 1 else np.int64(0)  # where all would look for it at once, it is known
    return Starts(filled(n, first), xp.empty(n, np.int64), xp.empty(n, np.int64))


@guarded
def write_circuits(pairing: Pairing, cycles: Cycles, splices: Splices) -> tuple[Array, Array]:
    """See `CircuitOperations.write_circuits`."""
    if not pairing.size:
        return xp.zeros(1, np.int64), xp.empty(0, pairing.dtype)
    circuits = cut_cycles(pairing, cycles, splices)
    return write_segments(pairing, cycles, circuits, starts_at_least(circuits))
