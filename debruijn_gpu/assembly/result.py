"""Containers of an assembly: counts, choices and contigs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from debruijn_gpu.assembly.cleaning import CleanCounts
from debruijn_gpu.assembly.closed_gaps import PairSummary
from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.evaluation import Evaluation
from debruijn_gpu.assembly.insert_sizes import InsertSizes
from debruijn_gpu.assembly.rotation import Rotation
from debruijn_gpu.assembly.round_summary import Round
from debruijn_gpu.assembly.scaffolds import ContigPaths, Scaffolds
from debruijn_gpu.assembly.variants import Variant, VariantCounts
from debruijn_gpu.kmers.choose_k import KChoice, depth_left
from debruijn_gpu.kmers.depth_limit import DepthLimit
from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate
from debruijn_gpu.reads.read_statistics import ReadLengths
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
    limit: DepthLimit
    trimmed: Trimmed | None = None

    def depth_at(self, k: int) -> float:
        """Compute the k-mer depth of single-copy sequence that is expected at a k."""
        return (self.estimate.peak or self.estimate.depth) * self.depth_left(k)

    def depth_left(self, k: int) -> float:
        """Compute the part of the k-mer depth of the smallest k that is left at a k."""
        return 1.0 if k == self.spectrum.k else depth_left(k, self.lengths, self.estimate)


@dataclass(frozen=True)
class Assembly:
    """Contigs of an assembly, with the counts and choices behind them.

    Attributes
    ----------
    contigs : Contigs
        All contigs; those of at least ``min_contig_bp`` come first. The segments of the graph, unless there are paths.
    n_reported : int
        Number of contigs of at least ``min_contig_bp``.
    counts : KmerCounts
    rounds : list of Round
        One for each k, in ascending order.
    n_placed_kmers : int
        Occurrences in the reads of the k-mers of the cleaned graph.
    variants : list of Variant or None
        Of the reported contigs; None if they were not asked for.
    variant_counts : VariantCounts or None
        Numbers of these variants.
    evaluation : Evaluation or None
        None if the contigs were not evaluated.
    scaffolds : Scaffolds or None
        Of the reported contigs; None if none were built.
    graph : Contigs or None
        Segments of the assembly graph and their links; None if these are the contigs.
    paths : ContigPaths or None
        Walks of the contigs over the segments; None if each contig is the segment of its number.
    insert_sizes : list of InsertSizes
        Of each paired input; empty if pairs were not used.
    pairs : PairSummary or None
        Pairs that the contigs follow; None if contigs do not follow them.
    rotation : Rotation or None
        Genes that circular contigs start with; None if all start with their smallest rotation.
    """

    contigs: Contigs
    n_reported: int
    counts: KmerCounts
    rounds: list[Round]
    n_placed_kmers: int
    variants: list[Variant] | None = None
    variant_counts: VariantCounts | None = None
    evaluation: Evaluation | None = None
    scaffolds: Scaffolds | None = None
    graph: Contigs | None = None
    paths: ContigPaths | None = None
    insert_sizes: list[InsertSizes] = field(default_factory=list)
    pairs: PairSummary | None = None
    rotation: Rotation | None = None

    @cached_property
    def reported(self) -> Contigs:
        """Contigs of at least ``min_contig_bp``."""
        return self.contigs.first(self.n_reported)

    @property
    def segments(self) -> Contigs:
        """Segments of the assembly graph and their links."""
        return self.contigs if self.graph is None else self.graph

    @property
    def rotated_to(self) -> dict[int, str]:
        """Names of the genes that reported contigs start with, by contig."""
        return {} if self.rotation is None else self.rotation.names(self.n_reported)

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
