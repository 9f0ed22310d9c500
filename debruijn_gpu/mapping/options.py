"""Options of read mapping."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.run.checks import Checked, between

#: Output formats: GAF for graphs, PAF for sequences without links
ALIGNMENT_FORMATS = ("gaf", "paf")


@dataclass(frozen=True, kw_only=True)
class MapOptions(Checked):
    """Which alignments are reported."""

    #: Least share of the bases of a read that are aligned
    min_share: float = 0.5

    checks = (between("min_share", 0, 1, "give a share of the read, from 0 to 1"),)
