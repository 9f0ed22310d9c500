"""Graphs from edges, rows, dictionaries, vectors and parameters, and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.graph import Graph, id_type
from debruijn_gpu.graph.names import NUMBERS, Labels, TextNames, VertexNames

BEYOND = "the vertices are 0, 1, ... up to their number less one"


def graph_from_edges(
    tails: Array,
    heads: Array,
    n_vertices: int | None = None,
    names: VertexNames = NUMBERS,
    weights: Array | None = None,
) -> Graph:
    """Build a graph from a list of edges (COO); edges of a vertex keep the order of the list.

    Parameters
    ----------
    tails, heads : ndarray, any integer dtype, shape=(n_edges,)
        Arrays of either backend, which builds the graph.
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
        return Graph(*backend.graphs.csr_from_edges(tails, heads, n_vertices), names=names)
    edges = backend.to_device(np.arange(len(heads), dtype=id_type(len(heads))))
    row_ptr, order = backend.graphs.csr_from_edges(tails, edges, n_vertices)
    return Graph(row_ptr, heads[order], names, weights.astype(np.float64, copy=False)[order])


def _checked_size(tails: Array, heads: Array, n_vertices: int | None) -> int:
    """The number of vertices, given or found, if all edges are between them."""
    largest = -1
    for ends in (tails, heads) if len(heads) else ():
        if ends.dtype.kind not in "ui":
            raise ParameterError(f"vertices of dtype {ends.dtype}", "give integers")
        if int(ends.min()) < 0:
            raise ParameterError(f"vertex {int(ends.min())} is below 0", BEYOND)
        largest = max(largest, int(ends.max()))
    if n_vertices is None:
        return largest + 1
    if largest >= n_vertices:
        raise ParameterError(f"an edge has vertex {largest}, but there are {n_vertices} vertices", BEYOND)
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
            "choose another format",
        )
    return graph.col


def graph_from_dict(successors: Mapping[Hashable, Iterable[Hashable]]) -> Graph:
    """Build a graph from lists of successors, with names by `named_vertices`.

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


def with_both_directions(graph: Graph) -> Graph:
    """Add the reverse of every edge, as in an undirected graph; a loop stays one edge.

    Out of a vertex go first its edges, then those that were into it, by their tails.
    """
    back = graph.reverse
    backend = backends.of(graph.col)
    tails, back_tails = (backend.graphs.csr_tails(one.row_ptr, one.col) for one in (graph, back))
    is_new = back_tails != back.col
    weights = None
    if graph.weights is not None and back.weights is not None:
        weights = _concatenated(backend, graph.weights, back.weights[is_new])
    return graph_from_edges(
        _concatenated(backend, tails, back_tails[is_new]),
        _concatenated(backend, graph.col, back.col[is_new]),
        graph.n_vertices,
        graph.names,
        weights,
    )


def _concatenated(backend: Any, first: Array, second: Array) -> Array:
    """One array after the other, in an array of the backend."""
    whole = backend.to_device(np.empty(len(first) + len(second), first.dtype))
    whole[: len(first)] = first
    whole[len(first) :] = second
    return whole
