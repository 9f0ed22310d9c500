"""Decide bubbles between single-copy unitigs: one side is an error or another allele, whatever the depth of both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.quantiles import weighted_median
from debruijn_gpu.assembly.simple_bubbles import simple_bubbles
from debruijn_gpu.graph.graph import Graph

Longs = NDArray[np.int64]

#: K-mers of a unitig whose depth shows whether it is single-copy. At 8x, 27 reads of 150 bases begin in 500, and two
#: copies are mistaken for one in 1 % of the cases; that must happen on both sides of a bubble.
LEAST_FLANK_KMERS = 500
#: K-mer depth of a single-copy unitig, relative to what is expected, at most: it is closer to one copy than to two.
MOST_OF_SINGLE = 2**0.5


def single_copy_depth(n_kmers: Longs, kmer_counts: Longs) -> float:
    """Compute the k-mer depth of single-copy sequence: the median over k-mers of long unitigs; 0 without any."""
    chosen = n_kmers >= LEAST_FLANK_KMERS
    return weighted_median(kmer_counts[chosen] / n_kmers[chosen], n_kmers[chosen])


def rarer_sides(
    graph: Graph,
    n_kmers: Longs,
    kmer_counts: Longs,
    longest: int,
    most_depth: float,
    most_of_flanks: float,
    depths: NDArray[np.float64] | None = None,
) -> NDArray[np.bool_]:
    """Find the rarer side of each simple bubble between two single-copy unitigs, if it is from about one read.

    Where two reads of a thin place overlap by less than k, and one of them has an error there, both sides are as deep.
    Cleaning keeps both, as it would two copies of a repeat. But the unitigs beside copies have the depth of both.

    Parameters
    ----------
    graph : Graph
        Of the unitigs, in NumPy arrays.
    n_kmers, kmer_counts : ndarray, dtype=int64, shape=(n_unitigs,)
    longest : int
        K-mers of a side at most.
    most_depth : float
        K-mer depth of a removed side at most.
    most_of_flanks : float
        K-mer depth of the unitigs on both sides of a bubble, relative to that of single-copy sequence, at most.
    depths : ndarray, dtype=float64, shape=(n_unitigs,), or None
        K-mer depth of single-copy sequence of the genome of each unitig; None: that of most long unitigs for all.

    Returns
    -------
    ndarray, dtype=bool, shape=(n_unitigs,)
        Of equal sides, the one of the larger number.
    """
    single = single_copy_depth(n_kmers, kmer_counts) if depths is None else depths
    is_flank = (n_kmers >= LEAST_FLANK_KMERS) & (kmer_counts <= most_of_flanks * single * n_kmers)
    can_go = (n_kmers <= longest) & (kmer_counts <= most_depth * n_kmers)
    found = np.zeros(len(n_kmers), np.bool_)
    for source, one, other, target in zip(*(vertices >> 1 for vertices in simple_bubbles(graph)), strict=True):
        if is_flank[source] and is_flank[target] and target != source and n_kmers[one] == n_kmers[other]:
            rarer = max((one, other), key=lambda unitig: (-int(kmer_counts[unitig]), unitig))
            found[rarer] |= can_go[rarer]
    return found
