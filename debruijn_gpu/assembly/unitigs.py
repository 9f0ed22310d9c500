"""Find unitigs: maximal non-branching walks through a graph, one of each reverse-complement pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.walks import Walks

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend


def unitigs(graph: Graph, backend: AssemblyBackend, is_kept: Array | None = None) -> Walks:
    """Maximal walks whose inner edges are the only ones out of their tail and into their head.

    Parameters
    ----------
    graph : Graph
        Vertices in reverse-complement pairs, v and v ^ 1; the reverse complement of each edge is in the graph too.
    backend : AssemblyBackend
        Whose arrays the graph's are; the walks' are too.
    is_kept : Array, dtype=bool, shape=(n_vertices / 2,), or None
        Pairs of vertices that are kept; no edge leads to or from others. Default: all.

    Returns
    -------
    Walks
        Over vertices. Each kept vertex or its reverse complement is in exactly one walk. Paths come first, by
        first vertex, then cycles, by smallest vertex, from which they start.
    """
    offsets, steps, circular = backend.circuits.rank_lists(backend.unitigs.unique_successors(graph.row_ptr, graph.col))
    # No walk is its own reverse complement: an edge v -> v ^ 1 is never inside a unitig.
    chosen, are_cycles = backend.unitigs.choose_walks(offsets, steps, circular, is_kept)
    return Walks(*backend.arrays.gather_rows(offsets, steps, chosen), are_cycles)
