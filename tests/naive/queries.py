"""Query samples with records, the slow and obvious way: samples are sets of k-mers, sequences are str."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby

from tests.naive.kmers import canonical


def key_of(kmer: str, is_canonical: bool) -> str:
    """What stands for a k-mer."""
    return canonical(kmer) if is_canonical else kmer


def sample_kmers(sequences: list[str], k: int, is_canonical: bool = True) -> set[str]:
    """The k-mers of the sequences of a sample."""
    return {kmer for one in sequences for kmer in record_kmers(one, k, is_canonical) if kmer is not None}


def record_kmers(record: str, k: int, is_canonical: bool = True) -> list[str | None]:
    """The k-mer at each position of a record; None where one has an ambiguous base."""
    kmers = [record[at : at + k] for at in range(len(record) - k + 1)]
    return [key_of(kmer, is_canonical) if set(kmer) <= set("ACGT") else None for kmer in kmers]


def n_matched(sample: set[str], kmers: list[str | None]) -> int:
    """Number of k-mers of a record, repeated ones included, that are in a sample."""
    return sum(kmer in sample for kmer in kmers)


def n_of(kmers: list[str | None]) -> int:
    """Number of k-mers of a record without ambiguous bases."""
    return sum(kmer is not None for kmer in kmers)


def hits(samples: list[set[str]], kmers: list[str | None], min_ratio: Fraction) -> list[tuple[int, int]]:
    """Samples with enough k-mers of a record, at least one, and their number."""
    found = [(i, n_matched(sample, kmers)) for i, sample in enumerate(samples)]
    return [(i, n) for i, n in found if n and Fraction(n, n_of(kmers)) >= min_ratio]


def runs(sample: set[str], kmers: list[str | None]) -> str:
    """Runs of positions: x in the sample, o not, n ambiguous."""
    letters = ["n" if kmer is None else "x" if kmer in sample else "o" for kmer in kmers]
    return "".join(f"{letter}{len(list(group))}" for letter, group in groupby(letters))
