"""Edges as they are drawn: their labels and looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.drawing.labels import edge_words, natural_labels, place_label
from debruijn_gpu.run.plain_text import one_line

if TYPE_CHECKING:
    from debruijn_gpu.drawing.marks import Cycles, MarkedGraph
    from debruijn_gpu.drawing.options import DrawOptions
    from debruijn_gpu.drawing.view import View
    from debruijn_gpu.graph.graph import Graph

Longs = NDArray[np.int64]


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
    if options.stage != "joined":
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
