"""Euler circuits of balanced graphs, stage by stage; edges that balance a graph, and circuits cut at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.graph import Graph, Walks
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.circuits.protocol import GroupOperations, GroupSteps
    from debruijn_gpu.backends.core.array_types import Array, Longs
    from debruijn_gpu.backends.protocol import GraphBackend

#: What the CPU takes for each edge beside the graph: sorted edges and room to sort, or predecessors, seats and steps
BYTES_PER_EDGE = 24


def euler_circuits(graph: Graph, backend: GraphBackend) -> Walks | None:
    """An Euler circuit of each weakly connected component that has edges, found in parallel.

    The circuits are a function of the graph alone: not of backend or threads. See `CircuitOperations`.

    Parameters
    ----------
    graph : Graph
        In arrays of the backend.
    backend : GraphBackend

    Returns
    -------
    Walks or None
        In arrays of the backend. Steps are edge ids; each circuit begins with its smallest edge, and they come in the
        order of these. None if some vertex has not as many edges in as out.
    """
    n_edges = graph.n_edges
    with log.stage("pair edges", n_edges, "edges"):
        pairing = backend.circuits.pair_edges(graph.row_ptr, graph.col)
    if pairing is None:
        return None
    with log.stage("find cycles", n_edges, "edges"):
        cycles = backend.circuits.find_cycles(pairing)
    with log.stage("splice cycles", cycles.n_cycles, "cycles"):
        splices = backend.circuits.splice_cycles(graph.col, pairing, cycles)
    _report(cycles.n_cycles, splices.n_splices)
    with log.stage("write circuits", n_edges, "edges"):
        offsets, steps = backend.circuits.write_circuits(pairing, cycles, splices)
        circular = backend.to_device(np.ones(len(offsets) - 1, np.bool_))
        backend.synchronize()
    return Walks(offsets, steps, circular)


def _report(n_cycles: int, n_splices: int) -> None:
    log.logger.info(
        "  cycles: %s, splices: %s, circuits: %s", f"{n_cycles:,}", f"{n_splices:,}", f"{n_cycles - n_splices:,}"
    )


def circuits_together(graph: Graph, circuits: GroupOperations) -> tuple[Array, GroupSteps] | None:
    """Find the circuits of `euler_circuits` on several GPUs.

    Parameters
    ----------
    graph : Graph
        In NumPy arrays, or in those of the first GPU.
    circuits : GroupOperations

    Returns
    -------
    offsets : array of the first GPU, dtype=int64, shape=(n + 1,)
    steps : GroupSteps
        None for both if some vertex has not as many edges in as out.
    """
    with log.stage("pair edges", graph.n_edges, "edges"):
        pairing = circuits.pair_edges(graph.row_ptr, graph.col)
        circuits.synchronize()
    if pairing is None:
        return None
    n_edges = graph.n_edges
    with log.stage("find cycles", n_edges, "edges"):
        cycles = circuits.find_cycles(pairing)
    with log.stage("splice cycles", cycles.n_cycles, "cycles"):
        splices = circuits.splice_cycles(pairing, cycles)
    _report(cycles.n_cycles, splices.n_splices)
    with log.stage("write circuits", n_edges, "edges"):
        found = circuits.write_circuits(pairing, cycles, splices)
        circuits.synchronize()
    return found


def cut_circuits(circuits: Walks, original: Array, backend: GraphBackend) -> Walks:
    """Cut Euler circuits at edges that were added to the graph.

    Parameters
    ----------
    circuits : Walks
        In arrays of the backend. Steps are edge ids of the graph with the added edges; no two added edges are
        consecutive.
    original : array of the backend, dtype=int64, shape=(n_edges,)
        What the steps of the result call each edge; -1: it is an added one, to be cut at.
    backend : GraphBackend

    Returns
    -------
    Walks
        In arrays of the backend. By the first step of each; circuits that hold no added edge stay closed.
    """
    cuts: Longs = backend.to_host(backend.circuits.find_added(circuits.steps, original))
    starts, lengths, first, last = _segments(backend.to_host(circuits.offsets), cuts)
    is_cut = last > first
    wrapped = np.full(len(starts), -1, np.int64)  # the segment that continues a segment: the first after the last
    wrapped[last[is_cut]] = first[is_cut]
    opening = np.delete(np.arange(len(starts)), first[is_cut])  # segments with which trails begin
    begins = np.where(lengths[opening] > 0, opening, wrapped[opening])
    first_steps = backend.to_host(_taken(circuits, original, starts[begins], np.arange(len(begins) + 1), backend))
    opening = opening[np.argsort(first_steps, kind="stable")]
    parts = np.column_stack((opening, wrapped[opening]))
    part_lengths = np.where(parts >= 0, lengths[parts], 0).ravel()
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(part_lengths)))
    steps = _taken(circuits, original, starts[parts].ravel(), offsets, backend)
    is_closed = np.zeros(len(starts), np.bool_)
    is_closed[first[~is_cut]] = True
    return Walks(backend.to_device(offsets[::2].copy()), steps, backend.to_device(is_closed[opening]))


def _segments(offsets: Longs, cuts: Longs) -> tuple[Longs, Longs, Longs, Longs]:
    """Cut circuits at added edges: start and length of segments, and the first and last segment of each circuit.

    The first and the last segment may be empty.
    """
    starts = np.sort(np.concatenate((offsets[:-1], cuts + 1)))
    ends = np.sort(np.concatenate((offsets[1:], cuts)))
    bounds = np.arange(len(offsets)) + np.searchsorted(cuts, offsets)
    return starts, ends - starts, bounds[:-1], bounds[1:] - 1


def _taken(circuits: Walks, original: Array, starts: Longs, offsets: Longs, backend: GraphBackend) -> Array:
    """`CircuitOperations.gather_ranges` for ranges that are on the host."""
    return backend.circuits.gather_ranges(
        circuits.steps, original, backend.to_device(starts), backend.to_device(offsets)
    )


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
