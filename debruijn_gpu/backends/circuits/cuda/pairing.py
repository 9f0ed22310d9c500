"""Pair edges at vertices; see `CircuitOperations.pair_edges`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.sorting import sort_pairs
from debruijn_gpu.backends.circuits.shift_graphs import is_like_shift_graph
from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cuda.fill import counted
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import rotation
from debruijn_gpu.run.tuning import tuning


@kernel
def _pack(col, shift, packed):
    """Head over edge id. One thread per edge.

    Parameters
    ----------
    col : in, uint32 or uint64 (n_edges,)
    shift : uint64; bits of an edge id
    packed : out, uint64 (n_edges,)
    """
    for edge in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        packed[edge] = (np.uint64(col[edge]) << shift) | np.uint64(edge)


@device_function
def _partner(slot, vertex, row_ptr):
    """Where among the edges sorted by head the one before out-edge ``slot`` is; -1 if the slot is not the vertex's."""
    if vertex >= np.uint64(row_ptr.size - 1):
        return np.int64(-1)
    start = row_ptr[vertex]
    stop = row_ptr[vertex + np.uint64(1)]
    if slot < start or slot >= stop:
        return np.int64(-1)
    partner = np.int64(slot) + np.int64(rotation(np.uint64(vertex), np.uint64(stop - start)))
    return partner - (stop - start) if partner >= stop else partner


@kernel
def _pair_packed(packed, shift, row_ptr, predecessor, is_unbalanced):
    """The edge before each edge. One thread per edge.

    The edges sorted by head are the edges into vertex 0, then into vertex 1 and so on: in a balanced graph as many
    into each vertex as out of it, so that place p is one of the vertex that edge p leaves.

    Parameters
    ----------
    packed : in, uint64 (n_edges,), sorted; see `_pack`
    shift : uint64
    row_ptr : in, int64 (n_vertices + 1,)
    predecessor : out, uint32 or uint64 (n_edges,)
    is_unbalanced : in and out, uint32 (1,); 1 if the graph is not balanced
    """
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for slot in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        partner = _partner(slot, packed[slot] >> shift, row_ptr)
        if partner < 0:
            is_unbalanced[0] = 1
        else:
            predecessor[slot] = packed[partner] & mask


@kernel
def _pair_sorted(heads, edges, row_ptr, predecessor, is_unbalanced):
    """The edge before each edge. One thread per edge; as `_pair_packed` with heads and edges in two arrays."""
    for slot in range(cuda.grid(1), heads.size, cuda.gridsize(1)):
        partner = _partner(slot, np.uint64(heads[slot]), row_ptr)
        if partner < 0:
            is_unbalanced[0] = 1
        else:
            predecessor[slot] = edges[partner]


@kernel
def _pair_shifts(row_ptr, col, degree, predecessor, is_other):
    """The edge before each edge of a shift graph. One thread per edge.

    Edge e leads to vertex e mod n_vertices, and each vertex has ``degree`` edges in and out: edge j of those into
    vertex v, in order, is v + j * n_vertices. Nothing needs to be sorted.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    col : in, uint32 or uint64 (n_edges,)
    degree : uint64
    predecessor : out, uint32 or uint64 (n_edges,)
    is_other : in and out, uint32 (1,); 1 if the graph is no shift graph
    """
    n_vertices = np.uint64(row_ptr.size - 1)
    for i in range(cuda.grid(1), predecessor.size, cuda.gridsize(1)):
        slot = np.uint64(i)
        vertex = slot // degree
        partner = slot - vertex * degree + rotation(vertex, degree)
        if partner >= degree:
            partner -= degree
        predecessor[slot] = vertex + partner * n_vertices
        if np.uint64(col[slot]) != slot % n_vertices:
            is_other[0] = 1
        if slot < n_vertices and np.uint64(row_ptr[slot]) != slot * degree:
            is_other[0] = 1


def _pair_as_shift_graph(row_ptr: Array, col: Array) -> Array | None:
    """Pair the edges of a shift graph; None if the graph is none."""
    n_edges, n_vertices = col.size, row_ptr.size - 1
    if not is_like_shift_graph(n_edges, n_vertices, lambda edge: int(col[edge])):
        return None
    predecessor, is_other = xp.empty(n_edges, id_dtype(n_edges)), xp.zeros(1, np.uint32)
    launch(_pair_shifts, n_edges, row_ptr, col, np.uint64(n_edges // n_vertices), predecessor, is_other)
    return None if int(is_other[0]) else predecessor


@guarded
def pair_edges(row_ptr: Array, col: Array) -> Array | None:
    """See `CircuitOperations.pair_edges`."""
    paired = _pair_as_shift_graph(row_ptr, col)
    if paired is not None:
        return paired
    n_edges, n_vertices = col.size, row_ptr.size - 1
    dtype, is_unbalanced = id_dtype(n_edges), xp.zeros(1, np.uint32)
    edge_bits = max(1, (n_edges - 1).bit_length())
    if max(1, (n_vertices - 1).bit_length()) + edge_bits <= tuning().packed_key_bits:
        packed = xp.empty(n_edges, np.uint64)
        launch(_pack, n_edges, col, np.uint64(edge_bits), packed)
        packed.sort()
        predecessor = xp.empty(n_edges, dtype)  # not before: to sort takes all the room there is
        launch(_pair_packed, n_edges, packed, np.uint64(edge_bits), row_ptr, predecessor, is_unbalanced)
    else:
        heads, edges = sort_pairs(col, counted(n_edges, dtype))
        predecessor = xp.empty(n_edges, dtype)
        launch(_pair_sorted, n_edges, heads, edges, row_ptr, predecessor, is_unbalanced)
    return None if int(is_unbalanced[0]) else predecessor
