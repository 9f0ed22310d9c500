"""Thresholds of a round of cleaning, from the depth of its k-mers."""

from __future__ import annotations

from debruijn_gpu.assembly.options import CleanOptions
from debruijn_gpu.assembly.result import KmerCounts
from debruijn_gpu.kmers.evenness import has_two_alleles


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
