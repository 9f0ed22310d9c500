"""What the CPU backend does to repeat edges as cheaply as can be."""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.arrays.protocol import Array


class FlowBackend(Protocol):
    """A module with these names. Arrays are NumPy's."""

    def cheapest_flow(self, row_ptr: Array, col: Array, costs: Array, excess: Array) -> Array:
        """How often to go along each edge, so that what vertices have too much of comes to those that lack it, at the
        least cost: int64 (n_edges,). ValueError if there is no way.

        Successive shortest paths (Edmonds and Karp 1972), many at once: distances from all vertices with excess, by
        reduced cost, in buckets (Dial 1969), become potentials; along edges without reduced cost as much flows as can,
        in rounds of levels and depth-first searches (Dinic 1970); and again. The potentials bear witness that the flow
        is a cheapest one.

        Parameters
        ----------
        row_ptr, col : the graph
        costs : uint8 (n_edges,)
            Of going along an edge once: 0 or 1.
        excess : int64 (n_vertices,)
            What each vertex has too much of, or (negative) lacks; the sum is 0.
        """
