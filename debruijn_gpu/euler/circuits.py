"""Euler circuits of balanced graphs, stage by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.walks import Walks
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import GraphBackend


#: What the CPU takes for each edge beside the graph: sorted edges and room to sort, or predecessors, seats and steps
BYTES_PER_EDGE = 24


def euler_circuits(graph: Graph, backend: GraphBackend) -> Walks | None:
    """An Euler circuit of each weakly connected component that has edges, found in parallel.

    The circuits are a function of the graph alone: not of backend or threads. See `CircuitOperations`.

    Parameters
    ----------
    graph : Graph
        In arrays of the backend.
    backend : GraphBackend

    Returns
    -------
    Walks or None
        In arrays of the backend. Steps are edge ids; each circuit begins with its smallest edge, and they come in the
        order of these. None if some vertex has not as many edges in as out.
    """
    n_edges = graph.n_edges
    with log.stage("pair edges", n_edges, "edges"):
        predecessor = backend.circuits.pair_edges(graph.row_ptr, graph.col)
    if predecessor is None:
        return None
    with log.stage("find cycles", n_edges, "edges"):
        cycles = backend.circuits.find_cycles(predecessor)
    with log.stage("splice cycles", cycles.n_cycles, "cycles"):
        splices = backend.circuits.splice_cycles(graph.col, predecessor, cycles)
    n_cycles, n_splices = cycles.n_cycles, splices.n_splices
    log.logger.info(
        "  cycles: %s, splices: %s, circuits: %s", f"{n_cycles:,}", f"{n_splices:,}", f"{n_cycles - n_splices:,}"
    )
    with log.stage("write circuits", n_edges, "edges"):
        offsets, steps = backend.circuits.write_circuits(predecessor, cycles, splices)
        backend.synchronize()
    return Walks(offsets, steps, backend.to_device(np.ones(len(offsets) - 1, np.bool_)))
