"""Add edges to a graph in compressed sparse rows, and cut walks at them."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.graphs.cpu.csr import csr_from_edges


@kernel
def _append_rows(row_ptr, col, added_ptr, added_col, start, stop, new_col, original):
    """Copy the rows start..stop, the added edges behind the old ones of each.

    Parameters
    ----------
    row_ptr, col : in, CSR of the graph
    added_ptr, added_col : in, CSR of the added edges, over the same vertices
    start, stop : int64; range of vertices
    new_col : out, dtype of col (n_edges + n_added,)
    original : out, int64 (n_edges + n_added,)
    """
    for v in range(start, stop):
        shift = added_ptr[v]
        for e in range(row_ptr[v], row_ptr[v + 1]):
            new_col[e + shift] = col[e]
            original[e + shift] = e
        shift = row_ptr[v + 1]
        for e in range(added_ptr[v], added_ptr[v + 1]):
            new_col[e + shift] = added_col[e]
            original[e + shift] = -1


def append_edges(row_ptr: Array, col: Array, tails: Array, heads: Array) -> tuple[Array, Array, Array]:
    """See `CircuitOperations.append_edges`."""
    n_vertices = len(row_ptr) - 1
    added_ptr, added_col = csr_from_edges(tails, heads, n_vertices)
    new_col = np.empty(len(col) + len(added_col), col.dtype)
    original = np.empty(len(new_col), np.int64)
    threads.over_ranges(
        n_vertices,
        lambda start, stop: _append_rows(row_ptr, col, added_ptr, added_col, start, stop, new_col, original),
        16,
        work=n_vertices + len(new_col),
    )
    return row_ptr + added_ptr, new_col, original


@kernel
def _mark_added(steps, is_added, start, stop, marks):
    """Whether (out, bool (n,)) the steps start..stop are edges for which ``is_added`` (in, bool (n_edges,)) is set."""
    for i in range(start, stop):
        marks[i] = is_added[steps[i]]


def find_added(steps: Array, original: Array) -> Array:
    """See `CircuitOperations.find_added`."""
    is_added = original < 0  # an eighth of the memory to look into
    marks = np.empty(len(steps), np.bool_)
    threads.over_ranges(len(steps), lambda start, stop: _mark_added(steps, is_added, start, stop, marks))
    return np.flatnonzero(marks)


@kernel
def _gather_ranges(steps, original, starts, offsets, start, stop, taken):
    """Write the elements start..stop of the result.

    Parameters
    ----------
    steps, original, starts, offsets : in; see `CircuitOperations.gather_ranges`
    start, stop : int64
    taken : out, dtype of steps (offsets[n_ranges],)
    """
    i = np.searchsorted(offsets, start, side="right") - 1
    at = start
    while at < stop:
        shift = starts[i] - offsets[i]
        for place in range(at, min(offsets[i + 1], stop)):
            taken[place] = original[steps[place + shift]]
        i += 1
        at = offsets[i]


def gather_ranges(steps: Array, original: Array, starts: Array, offsets: Array) -> Array:
    """See `CircuitOperations.gather_ranges`."""
    taken = np.empty(int(offsets[-1]), steps.dtype)
    threads.over_ranges(
        len(taken), lambda start, stop: _gather_ranges(steps, original, starts, offsets, start, stop, taken)
    )
    return taken
