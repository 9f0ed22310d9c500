"""Circuits written from the segments of cycles, run by run."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.lines import copy_lines
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


def _make_store(n_items: int, per_word: int) -> Any:
    """Build the function that stores a line; see `_make_write`."""
    bits, mask, n_words = np.uint64(64 // per_word), n_items - 1, n_items // per_word

    @device_function
    def store(line, thread, to, top, low, out, words):
        """Store what a thread has gathered for the places to..top, as far as they are among those of ``out``.

        A whole line is stored in words of 64 bits: each store of a thread is a transaction of its own.
        """
        if per_word > 1 and top - to == mask and to >= low and top < low + words.size * per_word:
            first = (to - low) // per_word
            for i in range(n_words):
                word = np.uint64(0)
                for j in range(per_word):
                    word |= np.uint64(line[(i * per_word + j) * BLOCK + thread]) << (np.uint64(j) * bits)
                words[first + i] = word
        else:
            for i in range(max(to, low), min(top + 1, low + out.size)):
                out[i - low] = line[(i & mask) * BLOCK + thread]

    return store


def _make_gather(mask: int, symbols: bool) -> Any:
    """Build the function that gathers a line; see `_make_write`."""

    @device_function
    def gather(edge, to, top, line, thread, predecessor, n_vertices, degree):
        """Gather items for the places top down to ``to``, which are in one line; return the edge before them."""
        for place in range(top, to - 1, -1):
            line[(place & mask) * BLOCK + thread] = quotient(edge, n_vertices) if symbols else edge
            edge = edge_before(edge, predecessor, n_vertices, degree)
        return edge

    return gather


def _make_write(out_type: Any, n_items: int, per_word: int, symbols: bool) -> Any:
    """Build the kernel that writes edges of one type, or symbols.

    Parameters
    ----------
    out_type : type of numba
    n_items : int
        Items of a line.
    per_word : int
        Items of 64 bits.
    symbols : bool
        Whether the first symbols of words are written instead of their numbers.
    """
    n_shared, mask = n_items * BLOCK, n_items - 1
    gather, store = _make_gather(mask, symbols), _make_store(n_items, per_word)

    @kernel
    def write(predecessor, n_edges, n_vertices, degree, shift, n_blocks, edges, at, run_lengths, low, out, words):
        """Write all runs. A thread takes the next run of its block when it is done with one.

        Each thread gathers one line of 64 bytes and stores it at once. Edges written one by one would each cause a
        memory transaction, because random loads evict the line from the cache in between.

        Parameters
        ----------
        predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
        shift, n_blocks : in, as in `Sublists`
        edges, at, run_lengths : in, as in `Runs`
        low : int64; the place of the first of ``out``, a multiple of a line; others are not stored
        out : out, unsigned (n,); edges, or their symbols
        words : out, uint64; the whole words of ``out``
        """
        line = cuda.shared.array(n_shared, out_type)
        thread = cuda.threadIdx.x
        taken = cuda.shared.array(1, uint32)
        first, stop = share_of_block(run_lengths.size, taken)
        run = take_next(first, taken)
        left = top = np.int64(0)
        edge = np.uint64(0)
        while left > 0 or run < stop:
            if left == 0:
                left = run_lengths[run]
                top = at[run]
                edge = splitter(np.uint64(run), shift, n_edges) if run < n_blocks else np.uint64(edges[run - n_blocks])
                run = take_next(first, taken)
            if left > 0:
                to = max(top & ~np.int64(mask), top - left + 1)
                edge = gather(edge, to, top, line, thread, predecessor, n_vertices, degree)
                store(line, thread, to, top, low, out, words)
                left, top = left - (top - to + 1), to - 1

    return write


_WRITE_EDGES = {
    np.dtype(np.uint32): _make_write(uint32, _LINE, 2, symbols=False),
    np.dtype(np.uint64): _make_write(uint64, _LINE, 1, symbols=False),
}
_WRITE_SYMBOLS = {
    np.dtype(np.uint8): _make_write(uint8, LINE_BYTES, 8, symbols=True),
    np.dtype(np.uint16): _make_write(uint16, LINE_BYTES // 2, 4, symbols=True),
    np.dtype(np.uint32): _make_write(uint32, LINE_BYTES // 4, 2, symbols=True),
}


def write_segments(pairing: Pairing, cycles: Cycles, circuits: Circuits, starts: Starts) -> tuple[Array, Array]:
    """Offsets and edges of circuits; completes the starts."""
    steps = xp.empty(pairing.size, pairing.dtype)
    offsets, runs = find_runs(pairing, cycles, circuits, starts)
    n_blocks = cycles.sublists.n_blocks
    if cycles.lines.owners.size:
        copy_lines(cycles.lines, runs.at[:n_blocks], runs.lengths[:n_blocks], steps)
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
    per_word = 8 // out.dtype.itemsize
    words = out[: out.size // per_word * per_word].view(np.uint64)
    arrays = (runs.edges, runs.at, runs.lengths, np.int64(low), out, words)
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
