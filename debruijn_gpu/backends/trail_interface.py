"""What a backend does to walk a graph in trails where it has no Euler circuit."""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.arrays.protocol import Array


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

    def find_added(self, steps: Array, original: Array) -> Array:
        """Positions (int64, ascending) of the steps that are added edges.

        Parameters
        ----------
        steps : uint32 or uint64 (n,)
            Edges of a graph with added ones.
        original : int64 (n_edges,)
            As `append_edges` gives it.
        """

    def take_ranges(self, steps: Array, original: Array, starts: Array, offsets: Array) -> Array:
        """The numbers that edges had before others were added, of ranges of steps, one range after another.

        Parameters
        ----------
        steps : uint32 or uint64 (n,)
        original : int64 (n_edges,)
            Number of each edge, above -1 for those in the ranges.
        starts : int64 (n_ranges,)
            Where the ranges begin in ``steps``.
        offsets : int64 (n_ranges + 1,)
            Where they begin in the result, and its length.

        Returns
        -------
        dtype of steps (offsets[n_ranges],)
        """
