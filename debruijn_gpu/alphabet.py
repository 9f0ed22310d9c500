"""DNA as two-bit codes: A 0, C 1, G 2, T 3, so that complement is 3 - code and order is the alphabet's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


def packed_codes(words: NDArray[np.uint64], start: int, stop: int) -> NDArray[np.uint8]:
    """Two-bit codes of the packed bases start..stop, a byte each.

    Parameters
    ----------
    words : ndarray, dtype=uint64
        32 bases each, the first in the highest bits.
    start, stop : int
    """
    import numpy as np

    first = start // BASES_PER_WORD
    fours = words[first : -(-stop // BASES_PER_WORD)].astype(">u8").view(np.uint8)  # bytes of four bases, in order
    codes = np.empty((len(fours), 4), np.uint8)
    for i in range(4):
        codes[:, i] = fours >> np.uint8(6 - 2 * i)
    codes &= np.uint8(3)
    from_word = BASES_PER_WORD * first
    return codes.reshape(-1)[start - from_word : stop - from_word]


def packed_words(codes: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Pack two-bit codes: 32 bases a word, the first in the highest bits; unused bits are 0."""
    import numpy as np

    padded = np.zeros(-(-len(codes) // BASES_PER_WORD) * BASES_PER_WORD, np.uint8)
    padded[: len(codes)] = codes
    four = padded.reshape(-1, 4)
    octets = four[:, 0] << 6 | four[:, 1] << 4 | four[:, 2] << 2 | four[:, 3]
    return octets.view(">u8").astype(np.uint64)
