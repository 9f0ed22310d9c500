"""Graphs from edges, rows, dictionaries, vectors and parameters, and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.graph import Graph, id_type
from debruijn_gpu.graph.names import NUMBERS, Labels, TextNames, VertexNames, WordNames

_BEYOND = "the vertices are 0, 1, ... up to their number less one"


def graph_from_edges(
    tails: Array,
    heads: Array,
    n_vertices: int | None = None,
    names: VertexNames = NUMBERS,
    weights: Array | None = None,
) -> Graph:
    """A graph from a list of edges (COO); edges of a vertex stay in the order of the list.

    Parameters
    ----------
    tails, heads : ndarray, any integer dtype, shape=(n_edges,)
        Of either backend, which makes the graph.
    n_vertices : int, optional
        By default up to the largest vertex that an edge has.
    names : VertexNames
    weights : ndarray, shape=(n_edges,), optional

    Raises
    ------
    ParameterError
        If a vertex is below 0 or not below ``n_vertices``.
    """
    if len(tails) != len(heads) or (weights is not None and len(weights) != len(heads)):
        raise ParameterError("tails, heads and weights differ in number", "give one of each for every edge")
    n_vertices = _checked_size(tails, heads, n_vertices)
    backend, dtype = backends.of(heads), id_type(n_vertices)
    tails, heads = tails.astype(dtype, copy=False), heads.astype(dtype, copy=False)
    if weights is None:
        return Graph(*backend.csr_from_edges(tails, heads, n_vertices), names=names)
    edges = backend.to_device(np.arange(len(heads), dtype=id_type(len(heads))))
    row_ptr, order = backend.csr_from_edges(tails, edges, n_vertices)
    return Graph(row_ptr, heads[order], names, weights.astype(np.float64, copy=False)[order])


def _checked_size(tails: Array, heads: Array, n_vertices: int | None) -> int:
    """The number of vertices, given or found, if all edges are between them."""
    largest = -1
    for ends in (tails, heads) if len(heads) else ():
        if ends.dtype.kind not in "ui":
            raise ParameterError(f"vertices of dtype {ends.dtype}", "give integers")
        if int(ends.min()) < 0:
            raise ParameterError(f"vertex {int(ends.min())} is below 0", _BEYOND)
        largest = max(largest, int(ends.max()))
    if n_vertices is None:
        return largest + 1
    if largest >= n_vertices:
        raise ParameterError(f"an edge has vertex {largest}, but there are {n_vertices} vertices", _BEYOND)
    return n_vertices


def graph_from_rows(
    tails: NDArray[np.int64],
    row_ends: NDArray[np.int64],
    heads: NDArray[np.integer],
    n_vertices: int,
    names: VertexNames = NUMBERS,
    weights: NDArray[np.float64] | None = None,
) -> Graph:
    """A graph from rows in any order; several rows of one vertex are taken together.

    Parameters
    ----------
    tails : ndarray, dtype=int64, shape=(n_rows,)
        Vertex of each row.
    row_ends : ndarray, dtype=int64, shape=(n_rows,)
        Its edges are ``heads[row_ends[i - 1]:row_ends[i]]``.
    heads : ndarray, shape=(n_edges,)
        All below ``n_vertices``, as are the tails.
    n_vertices, names, weights
        As in `graph_from_edges`.
    """
    degrees = np.diff(row_ends, prepend=0)
    if np.all(tails[:-1] < tails[1:]):
        row_ptr = np.zeros(n_vertices + 1, np.int64)
        row_ptr[tails + 1] = degrees
        np.cumsum(row_ptr, out=row_ptr)
        return Graph(row_ptr, heads.astype(id_type(n_vertices), copy=False), names, weights)
    dtype = id_type(n_vertices)
    return graph_from_edges(np.repeat(tails.astype(dtype), degrees), heads, n_vertices, names, weights)


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
        """How many rows or columns there are so far."""
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
        if int(np.sum(degrees)) != len(found) or (weights is not None and len(np.asarray(weights)) != len(found)):
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
            raise ParameterError(f"vertex {largest} was given, but there are {n_vertices} vertices", _BEYOND)
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


def graph_from_vector(heads: NDArray[np.integer]) -> Graph:
    """The graph of a map: one edge from each i to ``heads[i]``."""
    _checked_size(heads, heads, len(heads))
    return Graph(np.arange(len(heads) + 1, dtype=np.int64), heads.astype(id_type(len(heads))))


def vector_of(graph: Graph) -> Array:
    """The only head of each vertex, shape (n_vertices,).

    Raises
    ------
    ParameterError
        If a vertex has not one edge out.
    """
    degrees = backends.of(graph.row_ptr).to_host(graph.out_degrees)
    others = np.flatnonzero(degrees != 1)
    if len(others):
        name = graph.names.name(int(others[0]))
        raise ParameterError(
            f"vertex {name} has {degrees[others[0]]} edges out, and a vector has one for each vertex",
            "choose another form",
        )
    return graph.col


def graph_from_dict(successors: Mapping[Hashable, Iterable[Hashable]]) -> Graph:
    """A graph from lists of successors, named as `named_vertices` says.

    A vertex needs no list of its own; such come after those that have one.
    """
    rows = {tail: list(heads) for tail, heads in successors.items()}
    names, number = named_vertices(chain(rows, *rows.values()))
    tails = np.array([number[tail] for tail in rows], np.int64)
    heads = np.array([number[head] for heads in rows.values() for head in heads], np.int64)
    row_ends = np.cumsum([len(heads) for heads in rows.values()], dtype=np.int64)
    return graph_from_rows(tails, row_ends, heads, len(number), names)


def dict_of(graph: Graph) -> dict[str, list[str]]:
    """Lists of successors by name."""
    return dict(graph)


def named_vertices(objects: Iterable[Hashable]) -> tuple[VertexNames, dict[Hashable, int]]:
    """Number objects: in numeric order if all are integers from 0 on, else as they first come, called by their text.

    Raises
    ------
    ParameterError
        If two have the same text.
    """
    distinct = list(dict.fromkeys(objects))
    if all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) and 0 <= one < 1 << 63 for one in distinct):
        labels = np.array(sorted(distinct), np.int64)  # type: ignore[type-var]
        names = NUMBERS if len(labels) == 0 or labels[-1] == len(labels) - 1 else Labels(labels)
        return names, {label: vertex for vertex, label in enumerate(labels.tolist())}
    texts = list(map(str, distinct))
    if len(set(texts)) < len(texts):
        seen: set[str] = set()
        twice = next(text for text in texts if text in seen or seen.add(text))  # type: ignore[func-returns-value]
        raise ParameterError(f"two vertices are called {twice}", "give them different names")
    try:
        return TextNames.of(texts), {one: vertex for vertex, one in enumerate(distinct)}
    except UnicodeEncodeError:
        raise ParameterError("the name of a vertex is not Unicode text", "give names without lone surrogates") from None


def de_bruijn_graph(alphabet: str | int, n: int) -> Graph:
    """The de Bruijn graph B(k, n): vertices are the words of n - 1 letters, edges those of n.

    Vertices and edges are numbered in the order of the dictionary; edge w leads from the first n - 1 letters of word w
    to its last.

    Parameters
    ----------
    alphabet : str or int
        Its letters, or their number k: then they are the digits, up to 10 of them, or the letters 0-9a-z, up to 36.
    n : int

    Raises
    ------
    ParameterError
        If there is no such graph, or it would have 2^63 edges or more.
    """
    symbols = _symbols(alphabet)
    if n < 1:
        raise ParameterError(f"words of {n} letters", "give a length of 1 or more")
    k = len(symbols)
    if k**n >= 1 << 63:
        raise ParameterError(f"there are {k}^{n} words, 2^63 or more", "choose shorter words or a smaller alphabet")
    n_vertices = k ** (n - 1)
    dtype = id_type(n_vertices)
    col = np.tile(np.arange(n_vertices, dtype=dtype), k)
    return Graph(np.arange(n_vertices + 1, dtype=np.int64) * k, col, WordNames(symbols, n - 1))


def _symbols(alphabet: str | int) -> Sequence[str]:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    if isinstance(alphabet, int):
        if not 1 <= alphabet <= len(digits):
            raise ParameterError(
                f"an alphabet of {alphabet} letters", f"give 1 to {len(digits)}, or the letters themselves"
            )
        return tuple(digits[:alphabet])
    if not alphabet or len(set(alphabet)) < len(alphabet):
        raise ParameterError(f"the alphabet {alphabet!r} is empty or has a letter twice", "give each letter once")
    return tuple(alphabet)


def with_both_directions(graph: Graph) -> Graph:
    """The same with every edge there and back, as one edge of an undirected graph; a loop stays one edge.

    Out of a vertex go first its edges, then those that were into it, by their tails.
    """
    back = graph.reverse
    backend = backends.of(graph.col)
    tails, back_tails = (backend.csr_tails(one.row_ptr, one.col) for one in (graph, back))
    is_new = back_tails != back.col
    weights = None
    if graph.weights is not None and back.weights is not None:
        weights = _joined(backend, graph.weights, back.weights[is_new])
    return graph_from_edges(
        _joined(backend, tails, back_tails[is_new]),
        _joined(backend, graph.col, back.col[is_new]),
        graph.n_vertices,
        graph.names,
        weights,
    )


def _joined(backend: Any, first: Array, second: Array) -> Array:
    """One array after the other, in an array of the backend."""
    whole = backend.to_device(np.empty(len(first) + len(second), first.dtype))
    whole[: len(first)] = first
    whole[len(first) :] = second
    return whole
