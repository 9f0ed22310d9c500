"""Compute the minimum spanning forest by edge id, in rounds of Borůvka 1926.

In each round every tree selects the edge with the smallest id of those that lead out of it, and merges with the tree
this leads to. Ids differ, so two trees at most take each other, by the same edge.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import as_bits
from debruijn_gpu.backends.arrays.cuda.masks import select, selected_positions
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import counted
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, xp
from debruijn_gpu.backends.graphs.cuda.components import root_of
from debruijn_gpu.backends.graphs.cuda.csr import csr_tails


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
