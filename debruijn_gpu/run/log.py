"""Logging and the stages of a run: time, rate, CPU seconds and memory of each.

Everything goes to the logger ``dbg``; `configure` decides what reaches stderr and the log file. Results never
pass through here.
"""

from __future__ import annotations

import logging
import platform
import shlex
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.run import progress
from debruijn_gpu.run.plain_text import one_line
from debruijn_gpu.run.resources import cpu_seconds, format_bytes, peak_memory
from debruijn_gpu.version import __version__

if TYPE_CHECKING:
    from typing import TextIO

    _StreamHandler = logging.StreamHandler[TextIO]
else:
    _StreamHandler = logging.StreamHandler  # Python 3.10 knows no parameters of it

logger = logging.getLogger("dbg")

_RATED_ITEMS = 100_000  # a rate of fewer items tells nothing


class _Handler(_StreamHandler):
    """Prints to stderr, above the bar where there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        if not progress.print_line(self.format(record)):
            super().emit(record)


@dataclass
class Share:
    """How long one thread at least was in a step."""

    wall_s: float = 0.0
    threads: int = 0  # that are in it now
    since: float = 0.0


@dataclass
class Stage:
    """One stage of the run, as reported when it ends."""

    name: str
    items: int = 0
    unit: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    compile_s: float = 0.0  # of the wall time, for compiling kernels in their first run
    parts: dict[str, float] = field(default_factory=dict)  # CPU seconds of its steps, all threads together
    shares: dict[str, Share] = field(default_factory=dict)  # of the wall time, for steps beside the others
    step: progress.Step | None = None  # while it runs

    def progress(self, done: int, total: int = 0) -> None:
        """Say how far the stage is, in its unit, for the bar on a terminal; a total of 0 is not known."""
        if self.step is not None:
            self.step.update(done, total, self.unit)

    def __str__(self) -> str:
        text = self.name
        if self.items:
            text += f": {self.items:,} {self.unit}"
        text += f" in {self.wall_s:.2f} s"
        if self.compile_s >= 0.1:
            text += f", of them {self.compile_s:.2f} s compiling"
        elif self.items >= _RATED_ITEMS and self.wall_s > 0:
            text += f" ({self.items / self.wall_s / 1e6:.1f} M/s)"
        return text


_stages: list[Stage] = []
_lock = threading.Lock()
_started = time.perf_counter()


@contextmanager
def stage(name: str, items: int = 0, unit: str = "") -> Iterator[Stage]:
    """Time a stage; the caller may set ``items``, ``unit`` and ``name`` of what it gets."""
    entry = Stage(name, items, unit)
    _stages.append(entry)
    wall, cpu = time.perf_counter(), cpu_seconds()
    entry.step = step = progress.start(name)
    try:
        yield entry
    finally:
        progress.stop(step)
    entry.wall_s, entry.cpu_s = time.perf_counter() - wall, cpu_seconds() - cpu
    logger.info("%s", entry)
    parts = "".join(f", {part} {seconds:.2f}" for part, seconds in sorted(entry.parts.items()))
    logger.debug(
        "  %.2f CPU s%s; peak memory %s", entry.cpu_s, parts and f" (of them{parts[1:]})", format_bytes(peak_memory())
    )
    for part, share in sorted(entry.shares.items()):
        seconds = entry.parts.get(part, 0.0)
        logger.debug("  %s: %.2f CPU s, %.2f s of the %.2f s", part, seconds, share.wall_s, entry.wall_s)


def note_compiling(seconds: float) -> None:
    """Add to the time that the current stage spent compiling."""
    with _lock:
        if _stages:
            _stages[-1].compile_s += seconds


@contextmanager
def cpu_time(part: str) -> Iterator[None]:
    """Add this thread's CPU seconds to a part of the current stage."""
    start = time.thread_time()
    yield
    add_cpu_time(part, time.thread_time() - start)


def add_cpu_time(part: str, seconds: float) -> None:
    """Add CPU seconds to a part of the current stage."""
    with _lock:
        if _stages:
            parts = _stages[-1].parts
            parts[part] = parts.get(part, 0.0) + seconds


@contextmanager
def busy(part: str) -> Iterator[None]:
    """Add this thread's CPU seconds to a part of the current stage, and the time to its share: that in which one thread
    or more were in it, so that a stage tells whether it had to wait for this part."""
    with _lock:
        share = _stages[-1].shares.setdefault(part, Share()) if _stages else Share()
        if not share.threads:
            share.since = time.perf_counter()
        share.threads += 1
    try:
        with cpu_time(part):
            yield
    finally:
        with _lock:
            share.threads -= 1
            if not share.threads:
                share.wall_s += time.perf_counter() - share.since


def log_start(paths: Sequence[str]) -> None:
    """Note in the log what is run on what, and where."""
    logger.debug("dbg %s, Python %s, on %s", __version__, platform.python_version(), platform.platform())
    logger.debug("command: %s", shlex.join(["dbg", *sys.argv[1:]]))
    logger.debug("input: %s", ", ".join(paths))


def log_end() -> None:
    """Note the sums over all stages."""
    logger.info(
        "%.1f s, %.1f CPU s, peak memory %s",
        time.perf_counter() - _started,
        cpu_seconds(),
        format_bytes(peak_memory()),
    )


class _Plain(logging.Formatter):
    """Names the level of warnings and errors in ``%(level)s``."""

    def format(self, record: logging.LogRecord) -> str:
        record.level = "" if record.levelno < logging.WARNING else f"{record.levelname.lower()}: "
        return one_line(super().format(record))


def configure(verbosity: int = 0, show_bars: bool | None = None) -> None:
    """Send the log to stderr: -1 warnings, 0 stages, 1 details; with bars on a terminal unless there are warnings
    alone, or as ``show_bars`` says."""
    level = {-1: logging.WARNING, 0: logging.INFO}.get(max(-1, verbosity), logging.DEBUG)
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    _stages.clear()
    progress.show(level < logging.WARNING if show_bars is None else show_bars)
    handler = _Handler(sys.stderr)
    handler.setLevel(level)
    handler.setFormatter(_Plain("[dbg] %(level)s%(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False


class _FileHandler(logging.FileHandler):
    """Keeps the error of a write that failed, instead of printing it; after that nothing is written."""

    error: OSError | None = None

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - its name in logging
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
        elif self.error is None:
            self.error = error
            self.setLevel(logging.CRITICAL + 1)

    def close(self) -> None:
        try:
            super().close()
        except OSError as error:
            self.error = self.error or error


@contextmanager
def log_file(path: Path, shown: Path | None = None) -> Iterator[None]:
    """Also write the log, with times and details, to a file.

    Parameters
    ----------
    path : Path
    shown : Path, optional
        What errors call it, where the path is a temporary one.

    Raises
    ------
    FileAccessError
        In the end, if not all of it could be written.
    """
    handler = _FileHandler(path, mode="w", encoding="utf-8")
    handler.setFormatter(_Plain("%(asctime)s %(level)s%(message)s"))
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()
    if handler.error is not None:
        raise FileAccessError(
            f"{shown or path}: the log cannot be written: {handler.error.strerror}",
            "free some space, or write elsewhere",
        )
