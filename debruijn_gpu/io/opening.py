"""Reading of plain and compressed files in blocks, read and inflated by a thread of their own, or by several.

The compression is told by the content, never by the name. A block leaves room before its text, so that what
is left of the block before can be put in front of it without copying the block.
"""

from __future__ import annotations

import os
import queue
import stat
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from contextvars import copy_context
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import DbgError, FileAccessError, FormatError, InputNotFoundError, remedy
from debruijn_gpu.io.compression import parallel_gzip
from debruijn_gpu.io.compression.inflating import (
    MAGIC_BYTES,
    READ_BYTES,
    AlienDataError,
    SerialText,
    compression_of,
    damages,
    inflated,
)
from debruijn_gpu.io.compression.parallel_gzip import GzipProcess, ParallelGzip, Stream
from debruijn_gpu.io.sources import POLL_MS, PlainFile, Source
from debruijn_gpu.run import log, progress, repeatable
from debruijn_gpu.run.buffers import aligned_array
from debruijn_gpu.run.resources import allowed_cpus

#: Gives memory for so many bytes
Allocate: TypeAlias = Callable[[int], NDArray[np.uint8]]

STANDARD_INPUT = "-"

#: Bytes before the text of each block
HEADROOM = 1 << 16

_QUEUE_BLOCKS = 2
_MOST_INFLATION = 64  # blocks are not larger than a small file is likely to need


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


def display_name(path: str) -> str:
    """The name of a file in messages."""
    return "standard input" if path == STANDARD_INPUT else path


def check_readable(path: str, may_be_empty: bool = False) -> None:
    """Raise the errors of `read_blocks` for a missing, unreadable or empty file, without reading it."""
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


@dataclass(frozen=True)
class _Reading:
    """Options of reading a file; see `read_blocks`."""

    path: str
    block_bytes: int
    may_be_empty: bool
    allocate: Allocate
    threads: int
    stop: threading.Event
    step: progress.Step


def read_blocks(
    path: str,
    block_bytes: int,
    may_be_empty: bool = False,
    allocate: Allocate = aligned_array,
    threads: int = 1,
) -> Generator[Block, None, None]:
    """Read a file, or standard input (``-``), in blocks.

    Parameters
    ----------
    path : str
    block_bytes : int
        Bytes of text in each block, but the last one; fewer where the file is known to be small.
    may_be_empty : bool
    allocate : callable
        Gives the memory of each block, which is never written to again; see `ReadBackend.host_buffer`.
    threads : int
        Threads that may inflate. A file that is not compressed is read by up to four at any rate.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If the file is not there or cannot be read.
    FormatError
        If it is empty and may not be, or its compressed data are truncated or corrupt.
    """
    yield from begin_reading(path, block_bytes, may_be_empty, allocate, threads)


def begin_reading(
    path: str,
    block_bytes: int,
    may_be_empty: bool = False,
    allocate: Allocate = aligned_array,
    threads: int = 1,
) -> Generator[Block, None, None]:
    """Return the blocks of `read_blocks`, and begin to read the first ones."""
    stop = threading.Event()
    step = progress.current()
    source = _open(path, stop, may_be_empty, step)
    blocks = _blocks(source, _Reading(path, block_bytes, may_be_empty, allocate, threads, stop, step))
    next(blocks)
    return blocks


def _blocks(source: Source, reading: _Reading) -> Generator[Block, None, None]:
    """Yield an empty block once a thread reads, and then those of a file."""
    blocks: queue.Queue[Block | BaseException] = queue.Queue(_QUEUE_BLOCKS)
    work = (_fill, blocks, source, reading)
    reader = threading.Thread(target=copy_context().run, args=work, name="dbg-reader", daemon=True)
    reader.start()
    try:
        final = False
        yield Block(np.empty(0, np.uint8), 0, 0, final)
        while not final:
            block = _get(blocks)
            if isinstance(block, BaseException):
                raise block
            final = block.final
            yield block
    finally:
        reading.stop.set()
        while reader.is_alive():
            _drop_all(blocks)
            reader.join(POLL_MS / 10000)
        source.close()


def _open(path: str, stop: threading.Event, may_be_empty: bool, step: progress.Step) -> Source:
    if path == STANDARD_INPUT:
        source = Source(0, False, stop, step)
    else:
        check_readable(path, may_be_empty)
        try:
            source = Source(os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)), True, stop, step)
        except OSError as error:
            raise _access_error(path, error) from error
    size = _regular_size(source)
    if path == STANDARD_INPUT or not size:
        repeatable.note_used_up(display_name(path))
    step.open_file(size)
    return source


def _get(blocks: queue.Queue[Block | BaseException]) -> Block | BaseException:
    """The next block. Waits in short turns: an interrupt that comes just before a wait would else not end it."""
    while True:
        with suppress(queue.Empty):
            return blocks.get(timeout=POLL_MS / 1000)


def _drop_all(blocks: queue.Queue[Block | BaseException]) -> None:
    with suppress(queue.Empty):
        while True:
            blocks.get_nowait()


def _fill(blocks: queue.Queue[Block | BaseException], source: Source, reading: _Reading) -> None:
    """Put the blocks of a file into the queue, or the error that ended it: the reader thread."""
    try:
        for block in _read_text(source, reading):
            if not _put(blocks, block, reading.stop):
                return
    except BaseException as error:  # the consumer raises it
        _put(blocks, error, reading.stop)


def _put(blocks: queue.Queue[Block | BaseException], block: Block | BaseException, stop: threading.Event) -> bool:
    """Whether the block could be handed over before `stop` was set."""
    while not stop.is_set():
        with suppress(queue.Full):
            blocks.put(block, timeout=POLL_MS / 1000)
            return True
    return False


def _read_text(source: Source, reading: _Reading) -> Iterator[Block]:
    stream: Stream | None = None
    try:
        stream = _open_text(source, reading)
        block_bytes = _block_bytes(source, reading.block_bytes, stream)
        final = False
        with closing(stream):
            while not final:
                buffer = reading.allocate(HEADROOM + block_bytes)
                with log.busy(stream.part):
                    n_filled = stream.fill(buffer.data[HEADROOM:])
                final = n_filled < block_bytes
                yield Block(buffer, HEADROOM, HEADROOM + n_filled, final)
    except damages() as error:
        raise _read_error(reading.path, error, stream.n_text if stream else 0) from error


def _block_bytes(source: Source, wanted: int, stream: Stream) -> int:
    """The size of blocks: memory from a backend may be dear, so no more of it than the file can fill."""
    size = _regular_size(source)
    if size and isinstance(stream, PlainFile):
        return min(wanted, size + 1)
    return min(wanted, READ_BYTES * -(-size * _MOST_INFLATION // READ_BYTES)) if size else wanted


def _regular_size(source: Source) -> int:
    """Return the size of a regular file; 0 for other and closed files."""
    try:
        info = os.fstat(source.descriptor)
    except OSError:  # reading says so
        return 0
    return info.st_size if stat.S_ISREG(info.st_mode) else 0


def _open_text(source: Source, reading: _Reading) -> Stream:
    """Return the file itself, or a decompressor of it."""
    head = source.look_ahead(MAGIC_BYTES)
    if not head and not reading.may_be_empty:
        raise _empty_file(reading.path)
    compression = compression_of(head)
    if compression is None:
        on_disk = reading.path != STANDARD_INPUT and _regular_size(source)
        return PlainFile(source.descriptor, allowed_cpus(), reading.step) if on_disk else SerialText(source, "read")
    if (
        compression == "gz"
        and reading.path != STANDARD_INPUT
        and parallel_gzip.pays(source.descriptor, reading.threads)
    ):
        with suppress(OSError):  # no room for another process
            process = GzipProcess(source.descriptor, reading.threads, reading.stop)
            plainly = lambda: inflated(source.again(), "gz")  # noqa: E731
            return ParallelGzip(reading.path, process, plainly, reading.stop, reading.step)
    return inflated(source, compression)


def _read_error(path: str, error: Exception, n_text: int) -> DbgError:
    """Build the error of a decompressor after `n_text` bytes of text."""
    if isinstance(error, OSError) and error.errno is not None:
        return _access_error(path, error)
    kind = "truncated" if isinstance(error, EOFError) else "corrupt"
    what = f"are {kind} after {n_text:,} bytes of text"
    if isinstance(error, AlienDataError):
        what = f"end after {n_text:,} bytes of text, and something else follows"
    return FormatError(f"{display_name(path)}: the compressed data {what}", "copy or download the file again")


def _access_error(path: str, error: OSError) -> DbgError:
    what = f"{display_name(path)}: {error.strerror or error}"
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return InputNotFoundError(what, "check the name of the file")
    return FileAccessError(what, remedy(error, "check that the file can be read"))


def _empty_file(path: str) -> FormatError:
    return FormatError(f"{display_name(path)}: the file is empty", "check how it was made, or leave it out")
