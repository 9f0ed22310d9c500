"""What the degrees of a graph's vertices say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.graph.graph import Graph


@dataclass(frozen=True)
class DegreeSummary:
    """Counts that need no walk through the graph; ``max_out`` and ``max_in`` are 0 without vertices."""

    n_vertices: int
    n_edges: int
    n_loops: int
    n_isolated: int  # vertices without edges
    n_sources: int  # vertices without edges in, but with edges out
    n_sinks: int  # and the other way round
    max_out: int
    max_in: int

    def rows(self) -> list[tuple[str, int]]:
        """What is counted, in words, and the count."""
        return [
            ("vertices", self.n_vertices),
            ("edges", self.n_edges),
            ("loops", self.n_loops),
            ("vertices without edges", self.n_isolated),
            ("vertices without edges in", self.n_sources),
            ("vertices without edges out", self.n_sinks),
            ("largest out-degree", self.max_out),
            ("largest in-degree", self.max_in),
        ]


def summarise_degrees(graph: Graph) -> DegreeSummary:
    """Count edges, loops and vertices of some kinds; degrees are computed on the graph's backend."""
    backend = backends.of(graph.col)
    n_out, n_in = (backend.to_host(degrees) for degrees in (graph.out_degrees, graph.in_degrees))
    tails = backend.csr_tails(graph.row_ptr, graph.col)
    return DegreeSummary(
        n_vertices=graph.n_vertices,
        n_edges=graph.n_edges,
        n_loops=int((tails == graph.col).sum()),
        n_isolated=int(np.count_nonzero((n_out == 0) & (n_in == 0))),
        n_sources=int(np.count_nonzero((n_out > 0) & (n_in == 0))),
        n_sinks=int(np.count_nonzero((n_out == 0) & (n_in > 0))),
        max_out=int(n_out.max(initial=0)),
        max_in=int(n_in.max(initial=0)),
    )
