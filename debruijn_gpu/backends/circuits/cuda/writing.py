"""Circuits written from the segments of cycles, run by run."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.circuits.cuda.runs import Runs, find_runs
from debruijn_gpu.backends.circuits.cuda.segments import Circuits, cut_cycles
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
    kernel,
    launch,
    uint8,
    uint16,
    uint32,
    uint64,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import splitter

_LINE = 16  # edges that a thread writes at once
LINE_BYTES = 64  # and symbols, in bytes


@device_function
def _store_line(line, thread, to, top, low, out):
    """Store what a thread has gathered for the places to..top, as far as they are among those of ``out``."""
    mask = line.size // BLOCK - 1
    for i in range(max(to, low), min(top + 1, low + out.size)):
        out[i - low] = line[(i & mask) * BLOCK + thread]


def _make_gather(mask: int, symbols: bool) -> Any:
    """Build the function that gathers a line; see `_make_write`."""

    @device_function
    def gather(edge, to, top, line, thread, predecessor, n_vertices, degree):
        """Gather items for the places top down to ``to``, which are in one line; return the edge before them."""
        for place in range(top, to - 1, -1):
            line[(place & mask) * BLOCK + thread] = edge // n_vertices if symbols else edge
            edge = edge_before(edge, predecessor, n_vertices, degree)
        return edge

    return gather


def _make_write(out_type: Any, n_items: int, symbols: bool) -> Any:
    """Build the kernel that writes edges of one type, or symbols.

    Parameters
    ----------
    out_type : type of numba
    n_items : int
        Items of a line.
    symbols : bool
        Whether the first symbols of words are written instead of their numbers.
    """
    n_shared, mask = n_items * BLOCK, n_items - 1
    gather = _make_gather(mask, symbols)

    @kernel
    def write(predecessor, n_edges, n_vertices, degree, shift, n_blocks, edges, at, run_lengths, low, out):
        """Write all runs. A thread takes another run when it is done with one.

        Each thread gathers one line of 64 bytes and stores it at once. Edges written one by one would each cause a
        memory transaction, because random loads evict the line from the cache in between.

        Parameters
        ----------
        predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
        shift, n_blocks : in, as in `Sublists`
        edges, at, run_lengths : in, as in `Runs`
        low : int64; the place of the first of ``out``, a multiple of a line; others are not stored
        out : out, unsigned (n,); edges, or their symbols
        """
        line = cuda.shared.array(n_shared, out_type)
        thread = cuda.threadIdx.x
        run = cuda.grid(1)
        left = top = np.int64(0)
        edge = np.uint64(0)
        while left > 0 or run < run_lengths.size:
            if left == 0:
                left = run_lengths[run]
                top = at[run]
                edge = splitter(np.uint64(run), shift, n_edges) if run < n_blocks else np.uint64(edges[run - n_blocks])
                run += cuda.gridsize(1)
            if left > 0:
                to = max(top & ~np.int64(mask), top - left + 1)
                edge = gather(edge, to, top, line, thread, predecessor, n_vertices, degree)
                _store_line(line, thread, to, top, low, out)
                left -= top - to + 1
                top = to - 1

    return write


_WRITE_EDGES = {
    np.dtype(np.uint32): _make_write(uint32, _LINE, symbols=False),
    np.dtype(np.uint64): _make_write(uint64, _LINE, symbols=False),
}
_WRITE_SYMBOLS = {
    np.dtype(np.uint8): _make_write(uint8, LINE_BYTES, symbols=True),
    np.dtype(np.uint16): _make_write(uint16, LINE_BYTES // 2, symbols=True),
    np.dtype(np.uint32): _make_write(uint32, LINE_BYTES // 4, symbols=True),
}


def write_segments(pairing: Pairing, cycles: Cycles, circuits: Circuits, starts: Starts) -> tuple[Array, Array]:
    """Offsets and edges of circuits; completes the starts."""
    steps = xp.empty(pairing.size, pairing.dtype)
    offsets, runs = find_runs(pairing, cycles, circuits, starts)
    write_runs(pairing, runs, 0, steps, cycles.sublists.n_blocks)
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
    launch(write, runs.at.size, *pairing.arguments, shift, np.int64(n_blocks), *arrays)


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
