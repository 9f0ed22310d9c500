"""Orient the edges of an undirected graph."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Flags, Longs, Vertices
from debruijn_gpu.backends.core.cpu.decorators import kernel


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
