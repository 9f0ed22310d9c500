"""Counts of samples as dictionaries."""

from __future__ import annotations

from collections.abc import Sequence

Row = list[tuple[int, int]]


def joined(samples: Sequence[dict[str, int]], min_counts: Sequence[int]) -> dict[str, Row]:
    """Sample and count of each k-mer, ascending; counts below the minimum of a sample are left out."""
    kept = [
        {kmer: n for kmer, n in counts.items() if n >= least} for counts, least in zip(samples, min_counts, strict=True)
    ]
    return {kmer: [(s, one[kmer]) for s, one in enumerate(kept) if kmer in one] for kmer in sorted(set().union(*kept))}
