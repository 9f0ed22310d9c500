"""Find trails through a bidirected graph: one edge of each reverse-complement pair is walked.

A de Bruijn graph of both strands is bidirected (skew-symmetric): vertices are (k-1)-mers, and the reverse complement of
an edge v -> w leads from the reverse complement of w to that of v. A trail and its reverse complement spell the two
strands of one molecule. Some vertices are palindromes, their own reverse complements (a (k-1)-mer may be, as k is odd);
no edge is. See Medvedev et al. 2007 (WABI); Schmidt and Alanko 2023 (Eulertigs, Algorithms for Molecular Biology 18:5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.euler.circuits import cut_circuits, euler_circuits
from debruijn_gpu.graph.graph import Graph, Walks, empty_ids

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Longs, Vertices
    from debruijn_gpu.backends.protocol import GraphBackend


@dataclass(frozen=True)
class BidirectedGraph:
    """A directed multigraph whose vertices and edges have reverse complements (skew-symmetric).

    Attributes
    ----------
    tails, heads : ndarray, dtype=uint32 or uint64, shape=(2 * n,)
        Of each edge; edge ``e ^ 1`` is the reverse complement of e.
    reverse_complement : ndarray, dtype=uint32 or uint64, shape=(n_vertices,)
        Of each vertex; a palindrome is its own.
    """

    tails: Vertices
    heads: Vertices
    reverse_complement: Vertices

    @property
    def n_vertices(self) -> int:
        return len(self.reverse_complement)


def bidirected_trails(graph: BidirectedGraph, backend: GraphBackend) -> Walks:
    """Find a minimum set of trails that covers one edge of each reverse-complement pair.

    Consider a vertex and its reverse complement as one. Of a connected component let d be the sum of
    |edges out - edges in| of its vertices, counted once for each pair, and of 1 for each palindrome with an odd number
    of edges out: trails begin and end there. The minimum is max(1, d / 2) trails; if d is 0, one closed trail.

    Parameters
    ----------
    graph : BidirectedGraph
    backend : GraphBackend

    Returns
    -------
    Walks
        Steps are edges of the graph. By the first edge of each.
    """
    n_edges = len(graph.tails)
    closed = _closed(graph, backend)
    half = _one_strand(closed, backend)
    row_ptr, edges = _rows(closed.tails[half], as_ids(half, len(closed.tails)), graph.n_vertices, backend)
    circuits = euler_circuits(Graph(row_ptr, closed.heads[edges]).moved(backend.to_device), backend)
    assert circuits is not None
    original = np.where(edges < n_edges, edges.astype(np.int64), -1)
    return cut_circuits(circuits, backend.to_device(original), backend).moved(backend.to_host)


def _closed(graph: BidirectedGraph, backend: GraphBackend) -> BidirectedGraph:
    """Add the fewest edges, and their reverse complements, with which every component has a closed trail.

    Walks that must begin at a and at b, because edges out of these are too many, become one by an edge from the reverse
    complement of a, where the reverse complement of the first walk ends, to b. They are taken in the order of vertices.
    """
    n_vertices, n_edges = graph.n_vertices, len(graph.tails)
    vertices = np.arange(n_vertices)
    n_out = np.bincount(graph.tails, minlength=n_vertices)
    lacking = np.where(
        graph.reverse_complement == vertices, n_out % 2, n_out - n_out[graph.reverse_complement]
    )  # edges in: out of the reverse complement
    beginning = np.flatnonzero(lacking > 0)
    merged = np.minimum(graph.reverse_complement, as_ids(vertices, n_vertices))
    row_ptr, col = _rows(merged[graph.tails[::2]], merged[graph.heads[::2]], n_vertices, backend)
    component = _components(row_ptr, col, backend)[merged[beginning]]
    starts = np.repeat(beginning, lacking[beginning])[
        np.argsort(np.repeat(component, lacking[beginning]), kind="stable")
    ]
    tails, heads = empty_ids(n_edges + len(starts), n_vertices), empty_ids(n_edges + len(starts), n_vertices)
    tails[:n_edges], heads[:n_edges] = graph.tails, graph.heads
    tails[n_edges::2], tails[n_edges + 1 :: 2] = (
        graph.reverse_complement[starts[::2]],
        graph.reverse_complement[starts[1::2]],
    )
    heads[n_edges::2], heads[n_edges + 1 :: 2] = starts[1::2], starts[::2]
    return BidirectedGraph(tails, heads, graph.reverse_complement)


def _one_strand(graph: BidirectedGraph, backend: GraphBackend) -> Longs:
    """Choose one edge of each reverse-complement pair, such that every component keeps an Euler circuit.

    Edges in and out are paired at every vertex, reverse complements alike: that gives cycles, and no cycle is its own
    reverse complement. For cycles that meet at a vertex, the strands that meet there are chosen. Along a spanning
    forest of the pairs of cycles, these choices are free of contradictions: the forest and its reverse complement do
    not touch, and each component becomes two halves. The result is one of them.

    Parameters
    ----------
    graph : BidirectedGraph
        Balanced; an even number of edges leaves each palindrome.

    Returns
    -------
    ndarray, dtype=int64
        Ascending; of each component the half with its smallest edge.
    """
    out_edges = _order(graph.tails, backend)
    vertices = graph.tails[out_edges]
    cycle = _cycles(graph, out_edges, vertices, backend)
    molecule = np.minimum(cycle, _of_reverse_complements(cycle))
    meet = (vertices[1:] == vertices[:-1]) & (molecule[out_edges[1:]] != molecule[out_edges[:-1]])
    meet &= vertices[1:] <= graph.reverse_complement[vertices[1:]]
    one, other = out_edges[:-1][meet], out_edges[1:][meet]
    n = len(cycle)
    row_ptr, meeting = _rows(molecule[one], as_ids(np.arange(len(one)), n), n, backend)
    splices = meeting[_forest(row_ptr, molecule[other][meeting], backend)]
    one, other = one[splices], other[splices]
    tails, heads = np.concatenate((one, one ^ 1)), np.concatenate((other, other ^ 1))
    strand = _components(*_rows(cycle[tails], cycle[heads], n, backend), backend)[cycle]
    return np.flatnonzero(strand % 2 == 0)


def _cycles(graph: BidirectedGraph, out_edges: Vertices, vertices: Vertices, backend: GraphBackend) -> Vertices:
    """Find the smallest edge of the cycle that each edge is in.

    In a balanced graph slot p of the edges sorted by head and slot p of those sorted by tail are at the same vertex:
    edge p in is followed by edge p out, and the same holds reversed at the vertex's reverse complement. At a
    palindrome, edges out are taken in pairs: the reverse complement of one, which comes in, is followed by the other.
    """
    rc_vertices = graph.reverse_complement[vertices]
    following = np.empty_like(out_edges)
    ahead = vertices < rc_vertices
    entering, leaving = _order(graph.heads, backend)[ahead], out_edges[ahead]
    following[entering], following[leaving ^ 1] = leaving, entering ^ 1
    at_palindromes = out_edges[vertices == rc_vertices]
    one, other = at_palindromes[::2], at_palindromes[1::2]
    following[one ^ 1], following[other ^ 1] = other, one
    return as_ids(_components(np.arange(len(following) + 1), following, backend), len(following))


def _of_reverse_complements(values: Vertices) -> Vertices:
    """Gather the values at the reverse complement of each edge."""
    return values.reshape(-1, 2)[:, ::-1].ravel()


def as_ids(values: NDArray[np.integer], bound: int) -> Vertices:
    """Numbers below ``bound`` in the smallest type that holds such."""
    ids = empty_ids(len(values), bound)
    ids[:] = values
    return ids


def _order(keys: Vertices, backend: GraphBackend) -> Vertices:
    """Positions in the order of the keys, stable."""
    positions = as_ids(np.arange(len(keys)), len(keys))
    order: Vertices = backend.to_host(
        backend.arrays.sort_pairs(backend.to_device(keys), backend.to_device(positions))[1]
    )
    return order


def _rows(tails: Vertices, values: Vertices, n_vertices: int, backend: GraphBackend) -> tuple[Longs, Vertices]:
    """Row pointers, and the values by row: `GraphOperations.csr_from_edges` of host arrays."""
    row_ptr, col = backend.graphs.csr_from_edges(backend.to_device(tails), backend.to_device(values), n_vertices)
    return backend.to_host(row_ptr), backend.to_host(col)


def _components(row_ptr: Longs, col: Vertices, backend: GraphBackend) -> Longs:
    """`GraphOperations.weak_components` of host arrays."""
    found: Longs = backend.to_host(backend.graphs.weak_components(backend.to_device(row_ptr), backend.to_device(col)))
    return found


def _forest(row_ptr: Longs, col: Vertices, backend: GraphBackend) -> Longs:
    """`GraphOperations.spanning_forest` of host arrays."""
    found: Longs = backend.to_host(backend.graphs.spanning_forest(backend.to_device(row_ptr), backend.to_device(col)))
    return found
