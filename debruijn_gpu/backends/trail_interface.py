"""What a backend does to walk a graph in trails where it has no Euler circuit."""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.array_interface import Array


class TrailBackend(Protocol):
    """A module with these names."""

    def append_edges(self, row_ptr: Array, col: Array, tails: Array, heads: Array) -> tuple[Array, Array, Array]:
        """Add edges to a CSR, each behind those that its tail has already; the added ones of a row in the order given.

        Parameters
        ----------
        row_ptr, col : int64 (n_vertices + 1,), uint32 or uint64 (n_edges,)
        tails, heads : uint32 or uint64 (n_added,), dtype of col
            ValueError if a tail is no vertex.

        Returns
        -------
        row_ptr, col
            The graph with the new edges.
        original : int64 (n_edges + n_added,)
            What number each edge had, -1 if it is a new one.
        """
