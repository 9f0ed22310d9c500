"""Cleaning in rounds: thresholds from the depth of the k-mers of each round."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from debruijn_gpu.assembly.cleaning import CleanCounts, Noter, Situation, clean, is_heterozygous
from debruijn_gpu.assembly.options import CleanOptions
from debruijn_gpu.assembly.result import KmerCounts
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.kmers.evenness import has_two_alleles

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


def used_thresholds(options: CleanOptions, k: int, counts: KmerCounts) -> CleanOptions:
    """Return the thresholds of a round: deferring ones if k-mers of the next k are deep enough to decide."""
    later = [other for other in counts.choice.ks if other > k]
    if later and round(counts.depth_at(later[0])) >= options.deferring_depth:
        return options.deferring
    return options


def sure_depth(options: CleanOptions, k: int, counts: KmerCounts) -> float:
    """Return the k-mer depth of single-copy sequence at a k; 0 if it is unknown, or too low to tell copies by it."""
    if (counts.estimate.peak or 0) < options.haplotype_depth:
        return 0.0
    return counts.depth_at(k) * (2 if has_two_alleles(counts.spectrum, counts.estimate) else 1)


class RoundCleaner:
    """Cleans the graph of each round; whether the sample is heterozygous shows in the first.

    Parameters
    ----------
    thresholds : CleanOptions
    counts : KmerCounts
    note_popped : callable or None
        See `clean`.
    backend : AssemblyBackend
    has_two_alleles : bool
        Whether an earlier round found the sample heterozygous.
    """

    def __init__(
        self,
        thresholds: CleanOptions,
        counts: KmerCounts,
        note_popped: Noter | None,
        backend: AssemblyBackend,
        has_two_alleles: bool = False,
    ) -> None:
        self._thresholds = thresholds
        self._counts = counts
        self._note = note_popped
        self._backend = backend
        self.has_two_alleles = has_two_alleles

    def clean(self, graph: UnitigGraph, is_first: bool) -> tuple[UnitigGraph, CleanCounts, bool]:
        """Clean a graph, and return whether what is ambiguous is left to the next round."""
        used = used_thresholds(self._thresholds, graph.k, self._counts)
        defers = used is not self._thresholds
        if not is_first and round(self._counts.depth_at(graph.k)) < used.later_tip_depth:
            used = used.later
        situation = Situation(sure_depth(self._thresholds, graph.k, self._counts), defers, self.has_two_alleles)
        graph, cleaned = clean(graph, used, self._backend, situation, self._note)
        if is_first and is_heterozygous(graph, used, self._backend, situation):
            self.has_two_alleles = True
            situation = replace(situation, has_two_alleles=True)
            graph, more = clean(graph, used, self._backend, situation, self._note)
            cleaned = CleanCounts.total([cleaned, more])
        return graph, cleaned, defers
