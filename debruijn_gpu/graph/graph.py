"""Containers of graphs and of walks through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.graph.names import NUMBERS, Numbers, VertexNames
from debruijn_gpu.run.plain_text import counted

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import ArrayBackend


@dataclass(frozen=True)
class Walks:
    """Paths and circuits through a `Graph`, in NumPy arrays by default, or in those of a backend.

    Attributes
    ----------
    offsets : ndarray, dtype=int64, shape=(n + 1,)
        Walk i is ``steps[offsets[i]:offsets[i + 1]]``.
    steps : ndarray, dtype=uint32 or uint64
        Vertices of a unitig, or edge ids of an Euler walk, in order.
    circular : ndarray, dtype=bool, shape=(n,)
        Whether the last step leads to the first.
    """

    offsets: NDArray[np.int64]
    steps: NDArray[np.uint32] | NDArray[np.uint64]
    circular: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.circular)

    def moved(self, move: Callable[[Array], Array]) -> Walks:
        """The same with every array moved, by `to_device` or `to_host` of a backend."""
        return Walks(move(self.offsets), move(self.steps), move(self.circular))

    def on_device(self, backend: ArrayBackend) -> Walks:
        """The same in arrays of a backend; NumPy's are moved."""
        return self.moved(backend.to_device) if isinstance(self.steps, np.ndarray) else self


_ROWS_AT_ONCE = 1 << 14  # whose names are looked up together
_SHOWN_ROWS = 4  # at each end of a graph that is printed
_SHOWN_HEADS = 8  # of a row
_SHOWN_LETTERS = 40  # of a name


def id_type(bound: int) -> type[np.uint32] | type[np.uint64]:
    """The smallest dtype that holds numbers of vertices or edges below ``bound``."""
    return np.uint32 if bound <= 1 << 32 else np.uint64


def empty_ids(n: int, bound: int) -> NDArray[np.uint32] | NDArray[np.uint64]:
    """Room for n numbers of vertices or edges below ``bound``, in the smallest type that holds them."""
    return np.empty(n, np.uint32) if bound <= 1 << 32 else np.empty(n, np.uint64)


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A directed multigraph in compressed sparse rows.

    Iterating gives each vertex with its successors, by name; ``graph["a"]`` the successors of a vertex; ``len`` the
    number of vertices. Arrays are those of any one backend; results about them are of the same one.

    Attributes
    ----------
    row_ptr : ndarray, dtype=int64, shape=(n_vertices + 1,)
        The edges out of vertex v are ``row_ptr[v]:row_ptr[v + 1]``.
    col : ndarray, dtype=uint32 (uint64 from 2^32 + 1 vertices on), shape=(n_edges,)
        Head of each edge.
    names : VertexNames
        Names of the vertices.
    weights : ndarray, dtype=float64, shape=(n_edges,), or None
        Of each edge, if the input had any.
    """

    row_ptr: Array
    col: Array
    names: VertexNames = NUMBERS
    weights: Array | None = None

    @property
    def n_vertices(self) -> int:
        return len(self.row_ptr) - 1

    @property
    def n_edges(self) -> int:
        return len(self.col)

    @property
    def out_degrees(self) -> Array:
        """Number of edges out of each vertex, dtype=int64, shape=(n_vertices,)."""
        return backends.of(self.row_ptr).graphs.out_degrees(self.row_ptr)

    @property
    def in_degrees(self) -> Array:
        """Number of edges into each vertex, dtype=int64, shape=(n_vertices,)."""
        return backends.of(self.row_ptr).graphs.in_degrees(self.col, self.n_vertices)

    @cached_property
    def reverse(self) -> Graph:
        """The graph with every edge turned round and all vertices kept; computed when it is first asked for.

        Tails ascend in each of its rows; parallel edges stay in order.
        """
        backend = backends.of(self.row_ptr)
        if self.weights is None:
            return Graph(*backend.graphs.csr_reverse(self.row_ptr, self.col), names=self.names)
        edges = backend.to_device(np.arange(self.n_edges, dtype=id_type(self.n_edges)))
        row_ptr, order = backend.graphs.csr_from_edges(self.col, edges, self.n_vertices)
        tails = backend.graphs.csr_tails(self.row_ptr, self.col)
        return Graph(row_ptr, tails[order], self.names, self.weights[order])

    def moved(self, move: Callable[[Array], Array]) -> Graph:
        """The same with every array moved, by `to_device` or `to_host` of a backend."""
        weights = None if self.weights is None else move(self.weights)
        return Graph(move(self.row_ptr), move(self.col), self.names, weights)

    def on_host(self) -> Graph:
        """The same in NumPy arrays."""
        return self if isinstance(self.col, np.ndarray) else self.moved(backends.of(self.col).to_host)

    def vertex(self, name: str | int | np.integer) -> int:
        """The number of a vertex, by its name or, if an integer is given, that number itself.

        Raises
        ------
        KeyError
            If there is no such vertex.
        """
        if not isinstance(name, (str, int, np.integer)):
            raise KeyError(name)
        vertex = self.names.number(name) if isinstance(name, str) else int(name)
        if not 0 <= vertex < self.n_vertices:
            raise KeyError(name)
        return vertex

    def successors(self, vertex: int | np.integer) -> NDArray[np.uint32] | NDArray[np.uint64]:
        """Numbers of the vertices that the edges out of a vertex lead to, as a NumPy array; KeyError without vertex."""
        vertex = self.vertex(vertex)
        to_host = backends.of(self.row_ptr).to_host
        start, stop = to_host(self.row_ptr[vertex : vertex + 2]).tolist()
        heads: NDArray[np.uint32] | NDArray[np.uint64] = to_host(self.col[start:stop])
        return heads

    def __len__(self) -> int:
        return self.n_vertices

    def __bool__(self) -> bool:
        return True  # also of a graph without vertices: `if graph` is asked for None

    def __contains__(self, name: object) -> bool:
        try:
            return self.vertex(name) >= 0  # type: ignore[arg-type]
        except KeyError:
            return False

    def __getitem__(self, name: str | int | np.integer) -> list[str]:
        return self._names_of(self.successors(self.vertex(name)))

    def __iter__(self) -> Iterator[tuple[str, list[str]]]:
        to_host = backends.of(self.row_ptr).to_host
        for first in range(0, self.n_vertices, _ROWS_AT_ONCE):
            row_ptr = to_host(self.row_ptr[first : first + _ROWS_AT_ONCE + 1]).tolist()
            names = self._names_of(np.arange(first, first + len(row_ptr) - 1))
            heads = to_host(self.col[row_ptr[0] : row_ptr[-1]])
            for i, name in enumerate(names):
                yield name, self._names_of(heads[row_ptr[i] - row_ptr[0] : row_ptr[i + 1] - row_ptr[0]])

    def _names_of(self, vertices: NDArray[np.integer]) -> list[str]:
        if isinstance(self.names, Numbers):
            return list(map(str, vertices.tolist()))
        return [self.names.name(vertex) for vertex in vertices.tolist()]

    def __repr__(self) -> str:
        title = f"Graph: {counted(self.n_vertices, 'vertex', 'vertices')}, {counted(self.n_edges, 'edge', 'edges')}"
        if self.n_vertices <= 2 * _SHOWN_ROWS + 1:
            rows = [self._shown_row(vertex) for vertex in range(self.n_vertices)]
        else:
            last = range(self.n_vertices - _SHOWN_ROWS, self.n_vertices)
            rows = [*map(self._shown_row, range(_SHOWN_ROWS)), "...", *map(self._shown_row, last)]
        return "\n  ".join([title, *rows])

    def _shown_row(self, vertex: int) -> str:
        start, stop = backends.of(self.row_ptr).to_host(self.row_ptr[vertex : vertex + 2]).tolist()
        heads = backends.of(self.row_ptr).to_host(self.col[start : min(stop, start + _SHOWN_HEADS)]).tolist()
        shown = [shortened(self.names.name(head), _SHOWN_LETTERS) for head in heads]
        if stop - start > _SHOWN_HEADS:
            shown.append(f"... ({stop - start:,} in all)")
        return f"{shortened(self.names.name(vertex), _SHOWN_LETTERS)} -> {', '.join(shown)}".rstrip()


def shortened(name: str, n_letters: int) -> str:
    """Shorten a name to a maximum number of letters."""
    return name if len(name) <= n_letters else name[: n_letters - 1] + "…"
