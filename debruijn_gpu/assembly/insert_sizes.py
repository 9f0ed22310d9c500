"""Insert sizes of paired inputs: containers, and why some cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: Why pairs cannot be used
TOO_FEW, UNRELATED = "too few pairs on one unitig", "mates look unrelated"
RELATED_ADVICE = "give the mates of one run, complete and in the order in which they were made"


@dataclass(frozen=True)
class SizeSummary:
    """Insert sizes of some pairs.

    Attributes
    ----------
    median_bp, lower_bp, upper_bp : int
        Half, a quarter and three quarters of the pairs are below.
    spread_bp : float
        Median of the deviations from the median, times 1.4826: what the standard deviation is without outliers.
    first_bp, bin_bp : int
        The histogram's first insert size, and the width of its bins.
    numbers : tuple of int
        Pairs in each bin. The one in a thousand that is shorter than all others, and those that are far longer, are
        left out.
    """

    median_bp: int
    lower_bp: int
    upper_bp: int
    spread_bp: float
    first_bp: int
    bin_bp: int
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class InsertSizes:
    """Insert sizes and orientations of the sampled pairs of one paired input.

    Attributes
    ----------
    n_pairs : int
    n_placed : int
        Pairs whose mates are placed on the same unitig of the graph.
    n_inward, n_outward, n_same : int
        Of these, pairs that face each other (FR), away from each other (RF), and those with mates on the same
        strand (FF).
    orientation : str or None
        The commonest: ``FR``, ``RF``, ``FF``, or ``RR`` where the second mate is behind the first; None if the pairs
        cannot be used.
    sizes : SizeSummary or None
        Of the pairs of this orientation.
    why_unusable : str or None
        `TOO_FEW` or `UNRELATED`; None if the pairs can be used.
    """

    n_pairs: int
    n_placed: int
    n_inward: int
    n_outward: int
    n_same: int
    orientation: str | None
    sizes: SizeSummary | None
    why_unusable: str | None = None


def unusable_reason(why: str, pairs: Mapping[str, int], n_short: int) -> str:
    """State in a sentence why the pairs of an input cannot be used.

    Parameters
    ----------
    why : str
        As `InsertSizes.why_unusable`.
    pairs : mapping of str to int
        The numbers of pairs of `InsertSizes`, by attribute.
    n_short : int
        Number of reads of all inputs that are too short to be placed.
    """
    placed = f"{pairs['n_placed']:,} of {pairs['n_pairs']:,} pairs have both mates on one unitig"
    if why == UNRELATED:
        turned = "{n_inward:,} face each other, {n_outward:,} face away, {n_same:,} are on the same strand"
        return f"mates look unrelated: {placed}, of these {turned.format_map(pairs)}"
    short = f"; {n_short:,} reads are shorter than the 31 bases that placing needs" if n_short else ""
    return f"{placed}, too few to measure their distance{short}"
