"""DNA as two-bit codes: A 0, C 1, G 2, T 3, so that complement is 3 - code and order is the alphabet's."""

from __future__ import annotations

BASES = b"ACGT"
BASES_PER_WORD = 32
#: Largest k: a k-mer has at most eight words
K_MAX = 255

#: IUPAC letters beyond ACGT that a sequence may hold; each breaks the k-mers it is in.
AMBIGUOUS = b"NRYSWKMBDHVUIX-.*"

_COMPLEMENT = bytes.maketrans(b"ACGTUNRYSWKMBDHVacgtunryswkmbdhv", b"TGCAANYRSWMKVHDBtgcaanyrswmkvhdb")


def reverse_complement(sequence: bytes) -> bytes:
    """Reverse complement of an IUPAC sequence."""
    return sequence.translate(_COMPLEMENT)[::-1]


def words_per_kmer(k: int) -> int:
    """Number of 64-bit words that hold k bases."""
    return (k + BASES_PER_WORD - 1) // BASES_PER_WORD
