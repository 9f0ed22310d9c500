"""What cleaning goes by beside its thresholds: the depths of genomes, the place in the rounds, and alleles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.edges import components_of, edges_of
from debruijn_gpu.assembly.rarer_genomes import PARTS, Floats, Genomes, Longs
from debruijn_gpu.assembly.simple_bubbles import sides_within
from debruijn_gpu.assembly.single_copy_bubbles import MOST_OF_SINGLE
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.graph.graph import Graph

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


#: Depth of a copy of a repeat relative to single-copy sequence, at least, and of one haplotype of it.
_OF_COPY, _OF_HAPLOTYPE = 0.5, 0.25
#: Places that a repeat leads to, for each copy, at least; a plasmid with an insertion sequence leads to a few in all.
_LEAST_PLACES = 0.25


@dataclass(frozen=True)
class Findings:
    """What cleaning found of a sample in the first round.

    Attributes
    ----------
    has_two_alleles : bool
        Whether the sample is heterozygous.
    has_strains : bool
        Whether it has strains of unequal depth, see `are_strains`.
    genomes : tuple of int
        Those of a mixture, or of the deepest and of the rarest sequence where depths vary; see `Genomes.parts`.
    of_peak : float
        Depth of single-copy sequence relative to that by the spectrum, whose peak may be that of one of two alleles.
    has_local_depths : bool
        Whether depths vary so much that those nearby count, see `Genomes`.
    """

    has_two_alleles: bool = False
    has_strains: bool = False
    genomes: tuple[int, ...] = ()
    of_peak: float = 1.0
    has_local_depths: bool = False


@dataclass(frozen=True)
class Situation:
    """What cleaning goes by beside its thresholds.

    Attributes
    ----------
    depth : float
        K-mer depth of single-copy sequence; 0 if it is unknown or too low to tell copies by it.
    is_early : bool
        Whether this k is before the last of several, so that what is ambiguous is left to the next.
    has_two_alleles : bool
        Whether the sample is heterozygous, so that one side of each bubble of two alleles is removed.
    genomes : tuple of int
        See `Findings`.
    least_part : int
        Genomes of fewer thousandths of this depth are too rare to tell copies by depth.
    kmers_per_read : int
        See `Genomes`.
    """

    depth: float = 0.0
    is_early: bool = False
    has_two_alleles: bool = False
    genomes: tuple[int, ...] = ()
    least_part: int = 0
    kmers_per_read: int = 0

    def depths_of(self, g: UnitigGraph, backend: AssemblyBackend) -> float | Floats:
        """Return the depth of single-copy sequence of the genome of each unitig, or 0 if it is too rare to tell copies.

        It is one number for one genome.
        """
        if not self.genomes:
            return self.depth
        n_kmers, kmer_counts = backend.to_host(g.n_kmers), backend.to_host(g.kmer_counts)
        depths = self.genome_depths(g.graph.on_host(), n_kmers, kmer_counts, backend)
        return np.where(depths < self.least_part * (self.depth / PARTS), 0.0, depths)

    def genome_depths(self, graph: Graph, n_kmers: Longs, kmer_counts: Longs, backend: AssemblyBackend) -> Floats:
        """Return the depth of single-copy sequence of the genome of each unitig; see `Genomes.depths_of`."""
        genomes = Genomes(self.depth, self.genomes, kmers_per_read=self.kmers_per_read)
        return genomes.depths_of(graph, n_kmers, kmer_counts, backend)

    def are_copies(self, g: UnitigGraph, backend: AssemblyBackend) -> NDArray[np.bool_]:
        """Find unitigs of half the depth of one copy of a repeat, or of one haplotype of it, or more.

        Each of many copies is rare beside what most of them share, as errors are, but these are rarer still.
        """
        least = (_OF_HAPLOTYPE if self.has_two_alleles else _OF_COPY) * self.depths_of(g, backend)
        n_kmers, kmer_counts = backend.to_host(g.n_kmers), backend.to_host(g.kmer_counts)
        found: NDArray[np.bool_] = (least > 0) & (kmer_counts >= least * n_kmers)
        return found

    def are_dispersed(self, g: UnitigGraph, backend: AssemblyBackend) -> NDArray[np.bool_]:
        """Find unitigs of repeats that lead to many places for their copies, as a plasmid of many copies does not.

        A place is a single-copy unitig of 2 k k-mers or more; a repeat is what is connected without places. It leads to
        a quarter as many as what is beside the unitig has copies, or more.
        """
        n_kmers, kmer_counts = backend.to_host(g.n_kmers), backend.to_host(g.kmer_counts)
        copies = kmer_counts / np.maximum(1, n_kmers) / np.maximum(1.0, self.depths_of(g, backend))
        is_place = (n_kmers >= 2 * g.k) & (copies <= MOST_OF_SINGLE)
        tails, heads = (vertices >> 1 for vertices in edges_of(g.graph.on_host()))
        within = ~is_place[tails] & ~is_place[heads]
        component = components_of(tails[within], heads[within], len(n_kmers), backend)
        leads = ~is_place[tails] & is_place[heads]
        n_places = np.bincount(component[tails[leads]], minlength=len(n_kmers))[component]
        beside = np.zeros(len(n_kmers))
        np.maximum.at(beside, tails, copies[heads])
        return np.asarray(n_places >= _LEAST_PLACES * beside)

    def is_deep(self, g: UnitigGraph, options: CleanOptions, backend: AssemblyBackend) -> NDArray[np.bool_]:
        """Find unitigs that are too deep for alleles, or beside deep ones, as copies of repeats are.

        After the last k of a heterozygous sample, neighbours count in mixtures alone. In other samples, where
        single-copy sequence is too thin at this k to tell alleles by their own depth, all count as deep but those of
        two sides that have the depth of single-copy sequence together.
        """
        depths = self.depths_of(g, backend)
        n_kmers, kmer_counts = backend.to_host(g.n_kmers), backend.to_host(g.kmer_counts)
        found: NDArray[np.bool_] = kmer_counts > options.haplotype_ratio * depths * n_kmers
        most = np.broadcast_to(options.haplotype_flank * depths, found.shape)
        if self.is_early or not self.has_two_alleles or self.genomes:
            tails, heads = (vertices >> 1 for vertices in edges_of(g.graph.on_host()))
            found[tails[kmer_counts[heads] > most[tails] * n_kmers[heads]]] = True
        if not self.has_two_alleles:
            are_alleles = sides_within(g.graph.on_host(), n_kmers, kmer_counts, most)
            found |= (depths < options.haplotype_depth) & ~are_alleles
        return found


NOTHING_FOUND = Findings()

#: No depth is known.
UNKNOWN = Situation()
