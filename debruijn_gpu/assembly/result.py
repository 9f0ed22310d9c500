"""Containers of an assembly: counts, choices and contigs."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.assembly.cleaning import CleanCounts
from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.evaluation import Evaluation
from debruijn_gpu.assembly.rounds import Round
from debruijn_gpu.assembly.variants import Variant
from debruijn_gpu.kmers.choose_k import KChoice, depth_left
from debruijn_gpu.kmers.depth_limit import DepthLimit
from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate
from debruijn_gpu.reads.read_statistics import PairStarts, ReadLengths
from debruijn_gpu.reads.trimming import Trimmed


@dataclass(frozen=True)
class KmerCounts:
    """Choices made while k-mers were counted, and their reasons.

    Attributes
    ----------
    min_count : int
    choice : KChoice
    spectrum : Spectrum
        At the smallest k.
    estimate : SpectrumEstimate
    lengths : ReadLengths
        Of the reads that were used.
    given : ReadLengths
        Of all reads.
    pairs : list of PairStarts
        The starts of the first pairs of each paired input.
    limit : DepthLimit
    trimmed : Trimmed or None
        None where reads were not trimmed.
    """

    min_count: int
    choice: KChoice
    spectrum: Spectrum
    estimate: SpectrumEstimate
    lengths: ReadLengths
    given: ReadLengths
    pairs: list[PairStarts]
    limit: DepthLimit
    trimmed: Trimmed | None = None

    def depth_at(self, k: int) -> float:
        """Compute the k-mer depth of single-copy sequence that is expected at a k."""
        depth = self.estimate.peak or self.estimate.depth
        return depth if k == self.spectrum.k else depth * depth_left(k, self.lengths, self.estimate)


@dataclass(frozen=True)
class Assembly:
    """Contigs of an assembly, with the counts and choices behind them.

    Attributes
    ----------
    contigs : Contigs
        The whole graph; those of at least ``min_contig_bp`` come first.
    n_reported : int
        Number of contigs of at least ``min_contig_bp``.
    counts : KmerCounts
    rounds : list of Round
        One for each k, in ascending order.
    n_placed_kmers : int
        Occurrences in the reads of the k-mers of the cleaned graph.
    variants : list of Variant or None
        Of the reported contigs; None if they were not asked for.
    evaluation : Evaluation or None
        None if the contigs were not evaluated.
    """

    contigs: Contigs
    n_reported: int
    counts: KmerCounts
    rounds: list[Round]
    n_placed_kmers: int
    variants: list[Variant] | None = None
    evaluation: Evaluation | None = None

    @property
    def cleaned(self) -> CleanCounts | None:
        """What cleaning removed in all rounds."""
        counted = [done.cleaned for done in self.rounds if done.cleaned is not None]
        return CleanCounts.total(counted) if counted else None

    @property
    def bases_per_kmer(self) -> float:
        """Read bases per occurrence of a k-mer of the graph: k-mer depth times this is read depth.

        It allows for the last k - 1 bases of each read, and for the k-mers with errors that the graph does not hold.
        """
        return self.counts.lengths.n_bases / max(1, self.n_placed_kmers)
