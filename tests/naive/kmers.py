"""k-mers, their graph and its unitigs, the slow and obvious way. Sequences are str."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

_COMPLEMENT = str.maketrans("ACGT", "TGCA")


def reverse_complement(sequence: str) -> str:
    return sequence.translate(_COMPLEMENT)[::-1]


def canonical(kmer: str) -> str:
    return min(kmer, reverse_complement(kmer))


def windows(sequence: str, k: int) -> list[str]:
    return [sequence[i : i + k] for i in range(len(sequence) - k + 1)]


def count(reads: list[str], k: int, both_strands: bool = True) -> Counter[str]:
    """Occurrences of each k-mer without ambiguous bases."""
    found: Counter[str] = Counter()
    for read in reads:
        for i in range(len(read) - k + 1):
            kmer = read[i : i + k]
            if set(kmer) <= set("ACGT"):
                found[canonical(kmer) if both_strands else kmer] += 1
    return found


def look_up(counts: dict[str, int], wanted: list[str]) -> list[int]:
    """Count of each wanted k-mer; 0 if absent."""
    return [counts.get(kmer, 0) for kmer in wanted]


def vertex(kmers: list[str], v: int) -> str:
    """Sequence of vertex v: k-mer v // 2, reversed if v is odd."""
    return reverse_complement(kmers[v // 2]) if v % 2 else kmers[v // 2]


def successors(kmers: list[str], edges: Container[str] | None = None) -> list[list[int]]:
    """For each oriented k-mer those that overlap it by k - 1 bases; if edges (canonical) are given, along these."""
    vertices = {}
    for v in range(2 * len(kmers)):
        vertices[vertex(kmers, v)] = v
    return [
        sorted(
            vertices[s[1:] + b]
            for b in "ACGT"
            if s[1:] + b in vertices and (edges is None or canonical(s + b) in edges)
        )
        for s in (vertex(kmers, v) for v in range(2 * len(kmers)))
    ]


def unitigs(kmers: list[str], edges: Container[str] | None = None) -> set[str]:
    """Maximal non-branching sequences in their smaller strand; circular ones as smallest rotation with overlap."""
    if not kmers:
        return set()
    k = len(kmers[0])
    follow = successors(kmers, edges)

    def step(v: int) -> int | None:
        if len(follow[v]) != 1:
            return None
        w = follow[v][0]
        return w if len(follow[w ^ 1]) == 1 and w != v ^ 1 else None

    found, seen = set(), set()
    for v in range(2 * len(kmers)):
        if v in seen:
            continue
        start = v
        while (before := step(start ^ 1)) is not None and before ^ 1 != v:
            start = before ^ 1
        circular = step(start ^ 1) is not None
        path = [start]
        while (after := step(path[-1])) is not None and after != start:
            path.append(after)
        seen.update(path)
        seen.update(w ^ 1 for w in path)
        if circular:
            sequence = "".join(vertex(kmers, w)[-1] for w in path)
            strands = (sequence, reverse_complement(sequence))
            turned = min(s[i:] + s[:i] for s in strands for i in range(len(s)))
            found.add((turned * (k + 1))[: len(sequence) + k - 1])
        else:
            found.add(canonical(vertex(kmers, path[0]) + "".join(vertex(kmers, w)[-1] for w in path[1:])))
    return found
