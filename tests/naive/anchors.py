"""Reads on unitigs by k-mers that occur once, the slow and obvious way. Sequences are str."""

from __future__ import annotations

from functools import lru_cache

from tests.naive.kmers import reverse_complement, windows


@lru_cache(maxsize=64)
def places(unitigs: tuple[str, ...], k: int) -> dict[str, list[tuple[int, int]]]:
    """Vertex and position of each k-mer of the unitigs (vertex 2u) and of their reverse complements (2u + 1)."""
    found: dict[str, list[tuple[int, int]]] = {}
    for u, unitig in enumerate(unitigs):
        for strand, sequence in enumerate((unitig, reverse_complement(unitig))):
            for position, kmer in enumerate(windows(sequence, k)):
                found.setdefault(kmer, []).append((2 * u + strand, position))
    return found


def place(unitigs: list[str], read: str, k: int) -> tuple[int, int, int, int]:
    """Vertex and start of a read by its first and by its last k-mer that occurs once; -1 and 0 without one."""
    found = places(tuple(unitigs), k)
    starts = [
        (found[kmer][0][0], found[kmer][0][1] - i)
        for i, kmer in enumerate(windows(read, k))
        if len(found.get(kmer, ())) == 1
    ]
    return (*starts[0], *starts[-1]) if starts else (-1, 0, -1, 0)
