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
from debruijn_gpu.backends.core.cuda.runtime import BLOCK, cuda, device_function, kernel, launch, uint32, uint64, xp
from debruijn_gpu.backends.core.cuda.scalars import splitter

LINE = 16  # edges that a thread writes at once
_LINES = LINE * BLOCK


@device_function
def _store_line(line, thread, to, top, low, steps):
    """Store what a thread has gathered for the places to..top, as far as they are among the steps from ``low`` on."""
    for i in range(max(to, low), min(top + 1, low + steps.size)):
        steps[i - low] = line[(i & (LINE - 1)) * BLOCK + thread]


@device_function
def _gather_line(edge, to, top, line, thread, predecessor, n_vertices, degree):
    """Gather edges for the places top down to ``to``, which are in one line; return the edge before them."""
    for place in range(top, to - 1, -1):
        line[(place & (LINE - 1)) * BLOCK + thread] = edge
        edge = edge_before(edge, predecessor, n_vertices, degree)
    return edge


def _make_write(id_type: Any) -> Any:
    """`_write` for edge ids of one type."""

    @kernel
    def write(predecessor, n_edges, n_vertices, degree, shift, n_blocks, edges, at, run_lengths, low, steps):
        """Write all runs. A thread takes another run when it is done with one.

        Each thread gathers one line of 64 bytes and stores it at once. Edges written one by one would each cause a
        memory transaction, because random loads evict the line from the cache in between.

        Parameters
        ----------
        predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
        shift, n_blocks : in, as in `Sublists`
        edges, at, run_lengths : in, as in `Runs`
        low : int64; the place of the first of ``steps``, a multiple of a line; others are not stored
        steps : out, uint32 or uint64 (n,)
        """
        line = cuda.shared.array(_LINES, id_type)
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
                to = max(top & ~np.int64(LINE - 1), top - left + 1)
                edge = _gather_line(edge, to, top, line, thread, predecessor, n_vertices, degree)
                _store_line(line, thread, to, top, low, steps)
                left -= top - to + 1
                top = to - 1

    return write


_WRITE = {np.dtype(np.uint32): _make_write(uint32), np.dtype(np.uint64): _make_write(uint64)}


def write_segments(pairing: Pairing, cycles: Cycles, circuits: Circuits, starts: Starts) -> tuple[Array, Array]:
    """Offsets and edges of circuits; completes the starts."""
    steps = xp.empty(pairing.size, pairing.dtype)
    offsets, runs = find_runs(pairing, cycles, circuits, starts)
    write_runs(pairing, runs, 0, steps, cycles.sublists.n_blocks)
    return offsets, steps


def write_runs(pairing: Pairing, runs: Runs, low: int, steps: Array, n_blocks: int = 0) -> None:
    """Write the steps of runs from a place on; the first ``n_blocks`` begin at splitters, the others at their edges."""
    shift = np.uint64(splitter_shift(pairing.size))
    arrays = (runs.edges, runs.at, runs.lengths, np.int64(low), steps)
    launch(_WRITE[steps.dtype], runs.at.size, *pairing.arguments, shift, np.int64(n_blocks), *arrays)


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
