"""Decompress one gzip file with several threads, or with one if their output fails verification."""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.io.compression import gzip_process
from debruijn_gpu.io.sources import Source
from debruijn_gpu.run import log, progress
from debruijn_gpu.run.resources import note_child
from debruijn_gpu.run.tuning import tuning

#: With fewer threads, or on a file below `Tuning.parallel_gzip_bytes`, one thread with isal is as fast: rapidgzip does
#: five times its work, and its output passes through a pipe.
LEAST_THREADS = 12

_PIPE_BYTES = 1 << 20
_SET_PIPE_BYTES: int | None = getattr(fcntl, "F_SETPIPE_SZ", None)  # on Linux


class Stream(Protocol):
    """The text of a file, from its beginning on.

    Attributes
    ----------
    part : str
        What getting it is called in the log.
    n_text : int
        Bytes given so far.
    """

    part: str
    n_text: int

    def fill(self, room: memoryview) -> int:
        """Write text until the room is full, or there is no more; number of bytes."""

    def close(self) -> None:
        """Release all resources but the source."""


def pays(descriptor: int, threads: int) -> bool:
    """Return whether inflating a file in parallel is faster."""
    info = os.fstat(descriptor)
    return (
        threads >= LEAST_THREADS
        and stat.S_ISREG(info.st_mode)
        and info.st_size >= tuning().parallel_gzip_bytes
        and bool(sys.executable)
        and find_spec("rapidgzip") is not None
    )


class GzipProcess:
    """Runs `gzip_process`; a file to read from."""

    def __init__(self, descriptor: int, threads: int, stop: threading.Event) -> None:
        spec = find_spec("rapidgzip")
        if spec is None or spec.origin is None:
            raise OSError("rapidgzip is not installed")
        import subprocess

        program = [sys.executable, "-I", "-S", gzip_process.__file__]
        self._process = subprocess.Popen(
            [*program, str(descriptor), str(threads), str(Path(spec.origin).parent)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(descriptor,),
            bufsize=0,
        )
        note_child(self._process.pid)
        self._descriptor = descriptor
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        if _SET_PIPE_BYTES is not None:
            with suppress(OSError):  # more than this user may have
                fcntl.fcntl(pipe, _SET_PIPE_BYTES, _PIPE_BYTES)
        self._source = Source(pipe, False, stop)

    def fill(self, room: memoryview) -> int:
        """Read until the buffer is full or the process has ended its output."""
        n_filled = 0
        while n_filled < len(room) and (n_new := self._source.readinto(room[n_filled:])):
            n_filled += n_new
        return n_filled

    def position(self) -> int:
        """Return the number of compressed bytes behind the output so far, or slightly more."""
        return os.lseek(self._descriptor, 0, os.SEEK_CUR)

    def end(self, kill: bool = False) -> bool:
        """Wait for the end of the process; return whether it verified its output."""
        process = self._process
        if process.returncode is None:
            if kill:
                process.kill()
            process.returncode = self._wait()
            assert process.stdout is not None
            process.stdout.close()
        return process.returncode == gzip_process.PROVED

    def _wait(self) -> int:
        """The exit code; notes the CPU seconds."""
        try:
            _, status, usage = os.wait4(self._process.pid, 0)
        except ChildProcessError:  # nobody can tell where SIGCHLD is ignored
            return 1
        log.add_cpu_time("inflate", usage.ru_utime + usage.ru_stime)
        return os.waitstatus_to_exitcode(status)


class ParallelGzip:
    """A gzip file inflated by several threads; if they fail, or cannot prove what they gave, by one from the
    beginning, without what was given already. Errors are those of the one."""

    part = "inflate"

    def __init__(
        self,
        name: str,
        process: GzipProcess,
        open_plainly: Callable[[], Stream],
        stop: threading.Event,
        step: progress.Step | None = None,
    ) -> None:
        self.n_text = 0
        self._step = step
        self._n_compressed = 0
        self._name = name
        self._process: GzipProcess | None = process
        self._open_plainly = open_plainly
        self._plain: Stream | None = None
        self._stop = stop
        self._crc32 = gzip_process.fast_crc32()
        self._crc = 0

    def fill(self, room: memoryview) -> int:
        """See `Stream.fill`."""
        if self._plain is not None:
            return self._fill_plainly(self._plain, room)
        assert self._process is not None
        n_filled = self._process.fill(room)
        if n_filled < len(room) and not self._stop.is_set() and not self._process.end():
            log.logger.debug("%s: cannot be inflated by several threads, so one begins anew", self._name)
            self._plain = self._open_plainly()
            self._skip(self._plain, len(room))
            return self._fill_plainly(self._plain, room)
        self._crc = self._crc32(room[:n_filled], self._crc)
        self.n_text += n_filled
        if self._step is not None:
            position = self._process.position()
            self._step.add_bytes(position - self._n_compressed)
            self._n_compressed = position
        return n_filled

    def _fill_plainly(self, plain: Stream, room: memoryview) -> int:
        try:
            return plain.fill(room)
        finally:
            self.n_text = plain.n_text

    def _skip(self, plain: Stream, room_bytes: int) -> None:
        """Inflate once more what was given, in rooms of the same size, so that an error is found at the same place."""
        room, crc, n_given = memoryview(bytearray(room_bytes)), 0, self.n_text
        while plain.n_text < n_given and not self._stop.is_set():
            n_filled = self._fill_plainly(plain, room)
            crc = self._crc32(room[:n_filled], crc)
            if n_filled < room_bytes:
                break
        if (crc, plain.n_text) != (self._crc, n_given) and not self._stop.is_set():
            raise FileAccessError(f"{self._name}: the file changed while it was read", "try again when it is whole")

    def close(self) -> None:
        """See `Stream.close`."""
        if self._process is not None:
            self._process.end(kill=True)
        if self._plain is not None:
            self._plain.close()
