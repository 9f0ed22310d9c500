"""Log of a run: messages of the logger ``dbg`` on stderr and in files. Results never pass through here.

`configure` decides which messages reach stderr, `log_file` writes them to a file. Each handler takes the messages of
its own run (see `stages`).
"""

from __future__ import annotations

import logging
import platform
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.run import progress
from debruijn_gpu.run.plain_text import one_line
from debruijn_gpu.run.record import RunRecord
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.run.stages import (
    SUMMARY,
    Run,
    Stage,
    add_cpu_time,
    begin_run,
    busy,
    cpu_time,
    current_run,
    logger,
    new_run,
    note_backend,
    note_compiling,
    report,
    stage,
)
from debruijn_gpu.run.versions import system_name
from debruijn_gpu.version import __version__

if TYPE_CHECKING:
    from typing import TextIO

    _StreamHandler = logging.StreamHandler[TextIO]
else:
    _StreamHandler = logging.StreamHandler  # Python 3.10 knows no parameters of it

__all__ = [
    "Stage",
    "add_cpu_time",
    "busy",
    "configure",
    "cpu_time",
    "current_run",
    "log_end",
    "log_file",
    "log_start",
    "logger",
    "new_run",
    "note_backend",
    "note_compiling",
    "report",
    "stage",
]


def log_start(paths: Sequence[str]) -> None:
    """Log and record versions, command line and input files."""
    record = current_run().record
    record.command = one_line(shlex.join(["dbg", *sys.argv[1:]]))
    record.inputs = [one_line(path) for path in paths]
    logger.debug("dbg %s, Python %s, on %s", __version__, platform.python_version(), system_name())
    logger.debug("command: %s", record.command)
    logger.debug("input: %s", ", ".join(record.inputs))


def log_end() -> RunRecord:
    """Log the sums over all stages; return the record of the run up to now."""
    run = current_run()
    record = run.record
    record.wall_s, record.cpu_s, record.peak_memory_bytes = run.wall_s(), run.cpu_s(), run.peak_memory()
    record.stages = [entry.record() for entry in run.stages]
    logger.info(
        "%.1f s, %.1f CPU s, peak memory %s", record.wall_s, record.cpu_s, format_bytes(record.peak_memory_bytes)
    )
    return record


class _Handler(_StreamHandler):
    """Prints messages of a run to stderr, above the bars; also messages of runs without a handler of their own."""

    def __init__(self, run: Run) -> None:
        super().__init__(sys.stderr)
        self._run = run

    def filter(self, record: logging.LogRecord) -> bool:
        run: Run | None = getattr(record, "run", None)
        return (run is self._run or run is None or run.handler is None) and bool(super().filter(record))

    def emit(self, record: logging.LogRecord) -> None:
        if not progress.print_line(self.format(record)):
            super().emit(record)


class _Plain(logging.Formatter):
    """Names the level of warnings and errors in ``%(level)s``."""

    def format(self, record: logging.LogRecord) -> str:
        record.level = "" if record.levelno < logging.WARNING else f"{record.levelname.lower()}: "
        return one_line(super().format(record))


def configure(verbosity: int = 0, show_bars: bool | None = None, is_whole_process: bool = False) -> None:
    """Begin a run in this context that logs to stderr.

    Parameters
    ----------
    verbosity : int
        -2: warnings; -1: the summary, too; 0: stages; 1: details.
    show_bars : bool, optional
        Show bars if stderr is a terminal; default: unless only warnings are logged.
    is_whole_process : bool
        See `Run`.
    """
    level = {-2: logging.WARNING, -1: SUMMARY, 0: logging.INFO}.get(max(-2, verbosity), logging.DEBUG)
    run = begin_run(is_whole_process)
    progress.show(level < logging.WARNING if show_bars is None else show_bars)
    handler = _Handler(run)
    handler.setLevel(level)
    handler.setFormatter(_Plain("[dbg] %(level)s%(message)s"))
    run.use(handler)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False


class _FileHandler(logging.FileHandler):
    """Writes the messages of one run. Keeps the error of a failed write, and then stops writing."""

    error: OSError | None = None
    run: Run | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        return getattr(record, "run", None) is self.run and bool(super().filter(record))

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
    """Also write the log of this run, with times and details, to a file.

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
    handler.run = current_run()
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
