"""Slow obvious twins of counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tests.naive.sequences import reverse_complement


def count(reads: Iterable[str], k: int, canonical: bool = True) -> Counter[str]:
    """How often each k-mer occurs; anything but ACGT breaks one."""
    counts: Counter[str] = Counter()
    for read in reads:
        for i in range(len(read) - k + 1):
            kmer = read[i : i + k].upper()
            if set(kmer) <= set("ACGT"):
                counts[min(kmer, reverse_complement(kmer)) if canonical else kmer] += 1
    return counts


def kmer_lines(counts: Counter[str], min_count: int = 1) -> str:
    return "".join(f"{kmer}\t{n}\n" for kmer, n in sorted(counts.items()) if n >= min_count)


def histogram_lines(counts: Counter[str]) -> str:
    return "".join(f"{m} {n}\n" for m, n in sorted(Counter(counts.values()).items()))
