"""Thresholds of wrong joins that pairs or reads prove."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.run.checks import Checked, at_least


@dataclass(frozen=True, kw_only=True)
class BreakOptions(Checked):
    """Thresholds by which sequences are cut where mates contradict them.

    That fragments are missing across a place and lead elsewhere is the sign of REAPR (Hunt et al. 2013) and
    amosvalidate (Phillippy et al. 2008). No program cuts by these numbers: with them, nothing was cut in 240 right
    genomes, and 237 of 241 planted wrong joins were found (docs/explanation/pairs.md).
    """

    #: Fragments that are expected across a place before their lack says anything (Poisson: 0.02 for none)
    least_across: int = 4
    #: A place is suspicious if at most one in this number of the expected fragments spans it.
    parts_of_expected: int = 5
    #: A cut needs fragments from one side of a place to one other place: at least this number, the expected ones
    #: divided by the next number, and the spanning ones times the last.
    least_contradicting: int = 3
    parts_of_contradicting: int = 2
    times_spanning: int = 3
    #: Bases by which fragments to one place may differ beyond the range of insert sizes
    place_slack_bp: int = 20
    #: Part of a typical read that it agrees with on both sides of a place which it covers. Two such parts are the most
    #: bases that the sequences of a wrong join may share.
    parts_of_read: int = 4
    #: A cut where no read covers a place needs reads that continue in another way: from each side at least this number
    #: that do so alike, and from one side at least the reads that agree up to there divided by the next number.
    least_reads: int = 2
    parts_of_reads: int = 2

    option_prefix: ClassVar = "--break-"
    checks = (
        at_least("least_across", 1),
        at_least("parts_of_expected", 1),
        at_least("least_contradicting", 1),
        at_least("parts_of_contradicting", 1),
        at_least("times_spanning", 1),
        at_least("place_slack_bp", 0),
        at_least("parts_of_read", 2),
        at_least("least_reads", 2),
        at_least("parts_of_reads", 1),
    )
