"""The container of graphs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


def empty_ids(n: int, bound: int) -> NDArray[np.uint32] | NDArray[np.uint64]:
    """Room for n numbers of vertices or edges below ``bound``, in the smallest type that holds them."""
    return np.empty(n, np.uint32) if bound <= 1 << 32 else np.empty(n, np.uint64)


@dataclass(frozen=True)
class Graph:
    """A directed multigraph in compressed sparse rows.

    Attributes
    ----------
    row_ptr : ndarray, dtype=int64, shape=(n_vertices + 1,)
        The edges out of vertex v are ``row_ptr[v]:row_ptr[v + 1]``.
    col : ndarray, dtype=uint32 or uint64, shape=(n_edges,)
        Head of each edge.
    """

    row_ptr: NDArray[np.int64]
    col: NDArray[np.uint32] | NDArray[np.uint64]

    @property
    def n_vertices(self) -> int:
        return len(self.row_ptr) - 1

    @property
    def n_edges(self) -> int:
        return len(self.col)
