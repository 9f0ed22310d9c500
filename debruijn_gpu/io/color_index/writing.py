"""Write colour indexes as ``.dbgc``."""

from __future__ import annotations

import json
import zlib
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.io.color_index.layout import (
    BLOCK_BYTES,
    BYTE_ORDER,
    CRC_BYTES,
    END_MAGIC,
    HEADER,
    IS_CANONICAL,
    MAGIC,
    TRAILER,
    VERSION,
    padding,
)
from debruijn_gpu.io.compression.gzip_process import fast_crc32
from debruijn_gpu.io.kmer_sets.writing import SetWriter
from debruijn_gpu.run import progress


class _CountingStream:
    """Counts the bytes that are written to a stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.n_bytes = 0

    def write(self, data: bytes | memoryview) -> int:
        """Write bytes."""
        view = memoryview(data)
        self._stream.write(view)
        self.n_bytes += view.nbytes
        return view.nbytes

    def pad(self) -> None:
        """Write zeros up to a multiple of 8 bytes."""
        self.write(bytes(padding(self.n_bytes)))


def write_color_index(stream: BinaryIO, index: ColorIndex, threads: int = 1) -> None:
    """Write an index as ``.dbgc``; it may be larger than memory.

    Parameters
    ----------
    stream : BinaryIO
        Need not be seekable.
    index : ColorIndex
    threads : int
        That encode k-mers.
    """
    out = _CountingStream(stream)
    flags = IS_CANONICAL if index.canonical else 0
    out.write(sealed(HEADER.pack(MAGIC, BYTE_ORDER, VERSION, index.k, flags, 0)))
    n_kmer_bytes = _write_kmers(out, index, threads)
    checksums = _write_sets(out, index)
    names = json.dumps(list(index.names), ensure_ascii=True, separators=(",", ":")).encode()
    described = names + bytes(padding(len(names))) + index.n_kmers_of_sample.astype("<i8").tobytes()
    out.write(described)
    out.write(checksums)
    out.pad()
    sets = index.color_sets
    sizes = n_kmer_bytes, len(sets), len(sets.samples), len(index.names), len(names)
    out.write(sealed(TRAILER.pack(END_MAGIC, *sizes, zlib.crc32(described), zlib.crc32(checksums), 0)))


def _write_kmers(out: _CountingStream, index: ColorIndex, threads: int) -> int:
    """Write the k-mers as ``.dbgk``, block by block of their source; return the bytes."""
    start = out.n_bytes
    writer = SetWriter(out, index.k, index.canonical, threads=threads)  # type: ignore[arg-type]
    n_done = 0
    for codes, marks in index.parts():
        writer.add(codes, marks)
        n_done += len(marks)
        progress.update(n_done, len(index), "k-mers")
    writer.finish()
    n_bytes = out.n_bytes - start
    out.pad()
    return n_bytes


def _write_sets(out: _CountingStream, index: ColorIndex) -> bytes:
    """Write sizes and samples of the sets; return the checksums of their blocks."""
    checksums: list[int] = []
    crc32 = fast_crc32()
    for column in (index.color_sets.sizes, index.color_sets.samples):
        numbers = np.ascontiguousarray(column, "<u4")
        for start in range(0, len(numbers), BLOCK_BYTES // 4):
            block = numbers[start : start + BLOCK_BYTES // 4].view(np.uint8).data
            checksums.append(crc32(block, 0))
            out.write(block)
        out.pad()
    packed: NDArray[np.uint32] = np.array(checksums, "<u4")
    return packed.tobytes()


def sealed(record: bytes) -> bytes:
    """Replace the last four bytes of a record by the CRC-32 of those before."""
    content = record[:-CRC_BYTES]
    return content + zlib.crc32(content).to_bytes(CRC_BYTES, "little")
