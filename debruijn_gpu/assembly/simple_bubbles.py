"""Find bubbles whose two sides are single unitigs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.graph import Graph

Longs = NDArray[np.int64]


def simple_bubbles(graph: Graph) -> tuple[Longs, Longs, Longs, Longs]:
    """Find the simple bubbles of a graph, each in both strands.

    Returns
    -------
    source, one, other, target : ndarray, dtype=int64, shape=(n_bubbles,)
        Vertices: both sides are single unitigs and lead from the source to the target, and nowhere else.
    """
    n_out = np.diff(graph.row_ptr)
    n_in = n_out[np.arange(graph.n_vertices) ^ 1]
    col = graph.col.astype(np.int64)
    only = np.full(graph.n_vertices, -1, np.int64)
    only[n_out == 1] = col[graph.row_ptr[:-1][n_out == 1]]
    only[n_in != 1] = -1
    source = np.flatnonzero(n_out == 2)
    first = graph.row_ptr[source]
    one, other = col[first], col[first + 1]
    target = only[one]
    found = (target >= 0) & (target == only[other]) & (n_in[target] == 2) & (one >> 1 != other >> 1)
    return source[found], one[found], other[found], target[found]


def both_sides_depth(graph: Graph, n_kmers: Longs, kmer_counts: Longs) -> float:
    """Compute the median k-mer depth of both sides of simple bubbles together; 0 if none has sides of equal length."""
    _, one, other, _ = (vertices >> 1 for vertices in simple_bubbles(graph))
    is_equal = n_kmers[one] == n_kmers[other]
    one, other = one[is_equal], other[is_equal]
    return float(np.median((kmer_counts[one] + kmer_counts[other]) / n_kmers[one])) if len(one) else 0.0


def sides_within(graph: Graph, n_kmers: Longs, kmer_counts: Longs, most: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Find the sides of simple bubbles that together have at most a k-mer depth, which is given for each unitig."""
    _, one, other, _ = (vertices >> 1 for vertices in simple_bubbles(graph))
    depths = kmer_counts / np.maximum(1, n_kmers)
    are_within = depths[one] + depths[other] <= most[one]
    found = np.zeros(len(n_kmers), np.bool_)
    found[one[are_within]] = found[other[are_within]] = True
    return found
