"""Unitigs: the walks through a graph on which there is no choice, one of each mirrored pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.walks.walks import Walks

if TYPE_CHECKING:
    from debruijn_gpu.backends.interface import Backend


def unitigs(graph: Graph, backend: Backend) -> Walks:
    """Maximal walks whose inner edges are the only ones out of their tail and into their head.

    Parameters
    ----------
    graph : Graph
        Vertices in mirrored pairs, v and v ^ 1; the mirror of an edge is in the graph too.
    backend : Backend

    Returns
    -------
    Walks
        Over vertices. Each vertex is in exactly one walk, itself or its mirror. Paths come first, by first vertex,
        then circles, by smallest vertex, from which they start.
    """
    offsets, steps, circular = backend.follow_lists(backend.unique_successors(graph.row_ptr, graph.col))
    first = steps[offsets[:-1]]
    last = steps[offsets[1:] - 1]
    # The mirror of a path begins with the mirror of its last vertex. A circle begins with its smallest vertex; that
    # of its mirror is odd if it is even. No walk is its own mirror: an edge v -> v ^ 1 is never inside a unitig.
    chosen = np.flatnonzero(np.where(circular, first % 2 == 0, first < last ^ 1))
    return Walks(*backend.take_lists(offsets, steps, chosen), circular[chosen])
