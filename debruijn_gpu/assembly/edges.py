"""Edges of a graph in NumPy arrays as tails and heads, and the graph of such edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.euler.bidirected import as_ids
from debruijn_gpu.graph.graph import Graph

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]


def edges_of(graph: Graph) -> tuple[Longs, Longs]:
    """List the tails and the heads of all edges."""
    return np.repeat(np.arange(graph.n_vertices), np.diff(graph.row_ptr)), graph.col.astype(np.int64)


def graph_of_edges(tails: Longs, heads: Longs, n_vertices: int) -> Graph:
    """Build a graph whose edges ascend by tail and head."""
    order = np.lexsort((heads, tails))
    row_ptr = np.concatenate(([0], np.cumsum(np.bincount(tails, minlength=n_vertices))))
    return Graph(row_ptr, as_ids(heads[order], n_vertices))


def components_of(tails: Longs, heads: Longs, n_vertices: int, backend: AssemblyBackend) -> Longs:
    """Return the smallest vertex that edges connect each vertex with, in either direction."""
    graph = graph_of_edges(tails, heads, n_vertices).moved(backend.to_device)
    return np.asarray(backend.to_host(backend.graphs.weak_components(graph.row_ptr, graph.col)))
