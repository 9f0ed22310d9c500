"""Maximal non-branching paths and isolated cycles of a directed graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debruijn_gpu.graph.graph import Graph, Walks, id_type

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import GraphBackend


def nonbranching_paths(graph: Graph, backend: GraphBackend) -> Walks:
    """Find the maximal non-branching paths and the isolated cycles of a directed graph.

    Every inner vertex of a path has one edge in and one edge out; its first and its last vertex have not. A cycle is
    isolated if all of its vertices have one edge in and one edge out. Each edge is in exactly one of them; vertices
    without edges are in none (Compeau and Pevzner 2015, Bioinformatics Algorithms, chapter 3). List ranking of the
    edges, in linear time.

    Parameters
    ----------
    graph : Graph
        In arrays of the backend; parallel edges and loops are edges like others.
    backend : GraphBackend

    Returns
    -------
    Walks
        Over edge ids, in arrays of the backend: paths by first edge, then cycles by smallest edge, from whose tail
        they start.
    """
    n_edges = graph.n_edges
    is_inner = (graph.out_degrees == 1) & (graph.in_degrees == 1)
    successor = graph.row_ptr[:-1][graph.col].astype(id_type(n_edges + 1))
    successor[~is_inner[graph.col]] = n_edges
    return Walks(*backend.circuits.rank_lists(successor))
