"""Tell strains of unequal depth from the alleles of one organism, by the sides of simple bubbles.

Alleles of a diploid organism have equal depths but for chance, strains those of their genomes. Where strains differ
every few dozens of bases, each is whole at a larger k, and no side of a bubble is to be removed as an allele.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.simple_bubbles import simple_bubbles
from debruijn_gpu.graph.graph import Graph

Longs = NDArray[np.int64]

#: A side of a smaller part of the depth of the other is an error.
_LEAST_SIDE = 1 / 12
#: Square of the imbalance (a - b) / (a + b) of the depths of two strains, at least: they are as 1.6 to 1.
_LEAST_IMBALANCE = 0.05
#: K-mers of the median unitig between two bubbles, at most: ln 2 / d of strains that differ at a share d of the bases.
_MOST_SHARED = 28


def are_strains(
    graph: Graph, n_kmers: Longs, kmer_counts: Longs, most_depth: float | NDArray[np.float64], spacing_bp: int
) -> bool:
    """Whether the sides of bubbles have unequal depths beyond chance, and the bubbles are close to each other.

    The square of the difference of two equal depths is expected to be their sum (Poisson). Sides of more reads than
    their depth have less, so that this is certain.

    Parameters
    ----------
    graph : Graph
        Of the unitigs of a cleaned graph, in NumPy arrays.
    n_kmers, kmer_counts : ndarray, dtype=int64, shape=(n_unitigs,)
    most_depth : float or ndarray of float64, shape=(n_unitigs,)
        K-mer depth at most of the unitigs before and behind a bubble, as copies of repeats have more.
    spacing_bp : int
        There is more than one bubble in so many k-mers.
    """
    source, one, other, target = (vertices >> 1 for vertices in simple_bubbles(graph))
    depths = kmer_counts // np.maximum(1, n_kmers)
    is_flank = kmer_counts <= most_depth * n_kmers
    a, b = np.maximum(depths[one], depths[other]), np.minimum(depths[one], depths[other])
    chosen = is_flank[source] & is_flank[target] & (n_kmers[one] == n_kmers[other]) & (b >= _LEAST_SIDE * a)
    if int(np.count_nonzero(chosen)) * spacing_bp <= 2 * int(n_kmers.sum()):
        return False
    shared = np.unique(np.concatenate((source[chosen], target[chosen])))
    both, unequal = a[chosen] + b[chosen], a[chosen] - b[chosen]
    is_unequal = int((unequal**2 - both).sum()) > _LEAST_IMBALANCE * int((both**2).sum())
    return is_unequal and bool(np.median(n_kmers[shared]) <= _MOST_SHARED)
