"""The shortest walk that uses every edge at least once: the Chinese postman's problem on a directed graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.errors import NoPostmanTourError, OutOfMemoryError
from debruijn_gpu.euler.bidirected import as_ids
from debruijn_gpu.euler.circuits import BYTES_PER_EDGE, cut_circuits, euler_circuits, with_edges
from debruijn_gpu.graph.convert import edges_of
from debruijn_gpu.graph.diagnosis import short_name
from debruijn_gpu.graph.graph import Graph, Walks, empty_ids
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import available_memory, format_bytes

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Longs, Vertices
    from debruijn_gpu.backends.protocol import GraphBackend

#: What a step takes beside the circuit: its edge in the graph, and the head of that
_BYTES_PER_STEP = BYTES_PER_EDGE + 12


def postman_tour(graph: Graph, backend: GraphBackend, closed: bool = True) -> Walks:
    """The shortest walk that uses every edge at least once.

    With each edge as often as it is used the graph is balanced, so some edges are repeated along ways from vertices
    with more edges in than out to those with more out than in, by a flow of the least cost; an Euler circuit of the
    result is the walk. (Edmonds and Johnson 1973, Matching, Euler tours and the Chinese postman.) A walk with free ends
    leaves out the way from one of the former, where it ends, to one of the latter, where it begins. Which of several
    shortest walks is found depends on the graph alone.

    Parameters
    ----------
    graph : Graph
        In NumPy arrays.
    backend : GraphBackend
        Where the circuit is found; the flow is found on the CPU.
    closed : bool
        Whether the walk must come back to where it began.

    Returns
    -------
    Walks
        In NumPy arrays: one walk, or none if there are no edges. Steps are edge ids. If it is closed, it begins with
        the smallest edge.

    Raises
    ------
    NoPostmanTourError
        If no walk uses every edge. A closed one does if there is a way from each edge to each other.
    OutOfMemoryError
        If the walk is too long.
    """
    if graph.n_edges == 0:
        return Walks(np.zeros(1, np.int64), empty_ids(0, 0), np.empty(0, np.bool_))
    excess = graph.in_degrees - graph.out_degrees
    is_balanced = not excess.any()
    plan = _Plan(np.zeros(graph.n_edges, np.int64)) if is_balanced else _plan(graph, excess, closed)
    walks = _walk(graph, plan, backend)
    if len(walks) > 1:
        raise _no_walk(graph, walks.steps[walks.offsets[:2]].tolist())
    return walks


@dataclass(frozen=True)
class _Plan:
    """Repetitions of edges.

    Attributes
    ----------
    repeats : ndarray, dtype=int64, shape=(n_edges,)
        Uses of each edge beyond the first.
    ends : tuple of int, optional
        Where a walk with free ends ends, and where it begins.
    """

    repeats: Longs
    ends: tuple[int, int] | None = None


def _plan(graph: Graph, excess: Longs, closed: bool) -> _Plan:
    """The fewest repeats with which an unbalanced graph has the walk."""
    host = backends.host()
    with log.stage("repeat edges", graph.n_edges, "edges"):
        component = host.graphs.strong_components(graph.row_ptr, graph.col)
        if closed:
            _check_closed(graph, component)
            costs = np.ones(graph.n_edges, np.uint8)
            plan = _Plan(host.graphs.min_cost_flow(graph.row_ptr, graph.col, costs, excess))
        else:
            _check_open(graph, component)
            plan = _open_plan(graph, excess)
    log.logger.info("  edges repeated: %s", f"{int(plan.repeats.sum()):,}")
    return plan


def _open_plan(graph: Graph, excess: Longs) -> _Plan:
    """The same for a walk with free ends.

    One vertex with excess need not be left, and one that lacks something not be reached: a vertex where the first
    leaves one free of charge, and another from where the second gets one.
    """
    n = graph.n_vertices
    leaving, reached = np.flatnonzero(excess > 0), np.flatnonzero(excess < 0)
    tails = np.concatenate((leaving, np.full(len(reached), n))).astype(graph.col.dtype)
    heads = np.concatenate((np.full(len(leaving), n + 1), reached)).astype(graph.col.dtype)
    row_ptr = np.append(graph.row_ptr, (graph.n_edges, graph.n_edges))
    row_ptr, col, original = backends.host().circuits.append_edges(row_ptr, graph.col, tails, heads)
    flow = backends.host().graphs.min_cost_flow(
        row_ptr, col, (original >= 0).astype(np.uint8), np.append(excess, (1, -1)).astype(np.int64)
    )
    free = np.flatnonzero((original < 0) & (flow > 0))
    end, begin = int(np.searchsorted(row_ptr, free[0], "right")) - 1, int(col[free[1]])
    return _Plan(flow[original >= 0], (end, begin))


def _walk(graph: Graph, plan: _Plan, backend: GraphBackend) -> Walks:
    """Euler circuits of the graph with repeated edges, cut where the walk is free."""
    times = plan.repeats + 1
    n_steps = int(times.sum())
    needed = n_steps * _BYTES_PER_STEP
    limit = backend.memory_limit(available_memory())
    if limit is not None and needed > limit:
        raise OutOfMemoryError(
            f"Out of memory: the shortest walk has {n_steps:,} steps, which take {format_bytes(needed)}",
            "give the job more memory",
        )
    edges = as_ids(np.repeat(np.arange(graph.n_edges), times), graph.n_edges)
    row_ptr = np.concatenate((np.zeros(1, np.int64), np.cumsum(times)))[graph.row_ptr]
    repeated = Graph(row_ptr, graph.col[edges]).moved(backend.to_device)
    if plan.ends is None:
        circuits = euler_circuits(repeated, backend)
        assert circuits is not None
    else:
        end, begin = plan.ends
        added = with_edges(repeated, np.array([end]), np.array([begin]), backend)
        circuits = euler_circuits(added.graph, backend)
        assert circuits is not None
        circuits = cut_circuits(circuits, added.original, backend)
    walks = circuits.moved(backend.to_host)
    steps: Vertices = edges[walks.steps]
    return Walks(walks.offsets, steps, walks.circular)


def _check_closed(graph: Graph, component: Longs) -> None:
    """Raise if an edge leads to where no way leads back from."""
    tails, heads = edges_of(graph)
    crossing = np.flatnonzero(component[tails] != component[heads])
    if len(crossing):
        raise _no_walk(graph, crossing[:1].tolist())


def _check_open(graph: Graph, component: Longs) -> None:
    """Raise unless the strongly connected components with edges are a chain with one edge from each to the next."""
    tails, heads = edges_of(graph)
    crossing = np.flatnonzero(component[tails] != component[heads])
    for ends in (tails, heads):
        order = crossing[np.argsort(component[ends[crossing]], kind="stable")]
        beside = np.flatnonzero(component[ends[order[1:]]] == component[ends[order[:-1]]])
        if len(beside):
            raise _no_walk(graph, np.sort(order[beside[0] : beside[0] + 2]).tolist())
    # no component has two of these edges in or two out, and they form no cycles: they are paths
    edge_into = np.full(graph.n_vertices, -1)
    edge_into[component[heads]] = edge_into[component[tails]] = np.arange(graph.n_edges)
    edge_into[component[tails[crossing]]] = -1  # these are not the last on their path
    last = edge_into[edge_into >= 0]
    if len(last) > 1:
        raise _no_walk(graph, np.sort(last)[:2].tolist())


def _no_walk(graph: Graph, edges: list[int]) -> NoPostmanTourError:
    """Build the error of an edge that no closed walk has, or of two that no walk has."""
    tails = np.searchsorted(graph.row_ptr, edges, "right") - 1
    names = [
        " -> ".join(short_name(graph.names, vertex) for vertex in pair)
        for pair in zip(tails.tolist(), graph.col[edges].tolist(), strict=True)
    ]
    if len(edges) == 1:
        what, fix = f"no closed walk uses every edge: no way leads back from {names[0]}", "leave such edges out"
    else:
        what = f"no walk uses every edge: from neither of {names[0]} and {names[1]} a way leads to the other"
        fix = "leave one of them out"
    return NoPostmanTourError(what, fix, tuple(edges))
