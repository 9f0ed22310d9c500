"""Bytes of a file as they are: read by one thread, or by several where that is faster."""

from __future__ import annotations

import io
import os
import select
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from debruijn_gpu.run import progress
from debruijn_gpu.run.parallel import split_range
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

POLL_MS = 100  # how soon a thread notices that nobody wants its blocks any more

_MOST_THREADS = 4  # 6.5 GB/s with one, 17 with four: more than what takes the text can use


class Source(io.RawIOBase):
    """A file descriptor whose reading ends when `stop` is set, even while a pipe has nothing to say; the step, if there
    is one, is told of what is read."""

    def __init__(self, descriptor: int, owned: bool, stop: threading.Event, step: progress.Step | None = None) -> None:
        super().__init__()
        self.descriptor = descriptor
        self._owned = owned
        self._stop = stop
        self._step = step
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

    def again(self) -> Source:
        """The same file from its beginning; who shares the descriptor may have moved it."""
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        self._head = b""
        return self

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

    def readinto1(self, buffer: WriteableBuffer) -> int:
        """Read once."""
        return self.readinto(buffer)

    def _read(self, view: memoryview) -> int:
        while not self._poll.poll(POLL_MS):
            if self._stop.is_set():
                return 0
        n_read = os.readv(self.descriptor, [view])
        if self._step is not None:
            self._step.add_bytes(n_read)
        return n_read

    def close(self) -> None:
        if self._owned and not self.closed:
            os.close(self.descriptor)
        super().close()


class PlainFile:
    """A file on a disk from its beginning, read by several threads in large intervals.

    Parameters
    ----------
    descriptor, threads : int
    step : Step, optional
        Is told of what is read.

    Attributes
    ----------
    n_text : int
        Bytes read so far.
    """

    part = "read"

    def __init__(self, descriptor: int, threads: int, step: progress.Step | None = None) -> None:
        self.n_text = 0
        self._descriptor = descriptor
        self._step = step
        self._threads = min(threads, _MOST_THREADS)
        self._pool: ThreadPoolExecutor | None = None

    def fill(self, room: memoryview) -> int:
        """Read until the room is full, or the file ends; number of bytes."""
        slices = split_range(len(room), min(self._threads, len(room) // tuning().slice_bytes))
        if len(slices) > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads - 1, thread_name_prefix="dbg-read")
        waiting = [self._pool.submit(self._read, room, *interval) for interval in slices[1:]] if self._pool else []
        n_read = self._read(room, *slices[0])
        whole = n_read == slices[0][1]
        for (start, end), result in zip(slices[1:], waiting, strict=True):
            n_new = result.result()
            n_read += n_new if whole else 0  # what is behind the end that was seen was not there yet
            whole = whole and n_new == end - start
        self.n_text += n_read
        return n_read

    def _read(self, room: memoryview, start: int, end: int) -> int:
        """Read a part of the room; fewer bytes where the file ends."""
        at = start
        while at < end:
            n_new = os.preadv(self._descriptor, [room[at:end]], self.n_text + at)
            if not n_new:
                break
            at += n_new
            if self._step is not None:
                self._step.add_bytes(n_new)
        return at - start

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
