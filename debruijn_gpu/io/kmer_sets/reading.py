"""Read sorted sets of k-mers (``.dbgk``): open, check, and load ranges of codes of a file."""

from __future__ import annotations

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.compression.gzip_process import fast_crc32
from debruijn_gpu.io.kmer_sets.layout import (
    BYTE_ORDER,
    COUNT_BYTES,
    END_MAGIC,
    HEADER,
    IS_CANONICAL,
    MAGIC,
    MOST_BLOCK_KMERS,
    TRAILER,
    VERSION,
    BlockLayout,
    Totals,
)
from debruijn_gpu.io.kmer_sets.stored_bytes import StoredBytes
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.sets.source import code_at, is_ascending, rows_between

_FIX = "copy or write the file again"
_CRC_BYTES = 4


class KmerSetFile:
    """A ``.dbgk`` file; see `SortedKmers`.

    Blocks are checked when they are first read.

    Parameters
    ----------
    name : str
        For messages.
    data : ndarray, dtype=uint8, or StoredBytes
        The file, in memory or read when it is asked for.

    Attributes
    ----------
    name : str
    k : int
    canonical : bool
    totals : Totals

    Raises
    ------
    FormatError
        If it is no such file, or header, index or trailer are damaged.
    """

    def __init__(self, name: str, data: NDArray[np.uint8] | StoredBytes) -> None:
        self.name = name
        self._data = data
        self._crc32 = fast_crc32()
        self._layout, self.canonical = self._read_header()
        self.k = self._layout.k
        self.totals, index = self._read_trailer()
        self._first, self._crc, self._count_bytes = self._read_index(*index)
        self._sizes = self._block_sizes()
        widths = zip(self._sizes, self._count_bytes.tolist(), strict=True)
        ends = np.cumsum([HEADER.size, *(self._layout.block_bytes(n, width) for n, width in widths)])
        self._offsets: list[int] = ends.tolist()
        if self._offsets[-1] != index[0]:
            raise self._damaged("the blocks do not end at the index")
        self._first_codes = [code_at(self._first, i) for i in range(len(self._sizes))]
        self._is_checked = bytearray(len(self._sizes))

    def __len__(self) -> int:
        return self.totals.n

    def marks(self) -> list[tuple[int, int]]:
        """See `SortedKmers.marks`: the first codes of the blocks."""
        return list(zip(self._first_codes, self._sizes, strict=True))

    def read(self, low: int, high: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """See `SortedKmers.read`.

        Raises
        ------
        FormatError
            If a block is damaged.
        """
        first = max(0, bisect_right(self._first_codes, low) - 1)
        last = max(first, bisect_left(self._first_codes, high))
        codes, counts = self._blocks(first, last)
        if first == last or (low <= self._first_codes[first] and self._end(last - 1) <= high):
            return codes, counts
        rows = rows_between(codes, low, high)
        return codes[:, rows], counts[rows]

    def tables(self) -> Iterator[KmerTable]:
        """Read the whole set, block by block."""
        for i in range(len(self._sizes)):
            yield KmerTable(self.k, *self._blocks(i, i + 1), self.canonical)

    def table(self) -> KmerTable:
        """Read the whole set into memory."""
        return KmerTable(self.k, *self.read(0, 1 << (2 * self.k)), canonical=self.canonical)

    def check(self) -> None:
        """Raise FormatError if a block that was not read yet is damaged."""
        for i in range(len(self._sizes)):
            if not self._is_checked[i]:
                self._blocks(i, i + 1)

    def close(self) -> None:
        """See `SortedKmers.close`."""

    def _blocks(self, first: int, last: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Decode codes and counts of blocks ``first`` to ``last``, without the last; checked, if they were not before.

        Raises
        ------
        FormatError
            If one is damaged.
        """
        starts = np.cumsum([0, *self._sizes[first:last]])
        codes = np.empty((self._layout.n_words, starts[-1]), np.uint64)
        counts = np.empty(starts[-1], np.uint32)
        if first == last:
            return codes, counts
        start = self._offsets[first]
        data = self._data[start : self._offsets[last] + 8]  # at once; a k-mer is decoded by words of eight bytes
        for i in range(first, last):
            block = data[self._offsets[i] - start : self._offsets[i + 1] - start]
            if not self._is_checked[i] and self._crc32(block.data, 0) != int(self._crc[i]):
                raise self._damaged(f"block {i + 1:,} does not match its checksum")
        places = np.array(self._offsets[first:last]) - start, starts, self._count_bytes[first:last].astype(np.int64)
        wrong = backends.host().kmers.decode_blocks(data, *places, self._layout.first_bytes, codes, counts)
        if wrong < 0 and code_at(codes, -1) >= self._end(last - 1):
            wrong = last - first - 1
        if wrong < 0 and (codes[:, starts[:-1]] != self._first[:, first:last]).any():
            wrong = int((codes[:, starts[:-1]] != self._first[:, first:last]).any(axis=0).argmax())
        if wrong >= 0:
            raise self._damaged(f"block {first + wrong + 1:,} is not in order")
        self._is_checked[first:last] = b"\1" * (last - first)
        return codes, counts

    def _end(self, i: int) -> int:
        """Code that those of a block are below: the first one of the next block."""
        return self._first_codes[i + 1] if i + 1 < len(self._sizes) else 1 << (2 * self.k)

    def _read_header(self) -> tuple[BlockLayout, bool]:
        data = self._data
        if data[: len(MAGIC)].tobytes() != MAGIC:
            raise FormatError(f"{self.name}: this is no k-mer set (.dbgk)", "write one with dbg count -o FILE.dbgk")
        if len(data) < HEADER.size + TRAILER.size:
            raise self._truncated()
        header = data[: HEADER.size].tobytes()
        _, byte_order, version, k, flags, block_kmers, _ = HEADER.unpack(header)
        if byte_order == int.from_bytes(BYTE_ORDER.to_bytes(4, "little"), "big"):
            raise FormatError(f"{self.name}: the byte order is that of a big-endian machine", "write it with dbg")
        if version != VERSION and byte_order == BYTE_ORDER:
            raise FormatError(f"{self.name}: version {version} of the format, expected {VERSION}", "update dbg")
        if not _is_sealed(header):
            raise self._damaged("the header does not match its checksum")
        sound = byte_order == BYTE_ORDER and 1 <= k <= K_MAX and flags <= IS_CANONICAL
        if not (sound and 1 <= block_kmers <= MOST_BLOCK_KMERS):
            raise self._damaged("the header holds impossible values")
        return BlockLayout(k, block_kmers), bool(flags & IS_CANONICAL)

    def _read_trailer(self) -> tuple[Totals, tuple[int, int, int]]:
        """Totals, and offset, blocks and CRC-32 of the index."""
        trailer = self._data[-TRAILER.size :].tobytes()
        magic, n, n_occurrences, least, largest, n_blocks, offset, crc, _ = TRAILER.unpack(trailer)
        if magic != END_MAGIC:
            raise self._truncated()
        if not _is_sealed(trailer):
            raise self._damaged("the trailer does not match its checksum")
        index_bytes = n_blocks * self._layout.index_entry.itemsize
        fits = offset + index_bytes + TRAILER.size == len(self._data) and offset >= HEADER.size
        if not (fits and n_blocks == self._layout.n_blocks(n) and n <= 1 << (2 * self.k)):
            raise self._damaged("the trailer holds impossible values")
        return Totals(n, n_occurrences, least, largest), (offset, n_blocks, crc)

    def _read_index(self, offset: int, n_blocks: int, crc: int) -> tuple[NDArray[np.uint64], ...]:
        """First codes (words, blocks), CRC-32 and bytes per count of the blocks."""
        entry = self._layout.index_entry
        index = self._data[offset : offset + n_blocks * entry.itemsize].tobytes()
        if zlib.crc32(index) != crc:
            raise self._damaged("the index does not match its checksum")
        entries = np.frombuffer(index, entry)
        first = np.ascontiguousarray(entries["first"].T)
        if not (is_ascending(first) and np.isin(entries["count_bytes"], COUNT_BYTES).all()):
            raise self._damaged("the index holds impossible values")
        return first, entries["crc"], entries["count_bytes"]

    def _block_sizes(self) -> list[int]:
        """k-mers of each block."""
        n_blocks, size = len(self._crc), self._layout.block_kmers
        return [min(size, self.totals.n - i * size) for i in range(n_blocks)]

    def _truncated(self) -> FormatError:
        return FormatError(f"{self.name}: the k-mer set is truncated after {len(self._data):,} bytes", _FIX)

    def _damaged(self, what: str) -> FormatError:
        return FormatError(f"{self.name}: the k-mer set is damaged: {what}", _FIX)


def _is_sealed(record: bytes) -> bool:
    """Return whether the last four bytes of a record are the CRC-32 of those before."""
    return zlib.crc32(record[:-_CRC_BYTES]) == int.from_bytes(record[-_CRC_BYTES:], "little")
