"""Cleaning in rounds: each by its thresholds, and by what the first one finds of the sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.accessory_sequence import without_accessory_sequence
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.cleaning import CleanCounts, Noter, clean, is_heterozygous
from debruijn_gpu.assembly.consensus import with_consensus
from debruijn_gpu.assembly.deferring import Deferred, count_deferred
from debruijn_gpu.assembly.local_depth import Chains, find_chains, varied_depths
from debruijn_gpu.assembly.rarer_genomes import PARTS, find_genomes
from debruijn_gpu.assembly.result import KmerCounts
from debruijn_gpu.assembly.simple_bubbles import both_sides_depth
from debruijn_gpu.assembly.single_copy_bubbles import rarer_sides
from debruijn_gpu.assembly.situation import NOTHING_FOUND, Findings, Situation
from debruijn_gpu.assembly.strains import are_strains
from debruijn_gpu.assembly.strand_artefacts import strand_artefacts
from debruijn_gpu.assembly.structural_alleles import rarer_alleles
from debruijn_gpu.assembly.thresholds import (
    corrects_bases,
    for_few_reads,
    kmers_per_read,
    least_sure_depth,
    single_copy_depth,
    sure_depth,
    thresholds_for,
    used_thresholds,
)
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.kmers.evenness import has_thin_parts, has_two_alleles
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


Longs = NDArray[np.int64]

#: Of the depth of single-copy sequence by the spectrum: two alleles together have at most so much, or that depth is of
#: one of them.
_MUCH_OF_DEPTH = 1.4


@dataclass(frozen=True)
class _Rules:
    """Thresholds of a round, and what cleaning goes by beside them."""

    thresholds: CleanOptions
    situation: Situation


class RoundCleaner:
    """Cleans the graph of each round; whether the sample is heterozygous, a mixture, or of strains shows in the first.

    Parameters
    ----------
    thresholds : CleanOptions
    counts : KmerCounts
    note_popped : callable or None
        See `clean`.
    run : RunOptions
    backend : AssemblyBackend
    found : Findings
        Of an earlier round.
    forget_popped : callable or None
        Called before the first graph is cleaned again, as what was noted no longer counts.
    """

    def __init__(
        self,
        thresholds: CleanOptions,
        counts: KmerCounts,
        note_popped: Noter | None,
        run: RunOptions,
        backend: AssemblyBackend,
        found: Findings = NOTHING_FOUND,
        forget_popped: Callable[[], None] | None = None,
    ) -> None:
        self._given, self._of_any = thresholds, thresholds_for(thresholds, counts)
        self._counts = counts
        self._note, self._forget = note_popped, forget_popped
        self._run, self._backend = run, backend
        self.found = found

    def clean(
        self, graph: UnitigGraph, is_first: bool, reads: Iterable[ReadBatch]
    ) -> tuple[UnitigGraph, CleanCounts, Deferred | None]:
        """Clean a graph, and count what is left to the next round; None if cleaning decides all.

        In the first round, what the reads of one strand alone have is removed as well.
        """
        raw, rules = graph, self._rules(graph.k, is_first)
        graph, cleaned = self._without_errors(raw, rules, is_first, reads)
        for find in (self._find_genomes, self._find_strains) if is_first else ():
            if find(graph, rules.situation):
                if self._forget is not None:
                    self._forget()
                rules = self._rules(graph.k, is_first)
                graph, cleaned = self._without_errors(raw, rules, is_first, reads)
        del raw
        used, situation = rules.thresholds, rules.situation
        if is_first and (heterozygous := self._heterozygous(graph, used, situation)):
            situation = heterozygous
            graph, more = clean(graph, used, self._backend, situation, self._note)
            cleaned = CleanCounts.total([cleaned, more])
        if graph.k == self._counts.choice.ks[-1]:
            graph = self._without_rarer_sides(graph, used, situation, cleaned)
            while (rest := self._without_rarer_alleles(graph, used, situation, cleaned)) is not graph:
                graph = rest
        deferred = count_deferred(graph, self._thresholds, self._backend, situation) if situation.is_early else None
        return graph, cleaned, deferred

    @property
    def _thresholds(self) -> CleanOptions:
        """Thresholds of the last k. Where the genomes of a mixture are found, coverage is even within each.

        The sides of bubbles of strains are no alleles, and rare sequence is no error where depths vary.
        """
        found = self.found
        if not found.genomes and not found.has_strains:
            return self._of_any
        options = for_few_reads(self._given, self._counts, max(found.genomes, default=PARTS))
        if found.has_local_depths:
            options = replace(options, isolated_ratio=0.0)
        return replace(options, haplotype_ratio=0.0) if found.has_strains else options

    def _rules(self, k: int, is_first: bool) -> _Rules:
        """Return the rules of a round. Places without reads are those of the rarest genome."""
        rarest = self.found.genomes[-1] if self.found.genomes else PARTS
        thresholds = self._thresholds
        used = used_thresholds(thresholds, k, self._counts, rarest)
        is_early = used is not thresholds
        if not is_first and round(self._counts.depth_at(k) * rarest / PARTS) < least_sure_depth(used, self._counts):
            used = used.later
        depth = sure_depth(thresholds, k, self._counts, self.found)
        first = sure_depth(thresholds, self._counts.choice.ks[0], self._counts, self.found)
        least_part = math.ceil(PARTS * thresholds.haplotype_depth / first) if first else 0
        found = self.found
        per_read = kmers_per_read(k, self._counts) if found.has_local_depths else 0
        situation = Situation(depth, is_early, found.has_two_alleles, found.genomes, least_part, per_read)
        return _Rules(used, situation)

    def _without_errors(
        self, graph: UnitigGraph, rules: _Rules, is_first: bool, reads: Iterable[ReadBatch]
    ) -> tuple[UnitigGraph, CleanCounts]:
        """Clean a graph, and remove artefacts of one strand from the first of several."""
        graph, cleaned = clean(graph, rules.thresholds, self._backend, rules.situation, self._note)
        if is_first and len(self._counts.choice.ks) > 1 and rules.thresholds.strand_chance:
            graph, cleaned = self._without_artefacts(graph, rules.thresholds, rules.situation, reads, cleaned)
        return graph, cleaned

    def _heterozygous(self, graph: UnitigGraph, used: CleanOptions, situation: Situation) -> Situation | None:
        """What cleaning goes by if the cleaned first graph is heterozygous, which is then known; None if it is not."""
        found = replace(self.found, has_two_alleles=True)
        depth = situation.depth or sure_depth(self._thresholds, graph.k, self._counts, found)
        if not is_heterozygous(graph, used, self._backend, replace(situation, depth=depth)):
            return None
        self.found = found
        both = 0.0 if found.genomes else both_sides_depth(*self._on_host(graph))
        if both > _MUCH_OF_DEPTH * depth:  # the peak is that of one allele, although the spectrum does not show it
            self.found, depth = replace(found, of_peak=both / depth), both
        return replace(situation, depth=depth, has_two_alleles=True)

    @property
    def _has_doubled_depth(self) -> bool:
        """Whether the depth of single-copy sequence is twice the peak of the spectrum, which repeats may cause, too."""
        return has_two_alleles(self._counts.spectrum, self._counts.estimate)

    def _on_host(self, graph: UnitigGraph) -> tuple[Graph, Longs, Longs]:
        """Copy the edges of a unitig graph, and its numbers and counts of k-mers, to the host."""
        n_kmers, kmer_counts = (self._backend.to_host(array) for array in (graph.n_kmers, graph.kmer_counts))
        return graph.graph.on_host(), n_kmers, kmer_counts

    def _find_genomes(self, graph: UnitigGraph, _situation: Situation) -> bool:
        """Whether the cleaned first graph is of a mixture, whose genomes are then known."""
        depth = single_copy_depth(graph.k, self._counts)
        is_thin = has_thin_parts(self._counts.spectrum, self._counts.estimate)
        on_host = self._on_host(graph)
        parts = find_genomes(*on_host, depth, kmers_per_read(graph.k, self._counts), is_thin)
        chains = find_chains(*on_host, self._backend)
        if self._find_local_depths(graph.k, chains, [depth * part / PARTS for part in parts or (PARTS,)]):
            return True
        parts = without_accessory_sequence(parts, depth, chains)
        found = replace(self.found, genomes=parts)
        if not parts or not sure_depth(self._thresholds, graph.k, self._counts, found):
            return False
        self.found = found
        shares = ", ".join(f"{100 * part / parts[0]:.0f} %" for part in parts[1:])
        log.logger.info("  mixture: rarer genomes have %s of the depth of the deepest; cleaned again by it", shares)
        return True

    def _find_local_depths(self, k: int, chains: Chains, depths: list[float]) -> bool:
        """Whether depths vary so much in the cleaned first graph that those nearby count, which is then known."""
        if not self._thresholds.haplotype_ratio:
            return False
        varied = varied_depths(chains, depths, kmers_per_read(k, self._counts))
        if varied is None:
            return False
        rarest, deepest = (max(1, round(PARTS * depth / self._counts.depth_at(k))) for depth in varied)
        self.found = replace(self.found, genomes=(deepest, rarest), has_local_depths=True)
        log.logger.info("  k-mer depths vary from %.0f to %.0f; cleaned again by those nearby", *varied)
        return True

    def _find_strains(self, graph: UnitigGraph, situation: Situation) -> bool:
        """Whether the cleaned first graph has strains of unequal depth, which is then known."""
        options = self._thresholds
        has_strains = False
        if options.haplotype_ratio and situation.depth:
            most_depth = options.haplotype_flank * situation.depths_of(graph, self._backend)
            has_strains = are_strains(*self._on_host(graph), most_depth, options.haplotype_spacing)
        self.found = replace(self.found, has_strains=has_strains)
        if has_strains:
            log.logger.info("  strains of unequal depth: both sides of their bubbles are kept; cleaned again")
        return has_strains

    def corrected(self, graph: UnitigGraph, reads: Iterable[ReadBatch]) -> UnitigGraph:
        """Correct bases that reads outvote; see `corrects_bases`."""
        if not corrects_bases(self._thresholds, self._counts):
            return graph
        return with_consensus(graph, reads, self._thresholds.consensus_reads, self._run, self._backend)

    def _without_artefacts(
        self,
        graph: UnitigGraph,
        used: CleanOptions,
        situation: Situation,
        reads: Iterable[ReadBatch],
        cleaned: CleanCounts,
    ) -> tuple[UnitigGraph, CleanCounts]:
        """Remove artefacts of one strand, which count as erroneous connections, and clean what is left."""
        longest = int(used.connection_length * graph.k)
        is_artefact = strand_artefacts(graph, reads, longest, used.strand_chance, self._run, self._backend)
        n_found = int(self._backend.arrays.reduce(is_artefact, "sum"))
        if not n_found:
            return graph, cleaned
        log.logger.info("  %s removed", counted(n_found, "strand artefact"))
        is_kept = self._backend.to_device(~self._backend.to_host(is_artefact))
        graph = graph.keep(is_kept, self._backend)
        graph, more = clean(graph, used, self._backend, situation, self._note)
        cleaned = CleanCounts.total([cleaned, more])
        cleaned.erroneous_connections += n_found
        return graph, cleaned

    def _without_rarer_sides(
        self, graph: UnitigGraph, used: CleanOptions, situation: Situation, cleaned: CleanCounts
    ) -> UnitigGraph:
        """Remove one side of bubbles between single-copy unitigs, and add their number to the counts."""
        edges, n_kmers, kmer_counts = self._on_host(graph)
        longest = int(used.bubble_length * graph.k)
        most = used.early_bubble_rare, used.haplotype_flank
        depths = None
        if situation.genomes:
            depths = situation.genome_depths(edges, n_kmers, kmer_counts, self._backend)
        is_rarer = rarer_sides(edges, n_kmers, kmer_counts, longest, *most, depths)
        n_removed = int(np.count_nonzero(is_rarer))
        if not n_removed:
            return graph
        cleaned.bubbles += n_removed
        log.logger.info("  %s rarer sides of bubbles between single-copy unitigs removed", f"{n_removed:,}")
        is_kept = self._backend.to_device(~is_rarer)
        if self._note is not None:
            self._note(graph, is_kept)
        return graph.keep(is_kept, self._backend)

    def _without_rarer_alleles(
        self, graph: UnitigGraph, used: CleanOptions, situation: Situation, cleaned: CleanCounts
    ) -> UnitigGraph:
        """Remove one of two structural alleles, or cut it off; see `rarer_alleles`."""
        is_known = situation.depth > 0.0 and (situation.has_two_alleles or not self._has_doubled_depth)
        if not used.haplotype_ratio or not used.bubble_length or not is_known or self.found.has_local_depths:
            return graph
        edges, n_kmers, kmer_counts = self._on_host(graph)
        single = situation.depths_of(graph, self._backend)
        per_read = kmers_per_read(graph.k, self._counts)
        rarer = rarer_alleles(edges, n_kmers, kmer_counts, graph.k, per_read, single)
        n_found, n_apart = int(np.count_nonzero(rarer.found)), int(np.count_nonzero(rarer.are_apart))
        if not n_found:
            return graph
        cleaned.bubbles += n_found
        found = counted(n_found, "rarer allele")
        log.logger.info("  structural variants: %s cut out, %s of them kept as contigs", found, f"{n_apart:,}")
        to_device = self._backend.to_device
        is_linked = to_device(~rarer.found)
        if self._note is not None:
            self._note(graph, is_linked)
        return graph.keep(to_device(~rarer.found | rarer.are_apart), self._backend, is_linked)
