"""Counts of samples as dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Row = list[tuple[int, int]]


def joined(samples: Sequence[dict[str, int]], min_counts: Sequence[int]) -> dict[str, Row]:
    """Sample and count of each k-mer, ascending; counts below the minimum of a sample are left out."""
    kept = [
        {kmer: n for kmer, n in counts.items() if n >= least} for counts, least in zip(samples, min_counts, strict=True)
    ]
    return {kmer: [(s, one[kmer]) for s, one in enumerate(kept) if kmer in one] for kmer in sorted(set().union(*kept))}


def filtered(
    rows: dict[str, Row], soft_mins: Sequence[int], recurrence_min: int = 1, share_min: int = 0
) -> dict[str, Row]:
    """Apply the filters of kmtricks to rows."""
    kept = {}
    for kmer, row in rows.items():
        solid = [count >= soft_mins[sample] for sample, count in row]
        if sum(solid) < recurrence_min:
            continue
        rescues = share_min > 0 and sum(solid) >= share_min
        kept[kmer] = [entry for entry, is_solid in zip(row, solid, strict=True) if is_solid or rescues]
    return kept


def prevalence(rows: dict[str, Row], n_samples: int) -> list[int]:
    """Number of k-mers in exactly 1, 2, ... samples."""
    return [sum(len(row) == n for row in rows.values()) for n in range(1, n_samples + 1)]


def growth(rows: dict[str, Row], n_samples: int, n: int) -> tuple[Fraction, Fraction]:
    """Mean number of k-mers in any, and in all, of n samples, over all subsets of n samples."""
    subsets = list(combinations(range(n_samples), n))
    owners = [{sample for sample, _ in row} for row in rows.values()]
    in_any = sum(any(s in owner for s in subset) for subset in subsets for owner in owners)
    in_all = sum(all(s in owner for s in subset) for subset in subsets for owner in owners)
    return Fraction(in_any, len(subsets)), Fraction(in_all, len(subsets))


def lines(rows: dict[str, Row], names: Sequence[str], is_presence: bool) -> str:
    """Text of a matrix."""
    text = ["\t".join(["kmer", *names])]
    for kmer, row in rows.items():
        cells = ["0"] * len(names)
        for sample, count in row:
            cells[sample] = "1" if is_presence else str(count)
        text.append("\t".join([kmer, *cells]))
    return "\n".join(text) + "\n"
