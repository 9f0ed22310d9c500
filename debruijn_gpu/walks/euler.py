"""Euler walks: every edge once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import NotEulerianError
from debruijn_gpu.graph.graph import Graph, empty_ids
from debruijn_gpu.walks.walks import Walks

if TYPE_CHECKING:
    from debruijn_gpu.backends.interface import Backend

_SHOWN = 10


def euler_walks(graph: Graph, backend: Backend, vertex_name: Callable[[int], str] = str) -> Walks:
    """An Euler walk of each weakly connected component with edges, in the order of their smallest vertices.

    A component whose vertices all have as many edges in as out gives a circuit from its smallest vertex; one
    where a single vertex has one more out than in, and a single one has one more in than out, gives a path
    between them. Both are necessary and sufficient. Of several edges that could come next, the one with the
    smallest id is taken first.

    Parameters
    ----------
    graph : Graph
    backend : Backend
    vertex_name : callable
        Names a vertex in the error message.

    Returns
    -------
    Walks
        Steps are edge ids.

    Raises
    ------
    NotEulerianError
        If a component has neither circuit nor path.
    """
    component = backend.weak_components(graph.row_ptr, graph.col)
    n_out = np.diff(graph.row_ptr)
    n_in = np.bincount(graph.col.astype(np.int64), minlength=graph.n_vertices)
    _check(component, n_in, n_out, vertex_name)
    edges_in_component = np.zeros(graph.n_vertices, np.int64)
    np.add.at(edges_in_component, component, n_out)
    labels = np.flatnonzero(edges_in_component)  # a component is named by its smallest vertex
    start = np.arange(graph.n_vertices)
    path_starts = np.flatnonzero(n_out > n_in)
    start[component[path_starts]] = path_starts
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(edges_in_component[labels])))
    steps = empty_ids(graph.n_edges, graph.n_edges)
    backend.hierholzer(graph.row_ptr, graph.col, start[labels], offsets, steps)
    has_path = np.zeros(graph.n_vertices, np.bool_)
    has_path[component[path_starts]] = True
    return Walks(offsets, steps, ~has_path[labels])


def _check(
    component: NDArray[np.int64],
    n_in: NDArray[np.int64],
    n_out: NDArray[np.int64],
    vertex_name: Callable[[int], str],
) -> None:
    """Raise unless every component has an Euler walk."""
    surplus = n_out - n_in
    surplus_in_component = np.zeros(len(component), np.int64)
    np.add.at(surplus_in_component, component, np.maximum(surplus, 0))
    unbalanced = np.flatnonzero((surplus != 0) & (surplus_in_component[component] > 1))
    if not len(unbalanced):
        return
    shown = "; ".join(f"{_shortened(vertex_name(int(v)))}: {n_in[v]} in, {n_out[v]} out" for v in unbalanced[:_SHOWN])
    more = "; ..." if len(unbalanced) > _SHOWN else ""
    raise NotEulerianError(
        f"the graph has no Euler walk, {len(unbalanced)} vertices are unbalanced: {shown}{more}",
        "k-mers need to be free of errors and gaps for this; --walk unitigs needs neither",
    )


def _shortened(name: str) -> str:
    """At most 32 letters of a name, so that ten fit into a message."""
    return name if len(name) <= 32 else name[:31] + "…"
