"""Slow obvious twins of operations on sequences."""

from __future__ import annotations

COMPLEMENT = {"A": "T", "C": "G", "G": "C", "T": "A"}


def reverse_complement(text: str) -> str:
    return "".join(COMPLEMENT[letter] for letter in reversed(text))


def smallest_rotation(text: str) -> str:
    return min((text[i:] + text[:i] for i in range(len(text))), default="")


def encode(kmers: list[str], k: int) -> list[list[int]]:
    """Two-bit codes, one list of words per k-mer, most significant first."""
    n_words = -(-k // 32)
    values = [sum("ACGT".index(letter) << 2 * i for i, letter in enumerate(reversed(kmer))) for kmer in kmers]
    return [[value >> 64 * (n_words - 1 - word) & (1 << 64) - 1 for word in range(n_words)] for value in values]
