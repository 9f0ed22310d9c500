"""Reads on unitigs and the longer k-mers of both, the slow and obvious way. Sequences are str."""

from __future__ import annotations

from collections import Counter

from tests.naive.kmers import canonical, windows


def homes(unitigs: list[str], k: int) -> dict[str, int]:
    """The unitig of each canonical k-mer."""
    return {canonical(kmer): u for u, unitig in enumerate(unitigs) for kmer in windows(unitig, k)}


def longer_kmers(unitigs: list[str], read: str, k: int, longer: int) -> tuple[Counter[int], Counter[str]]:
    """Count the longer k-mers of a read whose k-mers are all in the unitigs: those within a unitig, and the others."""
    home = homes(unitigs, k)
    whole = {canonical(kmer): u for u, unitig in enumerate(unitigs) for kmer in windows(unitig, longer)}
    within: Counter[int] = Counter()
    spanning: Counter[str] = Counter()
    for kmer in windows(read, longer):
        if not set(kmer) <= set("ACGT") or any(canonical(part) not in home for part in windows(kmer, k)):
            continue
        if canonical(kmer) in whole:
            within[whole[canonical(kmer)]] += 1
        else:
            spanning[canonical(kmer)] += 1
    return within, spanning


def shares(total: int, n: int) -> list[int]:
    """A total in n parts that differ by at most 1, each at least 1."""
    rest = total % n
    return [max(1, total // n + (i + 1) * rest // n - i * rest // n) for i in range(n)]
