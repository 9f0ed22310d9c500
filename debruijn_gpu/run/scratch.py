"""Arrays that do not fit into memory, in one temporary file without a name.

Disks and memory of network file systems lose bits now and then, and a result must not be made of what they return: each
part of an array has a checksum, which is compared whenever the part is read. Integers are packed (`run.byte_planes`)
where a sample of them becomes a fifth smaller; then each block of a part has a checksum, which is compared before the
block is unpacked. Packed bases do not become smaller.
"""

from __future__ import annotations

import os
import tempfile
import threading
import zlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.run import byte_planes
from debruijn_gpu.run.buffers import aligned_array

_WRITTEN_AT_ONCE = 64 << 20  # so that an interrupt is heard while a slow disk writes
_PACKED_AT_ONCE = 1 << 20  # bytes of blocks that are written at once
_SAMPLE = 1 << 12  # integers
_LEAST_MEAN = 1 << 8  # integers of a part, on average: blocks of fewer take time for little
_LEAST_SAVED = 0.2


@dataclass(frozen=True)
class ScratchArray:
    """Position of an array in the scratch file, and the checksums of its parts.

    Attributes
    ----------
    offset : int
        In bytes.
    size : int
        Number of elements.
    dtype : dtype
    edges : ndarray, dtype=int64, shape=(n_parts + 1,)
        Elements at which parts begin; the last one is ``size``.
    checksums : ndarray, dtype=uint32, shape=(n_parts,) or (n_blocks,)
        CRC-32 of each part, or block.
    blocks : PackedBlocks, optional
        Where the array is packed; the offset is not used then.
    """

    offset: int
    size: int
    dtype: Any
    edges: NDArray[np.int64]
    checksums: NDArray[np.uint32]
    blocks: PackedBlocks | None = None


@dataclass(frozen=True)
class PackedBlocks:
    """Positions of the blocks of a packed array in the scratch file.

    Attributes
    ----------
    firsts : ndarray, dtype=int64, shape=(n_parts + 1,)
        First block of each part.
    starts : ndarray, dtype=int64, shape=(n_blocks + 1,)
        Elements at which blocks begin.
    offsets, sizes : ndarray, dtype=int64, shape=(n_blocks,)
        In bytes.
    """

    firsts: NDArray[np.int64]
    starts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]


class ScratchFile:
    """A temporary file of arrays; it has no name, so that nothing is left behind however the run ends.

    Raises
    ------
    FileAccessError
        When made or written, if there is no such directory or no space in it.
    """

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory or Path(tempfile.gettempdir())
        try:
            self._file = tempfile.TemporaryFile(dir=directory)  # noqa: SIM115 - lives as long as this object
        except OSError as error:
            raise self._error(error) from error
        self.n_bytes = 0
        self._lock = threading.Lock()

    def write(self, array: NDArray[Any], edges: NDArray[np.integer] | None = None) -> ScratchArray:
        """Append a one-dimensional array. Safe to call from several threads.

        Parameters
        ----------
        array : ndarray, shape=(n,)
        edges : ndarray, dtype=integer, shape=(n_parts + 1,), optional
            Elements at which parts begin that are read on their own, ascending from 0 to n. Default: one part.
        """
        parts: NDArray[np.int64] = np.array([0, array.size] if edges is None else edges, np.int64)
        if _shrinks(array, parts):
            return self._write_packed(array, parts)
        view = array.view(np.uint8).data
        ends = (parts * array.itemsize).tolist()
        checksums = np.array([zlib.crc32(view[begin:end]) for begin, end in pairwise(ends)], np.uint32)
        return ScratchArray(self._append(view), array.size, array.dtype, parts, checksums)

    def _write_packed(self, array: NDArray[Any], parts: NDArray[np.int64]) -> ScratchArray:
        """Append an array in packed blocks of its parts."""
        n_blocks = -(-np.diff(parts) // byte_planes.MOST_AT_ONCE)
        firsts = np.concatenate(([0], np.cumsum(n_blocks)))
        starts = np.append(
            np.repeat(parts[:-1] - byte_planes.MOST_AT_ONCE * firsts[:-1], n_blocks)
            + byte_planes.MOST_AT_ONCE * np.arange(firsts[-1]),
            array.size,
        )
        offsets, sizes = np.empty((2, firsts[-1]), np.int64)
        checksums = np.empty(firsts[-1], np.uint32)
        waiting: list[bytes] = []
        for i, (start, stop) in enumerate(pairwise(starts.tolist())):
            waiting.append(byte_planes.pack(array[start:stop]))
            sizes[i], checksums[i] = len(waiting[-1]), zlib.crc32(waiting[-1])
            if sum(map(len, waiting)) >= _PACKED_AT_ONCE or i + 1 == len(sizes):
                some = slice(i + 1 - len(waiting), i + 1)
                offsets[some] = self._append(memoryview(b"".join(waiting))) + np.cumsum(sizes[some]) - sizes[some]
                waiting = []
        blocks = PackedBlocks(firsts, starts, offsets, sizes)
        return ScratchArray(0, array.size, array.dtype, parts, checksums, blocks)

    def _append(self, view: memoryview) -> int:
        """Write bytes behind all others, and return their offset."""
        with self._lock:
            offset = self.n_bytes
            self.n_bytes += len(view)
        try:
            for begin in range(0, len(view), _WRITTEN_AT_ONCE):
                self._write(view[begin : begin + _WRITTEN_AT_ONCE], offset + begin)
        except OSError as error:
            raise self._error(error) from error
        return offset

    def _write(self, view: memoryview, offset: int) -> None:
        while len(view):
            n_written = os.pwrite(self._file.fileno(), view, offset)
            view, offset = view[n_written:], offset + n_written

    def read_into(self, place: ScratchArray, start: int, target: NDArray[Any]) -> None:
        """Fill ``target`` with the elements from ``start`` on, whole parts. Safe to call from several threads.

        Raises
        ------
        FileAccessError
            If the file cannot be read, is shorter than what was written, or holds something else.
        """
        first, last = np.searchsorted(place.edges, (start, start + target.size)).tolist()
        if [*place.edges[first : first + 1], *place.edges[last : last + 1]] != [start, start + target.size]:
            raise ValueError(f"elements {start} to {start + target.size} are not whole parts of a scratch array")
        if place.blocks is not None:
            self._read_packed(place, place.blocks, range(*place.blocks.firsts[[first, last]].tolist()), target)
            return
        itemsize = place.dtype.itemsize
        view = target.view(np.uint8).data
        self._read(view, place.offset + start * itemsize)
        ends = ((place.edges[first : last + 1] - start) * itemsize).tolist()
        for part, (begin, end) in enumerate(pairwise(ends), first):
            self._check(view[begin:end], place.checksums[part])

    def _read_packed(self, place: ScratchArray, blocks: PackedBlocks, numbers: range, target: NDArray[Any]) -> None:
        """Fill ``target`` with consecutive blocks."""
        at = 0
        for i in numbers:
            packed = aligned_array(blocks.sizes[i])
            self._read(packed.data, int(blocks.offsets[i]))
            self._check(packed.data, place.checksums[i])
            n = int(blocks.starts[i + 1] - blocks.starts[i])
            byte_planes.unpack_into(packed, target[at : at + n])
            at += n

    def _read(self, view: memoryview, offset: int) -> None:
        """Fill a view with the bytes from an offset on."""
        while len(view):
            try:
                n_read = os.preadv(self._file.fileno(), [view], offset)
            except OSError as error:
                raise self._error(error) from error
            if n_read == 0:
                raise self._damage("it is shorter than what was written to it")
            view, offset = view[n_read:], offset + n_read

    def _check(self, view: memoryview, checksum: np.uint32) -> None:
        """Raise an error if bytes have another checksum."""
        if zlib.crc32(view) != checksum:
            raise self._damage("what it returns is not what was written to it")

    def _error(self, error: OSError) -> FileAccessError:
        return FileAccessError(
            f"{self._directory}: temporary file: {error.strerror or error}",
            "choose a place with more space (--tmp-dir), or allow more memory (-m)",
        )

    def _damage(self, what: str) -> FileAccessError:
        return FileAccessError(
            f"{self._directory}: temporary file: {what}",
            "check this disk, or choose another place (--tmp-dir), and run again",
        )

    def close(self) -> None:
        """Give the space back."""
        self._file.close()


def _shrinks(array: NDArray[Any], parts: NDArray[np.int64]) -> bool:
    """Return whether an array has large enough parts, and packing saves a fifth of a sample."""
    if not byte_planes.is_packable(array.dtype) or array.size < max(1, _LEAST_MEAN * (len(parts) - 1)):
        return False
    longest = int(np.argmax(np.diff(parts)))
    sample = array[parts[longest] : min(parts[longest] + _SAMPLE, parts[longest + 1])]
    return len(byte_planes.pack(sample)) <= (1 - _LEAST_SAVED) * sample.nbytes
