"""Insert sizes of paired inputs: containers."""

from __future__ import annotations

from dataclasses import dataclass


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
        The commonest: ``FR``, ``RF``, ``FF``, or ``RR`` where the second mate is behind the first; None if fewer than
        20 pairs are placed in it.
    sizes : SizeSummary or None
        Of the pairs of this orientation.
    """

    n_pairs: int
    n_placed: int
    n_inward: int
    n_outward: int
    n_same: int
    orientation: str | None
    sizes: SizeSummary | None
