"""Edges that make a graph Eulerian, and the graph with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.graph import Graph

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import GraphBackend


@dataclass(frozen=True)
class BalancedGraph:
    """A graph with edges added to it, in arrays of the backend.

    Attributes
    ----------
    graph : Graph
        The added edges are the last ones of their rows.
    original : array of the backend, dtype=int64, shape=(n_edges,)
        What number each edge has in the graph without them; -1: it is an added one.
    """

    graph: Graph
    original: Array


def closing_edges(
    component: NDArray[np.int64], surplus: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the fewest edges that balance a graph without connecting components of it.

    An Euler circuit of the graph with them, cut at them, is the fewest trails that use every edge once: a trail begins
    where more edges go out than come in, as often as there are more.

    Parameters
    ----------
    component : ndarray, dtype=int64, shape=(n_vertices,)
        Number of each vertex's weakly connected component.
    surplus : ndarray, dtype=int64, shape=(n_vertices,)
        Edges out of each vertex less edges into it.

    Returns
    -------
    tails, heads : ndarray, dtype=int64
        By component; within one the i-th edge leads from the i-th vertex that lacks edges out to the i-th that lacks
        edges in, each counted as often as it lacks them, in the order of the vertices.
    """
    ends, starts = (_repeated(component, lacking) for lacking in (-surplus, surplus))
    return ends, starts


def _repeated(component: NDArray[np.int64], n_times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Vertices, each so many times if that is above 0, by component."""
    vertices = np.flatnonzero(n_times > 0)
    vertices = vertices[np.argsort(component[vertices], kind="stable")]
    return np.repeat(vertices, n_times[vertices])


def with_edges(
    graph: Graph, tails: NDArray[np.integer], heads: NDArray[np.integer], backend: GraphBackend
) -> BalancedGraph:
    """A graph with more edges.

    Parameters
    ----------
    graph : Graph
        In arrays of the backend.
    tails, heads : ndarray, dtype=integer, shape=(n_added,)
        Added in this order.
    backend : GraphBackend
    """
    dtype = graph.col.dtype
    added = backend.to_device(tails.astype(dtype)), backend.to_device(heads.astype(dtype))
    row_ptr, col, original = backend.circuits.append_edges(graph.row_ptr, graph.col, *added)
    return BalancedGraph(Graph(row_ptr, col), original)
