"""Euler walks, of directed and undirected graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.errors import NotEulerianError, ParameterError, UsageError
from debruijn_gpu.euler.balance import balanced
from debruijn_gpu.euler.circuits import cut_circuits, euler_circuits
from debruijn_gpu.euler.options import EulerOptions
from debruijn_gpu.euler.several_gpus import place_to_verify, walks_together
from debruijn_gpu.graph.diagnosis import SHOWN, short_name
from debruijn_gpu.graph.graph import Graph, Walks, empty_ids, id_type
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import GraphBackend, HostBackend

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
            _check_undirected(graph, incident_ptr, backend)
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


def _check_undirected(graph: Graph, incident_ptr: NDArray[np.int64], backend: HostBackend) -> None:
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


_CIRCUITS = EulerOptions()


def euler_walks(graph: Graph, backend: GraphBackend, options: EulerOptions = _CIRCUITS) -> Walks:
    """Find walks that use every edge once: a circuit per weakly connected component, or a path or trails if allowed.

    A component whose vertices all have as many edges in as out has a circuit; one where a single vertex has one more
    out than in, and a single one has one more in than out, has a path between them. Both are necessary and sufficient.
    Otherwise the number of trails is the sum of out-degree minus in-degree over the vertices where it is positive.
    (Edges that balance the graph are added, circuits are found and cut at them.)

    Parameters
    ----------
    graph : Graph
        In NumPy arrays.
    backend : GraphBackend
        Where to work; the algorithm ``hierholzer`` needs the CPU.
    options : EulerOptions

    Returns
    -------
    Walks
        In NumPy arrays. Steps are edge ids. A circuit begins with the smallest edge, or at ``options.start``. The walks
        come in the order of the edges that they begin with when no start is chosen.

    Raises
    ------
    NotEulerianError
        If the graph has no walks of the requested kind.
    """
    together = backend.circuits.together(graph.n_edges) if options.algorithm == "parallel" else None
    if together is not None:
        walks = walks_together(graph, together, backend, options)
        place = place_to_verify(graph, together, backend) if options.verify else backends.host()
        _check(walks, _moved(graph, place), place, options)
    else:
        walks = _walks_alone(graph, backend, options)
    return walks if options.start is None else _started(walks, graph, options.start)


def _walks_alone(graph: Graph, backend: GraphBackend, options: EulerOptions) -> Walks:
    """Find walks of a graph of the host on the CPU or one GPU, in NumPy arrays."""
    moved = _moved(graph, backend)
    found = _circuits(moved, backend, options.algorithm)
    if found is None:
        found = _open_walks(moved, backend, options)
    _check(found, moved, backend, options)
    return _on_host(found, backend)


def _check(found: Walks, graph: Graph, backend: GraphBackend, options: EulerOptions) -> None:
    """Raise unless walks are those that options allow."""
    if options.single and len(found) > 1:
        raise NotEulerianError(f"it takes {len(found):,} walks to use every edge", "leave --single out to get them all")
    if options.verify:
        _verify(found.on_device(backend), graph, backend)


def _moved(graph: Graph, backend: GraphBackend) -> Graph:
    """The graph in arrays of the backend."""
    if backend.is_sequential:
        return graph
    with log.stage("to device", graph.n_edges, "edges"):
        moved = graph.moved(backend.to_device)
        backend.synchronize()
    return moved


def _on_host(walks: Walks, backend: GraphBackend) -> Walks:
    """The walks in NumPy arrays."""
    if backend.is_sequential:
        return walks
    with log.stage("back", len(walks.steps), "edges"):
        return walks.moved(backend.to_host)


def _circuits(graph: Graph, backend: GraphBackend, algorithm: str) -> Walks | None:
    """Circuits of a balanced graph; None if it is not balanced."""
    return _hierholzer(graph, backend) if algorithm == "hierholzer" else euler_circuits(graph, backend)


def _hierholzer(graph: Graph, backend: GraphBackend) -> Walks | None:
    if not backend.is_sequential:
        raise UsageError("--algorithm hierholzer works on the CPU alone", "run with --backend cpu")
    n_out = np.diff(graph.row_ptr)
    if (n_out != backend.graphs.in_degrees(graph.col, graph.n_vertices)).any():
        return None
    with log.stage("Hierholzer's algorithm", graph.n_edges, "edges"):
        component = backend.graphs.weak_components(graph.row_ptr, graph.col)
        edges_in_component = np.zeros(graph.n_vertices, np.int64)
        np.add.at(edges_in_component, component, n_out)
        starts = np.flatnonzero(edges_in_component)  # a component is named by its smallest vertex
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(edges_in_component[starts])))
        steps = empty_ids(graph.n_edges, graph.n_edges)
        backends.host().circuits.hierholzer(graph.row_ptr, graph.col, starts, offsets, steps)
    return Walks(offsets, steps, np.ones(len(starts), np.bool_))


def _open_walks(graph: Graph, backend: GraphBackend, options: EulerOptions) -> Walks:
    """Walks through a graph that is not balanced."""
    closed, n_added = balanced(graph, backend, options)
    circuits = _circuits(closed.graph, backend, options.algorithm)
    assert circuits is not None
    with log.stage("cut circuits", n_added, "edges"):
        return cut_circuits(circuits, closed.original, backend)


def _started(walks: Walks, graph: Graph, start: str) -> Walks:
    """The walk through a vertex, circuit or not, from there, and the others as they are."""
    vertex = start_vertex(graph, start)
    first, stop = graph.row_ptr[vertex : vertex + 2].tolist()
    begins = walks.steps[walks.offsets[:-1]]
    if (~walks.circular & (begins >= first) & (begins < stop)).any():
        return walks
    at = int(np.flatnonzero(walks.steps == first)[0])
    walk = int(np.searchsorted(walks.offsets, at, side="right")) - 1
    begin, end = walks.offsets[walk : walk + 2].tolist()
    if not walks.circular[walk]:
        raise NotEulerianError(f"no walk that uses every edge starts at {start}", "leave --start out")
    steps = walks.steps.copy()
    steps[begin:end] = np.roll(steps[begin:end], begin - at)
    return Walks(walks.offsets, steps, walks.circular)


def start_vertex(graph: Graph, start: str) -> int:
    """Return the vertex of ``--start``; raise ParameterError if no walk can start there."""
    try:
        vertex = graph.vertex(start)
    except KeyError:
        raise ParameterError(f"--start {start}: the graph has no such vertex", "choose one that it has") from None
    if graph.row_ptr[vertex] == graph.row_ptr[vertex + 1]:
        raise ParameterError(f"--start {start}: no edge leads out of it", "choose a vertex from which one does")
    return vertex


def _verify(walks: Walks, graph: Graph, backend: GraphBackend) -> None:
    """Check on the backend that every edge is used once, and that heads meet tails."""
    with log.stage("verify", graph.n_edges, "edges"):
        faults = backend.circuits.check_walks(graph.row_ptr, graph.col, walks.offsets, walks.steps, walks.circular)
    if faults:
        raise AssertionError(f"the walks are not sound: {faults}")
    log.report("verified: every edge is used once, and heads meet tails")
