"""Arrays that do not fit into memory, in one temporary file without a name.

Disks and memory of network file systems lose bits now and then, and a result must not be made of what they return: each
part of an array has a checksum, which is compared whenever the part is read.
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

_WRITTEN_AT_ONCE = 64 << 20  # so that an interrupt is heard while a slow disk writes


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
    checksums : ndarray, dtype=uint32, shape=(n_parts,)
        CRC-32 of each part.
    """

    offset: int
    size: int
    dtype: Any
    edges: NDArray[np.int64]
    checksums: NDArray[np.uint32]


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
        view = array.view(np.uint8).data
        ends = (parts * array.itemsize).tolist()
        checksums = np.array([zlib.crc32(view[begin:end]) for begin, end in pairwise(ends)], np.uint32)
        with self._lock:
            offset = self.n_bytes
            self.n_bytes += array.nbytes
        try:
            for begin in range(0, len(view), _WRITTEN_AT_ONCE):
                self._write(view[begin : begin + _WRITTEN_AT_ONCE], offset + begin)
        except OSError as error:
            raise self._error(error) from error
        return ScratchArray(offset, array.size, array.dtype, parts, checksums)

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
        itemsize = place.dtype.itemsize
        view, offset = target.view(np.uint8).data, place.offset + start * itemsize
        while len(view):
            try:
                n_read = os.preadv(self._file.fileno(), [view], offset)
            except OSError as error:
                raise self._error(error) from error
            if n_read == 0:
                raise self._damage("it is shorter than what was written to it")
            view, offset = view[n_read:], offset + n_read
        first, last = np.searchsorted(place.edges, (start, start + target.size))
        if [*place.edges[first : first + 1], *place.edges[last : last + 1]] != [start, start + target.size]:
            raise ValueError(f"elements {start} to {start + target.size} are not whole parts of a scratch array")
        view = target.view(np.uint8).data
        ends = ((place.edges[first : last + 1] - start) * itemsize).tolist()
        for part, (begin, end) in enumerate(pairwise(ends), first):
            if zlib.crc32(view[begin:end]) != place.checksums[part]:
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
