"""Compute the minimum spanning forest by edge id."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.graphs.cpu.components import root_of


@kernel
def _kruskal(row_ptr, col, parent, forest):
    """Select each edge that merges two trees, in the order of the ids; return their number.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    col : in, uint32 or uint64 (n_edges,)
    parent : in and out, as col (n_vertices,); each vertex by itself on entry
    forest : out, int64 (n_vertices,); ids of the edges that are taken
    """
    n_taken = 0
    for tail in range(parent.size):
        a = root_of(parent, parent[tail])
        for edge in range(np.uint64(row_ptr[tail]), np.uint64(row_ptr[tail + 1])):
            b = root_of(parent, col[edge])
            if a != b:
                parent[max(a, b)] = min(a, b)
                a = min(a, b)
                forest[n_taken] = edge
                n_taken += 1
    return n_taken


def spanning_forest(row_ptr: Array, col: Array) -> Array:
    """See `GraphOperations.spanning_forest`."""
    n_vertices = len(row_ptr) - 1
    forest = np.empty(n_vertices, np.int64)  # untouched pages cost nothing
    n_taken = _kruskal(row_ptr, col, np.arange(n_vertices, dtype=col.dtype), forest)
    return forest[:n_taken].copy()
