"""Reading of plain and compressed files in blocks, inflated by a thread of their own.

The compression is told by the content, never by the name. A block leaves room before its text, so that what
is left of the block before can be put in front of it without copying the block.
"""

from __future__ import annotations

import io
import lzma
import os
import queue
import select
import stat
import sys
import threading
import zlib
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from xopen import xopen

from debruijn_gpu import log
from debruijn_gpu.errors import DbgError, FileAccessError, FormatError, InputNotFoundError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STANDARD_INPUT = "-"

#: Bytes before the text of each block
HEADROOM = 1 << 16

_READ_BYTES = 1 << 18  # at once from a decompressor; this fits the L2 cache
_QUEUE_BLOCKS = 2
_POLL_MS = 100  # how soon a thread notices that nobody wants its blocks any more

_MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
_MAGIC |= {b"BZh%d%s" % (level, start): "bz2" for level in range(1, 10) for start in (b"1", b"\x17")}
_LONGEST_MAGIC = max(map(len, _MAGIC))


@dataclass(frozen=True)
class Block:
    """Some text of a file: ``buffer[start:end]``.

    Attributes
    ----------
    buffer : ndarray, dtype=uint8
        The text, and room before it.
    final : bool
        Whether the file ends here; the last block of a file may be empty.
    """

    buffer: NDArray[np.uint8]
    start: int
    end: int
    final: bool


class _Readable(Protocol):
    def readinto(self, buffer: memoryview, /) -> int: ...


def display_name(path: str) -> str:
    """The name of a file in messages."""
    return "standard input" if path == STANDARD_INPUT else path


def check_readable(path: str, may_be_empty: bool = False) -> None:
    """Raise what `read_blocks` would for a file that is missing, not readable or empty; read nothing."""
    if path == STANDARD_INPUT:
        return
    try:
        info = os.stat(path)
    except OSError as error:
        raise _access_error(path, error) from error
    if stat.S_ISDIR(info.st_mode):
        raise FileAccessError(f"{path}: is a directory", "name the files in it")
    if not os.access(path, os.R_OK):
        raise FileAccessError(f"{path}: Permission denied", "make it readable, or name another file")
    if stat.S_ISREG(info.st_mode) and info.st_size == 0 and not may_be_empty:
        raise _empty_file(path)


def read_blocks(path: str, block_bytes: int, may_be_empty: bool = False) -> Generator[Block, None, None]:
    """Read a file, or standard input (``-``), in blocks of `block_bytes`; the last one may be shorter.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If the file is not there or cannot be read.
    FormatError
        If it is empty and may not be, or its compressed data are truncated or corrupt.
    """
    stop = threading.Event()
    blocks: queue.Queue[Block | BaseException] = queue.Queue(_QUEUE_BLOCKS)
    source = _open(path, stop, may_be_empty)
    reader = threading.Thread(
        target=_fill, args=(blocks, path, source, block_bytes, may_be_empty, stop), name="dbg-reader", daemon=True
    )
    reader.start()
    try:
        final = False
        while not final:
            block = _get(blocks)
            if isinstance(block, BaseException):
                raise block
            final = block.final
            yield block
    finally:
        stop.set()
        while reader.is_alive():
            _drop_all(blocks)
            reader.join(_POLL_MS / 10000)
        source.close()


class _Source(io.RawIOBase):
    """A file descriptor whose reading ends when `stop` is set, even while a pipe has nothing to say."""

    def __init__(self, descriptor: int, owned: bool, stop: threading.Event) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._owned = owned
        self._stop = stop
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)
        self._head = b""

    def look_ahead(self, n_bytes: int) -> bytes:
        """The first `n_bytes` of the file, or all of a shorter one; they will be read again."""
        while len(self._head) < n_bytes:
            buffer = bytearray(n_bytes - len(self._head))
            n_read = self._read(memoryview(buffer))
            if not n_read:
                break
            self._head += buffer[:n_read]
        return self._head

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        if not self._head:
            return self._read(view)
        n_read = min(len(view), len(self._head))
        view[:n_read] = self._head[:n_read]
        self._head = self._head[n_read:]
        return n_read

    def _read(self, view: memoryview) -> int:
        while not self._poll.poll(_POLL_MS):
            if self._stop.is_set():
                return 0
        return os.readv(self._descriptor, [view])

    def close(self) -> None:
        if self._owned and not self.closed:
            os.close(self._descriptor)
        super().close()


def _open(path: str, stop: threading.Event, may_be_empty: bool) -> _Source:
    if path == STANDARD_INPUT:
        return _Source(0, False, stop)
    check_readable(path, may_be_empty)
    try:
        return _Source(os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)), True, stop)
    except OSError as error:
        raise _access_error(path, error) from error


def _get(blocks: queue.Queue[Block | BaseException]) -> Block | BaseException:
    """The next block. Waits in short turns: an interrupt that comes just before a wait would else not end it."""
    while True:
        with suppress(queue.Empty):
            return blocks.get(timeout=_POLL_MS / 1000)


def _drop_all(blocks: queue.Queue[Block | BaseException]) -> None:
    with suppress(queue.Empty):
        while True:
            blocks.get_nowait()


def _fill(
    blocks: queue.Queue[Block | BaseException],
    path: str,
    source: _Source,
    block_bytes: int,
    may_be_empty: bool,
    stop: threading.Event,
) -> None:
    """Put the blocks of a file into the queue, or the error that ended it: the reader thread."""
    try:
        for block in _inflate(path, source, block_bytes, may_be_empty):
            if not _put(blocks, block, stop):
                return
    except BaseException as error:  # the consumer raises it
        _put(blocks, error, stop)


def _put(blocks: queue.Queue[Block | BaseException], block: Block | BaseException, stop: threading.Event) -> bool:
    """Whether the block could be handed over before `stop` was set."""
    while not stop.is_set():
        with suppress(queue.Full):
            blocks.put(block, timeout=_POLL_MS / 1000)
            return True
    return False


def _inflate(path: str, source: _Source, block_bytes: int, may_be_empty: bool) -> Iterator[Block]:
    n_text, final = 0, False
    try:
        stream = _decompressor(path, source, may_be_empty)
        while not final:
            buffer = np.empty(HEADROOM + block_bytes, np.uint8)
            room = buffer.data[HEADROOM:]
            n_filled = 0
            with log.cpu_time("inflate"):
                while n_filled < block_bytes and not final:
                    n_new = stream.readinto(room[n_filled : n_filled + _READ_BYTES])
                    n_filled += n_new
                    n_text += n_new
                    final = n_new == 0
            yield Block(buffer, HEADROOM, HEADROOM + n_filled, final)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError) as error:
        raise _read_error(path, error, n_text) from error


def _decompressor(path: str, source: _Source, may_be_empty: bool) -> _Readable:
    """The file itself, or what inflates it."""
    head = source.look_ahead(_LONGEST_MAGIC)
    if not head and not may_be_empty:
        raise _empty_file(path)
    for magic, compression in _MAGIC.items():
        if head.startswith(magic):
            buffered = io.BufferedReader(source, _READ_BYTES)
            return cast(_Readable, xopen(buffered, "rb", threads=0, format=compression))
    return source


def _read_error(path: str, error: Exception, n_text: int) -> DbgError:
    """What went wrong when `n_text` bytes of text had been read."""
    if isinstance(error, OSError) and error.errno is not None:
        return _access_error(path, error)
    kind = "truncated" if isinstance(error, EOFError) else "corrupt"
    return FormatError(
        f"{display_name(path)}: the compressed data are {kind} after {n_text:,} bytes of text",
        "copy or download the file again",
    )


def _access_error(path: str, error: OSError) -> DbgError:
    what = f"{display_name(path)}: {error.strerror or error}"
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return InputNotFoundError(what, "check the name of the file")
    return FileAccessError(what, "check that the file can be read")


def _empty_file(path: str) -> FormatError:
    return FormatError(f"{display_name(path)}: the file is empty", "check how it was made, or leave it out")
