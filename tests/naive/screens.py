"""Screen reads against references, the slow and obvious way. Sequences are str, records bytes."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil

from tests.naive.kmers import reverse_complement, windows


@lru_cache(maxsize=64)
def kmers_of(sequences: tuple[str, ...], k: int) -> set[str]:
    """The k-mers of sequences and of their reverse complements."""
    return {kmer for one in sequences for strand in (one, reverse_complement(one)) for kmer in windows(strand, k)}


def matched_kmers(references: list[str], read: str, k: int) -> list[int]:
    """Positions of the k-mers of a read that are in references."""
    known = kmers_of(tuple(references), k)
    return [at for at in range(len(read) - k + 1) if read[at : at + k] in known]


def n_kmers(read: str, k: int) -> int:
    """Number of k-mers of a read without ambiguous bases."""
    return sum(set(read[at : at + k]) <= set("ACGT") for at in range(len(read) - k + 1))


def needed(read: str, k: int, min_hits: int | Fraction) -> int:
    """Number of k-mers in references that a read needs to match: a number, or a share of its k-mers."""
    return max(1, min_hits if isinstance(min_hits, int) else ceil(min_hits * n_kmers(read, k)))


def matched_bases(references: list[str], read: str, k: int) -> list[bool]:
    """Whether each base of a read is in a k-mer that is in references."""
    starts = set(matched_kmers(references, read, k))
    return [any(at - i in starts for i in range(k)) for at in range(len(read))]


def masked(references: list[str], read: str, k: int) -> str:
    """A read with N for each matched base."""
    return "".join("N" if is_so else c for c, is_so in zip(read, matched_bases(references, read, k), strict=True))


def part_left(references: list[str], read: str, k: int, ends: str) -> tuple[int, int]:
    """First base of the part of a read that is left, and the base behind it."""
    covered = matched_bases(references, read, k)
    if True not in covered:
        return 0, len(read)
    if ends == "right":
        return 0, covered.index(True)
    if ends == "left":
        return len(read) - covered[::-1].index(True), len(read)
    parts = [(i, j) for i in range(len(read) + 1) for j in range(i, len(read) + 1) if True not in covered[i:j]]
    longest = max(j - i for i, j in parts)
    return next(part for part in parts if part[1] - part[0] == longest) if longest else (0, 0)
