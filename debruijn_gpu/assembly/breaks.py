"""Places of contigs that too few fragments span: container."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

KINDS = ("within", "join")
REASONS = ("contradicted", "not_spanned", "reads_differ")


@dataclass(frozen=True, order=True)
class ContigBreak:
    """A place that too few fragments span, or one of both ends of a cut.

    Attributes
    ----------
    contig : int
    start, stop : int
        Half-open interval of the contig; of a cut the base next to it. In a circular contig ``stop`` may be beyond its
        length.
    kind : str
        ``within`` a unitig, or at a ``join`` of two.
    n_spanning : int
    expected : float
    n_contradicting : int
        Fragments that lead from one side to one place elsewhere.
        These three are numbers of reads where the reason is ``reads_differ``.
    is_cut : bool
    reason : str
        ``contradicted`` if mates prove the join wrong, ``reads_differ`` if reads do, else ``not_spanned``.
    """

    contig: int
    start: int
    stop: int
    kind: str
    n_spanning: int
    expected: float
    n_contradicting: int
    is_cut: bool
    reason: str


@dataclass(frozen=True)
class BreakCounts:
    """Numbers of places that too few fragments span: wrong joins that were cut and that were not, and others."""

    n_cut: int = 0
    n_contradicted: int = 0
    n_not_spanned: int = 0

    @classmethod
    def of(cls, places: Iterable[tuple[bool, bool]]) -> BreakCounts:
        """Count places by whether they are wrong and whether they were cut."""
        found = list(places)
        n_cut = sum(is_cut for _is_wrong, is_cut in found)
        n_wrong = sum(is_wrong for is_wrong, _is_cut in found)
        return cls(n_cut, n_wrong - n_cut, len(found) - n_wrong)
