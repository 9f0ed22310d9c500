"""Write sorted sets of counted k-mers as ``.dbgk``."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.kmers.containers import EncodedBlocks
from debruijn_gpu.io.compression.gzip_process import fast_crc32
from debruijn_gpu.io.kmer_sets.layout import (
    BLOCK_KMERS,
    BYTE_ORDER,
    END_MAGIC,
    HEADER,
    IS_CANONICAL,
    MAGIC,
    TRAILER,
    VERSION,
    BlockLayout,
)
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.parallel import ordered_map

_CRC_BYTES = 4
_BLOCKS_AT_ONCE = 16  # that a thread encodes and writes

#: Codes (words, n) and counts (n,)
_Kmers: TypeAlias = "tuple[NDArray[np.uint64], NDArray[np.uint32]]"


@dataclass(frozen=True)
class _Encoded:
    """Blocks with the first k-mer of each, and its CRC-32."""

    blocks: EncodedBlocks
    firsts: NDArray[np.uint64]
    crcs: list[int]


class SetWriter:
    """Writes a set of k-mers that comes in ascending parts of any size.

    Parameters
    ----------
    stream : BinaryIO
        Need not be seekable.
    k : int
    canonical : bool
    block_kmers : int
        k-mers of a block.
    threads : int
        That encode blocks.
    """

    def __init__(
        self, stream: BinaryIO, k: int, canonical: bool, block_kmers: int = BLOCK_KMERS, threads: int = 1
    ) -> None:
        self._stream, self._threads = stream, threads
        self._layout = BlockLayout(k, block_kmers)
        self._crc32: Callable[[memoryview, int], int] = fast_crc32()
        self._codes: list[NDArray[np.uint64]] = []
        self._counts: list[NDArray[np.uint32]] = []
        self._n_waiting = 0
        self._index: list[NDArray[np.void]] = []
        self._n = self._n_occurrences = self._largest = 0
        self._least = (1 << 32) - 1
        flags = IS_CANONICAL if canonical else 0
        stream.write(_sealed(HEADER.pack(MAGIC, BYTE_ORDER, VERSION, k, flags, block_kmers, 0)))
        self._offset = HEADER.size

    def add(self, codes: NDArray[np.uint64], counts: NDArray[np.uint32]) -> None:
        """Append k-mers greater than those before: codes (words, n), ascending, and counts (n,), at least 1."""
        self._n += len(counts)
        with closing(ordered_map(self._encoded, self._groups(codes, counts), self._threads)) as results:
            for encoded in results:
                self._write(encoded)

    def _groups(self, codes: NDArray[np.uint64], counts: NDArray[np.uint32]) -> Iterator[_Kmers]:
        """Yield the k-mers of one or more whole blocks; what is left waits."""
        n, at, size = len(counts), 0, self._layout.block_kmers
        if self._n_waiting:
            at = min(n, size - self._n_waiting)
            self._put(codes[:, :at], counts[:at])
            if self._n_waiting == size:
                yield self._taken()
        while n - at >= size:
            end = at + min((n - at) // size, _BLOCKS_AT_ONCE) * size
            yield codes[:, at:end], counts[at:end]
            at = end
        if at < n:
            self._put(codes[:, at:], counts[at:])

    def finish(self) -> None:
        """Write what is left, the index and the trailer."""
        if self._n_waiting:
            self._write(self._encoded(self._taken()))
        entries = np.concatenate([np.empty(0, self._layout.index_entry), *self._index])
        index = entries.tobytes()
        self._stream.write(index)
        totals = self._n, self._n_occurrences, self._least if self._n else 0, self._largest
        place = len(entries), self._offset, zlib.crc32(index)
        self._stream.write(_sealed(TRAILER.pack(END_MAGIC, *totals, *place, 0)))

    def _put(self, codes: NDArray[np.uint64], counts: NDArray[np.uint32]) -> None:
        self._codes.append(codes)
        self._counts.append(counts)
        self._n_waiting += len(counts)

    def _taken(self) -> _Kmers:
        """Take the k-mers that wait."""
        codes, counts = self._codes[0], self._counts[0]
        if len(self._codes) > 1:
            codes, counts = np.concatenate(self._codes, axis=1), np.concatenate(self._counts)
        self._codes, self._counts, self._n_waiting = [], [], 0
        return codes, counts

    def _encoded(self, kmers: _Kmers) -> _Encoded:
        """Encode blocks, and compute their checksums."""
        size = self._layout.block_kmers
        blocks = backends.host().kmers.encode_blocks(*kmers, self._layout.first_bytes, size)
        ends = np.cumsum(blocks.n_bytes).tolist()
        crcs = [self._crc32(blocks.content[start:end].data, 0) for start, end in pairwise([0, *ends])]
        return _Encoded(blocks, kmers[0][:, ::size].T, crcs)

    def _write(self, encoded: _Encoded) -> None:
        blocks = encoded.blocks
        self._stream.write(blocks.content.data)
        entries = np.zeros(len(encoded.crcs), self._layout.index_entry)
        entries["first"], entries["crc"], entries["count_bytes"] = encoded.firsts, encoded.crcs, blocks.count_bytes
        self._index.append(entries)
        self._offset += blocks.content.nbytes
        self._n_occurrences += int(blocks.n_occurrences.sum())
        self._least = min(self._least, int(blocks.least.min()))
        self._largest = max(self._largest, int(blocks.largest.max()))


def _sealed(record: bytes) -> bytes:
    """Replace the last four bytes of a record by the CRC-32 of those before."""
    content = record[:-_CRC_BYTES]
    return content + zlib.crc32(content).to_bytes(_CRC_BYTES, "little")


def write_set(stream: BinaryIO, table: KmerTable) -> None:
    """Write a table of the host as ``.dbgk``."""
    write_parts(stream, table.k, table.canonical, [(table.codes, table.counts)])


def write_parts(
    stream: BinaryIO,
    k: int,
    canonical: bool,
    parts: Iterable[tuple[NDArray[np.uint64], NDArray[np.uint32]]],
) -> None:
    """Write a set as ``.dbgk`` from ascending parts: codes (words, n), and counts (n,)."""
    writer = SetWriter(stream, k, canonical)
    for codes, counts in parts:
        writer.add(codes, counts)
    writer.finish()
