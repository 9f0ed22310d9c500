"""Undirected graphs: directions for their edges, so that they can be walked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import NotEulerianError
from debruijn_gpu.graph.diagnosis import SHOWN, short_name
from debruijn_gpu.graph.graph import Graph, id_type
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend

#: What choosing directions takes for each edge beside the graph: both ends, what is at them, and the directed graph
BYTES_PER_UNDIRECTED_EDGE = 40


@dataclass(frozen=True)
class OrientedGraph:
    """An undirected graph with directions.

    Attributes
    ----------
    graph : Graph
    original : ndarray, dtype=uint32 or uint64, shape=(n_edges,)
        What number each edge has in the undirected graph.
    """

    graph: Graph
    original: NDArray[np.uint32] | NDArray[np.uint64]


def oriented(graph: Graph, backend: HostBackend, any_graph: bool = False, start: str | None = None) -> OrientedGraph:
    """Give the edges of an undirected graph directions with which it has an Euler walk, if it has one.

    A component has an Euler circuit if all its vertices have an even number of edges (loops count twice), and a path if
    two have an odd one.

    Parameters
    ----------
    graph : Graph
        In NumPy arrays; each edge stands for one that can be walked either way.
    backend : Backend
        The CPU.
    any_graph : bool
        Whether graphs without an Euler walk are welcome, too; half as many trails as there are odd vertices use every
        edge of these once.

    Raises
    ------
    NotEulerianError
        If more than two vertices of a component have an odd number of edges.
    """
    with log.stage("choose directions", graph.n_edges, "edges"):
        tails, heads = backend.graphs.csr_tails(graph.row_ptr, graph.col), graph.col
        edges = np.arange(graph.n_edges, dtype=id_type(graph.n_edges))
        ends = np.concatenate((tails, heads))
        incident_ptr, incident = backend.graphs.csr_from_edges(ends, np.concatenate((edges, edges)), graph.n_vertices)
        if not any_graph:
            _check(graph, incident_ptr, backend)
        is_forward = backend.circuits.orient_edges(incident_ptr, incident, tails, heads)
        if start is not None and start in graph:
            is_forward ^= _ends_at(graph.vertex(start), graph, is_forward, tails, backend)
        tails, heads = np.where(is_forward, tails, heads), np.where(is_forward, heads, tails)
        row_ptr, original = backend.graphs.csr_from_edges(tails, edges, graph.n_vertices)
        weights = None if graph.weights is None else graph.weights[original]
    return OrientedGraph(Graph(row_ptr, heads[original], graph.names, weights), original)


def _ends_at(
    vertex: int, graph: Graph, is_forward: NDArray[np.bool_], tails: NDArray[np.integer], backend: HostBackend
) -> NDArray[np.bool_]:
    """Mark the edges of a vertex's component if an Euler path ends there; else none."""
    out = np.count_nonzero(is_forward[tails == vertex]) + np.count_nonzero(~is_forward[graph.col == vertex])
    into = np.count_nonzero(~is_forward[tails == vertex]) + np.count_nonzero(is_forward[graph.col == vertex])
    if out >= into:
        return np.zeros(graph.n_edges, np.bool_)
    component = backend.graphs.weak_components(graph.row_ptr, graph.col)
    within: NDArray[np.bool_] = component[tails] == component[vertex]
    return within


def _check(graph: Graph, incident_ptr: NDArray[np.int64], backend: HostBackend) -> None:
    """Raise if a component has more than two vertices of odd degree."""
    odd = np.flatnonzero(np.diff(incident_ptr) & 1)
    if len(odd) < 3:
        return
    component = backend.graphs.weak_components(graph.row_ptr, graph.col)[odd]
    too_many = odd[np.bincount(component)[component] > 2]
    if len(too_many):
        names = [short_name(graph.names, vertex) for vertex in too_many[:SHOWN].tolist()]
        shown = ", ".join(names + ["..."] * (len(too_many) > SHOWN))
        raise NotEulerianError(
            f"the graph has no Euler walk, {len(too_many)} vertices have an odd number of edges: {shown}",
            "--trails walks any graph, in as few walks as it takes",
        )
