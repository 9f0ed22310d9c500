"""Thresholds of variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.run.checks import Checked, at_least


@dataclass(frozen=True, kw_only=True)
class VariantOptions(Checked):
    """Thresholds of popped bubbles that are reported as variants, and of the warning about them."""

    #: Least k-mer depth of the removed side, above the minimum count: errors that recur are rarely kept as often.
    depth_above_min_count: int = 2
    #: The removed side has at least the kept one's depth divided by this: sites of frequent errors of Illumina, and
    #: copies that differ from ten others, have less.
    parts_of_depth: int = 10
    #: Alleles of a heterozygous sample: each has at least a quarter of the depth of both, which is at most 1.5 times
    #: that of the contigs. Copies of a repeat are deeper.
    balanced_parts: int = 4
    most_of_contig_depth: float = 1.5
    #: More of these than one in so many bases: the sample is heterozygous or a mixture.
    bases_per_variant: int = 10_000

    option_prefix: ClassVar = "--variant-"
    checks = (
        at_least("depth_above_min_count", 0),
        at_least("parts_of_depth", 1),
        at_least("balanced_parts", 1),
        at_least("most_of_contig_depth", 0),
        at_least("bases_per_variant", 1),
    )
