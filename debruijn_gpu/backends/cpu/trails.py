"""Edges added to a graph in compressed sparse rows."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cpu import pool
from debruijn_gpu.backends.cpu.csr import csr_from_edges
from debruijn_gpu.backends.cpu.jit import kernel


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
    """See `TrailBackend.append_edges`."""
    n_vertices = len(row_ptr) - 1
    added_ptr, added_col = csr_from_edges(tails, heads, n_vertices)
    new_col = np.empty(len(col) + len(added_col), col.dtype)
    original = np.empty(len(new_col), np.int64)
    pool.over_ranges(
        n_vertices,
        lambda start, stop: _append_rows(row_ptr, col, added_ptr, added_col, start, stop, new_col, original),
        16,
    )
    return row_ptr + added_ptr, new_col, original
