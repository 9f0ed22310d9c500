"""Euler walks on several GPUs.

Circuits are found by all of them. The first GPU balances the graph, cuts circuits at the edges that balance it, and
verifies walks, where it has room for that; else the CPU does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.euler.balance import balanced
from debruijn_gpu.euler.circuits import circuits_together, cut_circuits
from debruijn_gpu.graph.graph import Graph, Walks
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.circuits.protocol import GroupOperations, GroupSteps
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import GraphBackend
    from debruijn_gpu.euler.options import EulerOptions

# What the first GPU takes for each edge, if ids have four bytes, and for each vertex: the graph before and after edges
# are added, their original numbers, and room to pair them
_OPEN_BYTES, _VERTEX_BYTES = 48, 64
# Steps of all GPUs on one, original numbers, marks, and the result
_CUT_BYTES = 24
# The graph, steps, and bits of edges
_VERIFIED_BYTES = 12


def walks_together(graph: Graph, circuits: GroupOperations, backend: GraphBackend, options: EulerOptions) -> Walks:
    """Find walks of a graph of the host on several GPUs.

    Parameters
    ----------
    graph : Graph
        In NumPy arrays.
    circuits : GroupOperations
    backend : GraphBackend
        The first GPU.
    options : EulerOptions

    Returns
    -------
    Walks
        In NumPy arrays.
    """
    found = circuits_together(graph, circuits)
    return _open_walks(graph, circuits, backend, options) if found is None else _from_gpus(*found)


def place_to_verify(graph: Graph, circuits: GroupOperations, backend: GraphBackend) -> GraphBackend:
    """Return the backend that verifies walks: the first GPU if it has room for graph and steps."""
    return _with_room(graph, circuits, backend, _VERIFIED_BYTES, 8)


def _with_room(
    graph: Graph, circuits: GroupOperations, backend: GraphBackend, edge_bytes: int, vertex_bytes: int
) -> GraphBackend:
    """The first GPU if it has room for so many bytes, or else the CPU."""
    scale = 1 if graph.n_edges < 1 << 32 else 2
    needed = scale * edge_bytes * graph.n_edges + vertex_bytes * graph.n_vertices
    return backend if circuits.has_room(needed) else backends.host()


def _open_walks(graph: Graph, circuits: GroupOperations, backend: GraphBackend, options: EulerOptions) -> Walks:
    """Walks through a graph that is not balanced."""
    place = _with_room(graph, circuits, backend, _OPEN_BYTES, _VERTEX_BYTES)
    closed, n_added = balanced(graph if place.is_sequential else graph.moved(place.to_device), place, options)
    found = circuits_together(closed.graph, circuits)
    assert found is not None
    original = closed.original
    del closed
    if not place.is_sequential and not circuits.has_room(_CUT_BYTES * found[1].size):
        original, place = place.to_host(original), backends.host()
    walks = _from_gpus(*found) if place.is_sequential else _on_first(*found, place)
    del found
    with log.stage("cut circuits", n_added, "edges"):
        cut = cut_circuits(walks, original, place)
    return cut if place.is_sequential else cut.moved(place.to_host)


def _on_first(offsets: Array, steps: GroupSteps, backend: GraphBackend) -> Walks:
    """Circuits that are on several GPUs, in arrays of the first."""
    return Walks(offsets, steps.gathered(), backend.to_device(np.ones(len(offsets) - 1, np.bool_)))


def _from_gpus(offsets: Array, steps: GroupSteps) -> Walks:
    """Circuits that are on several GPUs, in NumPy arrays."""
    with log.stage("back", steps.size, "edges"):
        found = backends.of(offsets).to_host(offsets)
        return Walks(found, steps.on_host(), np.ones(len(found) - 1, np.bool_))
