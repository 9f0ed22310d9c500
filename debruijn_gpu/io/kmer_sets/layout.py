r"""The layout of ``.dbgk``, a sorted set of counted k-mers in blocks; `docs/reference/file-formats.md` describes it.

All numbers are little-endian::

    header    64 bytes: magic, byte order, version, k, flags, k-mers per block, CRC-32
    blocks    codes by word, most significant first; then counts; each block begins at a multiple of 8 bytes
    index     of each block: its first code, CRC-32, bytes per count
    trailer   64 bytes: magic, totals, place and CRC-32 of the index, CRC-32

A word of 64 bits is stored whole, but the first one in as few bytes as it uses: these are split into parts of 8, 4, 2
and 1 bytes (the sum of some of them), lowest first, each of them an array over the k-mers of the block.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD, words_per_kmer

MAGIC = b"\x89DBGK\r\n\x1a"
END_MAGIC = b"\x89DBGKEND"
VERSION = 1
BYTE_ORDER = 0x01020304
#: k-mers of a block, but of the last one
BLOCK_KMERS = 1 << 14
MOST_BLOCK_KMERS = 1 << 24
IS_CANONICAL = 1

#: magic, byte order, version, k, flags, k-mers per block; then zeros and CRC-32
HEADER = struct.Struct("<8sIIIII32xI")
#: magic, k-mers, sum of counts, least and largest count, blocks, offset of the index, CRC-32 of the index; CRC-32
TRAILER = struct.Struct("<8sQQIIQQI8xI")
_CRC = struct.Struct("<I")
_PARTS = (8, 4, 2, 1)
#: Bytes per count that a block may have; 0: all counts are 1
COUNT_BYTES = (0, 1, 2, 4)


@dataclass(frozen=True)
class BlockLayout:
    """Layout of the blocks of a file.

    Attributes
    ----------
    k : int
    block_kmers : int
        k-mers of a block, but of the last one.
    parts : tuple of int
        Bytes of the parts of the first word, lowest first.
    """

    k: int
    block_kmers: int
    parts: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        n_bases = self.k - BASES_PER_WORD * (self.n_words - 1)
        n_bytes = -(-2 * n_bases // 8)
        object.__setattr__(self, "parts", tuple(size for size in _PARTS if n_bytes & size))

    @property
    def n_words(self) -> int:
        """Words of a code."""
        return words_per_kmer(self.k)

    @property
    def code_bytes(self) -> int:
        """Bytes of a stored code."""
        return sum(self.parts) + 8 * (self.n_words - 1)

    @property
    def index_entry(self) -> np.dtype[np.void]:
        """Entry of the index."""
        return np.dtype([("first", "<u8", (self.n_words,)), ("crc", "<u4"), ("count_bytes", "<u4")])

    def n_blocks(self, n: int) -> int:
        """Blocks of n k-mers."""
        return -(-n // self.block_kmers)

    def block_bytes(self, n: int, count_bytes: int) -> int:
        """Bytes of a block of n k-mers."""
        return -(-n * (self.code_bytes + count_bytes) // 8) * 8

    def encode(self, codes: NDArray[np.uint64], counts: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], int]:
        """Encode a block: codes (words, n) and counts (n,). Returns its bytes, and those of a count."""
        n, largest = len(counts), int(counts.max())
        all_one = largest == 1 and int(counts.min()) == 1
        count_bytes = 0 if all_one else 1 if largest < 1 << 8 else 2 if largest < 1 << 16 else 4
        block = np.zeros(self.block_bytes(n, count_bytes), np.uint8)
        at = shift = 0
        for size in self.parts:
            column = block[at : at + n * size].view(f"<u{size}")
            column[:] = codes[0] >> np.uint64(shift) if shift else codes[0]
            at, shift = at + n * size, shift + 8 * size
        for word in codes[1:]:
            block[at : at + 8 * n].view("<u8")[:] = word
            at += 8 * n
        if count_bytes:
            block[at : at + n * count_bytes].view(f"<u{count_bytes}")[:] = counts
        return block, count_bytes

    def decode_word(self, block: NDArray[np.uint8], n: int, word: int) -> NDArray[np.uint64]:
        """Decode one word of the codes of a block of n k-mers; a view of the block where that is possible."""
        if word:
            at = n * (sum(self.parts) + 8 * (word - 1))
            return block[at : at + 8 * n].view("<u8")
        at = shift = 0
        found: NDArray[np.uint64] | None = None
        for size in self.parts:
            part = block[at : at + n * size].view(f"<u{size}")
            if size == 8:
                return part
            shifted = part.astype(np.uint64) << np.uint64(shift)
            found = shifted if found is None else found | shifted
            at, shift = at + n * size, shift + 8 * size
        assert found is not None
        return found

    def decode_counts(self, block: NDArray[np.uint8], n: int, count_bytes: int) -> NDArray[np.unsignedinteger]:
        """Decode the counts of a block of n k-mers; a view of the block where that is possible."""
        if not count_bytes:
            return np.ones(n, np.uint32)
        at = n * self.code_bytes
        return block[at : at + n * count_bytes].view(f"<u{count_bytes}")


@dataclass(frozen=True)
class Totals:
    """What the trailer says of the k-mers.

    Attributes
    ----------
    n : int
        Distinct k-mers.
    n_occurrences : int
        Sum of the counts.
    least, largest : int
        Counts; 0 of an empty set.
    """

    n: int
    n_occurrences: int
    least: int
    largest: int
