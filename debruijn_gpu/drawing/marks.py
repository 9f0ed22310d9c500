"""Marks of single edges: position on an Euler walk, cycle, membership of the spanning forest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.euler.circuits import closing_edges, with_edges
from debruijn_gpu.euler.options import EulerOptions
from debruijn_gpu.euler.trails import euler_walks, oriented
from debruijn_gpu.graph.analysis import diagnose
from debruijn_gpu.graph.convert import edges_of
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend
    from debruijn_gpu.drawing.options import DrawOptions
    from debruijn_gpu.graph.graph import Walks

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Cycles:
    """Closed walks that use every edge once.

    Attributes
    ----------
    of_edge : ndarray, dtype=int64, shape=(n_edges,)
        The one that each edge is on; they are numbered by their smallest edges.
    places : ndarray, dtype=int64, shape=(n_edges,)
        Where on it each is, from 1 for the smallest.
    sizes : ndarray, dtype=int64, shape=(n,)
        Edges of each.
    splices : ndarray, dtype=int64, shape=(n_splices,)
        Vertices at which cycles can be spliced, or were, ascending.
    """

    of_edge: Longs
    places: Longs
    sizes: Longs
    splices: Longs


@dataclass(frozen=True)
class MarkedGraph:
    """A graph as it is drawn, and what is said of its edges.

    Attributes
    ----------
    graph : Graph
        In NumPy arrays. Edges may have been given directions, or been added.
    original : ndarray, dtype=int64, shape=(n_edges,)
        What number each edge has in the graph that was given; -1: it was added.
    walk, place : ndarray, dtype=int64, shape=(n_edges,), or None
        The Euler walk on which an edge is, from 0, and where on it, from 1; -1 and 0 for edges that were added.
    starts : ndarray, dtype=int64
        Vertices where walks begin.
    n_walks, n_circular : int
        How many walks there are, and how many of them come back to where they start.
    in_tree : ndarray, dtype=bool, shape=(n_edges,), or None
        Whether an edge is in the spanning forest.
    cycles : Cycles or None
    """

    graph: Graph
    original: Longs
    walk: Longs | None = None
    place: Longs | None = None
    starts: Longs | None = None
    n_walks: int = 0
    n_circular: int = 0
    in_tree: NDArray[np.bool_] | None = None
    cycles: Cycles | None = None

    @property
    def kinds(self) -> Longs | None:
        """A number for each edge, the same for those that look the same."""
        if self.cycles is not None:
            return np.where(self.original < 0, -1, self.cycles.of_edge)
        if self.in_tree is not None:
            return self.in_tree.astype(np.int64)
        return self.walk


def mark(graph: Graph, options: DrawOptions, backend: Backend) -> MarkedGraph:
    """Find out what is to be said of the edges.

    Parameters
    ----------
    graph : Graph
        In NumPy arrays.
    options : DrawOptions
    backend : Backend
        Where walks, cycles and trees are found.
    """
    marked = MarkedGraph(graph, np.arange(graph.n_edges))
    if options.undirected and (options.euler or options.circuits):
        directed = oriented(graph, backends.host(), any_graph=True)
        marked = MarkedGraph(directed.graph, directed.original.astype(np.int64))
    if options.spanning_tree:
        marked = replace(marked, in_tree=_spanning_forest(marked.graph, backend))
    if options.euler:
        walks = euler_walks(marked.graph, backend, EulerOptions(trails=True))
        marked = _with_walks(marked, walks)
    if options.circuits:
        marked = _with_cycles(marked, options.stage == "spliced", backend)
    return marked


def _spanning_forest(graph: Graph, backend: Backend) -> NDArray[np.bool_]:
    on_device = graph.moved(backend.to_device)
    forest = backend.to_host(backend.graphs.spanning_forest(on_device.row_ptr, on_device.col))
    in_tree = np.zeros(graph.n_edges, np.bool_)
    in_tree[forest] = True
    return in_tree


def _with_walks(marked: MarkedGraph, walks: Walks) -> MarkedGraph:
    walk, place = _places(walks.offsets, walks.steps)
    starts = np.unique(edges_of(marked.graph)[0][walks.steps[walks.offsets[:-1]]]).astype(np.int64)
    n_circular = int(np.count_nonzero(walks.circular))
    return replace(marked, walk=walk, place=place, starts=starts, n_walks=len(walks), n_circular=n_circular)


def _with_cycles(marked: MarkedGraph, is_spliced: bool, backend: Backend) -> MarkedGraph:
    """Mark the cycles that the pairing of edges leaves, or the circuits into which they are spliced."""
    graph = marked.graph.moved(backend.to_device)
    pairing = backend.circuits.pair_edges(graph.row_ptr, graph.col)
    if pairing is None:
        marked = _closed(marked, graph, backend)
        graph = marked.graph.moved(backend.to_device)
        pairing = backend.circuits.pair_edges(graph.row_ptr, graph.col)
    cycles = backend.circuits.find_cycles(pairing)
    splices = backend.circuits.splice_cycles(graph.col, pairing, cycles)
    log.logger.info("  cycles: %s, splices: %s", f"{cycles.n_cycles:,}", f"{splices.n_splices:,}")
    tails = edges_of(marked.graph)[0].astype(np.int64)
    spliced_at = np.unique(tails[backend.to_host(splices.edges)])
    if is_spliced:
        offsets, steps = backend.circuits.write_circuits(pairing, cycles, splices)
    else:
        offsets, steps = _follow(backend.to_host(backend.circuits.predecessors(pairing)))
    of_edge, places = _places(backend.to_host(offsets), backend.to_host(steps))
    return replace(marked, cycles=Cycles(of_edge, places, np.diff(backend.to_host(offsets)), spliced_at))


def _places(offsets: Longs, steps: NDArray[np.unsignedinteger]) -> tuple[Longs, Longs]:
    """Of each edge the walk on which it is, and where on that, from 1."""
    lengths = np.diff(offsets)
    walk, place = np.empty(len(steps), np.int64), np.empty(len(steps), np.int64)
    walk[steps] = np.repeat(np.arange(len(lengths)), lengths)
    place[steps] = np.arange(len(steps)) - np.repeat(offsets[:-1], lengths) + 1
    return walk, place


def _follow(predecessor: NDArray[np.unsignedinteger]) -> tuple[Longs, NDArray[np.unsignedinteger]]:
    """Cycles one after another, by their smallest edges."""
    successor = np.empty_like(predecessor)
    successor[predecessor] = np.arange(len(predecessor), dtype=predecessor.dtype)
    offsets, steps, _circular = backends.host().circuits.rank_lists(successor)
    return offsets, steps


def _closed(marked: MarkedGraph, graph: Graph, backend: Backend) -> MarkedGraph:
    """The graph with the edges that balance it; walks are cut at these in the end."""
    diagnosis = diagnose(graph, backend)
    tails, heads = closing_edges(diagnosis.component, diagnosis.surplus)
    closed = with_edges(graph, tails, heads, backend)
    origin = backend.to_host(closed.original)
    is_added = origin < 0
    old = np.where(is_added, 0, origin)
    closed_graph = Graph(backend.to_host(closed.graph.row_ptr), backend.to_host(closed.graph.col), marked.graph.names)
    return replace(
        marked,
        graph=closed_graph,
        original=np.where(is_added, -1, marked.original[old]),
        walk=None if marked.walk is None else np.where(is_added, -1, marked.walk[old]),
        place=None if marked.place is None else np.where(is_added, 0, marked.place[old]),
    )
