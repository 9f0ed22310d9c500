"""Pair edges at vertices; see `CircuitOperations.pair_edges`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.sorting import sort_pairs
from debruijn_gpu.backends.circuits.cuda.bucket_pairing import pair_whole
from debruijn_gpu.backends.circuits.cuda.buckets import Buckets
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.row_pairing import pair_rows
from debruijn_gpu.backends.circuits.cuda.rows import Rows
from debruijn_gpu.backends.circuits.shift_graphs import is_like_shift_graph
from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cuda.devices import here
from debruijn_gpu.backends.core.cuda.fill import counted
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, to_device, xp
from debruijn_gpu.backends.core.cuda.scalars import rotation
from debruijn_gpu.run.tuning import tuning

_AT_ONCE = 1 << 28  # edges of the host that are checked together


@kernel
def _pack(col, shift, first, packed):
    """Head over edge id. One thread per edge.

    Parameters
    ----------
    col : in, uint32 or uint64 (n_edges,)
    shift : uint64; bits of an edge id
    first : uint64; id of the first edge
    packed : out, uint64 (n_edges,)
    """
    for edge in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        packed[edge] = (np.uint64(col[edge]) << shift) | (first + np.uint64(edge))


@device_function
def _partner(slot, vertex, row_ptr, first_vertex, first_edge):
    """Where among the edges sorted by head the one before out-edge ``slot`` is; -1 if the slot is not the vertex's."""
    row = vertex - first_vertex
    if vertex < first_vertex or row >= np.uint64(row_ptr.size - 1):
        return np.int64(-1)
    start = row_ptr[row] - first_edge
    stop = row_ptr[row + np.uint64(1)] - first_edge
    if slot < start or slot >= stop:
        return np.int64(-1)
    partner = np.int64(slot) + np.int64(rotation(np.uint64(vertex), np.uint64(stop - start)))
    return partner - (stop - start) if partner >= stop else partner


@kernel
def _pair_packed(packed, shift, row_ptr, first_vertex, first_edge, predecessor, is_unbalanced):
    """The edge before each edge. One thread per edge.

    The edges sorted by head are the edges into vertex 0, then into vertex 1 and so on: in a balanced graph as many
    into each vertex as out of it, so that place p is one of the vertex that edge p leaves.

    Parameters
    ----------
    packed : in, uint64 (n_edges,), sorted; see `_pack`
    shift : uint64
    row_ptr : in, int64 (n_rows + 1,); see `Rows`
    first_vertex, first_edge : uint64 and int64; of the first row
    predecessor : out, uint32 or uint64 (n_edges,); of the edges from ``first_edge`` on
    is_unbalanced : in and out, uint32 (1,); 1 if the graph is not balanced
    """
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for slot in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        partner = _partner(slot, packed[slot] >> shift, row_ptr, first_vertex, first_edge)
        if partner < 0:
            is_unbalanced[0] = 1
        else:
            predecessor[slot] = packed[partner] & mask


@kernel
def _pair_sorted(heads, edges, row_ptr, first_vertex, first_edge, predecessor, is_unbalanced):
    """The edge before each edge. One thread per edge; as `_pair_packed` with heads and edges in two arrays."""
    for slot in range(cuda.grid(1), heads.size, cuda.gridsize(1)):
        partner = _partner(slot, np.uint64(heads[slot]), row_ptr, first_vertex, first_edge)
        if partner < 0:
            is_unbalanced[0] = 1
        else:
            predecessor[slot] = edges[partner]


@kernel
def _check_shifts(row_ptr, col, degree, n_vertices, first, is_other):
    """Check a part of a graph against a shift graph. One thread per edge, or per row.

    Parameters
    ----------
    row_ptr : in, int64 (m,); from row ``first`` on
    col : in, uint32 or uint64 (n,); from edge ``first`` on
    degree, n_vertices : uint64; of the shift graph
    first : uint64
    is_other : in and out, uint32 (1,); 1 if the graph is another one
    """
    head = (first + np.uint64(cuda.grid(1))) % n_vertices
    step = np.uint64(cuda.gridsize(1)) % n_vertices
    for i in range(cuda.grid(1), max(row_ptr.size, col.size), cuda.gridsize(1)):
        if i < col.size and np.uint64(col[i]) != head:
            is_other[0] = 1
        if i < row_ptr.size and np.uint64(row_ptr[i]) != (first + np.uint64(i)) * degree:
            is_other[0] = 1
        head += step
        if head >= n_vertices:
            head -= n_vertices


@guarded
def is_shift_graph(row_ptr: Array, col: Array) -> bool:
    """Return whether a graph, in NumPy arrays or on the device, is a shift graph."""
    n_edges, n_vertices = col.size, row_ptr.size - 1
    if not is_like_shift_graph(n_edges, n_vertices, lambda edge: int(col[edge])):
        return False
    is_other, step = xp.zeros(1, np.uint32), _AT_ONCE if isinstance(col, np.ndarray) else max(n_edges, n_vertices + 1)
    sizes = (np.uint64(n_edges // n_vertices), np.uint64(n_vertices))
    for first in range(0, max(n_edges, n_vertices + 1), step):
        rows, heads = (moved(array[first : first + step]) for array in (row_ptr, col))
        launch(_check_shifts, max(rows.size, heads.size), rows, heads, *sizes, np.uint64(first), is_other)
    return not int(is_other[0])


def moved(array: Array) -> Array:
    """An array on the current GPU."""
    return to_device(array) if isinstance(array, np.ndarray) else here(array)


def packs(n_edges: int, n_vertices: int) -> bool:
    """Return whether head and edge id fit into one key."""
    return max(1, (n_vertices - 1).bit_length()) + edge_bits(n_edges) <= tuning().packed_key_bits


def buckets_of(n_edges: int, n_vertices: int) -> Buckets | None:
    """Buckets in which edges are paired; None for graphs whose edges are sorted."""
    return Buckets.of(n_edges, n_vertices, edge_bits(n_edges)) if n_edges >= tuning().dealt_edges else None


def edge_bits(n_edges: int) -> int:
    """Bits of an edge id."""
    return max(1, (n_edges - 1).bit_length())


def pack(rows: Rows, n_edges: int) -> Array:
    """Heads over edge ids of rows."""
    packed = xp.empty(rows.col.size, np.uint64)
    launch(_pack, packed.size, rows.col, np.uint64(edge_bits(n_edges)), np.uint64(rows.first_edge), packed)
    return packed


def pair_packed(packed: Array, rows: Rows, n_edges: int, predecessor: Array) -> bool:
    """Pair the edges that leave rows with those into the same vertices, whose packed heads are sorted.

    Writes the edge before each edge of the rows; returns whether the rows are balanced.
    """
    is_unbalanced = xp.zeros(1, np.uint32)
    firsts = (np.uint64(rows.first_vertex), np.int64(rows.first_edge))
    arguments = (np.uint64(edge_bits(n_edges)), rows.row_ptr, *firsts, predecessor, is_unbalanced)
    launch(_pair_packed, packed.size, packed, *arguments)
    return not int(is_unbalanced[0])


def pair_sorted(heads: Array, edges: Array, rows: Rows, predecessor: Array) -> bool:
    """Pair edges as `pair_packed` does, with sorted heads and their edges in two arrays."""
    is_unbalanced = xp.zeros(1, np.uint32)
    firsts = (np.uint64(rows.first_vertex), np.int64(rows.first_edge))
    launch(_pair_sorted, heads.size, heads, edges, rows.row_ptr, *firsts, predecessor, is_unbalanced)
    return not int(is_unbalanced[0])


@guarded
def pair_edges(row_ptr: Array, col: Array) -> Pairing | None:
    """See `CircuitOperations.pair_edges`."""
    n_edges, n_vertices = col.size, row_ptr.size - 1
    rows = Rows(0, 0, row_ptr, col)
    if is_shift_graph(row_ptr, col):
        return Pairing.of_shift_graph(n_edges, n_vertices)
    if max(n_edges, n_vertices) < tuning().dealt_edges:
        fits, paired = pair_rows(rows)
        if fits:
            return None if paired is None else Pairing.of(paired)
        del paired
    dtype, buckets = id_dtype(n_edges), buckets_of(n_edges, n_vertices)
    if not packs(n_edges, n_vertices):
        heads, edges = sort_pairs(col, counted(n_edges, dtype))
        predecessor = xp.empty(n_edges, dtype)
        return Pairing.of(predecessor) if pair_sorted(heads, edges, rows, predecessor) else None
    if buckets is not None:
        fits, paired = pair_whole(rows, buckets)
        if fits:
            return None if paired is None else Pairing.of(paired)
        del paired
    packed = pack(rows, n_edges)
    packed.sort()
    predecessor = xp.empty(n_edges, dtype)  # not before: to sort takes all the room there is
    return Pairing.of(predecessor) if pair_packed(packed, rows, n_edges, predecessor) else None
