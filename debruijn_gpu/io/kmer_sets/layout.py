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
from dataclasses import dataclass

import numpy as np

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
    """

    k: int
    block_kmers: int

    @property
    def n_words(self) -> int:
        """Words of a code."""
        return words_per_kmer(self.k)

    @property
    def first_bytes(self) -> int:
        """Bytes of the first word of a code."""
        return -(-2 * (self.k - BASES_PER_WORD * (self.n_words - 1)) // 8)

    @property
    def code_bytes(self) -> int:
        """Bytes of a stored code."""
        return self.first_bytes + 8 * (self.n_words - 1)

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
