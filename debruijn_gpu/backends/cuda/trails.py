"""Edges added to a graph in compressed sparse rows."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cuda.csr import csr_from_edges, csr_tails
from debruijn_gpu.backends.cuda.keys import as_bits
from debruijn_gpu.backends.cuda.memory import guarded
from debruijn_gpu.backends.cuda.runtime import contiguous, cuda, kernel, launch, xp


@kernel
def _add_row_pointers(row_ptr, added_ptr, new_row_ptr):
    """Where rows begin that hold old and added edges. One thread a vertex.

    Parameters
    ----------
    row_ptr, added_ptr : in, int64 (n_vertices + 1,)
    new_row_ptr : out, int64 (n_vertices + 1,)
    """
    for v in range(cuda.grid(1), new_row_ptr.size, cuda.gridsize(1)):
        new_row_ptr[v] = row_ptr[v] + added_ptr[v]


@kernel
def _place_edges(tails, col, other_ptr, is_added, new_col, original):
    """Write the edges of one CSR to the places that they have among those of both. One thread an edge.

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
    """See `TrailBackend.append_edges`."""
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
