"""Coloured k-mers by dictionaries."""

from __future__ import annotations

from tests.naive.kmers import reverse_complement


def canonical_kmers(sequence: str, k: int) -> set[str]:
    """Distinct canonical k-mers of a sequence; other letters than ACGT break k-mers."""
    found = (sequence[i : i + k] for i in range(len(sequence) - k + 1))
    return {min(kmer, reverse_complement(kmer)) for kmer in found if set(kmer) <= set("ACGT")}


def colors(samples: list[list[str]], k: int) -> dict[str, tuple[int, ...]]:
    """Samples of each canonical k-mer."""
    found: dict[str, tuple[int, ...]] = {}
    for number, sequences in enumerate(samples):
        for kmer in set().union(*(canonical_kmers(sequence, k) for sequence in sequences)):
            found[kmer] = (*found.get(kmer, ()), number)
    return found


def number_sets(colored: dict[str, tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    """Numbers of the distinct colour sets, in order of their first k-mer."""
    numbers: dict[tuple[int, ...], int] = {}
    for kmer in sorted(colored):
        numbers.setdefault(colored[kmer], len(numbers))
    return numbers


def runs(sequence: str, k: int, colored: dict[str, tuple[int, ...]]) -> list[tuple[tuple[int, ...], int]]:
    """Runs of one colour set along a sequence: the set, and the number of k-mers."""
    found: list[tuple[tuple[int, ...], int]] = []
    for i in range(len(sequence) - k + 1):
        kmer = sequence[i : i + k]
        one = colored[min(kmer, reverse_complement(kmer))]
        if found and found[-1][0] == one:
            found[-1] = one, found[-1][1] + 1
        else:
            found.append((one, 1))
    return found
