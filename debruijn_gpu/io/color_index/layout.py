r"""The layout of ``.dbgc``, a colour index; `docs/reference/file-formats.md` describes it.

All numbers are little-endian::

    header    64 bytes: magic, byte order, version, k, flags, CRC-32
    k-mers    a whole .dbgk file, whose counts are 1 + the number of the k-mer's colour set
    sets      sizes of the colour sets (uint32), then their samples (uint32), in blocks
    names     JSON: names of the samples; then the k-mers of each (int64)
    index     CRC-32 of each block of the sets
    trailer   128 bytes: magic, place and size of each part, CRC-32 of names and index, CRC-32

Each part begins at a multiple of 8 bytes.
"""

from __future__ import annotations

import struct

MAGIC = b"\x89DBGC\r\n\x1a"
END_MAGIC = b"\x89DBGCEND"
VERSION = 1
BYTE_ORDER = 0x01020304
IS_CANONICAL = 1
#: Bytes of the sets for each of their checksums, but the last one
BLOCK_BYTES = 1 << 20
CRC_BYTES = 4
ALIGNED = 8

#: magic, byte order, version, k, flags; then zeros and CRC-32
HEADER = struct.Struct("<8sIIII36xI")
#: magic; bytes of the k-mers; sets, and samples in all of them; samples, and bytes of their names; CRC-32 of names, and
#: of the index; then zeros and CRC-32
TRAILER = struct.Struct("<8sQQQQQII68xI")


def padding(n_bytes: int) -> int:
    """Bytes to the next multiple of 8."""
    return -n_bytes % ALIGNED
