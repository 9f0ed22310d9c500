"""Slow obvious twins of the stores of reads and of k-mers: a list and a dictionary."""

from __future__ import annotations

from collections import Counter

from tests.naive.kmers import count


class KmerStore:
    """The k-mers of all reads that were put in."""

    def __init__(self, k: int, canonical: bool) -> None:
        self.k = k
        self.canonical = canonical
        self.reads: list[str] = []

    def fill(self, batches: list[list[str]]) -> None:
        self.reads = [read for batch in batches for read in batch]

    def counts(self, min_count: int = 1) -> dict[str, int]:
        """Return the k-mers that occur ``min_count`` times or more, in alphabetic order."""
        found = count(self.reads, self.k, self.canonical)
        return {kmer: found[kmer] for kmer in sorted(found) if found[kmer] >= min_count}

    def histogram(self) -> Counter[int]:
        """Return the number of distinct k-mers of each count."""
        return Counter(self.counts().values())


class ReadStore:
    """Batches of reads, in their order."""

    def __init__(self, batches: list[list[str]]) -> None:
        self.batches = batches
