"""Pair in-edges with out-edges at each vertex, and orient undirected edges; see `CircuitOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cpu.sorting import sort, sort_pairs
from debruijn_gpu.backends.circuits.shift_graphs import is_like_shift_graph
from debruijn_gpu.backends.core.array_types import Array, Flags, Longs, Vertices, id_dtype
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import rotation
from debruijn_gpu.backends.core.cpu.threads import over_ranges

_NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
_KEY_BITS = 64


@kernel
def _pack(col, shift, start, stop, packed):
    """Head over edge id (out, uint64 (n_edges,)) of edges start..stop."""
    for edge in range(start, stop):
        packed[edge] = (np.uint64(col[edge]) << shift) | np.uint64(edge)


@kernel
def _pair(heads, edges, shift, row_ptr, start, stop, predecessor):
    """The edge before each of edges start..stop; False if the graph is not balanced there.

    The edges sorted by head are the edges into vertex 0, then into vertex 1 and so on: in a balanced graph as many
    into each vertex as out of it, so that place p is one of the vertex that edge p leaves.

    Parameters
    ----------
    heads, edges : in, uint32 or uint64 (n_edges,); heads, and edge ids, sorted by head: the same array if packed
    shift : uint64; bits of an edge id below a head, 0 if not packed
    row_ptr : in, int64 (n_vertices + 1,)
    predecessor : out, uint32 or uint64 (n_edges,)
    """
    n_vertices = np.uint64(row_ptr.size - 1)
    mask = (np.uint64(1) << shift) - np.uint64(1) if shift else _NONE
    for slot in range(start, stop):
        vertex = np.uint64(heads[slot]) >> shift
        if vertex >= n_vertices:
            return False
        first = row_ptr[vertex]
        last = row_ptr[vertex + np.uint64(1)]
        if slot < first or slot >= last:
            return False
        partner = slot + np.int64(rotation(vertex, np.uint64(last - first)))
        if partner >= last:
            partner -= last - first
        predecessor[slot] = np.uint64(edges[partner]) & mask
    return True


@kernel
def _pair_shifts(row_ptr, col, degree, start, stop, predecessor):
    """The edge before each of edges start..stop of a shift graph; False if the graph is none.

    Edge e leads to vertex e mod n_vertices, and each vertex has ``degree`` edges in and out: edge j of those into
    vertex v, in order, is v + j * n_vertices. Nothing needs to be sorted.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    col : in, uint32 or uint64 (n_edges,)
    degree : uint64
    predecessor : out, uint32 or uint64 (n_edges,); may be changed where the graph is none
    """
    n_vertices = np.uint64(row_ptr.size - 1)
    vertex = np.uint64(start) // degree
    place = np.uint64(start) - vertex * degree
    head = np.uint64(start) % n_vertices
    turn = rotation(vertex, degree)
    for slot in range(start, stop):
        if np.uint64(col[slot]) != head or np.uint64(row_ptr[vertex]) != vertex * degree:
            return False
        partner = place + turn
        if partner >= degree:
            partner -= degree
        predecessor[slot] = vertex + partner * n_vertices
        head += np.uint64(1)
        if head == n_vertices:
            head = np.uint64(0)
        place += np.uint64(1)
        if place == degree:
            place = np.uint64(0)
            vertex += np.uint64(1)
            turn = rotation(vertex, degree)
    return True


def pair_edges(row_ptr: Array, col: Array) -> Array | None:
    """See `CircuitOperations.pair_edges`."""
    n_edges, n_vertices = len(col), len(row_ptr) - 1
    predecessor = np.empty(n_edges, id_dtype(n_edges))
    if is_like_shift_graph(n_edges, n_vertices, lambda edge: int(col[edge])):
        degree = np.uint64(n_edges // n_vertices)
        if all(over_ranges(n_edges, lambda start, stop: _pair_shifts(row_ptr, col, degree, start, stop, predecessor))):
            return predecessor
    edge_bits = max(1, (n_edges - 1).bit_length())
    if max(1, (n_vertices - 1).bit_length()) + edge_bits <= _KEY_BITS:
        shift = np.uint64(edge_bits)
        packed = np.empty(n_edges, np.uint64)
        over_ranges(n_edges, lambda start, stop: _pack(col, shift, start, stop, packed))
        heads = edges = sort(packed)
    else:
        shift = np.uint64(0)
        heads, edges = sort_pairs(col, np.arange(n_edges, dtype=predecessor.dtype))
    balanced = over_ranges(n_edges, lambda start, stop: _pair(heads, edges, shift, row_ptr, start, stop, predecessor))
    return predecessor if all(balanced) else None


def together(n_edges: int) -> None:
    """See `CircuitOperations.together`."""


def of_words(n_edges: int) -> None:
    """See `CircuitOperations.of_words`."""


def predecessors(pairing: Array) -> Array:
    """See `CircuitOperations.predecessors`."""
    return pairing


@kernel
def _walk(start, incident, tails, heads, next_place, is_used, is_forward, n_left):
    """Walk from a vertex along edges that have no direction yet until there is none."""
    vertex = start
    while n_left[vertex] > 0:
        edge = incident[next_place[vertex]]
        next_place[vertex] += 1
        if is_used[edge]:
            continue
        is_used[edge] = True
        is_forward[edge] = tails[edge] == vertex
        n_left[vertex] -= 1
        vertex = np.int64(heads[edge]) if is_forward[edge] else np.int64(tails[edge])
        n_left[vertex] -= 1


@kernel
def _orient(incident_ptr, incident, tails, heads, is_forward):
    """Give each edge the direction in which a walk passes it: first walks between vertices of odd degree, then closed
    ones.

    Parameters
    ----------
    incident_ptr : in, int64 (n_vertices + 1,)
    incident : in, integer (2 * n_edges,); edges at each vertex, loops twice
    tails, heads : in, integer (n_edges,)
    is_forward : out, bool (n_edges,)
    """
    n_vertices = incident_ptr.size - 1
    next_place = incident_ptr[:-1].copy()
    n_left = incident_ptr[1:] - incident_ptr[:-1]
    is_used = np.zeros(tails.size, np.bool_)
    for vertex in range(n_vertices):
        if n_left[vertex] & 1:
            _walk(vertex, incident, tails, heads, next_place, is_used, is_forward, n_left)
    for vertex in range(n_vertices):
        _walk(vertex, incident, tails, heads, next_place, is_used, is_forward, n_left)


def orient_edges(incident_ptr: Longs, incident: Vertices, tails: Vertices, heads: Vertices) -> Flags:
    """See `HostCircuitOperations.orient_edges`."""
    is_forward = np.empty(len(tails), np.bool_)
    _orient(incident_ptr, incident, tails, heads, is_forward)
    return is_forward
