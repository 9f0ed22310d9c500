"""Compute where to splice cycles: minimum spanning forest by edge id (Kruskal 1956)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.circuits.cpu.cycles import Cycles
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu.decorators import kernel


@dataclass(frozen=True)
class Splices:
    """A spanning forest of cycles.

    Attributes
    ----------
    edges : ndarray, dtype=int64, shape=(n_splices,)
        Edges whose predecessor is exchanged with that of the edge before, ascending.
    """

    edges: NDArray[np.int64]

    @property
    def n_splices(self) -> int:
        return len(self.edges)


@kernel
def _root(parent, cycle):
    while parent[cycle] != cycle:
        parent[cycle] = parent[parent[cycle]]
        cycle = parent[cycle]
    return cycle


@kernel
def _splice(seats, cycle, col, predecessor, parent, edges):
    """Kruskal's algorithm: go through the edges in order until there is one tree.

    Parameters
    ----------
    seats : in, uint64 (n_edges,); see `Cycles`
    cycle : in, int64 (n_sublists,)
    col, predecessor : in, uint32 or uint64 (n_edges,)
    parent : in and out, int64 (n_cycles,); each its own on entry
    edges : out, int64 (n_cycles - 1,)

    Returns
    -------
    int
        How many edges were written.
    """
    n_splices = 0
    before = cycle[seats[0] >> np.uint64(32)]
    for edge in range(1, seats.size):
        own = cycle[seats[edge] >> np.uint64(32)]
        if own != before:
            a = _root(parent, before)
            b = _root(parent, own)
            if a != b and col[predecessor[edge - 1]] == col[predecessor[edge]]:  # both leave the vertex these lead to
                parent[max(a, b)] = min(a, b)
                edges[n_splices] = edge
                n_splices += 1
                if n_splices == edges.size:
                    break
        before = own
    return n_splices


def splice_cycles(col: Array, pairing: Array, cycles: Cycles) -> Splices:
    """See `CircuitOperations.splice_cycles`."""
    edges = np.empty(max(0, cycles.n_cycles - 1), np.int64)
    if not len(edges):
        return Splices(edges)
    parent = np.arange(cycles.n_cycles)
    return Splices(edges[: _splice(cycles.seats, cycles.cycle, col, pairing, parent, edges)])
