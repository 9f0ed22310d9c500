"""Unitigs: the walks through a graph on which there is no choice, one of each mirrored pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.walks import Walks

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend


def unitigs(graph: Graph, backend: AssemblyBackend, alive: Array | None = None) -> Walks:
    """Maximal walks whose inner edges are the only ones out of their tail and into their head.

    Parameters
    ----------
    graph : Graph
        Vertices in mirrored pairs, v and v ^ 1; the mirror of an edge is in the graph too.
    backend : AssemblyBackend
        Whose arrays the graph's are; the walks' are too.
    alive : Array, dtype=bool, shape=(n_vertices / 2,), or None
        Which pairs are there; no edge leads to or from others. All, if None.

    Returns
    -------
    Walks
        Over vertices. Each vertex that is there is in exactly one walk, itself or its mirror. Paths come first, by
        first vertex, then circles, by smallest vertex, from which they start.
    """
    offsets, steps, circular = backend.circuits.rank_lists(backend.unitigs.unique_successors(graph.row_ptr, graph.col))
    # No walk is its own mirror: an edge v -> v ^ 1 is never inside a unitig.
    chosen, are_circles = backend.unitigs.choose_walks(offsets, steps, circular, alive)
    return Walks(*backend.arrays.gather_rows(offsets, steps, chosen), are_circles)
