"""Find neighbourhoods of vertices, over edges in either direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends

if TYPE_CHECKING:
    from debruijn_gpu.graph.graph import Graph

Longs = NDArray[np.int64]


def within(graph: Graph, vertex: int, radius: int) -> NDArray[np.bool_]:
    """Find the vertices within a number of edges of a vertex.

    Parameters
    ----------
    graph : Graph
        In NumPy arrays.
    vertex, radius : int

    Returns
    -------
    ndarray, dtype=bool, shape=(n_vertices,)
    """
    is_near = np.zeros(graph.n_vertices, np.bool_)
    is_near[vertex] = True
    frontier = np.array([vertex])
    back = graph.reverse
    for _ in range(radius):
        reached = np.concatenate([_heads(one.row_ptr, one.col, frontier) for one in (graph, back)])
        frontier = np.unique(reached[~is_near[reached]])
        if not len(frontier):
            break
        is_near[frontier] = True
    return is_near


def nearest(tails: Longs, heads: Longs, n_vertices: int, starts: Longs, n_wanted: int) -> Longs:
    """The vertices nearest to the first of some starts, by distance and then number; when there are no more, those
    nearest to the next one that was not reached.

    Parameters
    ----------
    tails, heads : ndarray, dtype=int64, shape=(n_edges,)
    n_vertices : int
    starts : ndarray, dtype=int64
        All of them or some.
    n_wanted : int

    Returns
    -------
    ndarray, dtype=int64
        At most so many, in the order in which they are reached.
    """
    ends = np.concatenate((tails, heads)).astype(np.uint64)
    row_ptr, col = backends.host().graphs.csr_from_edges(
        ends, np.concatenate((heads, tails)).astype(np.uint64), n_vertices
    )
    is_reached = np.zeros(n_vertices, np.bool_)
    levels: list[Longs] = []
    n_reached = 0
    for start in starts.tolist():
        if n_reached >= n_wanted:
            break
        frontier = np.array([] if is_reached[start] else [start], np.int64)
        while len(frontier) and n_reached < n_wanted:
            is_reached[frontier] = True
            levels.append(frontier)
            n_reached += len(frontier)
            reached = _heads(row_ptr, col, frontier)
            frontier = np.unique(reached[~is_reached[reached]])
    return np.concatenate(levels)[:n_wanted] if levels else np.empty(0, np.int64)


def _heads(row_ptr: NDArray[np.int64], col: NDArray[np.integer], vertices: Longs) -> Longs:
    """Heads of the edges out of some vertices."""
    degrees = row_ptr[vertices + 1] - row_ptr[vertices]
    first = np.repeat(row_ptr[vertices] - np.cumsum(degrees) + degrees, degrees)
    found: Longs = col[first + np.arange(len(first))].astype(np.int64)
    return found
