"""Find the genomes of a mixture by the depth of long unitigs, and the unitigs that belong to each.

Copies of a repeat of a rare genome have the depth of alleles of a deep one. So the sides of a bubble are compared with
the depth of single-copy sequence of their own genome.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.edges import components_of, edges_of
from debruijn_gpu.assembly.local_depth import local_depths
from debruijn_gpu.assembly.quantiles import weighted_median
from debruijn_gpu.assembly.simple_bubbles import simple_bubbles
from debruijn_gpu.graph.graph import Graph

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Depths of genomes are in parts of that of the peak of the spectrum.
PARTS = 1000
#: K-mers of a long unitig, and the reads that single-copy sequence is expected to have there: of 150 reads, less than
#: 1 / 1.6 are there in one of a million cases (Poisson).
_LEAST_KMERS, _LEAST_READS = 500, 150
#: A genome is at least so many times as deep as the next rarer one, which has so many long unitigs.
_LESS, _LEAST_UNITIGS = 1.6, 10
#: A genome deeper than the peak of the spectrum is so many times as deep, and has one of so many bases of long unitigs.
_MORE, _LEAST_SHARE = 2.25, 10
#: Where a sample has thin parts, unitigs of more than such a part of the depth of a genome may be thin parts of it.
_MOST_THIN = 0.4
#: K-mers from which a deep unitig is of a deeper genome. Shorter ones may be repeats of a rarer one.
_SURE_KMERS = 2000


@dataclass(frozen=True)
class Genomes:
    """K-mer depths of single-copy sequence of the genomes of a sample.

    Attributes
    ----------
    depth : float
        By the peak of the spectrum; 0 if it is unknown.
    parts : tuple of int
        Those of the genomes of a mixture, in thousandths of that depth, descending; empty if there is one genome.
    has_thin_parts : bool
        Whether there is one genome, and parts of it are covered much less; see `evenness.has_thin_parts`.
    kmers_per_read : int
        K-mers that a typical read holds if depths vary so much that those nearby count, and ``parts`` are only those of
        the deepest and of the rarest; else 0.
    """

    depth: float
    parts: tuple[int, ...] = ()
    has_thin_parts: bool = False
    kmers_per_read: int = 0

    @property
    def has_local_depths(self) -> bool:
        """Whether depths vary so much that those nearby count; see `local_depths`."""
        return self.kmers_per_read > 0

    def depths_of(self, graph: Graph, n_kmers: Longs, kmer_counts: Longs, backend: AssemblyBackend) -> Floats:
        """Return the k-mer depth of single-copy sequence of the genome of each unitig; 0 where it is unknown.

        It is that nearby where depths vary.

        Parameters
        ----------
        graph, n_kmers, kmer_counts, backend
            See `parts_of`.

        Returns
        -------
        ndarray, dtype=float64, shape=(n,)
        """
        if self.has_local_depths:
            return local_depths(graph, n_kmers, kmer_counts, self.kmers_per_read, backend)
        return np.asarray(self.parts_of(graph, n_kmers, kmer_counts, backend) * (self.depth / PARTS))

    def parts_of(self, graph: Graph, n_kmers: Longs, kmer_counts: Longs, backend: AssemblyBackend) -> Longs:
        """Return the depth of single-copy sequence of the genome that each unitig is of.

        A unitig is of a rarer genome if long unitigs of its depth are connected with it, but not through long unitigs
        of a deeper one. Of several genomes, the rarest counts.

        Parameters
        ----------
        graph : Graph
            Of the unitigs, in NumPy arrays.
        n_kmers, kmer_counts : ndarray, dtype=int64, shape=(n,)
        backend : AssemblyBackend

        Returns
        -------
        ndarray, dtype=int64, shape=(n,)
            In thousandths of `depth`.
        """
        found = np.full(len(n_kmers), max(self.parts, default=PARTS))
        tails, heads = (vertices >> 1 for vertices in edges_of(graph)) if self.parts else (found, found)
        for deeper, rarer in pairwise(self.parts):
            deep = self.depth * deeper / PARTS
            is_rare = kmer_counts < border(deep, self.depth * rarer / PARTS) * n_kmers
            is_open = is_rare | (n_kmers < _SURE_KMERS)
            links = is_open[tails] & is_open[heads]
            component = components_of(tails[links], heads[links], len(found), backend)
            has_rare = np.zeros(len(found), np.bool_)
            has_rare[component[is_rare & (n_kmers >= _LEAST_KMERS) & is_less(kmer_counts, deep * n_kmers)]] = True
            found[has_rare[component]] = rarer
        return found


ONE_GENOME = Genomes(0.0)


def border(deeper: float, rarer: float) -> float:
    """Return the depth below which a unitig is of the rarer of two genomes by its own depth.

    A unitig is of the deeper one if this is at most twice as deep, and its depth is closer to that of the unitig
    (geometric mean).
    """
    return max(deeper / 2, math.sqrt(deeper * rarer))


def is_less(counts: Longs | Floats, expected: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Whether counts are so much less than expected of a genome that they are of a rarer one."""
    found: NDArray[np.bool_] = counts * _LESS < expected
    return found


def find_genomes(
    graph: Graph, n_kmers: Longs, kmer_counts: Longs, depth: float, kmers_per_read: int, has_thin_parts: bool = False
) -> tuple[int, ...]:
    """Find the genomes of a mixture by long unitigs that are less deep, or much deeper, than single-copy sequence.

    Parameters
    ----------
    graph : Graph
        Of the unitigs of a cleaned graph, in NumPy arrays.
    n_kmers, kmer_counts : ndarray, dtype=int64, shape=(n,)
    depth : float
        K-mer depth of single-copy sequence by the peak of the spectrum, or 0.
    kmers_per_read : int
    has_thin_parts : bool
        See `evenness.has_thin_parts`.

    Returns
    -------
    tuple of int
        See `Genomes.parts`.
    """
    depths = kmer_counts / np.maximum(1, n_kmers)
    is_copied = _are_copied(graph, depths)
    is_long = (n_kmers >= _LEAST_KMERS) & ~_are_alleles(graph, depths)
    rate = _deepest(depth, depths, n_kmers, is_long, is_copied)
    found = [rate]
    while rate > 0.0:
        is_rare = is_long & (n_kmers * rate >= _LEAST_READS * kmers_per_read) & is_less(kmer_counts, rate * n_kmers)
        if np.count_nonzero(is_rare) < _LEAST_UNITIGS:
            break
        rate = weighted_median(depths[is_rare], n_kmers[is_rare])
        rate = _deepest(rate, depths, n_kmers, is_rare, is_copied)
        if has_thin_parts and rate > _MOST_THIN * found[-1]:
            break
        found.append(rate)
    return tuple(max(1, round(PARTS * rate / depth)) for rate in found) if len(found) > 1 else ()


def _are_copied(graph: Graph, depths: Floats) -> NDArray[np.bool_]:
    """Find repeats: at least at one end, all unitigs beside them are of some of the copies, and so less deep."""
    tails, heads = edges_of(graph)
    beside = np.zeros(graph.n_vertices)
    np.maximum.at(beside, tails, depths[heads >> 1])
    is_copied = (np.diff(graph.row_ptr) > 0) & is_less(beside, np.repeat(depths, 2))
    return np.asarray(is_copied[0::2] | is_copied[1::2])


def _are_alleles(graph: Graph, depths: Floats) -> NDArray[np.bool_]:
    """Find the sides of simple bubbles that are less deep than what is before and behind: structural alleles."""
    source, one, other, target = (vertices >> 1 for vertices in simple_bubbles(graph))
    found = np.zeros(len(depths), np.bool_)
    for side in (one, other):
        found[side[is_less(depths[side], np.minimum(depths[source], depths[target]))]] = True
    return found


def _deepest(
    depth: float, depths: Floats, n_kmers: Longs, chosen: NDArray[np.bool_], is_copied: NDArray[np.bool_]
) -> float:
    """Return the depth of the deepest genome that a share of the chosen unitigs has, from that of most of them on."""
    least_kmers = int(n_kmers[chosen].sum()) // _LEAST_SHARE
    while depth > 0.0:
        is_deep = chosen & ~is_copied & (depths > _MORE * depth)
        if np.count_nonzero(is_deep) < _LEAST_UNITIGS or int(n_kmers[is_deep].sum()) < least_kmers:
            break
        depth = weighted_median(depths[is_deep], n_kmers[is_deep])
    return depth
