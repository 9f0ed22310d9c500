"""Recognise shift graphs, whose edges are paired without a sort."""

from __future__ import annotations

from collections.abc import Callable


def is_like_shift_graph(n_edges: int, n_vertices: int, head_of: Callable[[int], int]) -> bool:
    """Return whether a graph may be a shift graph: edge e leads to vertex e mod n_vertices, and all degrees are equal.

    De Bruijn graphs of all words are, and generalised ones (Imase and Itoh 1981). Only three heads are looked at.

    Parameters
    ----------
    n_edges, n_vertices : int
    head_of : callable
        Head of an edge.
    """
    if not n_edges or not n_vertices or n_edges % n_vertices:
        return False
    return all(head_of(edge) == edge % n_vertices for edge in (0, n_edges // 2 + 1, n_edges - 1) if edge < n_edges)
