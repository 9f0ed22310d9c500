"""Compute where to splice cycles: minimum spanning forest by edge id (Kruskal 1956)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.circuits.cpu.cycles import Circles
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu.decorators import kernel


@dataclass(frozen=True)
class Joins:
    """A spanning forest of cycles.

    Attributes
    ----------
    edges : ndarray, dtype=int64, shape=(n_joins,)
        Edges whose predecessor is exchanged with that of the edge before, ascending.
    """

    edges: NDArray[np.int64]

    @property
    def n_joins(self) -> int:
        return len(self.edges)


@kernel
def _root(parent, circle):
    while parent[circle] != circle:
        parent[circle] = parent[parent[circle]]
        circle = parent[circle]
    return circle


@kernel
def _join(seats, circle, col, predecessor, parent, edges):
    """Kruskal's algorithm: go through the edges in order until there is one tree.

    Parameters
    ----------
    seats : in, uint64 (n_edges,); see `Circles`
    circle : in, int64 (n_sublists,)
    col, predecessor : in, uint32 or uint64 (n_edges,)
    parent : in and out, int64 (n_circles,); each its own on entry
    edges : out, int64 (n_circles - 1,)

    Returns
    -------
    int
        How many edges were written.
    """
    n_joins = 0
    before = circle[seats[0] >> np.uint64(32)]
    for edge in range(1, seats.size):
        own = circle[seats[edge] >> np.uint64(32)]
        if own != before:
            a = _root(parent, before)
            b = _root(parent, own)
            if a != b and col[predecessor[edge - 1]] == col[predecessor[edge]]:  # both leave the vertex these lead to
                parent[max(a, b)] = min(a, b)
                edges[n_joins] = edge
                n_joins += 1
                if n_joins == edges.size:
                    break
        before = own
    return n_joins


def join_circles(col: Array, predecessor: Array, circles: Circles) -> Joins:
    """See `CircuitOperations.join_circles`."""
    edges = np.empty(max(0, circles.n_circles - 1), np.int64)
    if not len(edges):
        return Joins(edges)
    parent = np.arange(circles.n_circles)
    return Joins(edges[: _join(circles.seats, circles.circle, col, predecessor, parent, edges)])
