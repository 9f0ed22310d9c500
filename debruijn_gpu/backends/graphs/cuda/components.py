"""Label weakly connected components, and find spanning forests; see `GraphOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import as_bits
from debruijn_gpu.backends.arrays.cuda.masks import select, selected_positions
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import counted
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.graphs.cuda.csr import csr_tails
from debruijn_gpu.run.tuning import tuning


@kernel
def _start_round(parent, tree, best):
    """Bring each vertex to the root of its tree, with no edge chosen yet. One thread per vertex.

    Parameters
    ----------
    parent : in and out, uint32 or uint64 (n_vertices,)
    tree : out, as parent; the root of each vertex
    best : out, int64 (n_vertices,); more than any id
    """
    for vertex in range(cuda.grid(1), parent.size, cuda.gridsize(1)):
        tree[vertex] = root_of(parent, parent[vertex])
        best[vertex] = np.int64(0x7FFFFFFFFFFFFFFF)


@kernel
def _choose(tails, heads, tree, best):
    """The smallest edge that leads out of each tree. One thread per edge.

    Parameters
    ----------
    tails, heads : in, uint32 or uint64 (n_edges,)
    tree : in, as tails (n_vertices,)
    best : in and out, int64 (n_vertices,); of roots
    """
    for edge in range(cuda.grid(1), heads.size, cuda.gridsize(1)):
        a = tree[tails[edge]]
        b = tree[heads[edge]]
        if a != b:
            if edge < best[a]:
                cuda.atomic.min(best, a, edge)
            if edge < best[b]:
                cuda.atomic.min(best, b, edge)


@kernel
def _merge_trees(tails, heads, tree, best, parent, chosen, has_merged):
    """Hang each tree under the one its edge leads to; of two that chose one edge, the greater. One thread per vertex.

    Parameters
    ----------
    tails, heads, tree, best : in, as in `_choose`
    parent : in and out, as tree; of roots
    chosen : in and out, bool (n_edges,); edges of the forest
    has_merged : in and out, int64 (1,); becomes 1 if any trees merge
    """
    for root in range(cuda.grid(1), best.size, cuda.gridsize(1)):
        edge = best[root]
        if edge < heads.size:
            other = tree[tails[edge]]
            if np.int64(other) == root:
                other = tree[heads[edge]]
            chosen[edge] = True
            if best[other] != edge or np.int64(other) < root:
                parent[root] = other
            has_merged[0] = 1


@guarded
def spanning_forest(row_ptr: Array, col: Array) -> Array:
    """See `GraphOperations.spanning_forest`."""
    tails, heads = as_bits(csr_tails(contiguous(row_ptr), col)), as_bits(col)
    n_vertices = row_ptr.size - 1
    parent = counted(n_vertices, heads.dtype)
    tree, best = xp.empty(n_vertices, heads.dtype), xp.empty(n_vertices, np.int64)
    chosen = xp.zeros(heads.size, np.bool_)
    merging = heads.size > 0
    while merging:
        has_merged = xp.zeros(1, np.int64)
        launch(_start_round, n_vertices, parent, tree, best)
        launch(_choose, heads.size, tails, heads, tree, best)
        launch(_merge_trees, n_vertices, tails, heads, tree, best, parent, chosen, has_merged)
        merging = bool(has_merged[0])
    return selected_positions(select(chosen))


@device_function
def root_of(parent, vertex):
    """Root of a vertex, which is of the dtype of ``parent``; lets each vertex on the way point to its grandparent.

    Other threads may do so at the same time: whatever is stored is an ancestor.
    """
    above = parent[vertex]
    while above != vertex:
        further = parent[above]
        if further != above:
            parent[vertex] = further
        vertex = above
        above = further
    return vertex


@device_function
def _unite(parent, a, b):
    """Merge the trees of two vertices of the dtype of ``parent``, the smaller root on top."""
    a = root_of(parent, a)
    b = root_of(parent, b)
    while a != b:
        lower = max(a, b)
        upper = min(a, b)
        found = cuda.atomic.cas(parent, lower, lower, upper)
        if found == lower:
            break
        a = root_of(parent, found)  # another thread was faster
        b = upper


@kernel
def _plant(row_ptr, col, long_row, parent, long_rows, n_long):
    """Let each vertex point to its first head if smaller, otherwise itself; list long rows. One thread per vertex.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    col : in, uint32 or uint64 (n_edges,)
    long_row : int64; see `Tuning`
    parent : out, as col (n_vertices,)
    long_rows : out, int64 (n_edges // long_row + 1,)
    n_long : in and out, int64 (1,); 0 on entry
    """
    for vertex in range(cuda.grid(1), parent.size, cuda.gridsize(1)):
        start = row_ptr[vertex]
        stop = row_ptr[vertex + 1]
        parent[vertex] = vertex
        if start < stop and np.int64(col[start]) < vertex:
            parent[vertex] = col[start]
        if stop - start > long_row:
            long_rows[cuda.atomic.add(n_long, 0, 1)] = vertex


@kernel
def _unite_short_rows(row_ptr, col, long_row, parent):
    """Merge the trees at both ends of the edges of short rows. One thread per row.

    Parameters
    ----------
    row_ptr, col, long_row : in, as in `_plant`
    parent : in and out, as col (n_vertices,); no vertex points to a greater one
    """
    for tail in range(cuda.grid(1), parent.size, cuda.gridsize(1)):
        start = row_ptr[tail]
        stop = row_ptr[tail + 1]
        if stop - start <= long_row:
            for edge in range(start, stop):
                _unite(parent, parent[tail], col[edge])


@kernel
def _unite_long_rows(row_ptr, col, parent, long_rows, n_long):
    """Merge the trees at both ends of the edges of long rows. One block per row; arrays as in `_plant` and
    `_unite_short_rows`."""
    for i in range(cuda.blockIdx.x, n_long[0], cuda.gridDim.x):
        tail = long_rows[i]
        start = row_ptr[tail] + cuda.threadIdx.x
        for edge in range(start, row_ptr[tail + 1], cuda.blockDim.x):
            _unite(parent, parent[tail], col[edge])


@kernel
def _label(parent, component):
    """The root of each vertex. One thread per vertex.

    Parameters
    ----------
    parent : in and out, uint32 or uint64 (n_vertices,)
    component : out, int64 (n_vertices,)
    """
    for vertex in range(cuda.grid(1), parent.size, cuda.gridsize(1)):
        component[vertex] = root_of(parent, parent[vertex])


@guarded
def weak_components(row_ptr: Array, col: Array) -> Array:
    """See `GraphOperations.weak_components`."""
    row_ptr, col = contiguous(row_ptr), as_bits(col)
    n_vertices = row_ptr.size - 1
    parent, component = xp.empty(n_vertices, col.dtype), xp.empty(n_vertices, np.int64)
    long_row = np.int64(tuning().long_row)
    long_rows, n_long = xp.empty(col.size // int(long_row) + 1, np.int64), xp.zeros(1, np.int64)
    launch(_plant, n_vertices, row_ptr, col, long_row, parent, long_rows, n_long)
    launch(_unite_short_rows, n_vertices, row_ptr, col, long_row, parent)
    launch(_unite_long_rows, long_rows.size, row_ptr, col, parent, long_rows, n_long, per_block=1)
    launch(_label, n_vertices, parent, component)
    return component
