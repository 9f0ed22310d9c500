"""Summarise a graph: degrees, components, Euler circuits and paths, or why it has none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError, OptionValueError
from debruijn_gpu.graph.diagnosis import Diagnosis, EulerKind, diagnose_from
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.options import PageRankOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import GraphBackend


@dataclass(frozen=True)
class Degrees:
    """Degrees of one direction; all 0 for a graph without vertices."""

    minimum: int
    mean: float
    maximum: int


@dataclass(frozen=True)
class GraphSummary:
    """Figures of a graph.

    Attributes
    ----------
    n_vertices, n_edges : int
    n_isolated : int
        Vertices without any edge.
    n_sources, n_sinks : int
        Vertices with edges out only, and in only.
    n_loops : int
        Edges from a vertex to itself.
    n_parallel : int
        Edges beyond the first from one vertex to another, or to itself.
    in_degree, out_degree : Degrees
    n_weak, n_weak_with_edges, largest_weak : int
        Weakly connected components, those with edges, vertices of the largest.
    n_strong, largest_strong : int
        Strongly connected components, vertices of the largest.
    n_forest : int
        Edges of a spanning forest.
    is_acyclic : bool
        Whether no walk comes back to where it started.
    euler : EulerKind
        What the graph as a whole has.
    n_circuits, n_paths : int
        Components with an Euler circuit, and with an Euler path only.
    n_unbalanced : int
        Vertices with more edges in than out or the reverse.
    diagnosis : Diagnosis
        What the last four draw on.
    """

    n_vertices: int
    n_edges: int
    n_isolated: int
    n_sources: int
    n_sinks: int
    n_loops: int
    n_parallel: int
    in_degree: Degrees
    out_degree: Degrees
    n_weak: int
    n_weak_with_edges: int
    largest_weak: int
    n_strong: int
    largest_strong: int
    n_forest: int
    is_acyclic: bool
    euler: EulerKind
    n_circuits: int
    n_paths: int
    n_unbalanced: int
    diagnosis: Diagnosis


def diagnose(graph: Graph, backend: GraphBackend) -> Diagnosis:
    """Find the components with an Euler circuit or path, and the faults of the others.

    Parameters
    ----------
    graph : Graph
        In arrays of the backend.
    backend : GraphBackend
    """
    component = backend.to_host(backend.graphs.weak_components(graph.row_ptr, graph.col))
    n_in = backend.to_host(backend.graphs.in_degrees(graph.col, graph.n_vertices))
    n_out = backend.to_host(backend.graphs.out_degrees(graph.row_ptr))
    return diagnose_from(component, n_in, n_out)


def summarise(graph: Graph, backend: GraphBackend) -> GraphSummary:
    """Find all figures of a graph; parameters as of `diagnose`."""
    n_vertices = graph.n_vertices
    diagnosis = diagnose(graph, backend)
    n_in, n_out = diagnosis.n_in, diagnosis.n_out
    n_loops, n_parallel = backend.graphs.count_loops_and_repeats(*backend.graphs.csr_reverse(graph.row_ptr, graph.col))
    weak_sizes = _sizes(diagnosis.component)
    strong_sizes = _sizes(backend.to_host(backend.graphs.strong_components(graph.row_ptr, graph.col)))
    return GraphSummary(
        n_vertices=n_vertices,
        n_edges=graph.n_edges,
        n_isolated=int(np.count_nonzero((n_in == 0) & (n_out == 0))),
        n_sources=int(np.count_nonzero((n_in == 0) & (n_out > 0))),
        n_sinks=int(np.count_nonzero((n_in > 0) & (n_out == 0))),
        n_loops=n_loops,
        n_parallel=n_parallel,
        in_degree=_degrees(n_in),
        out_degree=_degrees(n_out),
        n_weak=len(weak_sizes),
        n_weak_with_edges=len(diagnosis.labels),
        largest_weak=int(weak_sizes.max(initial=0)),
        n_strong=len(strong_sizes),
        largest_strong=int(strong_sizes.max(initial=0)),
        n_forest=n_vertices - len(weak_sizes),
        is_acyclic=len(strong_sizes) == n_vertices and n_loops == 0,
        euler=diagnosis.kind,
        n_circuits=diagnosis.count(EulerKind.CIRCUIT),
        n_paths=diagnosis.count(EulerKind.PATH),
        n_unbalanced=int(np.count_nonzero(diagnosis.surplus)),
        diagnosis=diagnosis,
    )


def _sizes(component: NDArray[np.int64]) -> NDArray[np.int64]:
    """Vertices of each component."""
    counts: NDArray[np.int64] = np.bincount(component, minlength=1)
    return counts[counts > 0]


def _degrees(degrees: NDArray[np.int64]) -> Degrees:
    n = len(degrees)
    return Degrees(int(degrees.min()), int(degrees.sum()) / n, int(degrees.max())) if n else Degrees(0, 0.0, 0)


@dataclass(frozen=True)
class PageRank:
    """PageRank of the vertices.

    Attributes
    ----------
    scores : array of the backend, dtype=float64, shape=(n_vertices,)
        Their sum is 1.
    n_iterations : int
    """

    scores: Array
    n_iterations: int


def page_rank(
    graph: Graph,
    backend: GraphBackend,
    weights: Array | None = None,
    damping: float = PageRankOptions.damping,
    tolerance: float = PageRankOptions.tolerance,
    max_iterations: int = PageRankOptions.max_iterations,
) -> PageRank:
    """PageRank as networkx defines it; see `GraphOperations.page_rank`.

    Parameters
    ----------
    graph : Graph
        In arrays of the backend.
    backend : GraphBackend
    weights : array of the backend, dtype=float64, shape=(n_edges,), or None
        Of the edges; None for 1 each.
    damping : float
        How much of its rank a vertex hands on, 0 to 1.
    tolerance : float
        Ranks are good if they change by less than this a vertex; above 0.
    max_iterations : int
        1 or more.

    Raises
    ------
    OptionValueError
        If a parameter is not as above, or the iterations do not suffice.
    FormatError
        If a weight is negative or not a number.
    """
    if not 0 <= damping <= 1:
        raise OptionValueError(f"damping: {damping:g} is not between 0 and 1", "0.85 is usual")
    if not tolerance > 0:
        raise OptionValueError(f"tolerance: {tolerance:g} is not above 0", "1e-6 is usual")
    if max_iterations < 1:
        raise OptionValueError(f"iterations: {max_iterations} is not 1 or more", "100 is usual")
    if weights is not None and graph.n_edges:
        least, total = backend.arrays.reduce(weights, "min"), backend.arrays.reduce(weights, "sum")
        if not (least >= 0 and math.isfinite(total)):
            wrong = f"{least:g}" if least < 0 else f"{total:g} in sum"
            raise FormatError(f"weights of edges: {wrong}", "PageRank takes finite weights from 0 on")
    return PageRank(*backend.graphs.page_rank(graph.row_ptr, graph.col, weights, damping, tolerance, max_iterations))
