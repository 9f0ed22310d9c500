"""Neighbourhoods of vertices, and edges as they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.drawing.labels import edge_words, natural_labels, place_label
from debruijn_gpu.run.plain_text import one_line

if TYPE_CHECKING:
    from debruijn_gpu.drawing.marks import Cycles, MarkedGraph
    from debruijn_gpu.drawing.options import DrawOptions
    from debruijn_gpu.drawing.view import View
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


@dataclass(frozen=True)
class PictureEdge:
    """An edge as it is drawn.

    Attributes
    ----------
    tail, head : int
        Numbers of its vertices in the picture.
    label, tooltip : str
    look : str
        ``tree``, ``washed``, ``added``, ``c0``, ``c1``, ... (its cycle or walk) or nothing.
    n_edges : int
        How many of the graph it stands for: none if it was added.
    """

    tail: int
    head: int
    label: str = ""
    tooltip: str = ""
    look: str = ""
    n_edges: int = 1


def picture_edges(graph: Graph, view: View, marked: MarkedGraph, options: DrawOptions) -> list[PictureEdge]:
    """The edges of a view.

    Parameters
    ----------
    graph : Graph
        On the host.
    view : View
        Of the marked graph: what of it is drawn.
    marked : MarkedGraph
        The same graph, or one with edges added, and its walks, cycles and trees.
    options : DrawOptions
    """
    original = marked.original[view.edges]
    words = _words(graph, original, options.reverse)
    natural = natural_labels(graph, original, words)
    edges = []
    for i, (tail, head, edge, n_parallel) in enumerate(
        zip(view.tails.tolist(), view.heads.tolist(), view.edges.tolist(), view.n_parallel.tolist(), strict=True)
    ):
        parts = []
        if marked.walk is not None and marked.place is not None:
            parts.append(place_label(int(marked.walk[edge]), int(marked.place[edge]), marked.n_walks, n_parallel))
        if marked.cycles is not None and original[i] >= 0:
            parts.append(_on_cycle(marked.cycles, options, edge, n_parallel))
        if options.edge_labels:
            parts.append(natural[i])
        if n_parallel > 1:
            parts.append(f"×{n_parallel:,}")
        known = [f"edge {original[i]}"] if original[i] >= 0 else ["an edge that was added"]
        known += [one_line(words[i])] if words is not None and original[i] >= 0 else []
        label = "  ".join(filter(None, parts))
        n_edges = n_parallel if original[i] >= 0 else 0
        edges.append(PictureEdge(tail, head, label, ", ".join(known), _edge_look(marked, options, edge), n_edges))
    return edges


def _on_cycle(cycles: Cycles, options: DrawOptions, edge: int, n_parallel: int) -> str:
    """Label an edge with the number of its cycle, or with its place on a circuit unless Euler walks do."""
    cycle = int(cycles.of_edge[edge])
    if options.stage != "spliced":
        return f"c{cycle + 1}"
    return "" if options.euler else place_label(cycle, int(cycles.places[edge]), len(cycles.sizes), n_parallel)


def _words(graph: Graph, edges: Longs, reverse: bool) -> list[str] | None:
    """Words of edges, by their numbers in the graph; none of those that were added."""
    is_there = edges >= 0
    if not is_there.any():
        return None
    tails = np.searchsorted(graph.row_ptr, edges[is_there], side="right") - 1
    found = edge_words(graph, edges[is_there], tails, graph.col[edges[is_there]].astype(np.int64), reverse)
    if found is None:
        return None
    words = iter(found)
    return [next(words) if there else "" for there in is_there.tolist()]


def _edge_look(marked: MarkedGraph, options: DrawOptions, edge: int) -> str:
    if marked.original[edge] < 0:
        return "added"
    if marked.cycles is not None:
        return f"c{marked.cycles.of_edge[edge]}"
    if marked.in_tree is not None:
        return "tree" if marked.in_tree[edge] else "washed" if options.wash else ""
    return f"c{marked.walk[edge]}" if marked.walk is not None and marked.n_walks > 1 else ""
