"""Sets of counted k-mers as dictionaries, combined the slow and obvious way. K-mers are str."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

MOST_COUNT = 2**32 - 1

Counts = dict[str, int]


def by_rule(rule: str, left: int, right: int) -> int:
    """Combine the counts of a k-mer that both sets have."""
    return {
        "sum": left + right,
        "min": min(left, right),
        "max": max(left, right),
        "left": left,
        "right": right,
        "diff": max(0, left - right),
    }[rule]


def capped(counts: Counts) -> Counts:
    """Counts that fit, in the order of the k-mers."""
    return {kmer: min(count, MOST_COUNT) for kmer, count in sorted(counts.items()) if count > 0}


def apply(operation: str, rule: str, left: Counts, right: Counts) -> Counts:
    """Combine two sets; counts of 0 are absent."""
    both = left.keys() & right.keys()
    alone = {kmer: count for kmer, count in left.items() if kmer not in both}
    if operation == "subtract":
        return alone
    if operation == "difference":
        found = alone | {kmer: left[kmer] - right[kmer] for kmer in both}
    else:
        found = {kmer: by_rule(rule, left[kmer], right[kmer]) for kmer in both}
        if operation == "union":
            found |= alone | {kmer: count for kmer, count in right.items() if kmer not in both}
    return {kmer: count for kmer, count in found.items() if count > 0}


def over_all(sets: Sequence[Counts], rule: str, least: int, most: int, min_count: int = 1) -> Counts:
    """Combine the counts of k-mers that are in ``least`` to ``most`` of the sets."""
    found = {}
    for kmer in set().union(*sets):
        counts = [one[kmer] for one in sets if kmer in one]
        if least <= len(counts) <= most:
            first, *others = counts
            found[kmer] = (
                max(0, first - sum(others))
                if rule == "diff"
                else reduce(lambda left, right: by_rule(rule, left, right), counts)
            )
    return {kmer: count for kmer, count in capped(found).items() if count >= min_count}


def block(codes, counts, k):
    """Bytes of a block of ``.dbgk``: codes as integers, ascending."""
    n_words = -(-k // 32)
    first_bytes = -(-2 * (k - 32 * (n_words - 1)) // 8)
    content, shift = b"", 64 * (n_words - 1)
    for size in (8, 4, 2, 1):
        if first_bytes & size:
            content += b"".join((code >> shift & (1 << 8 * size) - 1).to_bytes(size, "little") for code in codes)
            shift += 8 * size
    for word in range(n_words - 2, -1, -1):
        content += b"".join((code >> 64 * word & (1 << 64) - 1).to_bytes(8, "little") for code in codes)
    size = 0 if set(counts) == {1} else next(size for size in (1, 2, 4) if max(counts) < 1 << 8 * size)
    content += b"".join(count.to_bytes(size, "little") for count in counts if size)
    return content + bytes(-len(content) % 8)
