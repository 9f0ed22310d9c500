"""Rows of a graph, all or some."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.backends.core.array_types import Array


@dataclass(frozen=True)
class Rows:
    """Some rows of a graph.

    Attributes
    ----------
    first_vertex, first_edge : int
    row_ptr : array, dtype=int64, shape=(n_rows + 1,)
        Numbers of edges in the whole graph.
    col : array, dtype=uint32 or uint64, shape=(n,)
        Heads of the edges of the rows.
    """

    first_vertex: int
    first_edge: int
    row_ptr: Array
    col: Array
