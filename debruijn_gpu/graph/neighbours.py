"""Follow the edges between a few vertices of a graph in NumPy arrays."""

from __future__ import annotations

from collections.abc import Set

from debruijn_gpu.graph.graph import Graph


def successors(graph: Graph, vertex: int) -> list[int]:
    """List the successors of a vertex."""
    found: list[int] = graph.col[graph.row_ptr[vertex] : graph.row_ptr[vertex + 1]].tolist()
    return found


def predecessors(graph: Graph, vertex: int) -> list[int]:
    """List the predecessors of a vertex of a unitig graph."""
    return [one ^ 1 for one in successors(graph, vertex ^ 1)]


def have_cycle(graph: Graph, vertices: Set[int]) -> bool:
    """Return whether some vertices are on a cycle: those without predecessors among the rest are left out in turn."""
    rest = set(vertices)
    while first := {one for one in rest if rest.isdisjoint(predecessors(graph, one))}:
        rest -= first
    return bool(rest)
