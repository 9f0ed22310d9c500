"""Reads on unitigs and the longer k-mers of both, the slow and obvious way. Sequences are str."""

from __future__ import annotations

from collections import Counter

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


def bridging_kmers(unitigs: list[str], read: str, k: int) -> Counter[str]:
    """Count the k-mers of a read in gaps: after a k-mer without a successor, before one without a predecessor."""
    strands = [strand for unitig in unitigs for strand in (unitig, reverse_complement(unitig))]
    follow = successors(unitigs, k)
    leading_nowhere = {strand[len(strand) - k :] for strand, after in zip(strands, follow, strict=True) if not after}
    home = homes(unitigs, k)
    found: Counter[str] = Counter()
    gap: list[str] | None = None  # k-mers since a dead end
    for i in range(len(read) - k + 1):
        kmer = read[i : i + k]
        if not set(kmer) <= set("ACGT"):
            gap = None
        elif canonical(kmer) in home:
            if gap and reverse_complement(kmer) in leading_nowhere:
                found.update(canonical(one) for one in gap)
            gap = [] if kmer in leading_nowhere else None
        elif gap is not None:
            gap.append(kmer)
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
