"""Add edges to a graph in compressed sparse rows, and cut walks at them."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import as_bits
from debruijn_gpu.backends.arrays.cuda.select import compact
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import row_of
from debruijn_gpu.backends.graphs.cuda.csr import csr_from_edges, csr_tails


@kernel
def _add_row_pointers(row_ptr, added_ptr, new_row_ptr):
    """Where rows begin that hold old and added edges. One thread per vertex.

    Parameters
    ----------
    row_ptr, added_ptr : in, int64 (n_vertices + 1,)
    new_row_ptr : out, int64 (n_vertices + 1,)
    """
    for v in range(cuda.grid(1), new_row_ptr.size, cuda.gridsize(1)):
        new_row_ptr[v] = row_ptr[v] + added_ptr[v]


@kernel
def _place_edges(tails, col, other_ptr, is_added, new_col, original):
    """Write the edges of one CSR to the places that they have among those of both. One thread per edge.

    Edge e with the tail v comes behind ``other_ptr[v + is_added]`` edges of the other graph: an old edge behind those
    of the vertices before v, an added one behind those of v as well.

    Parameters
    ----------
    tails, col : in, uint32 or uint64 (n,)
    other_ptr : in, int64 (n_vertices + 1,); of the other graph
    is_added : int64; 1 if these are the added edges, 0 if they are the old ones
    new_col : out, dtype of col
    original : out, int64
    """
    for e in range(cuda.grid(1), col.size, cuda.gridsize(1)):
        place = e + other_ptr[np.int64(tails[e]) + is_added]
        new_col[place] = col[e]
        original[place] = -1 if is_added else e


@guarded
def append_edges(row_ptr: Array, col: Array, tails: Array, heads: Array) -> tuple[Array, Array, Array]:
    """See `CircuitOperations.append_edges`."""
    row_ptr, col = contiguous(row_ptr), contiguous(col)
    added_ptr, added_col = csr_from_edges(tails, heads, row_ptr.size - 1)
    new_row_ptr = xp.empty(row_ptr.size, np.int64)
    launch(_add_row_pointers, row_ptr.size, row_ptr, added_ptr, new_row_ptr)
    new_col = xp.empty(col.size + added_col.size, col.dtype)
    original = xp.empty(new_col.size, np.int64)
    for pointers, heads_of_rows, other_ptr, is_added in (
        (row_ptr, col, added_ptr, 0),
        (added_ptr, added_col, row_ptr, 1),
    ):
        launch(
            _place_edges, heads_of_rows.size,
            as_bits(csr_tails(pointers, heads_of_rows)), as_bits(heads_of_rows), other_ptr,
            np.int64(is_added), as_bits(new_col), original,
        )  # fmt: skip
    return new_row_ptr, new_col, original


@kernel
def _mark_added(steps, original, marks):
    """Whether steps are added edges. One thread per step.

    Parameters
    ----------
    steps : in, uint32 or uint64 (n,)
    original : in, int64 (n_edges,)
    marks : out, bool (n,)
    """
    for i in range(cuda.grid(1), steps.size, cuda.gridsize(1)):
        marks[i] = original[steps[i]] < 0


@guarded
def find_added(steps: Array, original: Array) -> Array:
    """See `CircuitOperations.find_added`."""
    steps = contiguous(steps)
    marks = xp.empty(steps.size, np.bool_)
    launch(_mark_added, steps.size, steps, contiguous(original), marks)
    return compact(steps, marks)[1]


@kernel
def _gather_ranges(steps, original, starts, offsets, taken):
    """Numbers of ranges of steps. One thread per element of the result, which looks its range up.

    Parameters
    ----------
    steps, original, starts, offsets : in; see `CircuitOperations.gather_ranges`
    taken : out, dtype of steps (offsets[n_ranges],)
    """
    for place in range(cuda.grid(1), taken.size, cuda.gridsize(1)):
        row = row_of(place, offsets, 0, starts.size - 1)
        taken[place] = original[steps[place - offsets[row] + starts[row]]]


@guarded
def gather_ranges(steps: Array, original: Array, starts: Array, offsets: Array) -> Array:
    """See `CircuitOperations.gather_ranges`."""
    taken = xp.empty(int(offsets[-1]), steps.dtype)
    launch(_gather_ranges, taken.size, *map(contiguous, (steps, original, starts, offsets)), taken)
    return taken
