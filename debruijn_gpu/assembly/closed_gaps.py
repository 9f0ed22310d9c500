"""Gaps that were closed within contigs, and what pairs gave besides: containers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from debruijn_gpu.assembly.breaks import BreakCounts, ContigBreak

KINDS = ("overlap", "reads")


@dataclass(frozen=True, order=True)
class ClosedGap:
    """A gap that was closed.

    Attributes
    ----------
    contig : int
    start, stop : int
        Half-open interval of the contig: the filled bases, or the overlap. Empty if the ends abut. In a circular
        contig ``stop`` may be beyond its length.
    kind : str
        ``overlap`` or ``reads``.
    n_bases : int
        Bases between the ends, negative for an overlap.
    estimate_bp, error_bp : float
        Gap as estimated before, and the standard error of the estimate.
    n_pairs, n_reads, k : int
        Fragments that link the ends; see `Filling` for the others.
    """

    contig: int
    start: int
    stop: int
    kind: str
    n_bases: int
    estimate_bp: float
    error_bp: float
    n_pairs: int
    n_reads: int
    k: int


@dataclass(frozen=True)
class PairSummary:
    """What pairs gave.

    Attributes
    ----------
    n_reads, n_short, n_placed : int
        All reads, reads shorter than an anchor, and reads that are placed on the graph.
    n_single, n_repeats : int
        Unitigs that are certainly single-copy, or repeats.
    n_joined : int
        Pairs of single-copy unitigs that were joined along a path of the graph.
    n_gaps : int
        Gaps between single-copy unitigs that stay open.
    closed : list of ClosedGap
        By contig and position.
    breaks : list of ContigBreak
        By contig and position.
    n_breaks : BreakCounts
    """

    n_reads: int
    n_short: int
    n_placed: int
    n_single: int
    n_repeats: int
    n_joined: int
    n_gaps: int
    closed: list[ClosedGap]
    breaks: list[ContigBreak]
    n_breaks: BreakCounts

    def as_json(self) -> dict[str, Any]:
        """Return the section of ``report.json``."""
        by_kind = Counter(gap.kind for gap in self.closed)
        return {
            "n_reads": self.n_reads,
            "n_placed": self.n_placed,
            "share_placed": self.n_placed / max(1, self.n_reads),
            "n_too_short": self.n_short,
            "n_without_anchor": self.n_reads - self.n_placed - self.n_short,
            "n_single_copy": self.n_single,
            "n_repeats": self.n_repeats,
            "n_joined": self.n_joined,
            "n_open_gaps": self.n_gaps,
            "n_closed_gaps": {kind: by_kind[kind] for kind in KINDS},
            "n_wrong_joins_cut": self.n_breaks.n_cut,
            "n_wrong_joins_left": self.n_breaks.n_contradicted,
            "n_not_spanned": self.n_breaks.n_not_spanned,
        }
