"""Decide simple bubbles of two structural alleles: of any lengths, between single-copy unitigs.

An insertion, a deletion or a replacement that part of a population, or one of two haplotypes, has is a bubble whose
sides differ in length. Both are right, and whichever is kept, what is before and behind it is one contig.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.simple_bubbles import simple_bubbles
from debruijn_gpu.assembly.single_copy_bubbles import LEAST_FLANK_KMERS, MOST_OF_SINGLE
from debruijn_gpu.graph.graph import Graph

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Fewer k-mers, at least, show whether a unitig is single-copy where so many reads are expected in it.
_LEAST_KMERS, _LEAST_READS = 250, 150
#: The deeper of two alleles is the usual one if it is so many times as deep, and so many standard deviations more
#: (Poisson); those of one diploid organism are alike.
_USUAL, _ERRORS = 1.6, 2.0
#: Bases by which alleles that are alike differ in length, exclusive: QUAST takes no less for a misassembly beside a
#: reference that has the other one.
_MOST_DIFFERENCE = 1000
#: Bases that a rarer allele has alone from which on it stays as a contig.
_LEAST_APART = 500


@dataclass(frozen=True)
class RarerAlleles:
    """Unitigs that are the rarer of two structural alleles.

    Attributes
    ----------
    found : ndarray, dtype=bool, shape=(n_unitigs,)
    are_apart : ndarray, dtype=bool, shape=(n_unitigs,)
        Which of them stay as contigs, without links.
    """

    found: Flags
    are_apart: Flags


def rarer_alleles(
    graph: Graph,
    n_kmers: Longs,
    kmer_counts: Longs,
    k: int,
    kmers_per_read: int,
    single: float | Floats,
) -> RarerAlleles:
    """Find the rarer side of each simple bubble between two single-copy unitigs, whatever its length.

    Where it is not clearly rarer, both stay if their lengths differ by 1,000 bases or more.

    Parameters
    ----------
    graph : Graph
        Of the unitigs, in NumPy arrays.
    n_kmers, kmer_counts : ndarray, dtype=int64, shape=(n_unitigs,)
    k : int
    kmers_per_read : int
        K-mers that a typical read holds.
    single : float or ndarray of float64, shape=(n_unitigs,)
        K-mer depth of single-copy sequence, of the genome of each unitig; 0 where it is unknown.

    Returns
    -------
    RarerAlleles
        Of equal sides, the shorter one, or the one of the larger number.
    """
    most = np.broadcast_to(MOST_OF_SINGLE * np.asarray(single), n_kmers.shape)
    depths = kmer_counts / np.maximum(1, n_kmers)
    n_reads = single * n_kmers / kmers_per_read
    is_long = (n_kmers >= LEAST_FLANK_KMERS) | ((n_kmers >= _LEAST_KMERS) & (n_reads >= _LEAST_READS))
    is_flank = is_long & (depths <= most)
    source, one, other, target = (vertices >> 1 for vertices in simple_bubbles(graph))
    are_alleles = is_flank[source] & is_flank[target] & (source != target)
    are_alleles &= depths[one] + depths[other] <= np.minimum(most[source], most[target])
    one, other = one[are_alleles], other[are_alleles]
    rank = np.argsort(np.lexsort((-np.arange(len(depths)), n_kmers, depths)))
    rarer, deeper = (np.where((rank[one] < rank[other]) == is_less, one, other) for is_less in (True, False))
    variances = depths * np.minimum(1.0, kmers_per_read / np.maximum(1, n_kmers))
    deviations = np.sqrt(variances[deeper] + _USUAL**2 * variances[rarer])
    is_usual = depths[deeper] > _USUAL * depths[rarer] + _ERRORS * deviations
    are_near = np.abs(n_kmers[deeper] - n_kmers[rarer]) < _MOST_DIFFERENCE
    found = np.zeros(len(n_kmers), np.bool_)
    found[rarer[is_usual | are_near]] = True
    return RarerAlleles(found, found & (n_kmers - k + 1 >= _LEAST_APART))
