"""Reads on unitigs and the longer k-mers of both, the slow and obvious way. Sequences are str."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from tests.naive.kmers import canonical, reverse_complement, windows


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


def bridging_kmers(unitigs: list[str], read: str, k: int, extended: Sequence[bool] = ()) -> Counter[str]:
    """Count the k-mers of a read in gaps: after a k-mer without a successor, before one without a predecessor.

    Unitigs that are extended have those of reads that begin or end in a gap, too.
    """
    flags = [flag for flag in (extended or [False] * len(unitigs)) for _strand in (0, 1)]
    strands = [strand for unitig in unitigs for strand in (unitig, reverse_complement(unitig))]
    follow = successors(unitigs, k)
    ends = {
        strand[len(strand) - k :]: flag for strand, after, flag in zip(strands, follow, flags, strict=True) if not after
    }
    home = homes(unitigs, k)
    found: Counter[str] = Counter()
    for stretch in re.split("[^ACGT]", read):
        kmers = [stretch[i : i + k] for i in range(len(stretch) - k + 1)]
        places = [i for i, kmer in enumerate(kmers) if canonical(kmer) in home]
        for low, high in pairwise([-1, *places, len(kmers)]):
            before = ends.get(kmers[low]) if low >= 0 else None
            behind = ends.get(reverse_complement(kmers[high])) if high < len(kmers) else None
            is_bridged = before is not None and behind is not None
            if is_bridged or (before and high == len(kmers)) or (behind and low < 0):
                found.update(canonical(one) for one in kmers[low + 1 : high])
    return found


def shares(total: int, n: int) -> list[int]:
    """A total in n parts that differ by at most 1, each at least 1."""
    rest = total % n
    return [max(1, total // n + (i + 1) * rest // n - i * rest // n) for i in range(n)]


def successors(unitigs: list[str], k: int) -> list[list[int]]:
    """Vertices that follow each vertex: 2u is unitig u, 2u + 1 its reverse complement."""
    strands = [strand for unitig in unitigs for strand in (unitig, reverse_complement(unitig))]
    return [[w for w, other in enumerate(strands) if other[: k - 1] == one[len(one) - k + 1 :]] for one in strands]


def linked_kmers(unitigs: list[str], k: int, longer: int) -> set[str]:
    """Longer k-mers, not within a unitig, of the unitigs extended while there is one successor."""
    strands = [strand for unitig in unitigs for strand in (unitig, reverse_complement(unitig))]
    follow = successors(unitigs, k)

    def following(v: int) -> str:
        bases = ""
        while len(bases) < longer - k and len(follow[v]) == 1:
            v = follow[v][0]
            bases += strands[v][k - 1 :]
        return bases[: longer - k]

    within = {canonical(kmer) for unitig in unitigs for kmer in windows(unitig, longer)}
    extended = [
        reverse_complement(following(2 * u + 1)) + unitig + following(2 * u) for u, unitig in enumerate(unitigs)
    ]
    return {canonical(kmer) for sequence in extended for kmer in windows(sequence, longer)} - within
