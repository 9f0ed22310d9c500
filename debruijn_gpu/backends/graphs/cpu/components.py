"""Label weakly connected components, and find spanning forests; see `GraphOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.intrinsics import compare_and_swap


@kernel
def root_of(parent, vertex):
    """Root of a vertex; lets each vertex on the way point to its grandparent.

    Other threads may do so at the same time: whatever is stored is an ancestor.
    """
    while True:
        above = parent[vertex]
        if above == vertex:
            return vertex
        further = parent[above]
        if further != above:
            parent[vertex] = further
        vertex = above


@kernel
def _unite(parent, a, b):
    """Merge the trees of two vertices of the dtype of ``parent``, the smaller root on top."""
    a = root_of(parent, a)
    b = root_of(parent, b)
    while a != b:
        lower, upper = max(a, b), min(a, b)
        found = compare_and_swap(parent, np.uint64(lower), lower, upper)
        if found == lower:
            return
        a = root_of(parent, found)  # another thread was faster
        b = upper


@kernel
def _plant(row_ptr, col, start, stop, parent):
    """Let vertices start..stop point to their first head if it is smaller, otherwise to themselves."""
    for vertex in range(start, stop):
        parent[vertex] = vertex
        edge = row_ptr[vertex]
        if edge < row_ptr[vertex + 1] and col[edge] < parent[vertex]:
            parent[vertex] = col[edge]


@kernel
def _unite_edges(row_ptr, col, start, stop, parent):
    """Merge the trees at both ends of the edges of rows start..stop.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    col : in, uint32 or uint64 (n_edges,)
    start, stop : int64; the range of this thread
    parent : in and out, as col (n_vertices,); shared by all threads, never greater than the vertex
    """
    for tail in range(start, stop):
        above = parent[tail]
        for edge in range(np.uint64(row_ptr[tail]), np.uint64(row_ptr[tail + 1])):
            if parent[col[edge]] != above:
                _unite(parent, above, col[edge])
                above = root_of(parent, above)


@kernel
def _label(parent, start, stop, component):
    """Write the roots of vertices start..stop (out, int64)."""
    for vertex in range(start, stop):
        component[vertex] = root_of(parent, parent[vertex])


def weak_components(row_ptr: Array, col: Array) -> Array:
    """See `GraphOperations.weak_components`."""
    n_vertices = len(row_ptr) - 1
    parent = np.empty(n_vertices, col.dtype)
    component = np.empty(n_vertices, np.int64)
    threads.over_ranges(n_vertices, lambda start, stop: _plant(row_ptr, col, start, stop, parent))
    unite = lambda start, stop: _unite_edges(row_ptr, col, start, stop, parent)  # noqa: E731
    threads.over_ranges(n_vertices, unite, 64, work=n_vertices + len(col))
    threads.over_ranges(n_vertices, lambda start, stop: _label(parent, start, stop, component))
    return component


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
