"""Thresholds of repeat resolution by pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.run.checks import Checked, at_least


@dataclass(frozen=True, kw_only=True)
class PairOptions(Checked):
    """Thresholds by which unitigs are joined, relative to what the insert sizes make expected."""

    #: Distinct fragments that a link has at least (exSPAnder: 2)
    least_pairs: int = 2
    #: Of the expected fragments: what the next unitig has at least, and what another one may have at most. exSPAnder
    #: takes 0.5 and 0.1; coverage of short unitigs varies more.
    least_support: float = 0.3
    most_noise: float = 0.1
    #: A further unitig contradicts the next one only where the two should be linked by so many fragments.
    least_expected: float = 3.0
    #: Standard errors by which a gap may differ from its estimate, and bases that it always may.
    most_errors: float = 4.0
    slack_bp: int = 20
    #: A path between two unitigs is chosen among several if it has so many times the fragments of the next best.
    path_ratio: float = 3.0
    #: Vertices that a search for paths looks at
    most_steps: int = 2_000
    #: Copies from which a unitig of shared bases alone is a contig as a repeat: between one and two (its depth decides)
    least_copies: float = 1.5

    option_prefix: ClassVar = "--pair-"
    checks = (
        at_least("least_pairs", 1),
        *(at_least(name, 0) for name in ("least_support", "most_noise", "least_expected", "most_errors")),
        at_least("least_copies", 0),
        *(at_least(name, 0) for name in ("slack_bp", "path_ratio", "most_steps")),
    )
