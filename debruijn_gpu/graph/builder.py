"""Build graphs block by block."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.build import BEYOND
from debruijn_gpu.graph.graph import Graph, id_type
from debruijn_gpu.graph.names import NUMBERS, VertexNames


class GraphBuilder:
    """Makes a graph row by row, or column by column, without holding anything else.

    Parameters
    ----------
    by : "row" or "column"
        Whether the successors of vertex 0, 1, ... are appended in turn, or the predecessors.
    weighted : bool
        Whether weights come with them.
    """

    def __init__(self, by: Literal["row", "column"] = "row", weighted: bool = False) -> None:
        self._by_column = by == "column"
        self._ends = _Growing(np.int64)
        self._neighbours = _Growing(np.uint32)
        self._weights = _Growing(np.float64) if weighted else None
        self._largest = -1

    @property
    def n_rows(self) -> int:
        """Number of rows or columns so far."""
        return self._ends.size

    @property
    def n_edges(self) -> int:
        return self._neighbours.size

    def append(self, neighbours: ArrayLike, weights: ArrayLike | None = None) -> None:
        """Add the next row or column."""
        found = np.asarray(neighbours)
        self.extend(np.array([len(found)]), found, weights)

    def extend(self, degrees: NDArray[np.integer], neighbours: ArrayLike, weights: ArrayLike | None = None) -> None:
        """Add several rows or columns.

        Parameters
        ----------
        degrees : ndarray, shape=(n,)
            Number of neighbours in each.
        neighbours : ndarray, shape=(sum of degrees,)
            Of all of them in turn.
        weights : ndarray, shape=(sum of degrees,), optional
        """
        found = np.asarray(neighbours)
        if (self._weights is None) != (weights is None):
            raise ParameterError("weights for some edges, not for all", "give them with every row or with none")
        n_weights = len(found) if weights is None else len(np.asarray(weights))
        if np.any(np.asarray(degrees) < 0) or not int(np.sum(degrees)) == len(found) == n_weights:
            raise ParameterError(
                f"{len(found)} neighbours, which the degrees or weights do not fit", "give one of each"
            )
        if len(found):
            if found.dtype.kind not in "ui" or int(found.min()) < 0:
                raise ParameterError("a neighbour is no vertex", "give integers from 0 on")
            self._largest = max(self._largest, int(found.max()))
        self._ends.extend(self.n_edges + np.cumsum(degrees, dtype=np.int64))
        self._neighbours.extend(found, np.uint64 if self._largest >= 1 << 32 else np.uint32)
        if self._weights is not None:
            self._weights.extend(np.asarray(weights))

    def finish(self, n_vertices: int | None = None, names: VertexNames = NUMBERS) -> Graph:
        """The graph; vertices beyond the last row have none. The builder is empty afterwards.

        Raises
        ------
        ParameterError
            If a neighbour is not below ``n_vertices``, by default the number of rows.
        """
        n_vertices = self.n_rows if n_vertices is None else n_vertices
        if self._largest >= n_vertices or self.n_rows > n_vertices:
            largest = max(self._largest, self.n_rows - 1)
            raise ParameterError(f"vertex {largest} was given, but there are {n_vertices} vertices", BEYOND)
        row_ptr = np.full(n_vertices + 1, self.n_edges, np.int64)
        row_ptr[0] = 0
        ends = self._ends.taken()
        row_ptr[1 : len(ends) + 1] = ends
        col = self._neighbours.taken().astype(id_type(n_vertices), copy=False)
        weights = None if self._weights is None else self._weights.taken()
        graph = Graph(row_ptr, col, names, weights)
        return graph.reverse if self._by_column else graph


class _Growing:
    """An array that grows by half of its size when it is full."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._items: NDArray[Any] = np.empty(0, dtype)
        self.size = 0

    def extend(self, items: NDArray[Any], dtype: type[np.generic] | None = None) -> None:
        """Append items; all become of the dtype, if one is given."""
        needed = self.size + len(items)
        dtypes = self._items.dtype if dtype is None else np.dtype(dtype)
        if needed > len(self._items) or dtypes != self._items.dtype:
            larger = np.empty(max(needed, self.size + self.size // 2), dtypes)
            larger[: self.size] = self._items[: self.size]
            self._items = larger
        self._items[self.size : needed] = items
        self.size = needed

    def taken(self) -> NDArray[Any]:
        """All items; none are left."""
        items, self._items, self.size = self._items[: self.size], self._items[:0], 0
        return items
