"""Bytes of files: read when they are asked for, without a descriptor or a mapping that stays open, or in memory.

A command may read thousands of sets, while a process may hold few descriptors and mappings open; and pages of a mapping
count as memory of the process. A file that is truncated while it is mapped ends the process with a bus error (SIGBUS),
whatever is checked before; one that is read ends the command with exit code 66.
"""

from __future__ import annotations

import copy
import os
import stat
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FileAccessError, remedy
from debruijn_gpu.io.compression.inflating import MAGIC_BYTES, compression_of
from debruijn_gpu.io.opening import STANDARD_INPUT, Block, check_readable, display_name, read_blocks
from debruijn_gpu.io.reading_again import within_budget
from debruijn_gpu.run.buffers import aligned_array

Blocks: TypeAlias = Generator[Block, None, None]

_BLOCK_BYTES = 1 << 22
_WINDOW_BYTES = 1 << 16


class StoredBytes:
    """Part of a file; slices of it are read into memory. Safe to use from several threads.

    Parameters
    ----------
    path : str
        A regular file.
    descriptor : int, optional
        Of the file, if it is open and remains so. Without one, the file is opened for each slice.
    start, stop : int
        Bytes of the file; by default all.

    Raises
    ------
    FileAccessError
        If the file cannot be read, or is no longer the one that was opened first.
    """

    def __init__(self, path: str, descriptor: int | None = None, start: int = 0, stop: int | None = None) -> None:
        self._path = path
        self._descriptor = descriptor
        self._identity: tuple[int, ...] = ()
        with self._opened() as opened:
            info = os.fstat(opened)
        if descriptor is None:
            self._identity = _identity(info)
        self._start, self._stop = start, info.st_size if stop is None else stop

    def __len__(self) -> int:
        return self._stop - self._start

    def __getitem__(self, part: slice) -> NDArray[np.uint8]:
        start, stop, _ = part.indices(len(self))
        found = aligned_array(max(0, stop - start))
        view, at = found.data, self._start + start
        with self._opened() as opened:
            while len(view):
                n_read = os.preadv(opened, [view], at)
                if not n_read:
                    raise self._changed()
                view, at = view[n_read:], at + n_read
        return found

    def part(self, start: int, stop: int) -> StoredBytes:
        """Return the bytes start..stop of these, unread."""
        found = copy.copy(self)
        found._start, found._stop = self._start + start, self._start + stop
        return found

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """Open the file, if it is not open; errors name it."""
        descriptor = self._descriptor
        try:
            if descriptor is None:
                descriptor = os.open(self._path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
                if self._identity and _identity(os.fstat(descriptor)) != self._identity:
                    raise self._changed()
            yield descriptor
        except OSError as error:
            fix = remedy(error, "check that the file can be read")
            raise FileAccessError(f"{self._path}: {error.strerror or error}", fix) from error
        finally:
            if descriptor is not None and self._descriptor is None:
                os.close(descriptor)

    def _changed(self) -> FileAccessError:
        return FileAccessError(f"{self._path}: the file changed while it was read", "run again when it is whole")


def _identity(info: os.stat_result) -> tuple[int, ...]:
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


#: Bytes of a file, in memory or not; slices are in memory
Bytes: TypeAlias = NDArray[np.uint8] | StoredBytes


def stored_bytes(path: str) -> Bytes:
    """Return the bytes of a plain file as `StoredBytes`; load those of a stream or a compressed file into memory.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If the file is not there or cannot be read.
    FormatError
        If it is empty, or its compressed data are truncated or corrupt.
    OutOfMemoryError
        If what must be loaded takes more than the memory budget.
    """
    check_readable(path)
    if path == STANDARD_INPUT or not stat.S_ISREG(os.stat(path).st_mode):
        return _loaded_bytes(path)
    stored = StoredBytes(path)
    is_plain = compression_of(stored[:MAGIC_BYTES].tobytes()) is None
    return stored if is_plain else _loaded_bytes(path)


def _loaded_bytes(path: str) -> NDArray[np.uint8]:
    """Load a stream or a file, inflated if it is compressed; it counts towards the memory budget."""
    return bytes_of_blocks(read_blocks(path, _BLOCK_BYTES), display_name(path))


def bytes_of_blocks(blocks: Blocks, name: str) -> NDArray[np.uint8]:
    """Load the rest of a file, and close it; errors as `within_budget`.

    Parameters
    ----------
    blocks : generator of Block
    name : str
        Of the file, for messages.
    """
    with closing(blocks):
        return np.concatenate([block.buffer[block.start : block.end] for block in within_budget(blocks, name)])


def first_bytes(path: str, n_bytes: int) -> bytes:
    """Return the first bytes of a regular file, inflated if it is compressed; all of a shorter one.

    Raises
    ------
    DbgError
        As `stored_bytes`.
    """
    check_readable(path)
    head = StoredBytes(path)[: max(n_bytes, MAGIC_BYTES)].tobytes()
    if compression_of(head[:MAGIC_BYTES]) is not None:
        with closing(read_blocks(path, n_bytes)) as blocks:
            block = next(blocks)
        head = block.buffer[block.start : block.end].tobytes()
    return head[:n_bytes]


def part_of(data: Bytes, start: int, stop: int) -> Bytes:
    """Return some bytes, without reading them."""
    return data.part(start, stop) if isinstance(data, StoredBytes) else data[start:stop]


class Window:
    """Loads a few bytes at a time, at positions that mostly ascend: what follows them is read with them.

    Parameters
    ----------
    data : ndarray, dtype=uint8, or StoredBytes
    """

    def __init__(self, data: Bytes) -> None:
        self._data = data
        self._start = 0
        self._held = b""

    def load(self, start: int, stop: int) -> bytes:
        """Return the bytes start..stop; fewer at the end of the file."""
        if not self._start <= start <= stop <= self._start + len(self._held):
            self._start, self._held = start, self._data[start : max(stop, start + _WINDOW_BYTES)].tobytes()
        return self._held[start - self._start : stop - self._start]
