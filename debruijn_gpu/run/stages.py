"""Runs and their stages: time, rate, CPU seconds and memory of each.

Stages, warnings and handlers of the log belong to a `Run`, which a context variable holds: two runs in two threads of
one process keep apart. Threads that work for a run need a copy of its context (`contextvars.copy_context`); `parallel`
gives it to those that it starts.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol
from weakref import WeakSet

from debruijn_gpu.run import progress
from debruijn_gpu.run.plain_text import one_line
from debruijn_gpu.run.record import BackendRecord, Message, RunRecord, StageRecord
from debruijn_gpu.run.resources import PeakMemory, cpu_seconds, format_bytes

logger = logging.getLogger("dbg")
#: Level of what is logged by default: above the stages, below warnings
SUMMARY = 25

_RATED_ITEMS = 100_000  # the rate of fewer items is noise
_imported = time.perf_counter()


class Spillable(Protocol):
    """A store that can move what it holds in memory to a scratch file."""

    def spill(self) -> None:
        """Move it; results stay the same."""


@dataclass
class Share:
    """Time in which at least one thread was in a step."""

    wall_s: float = 0.0
    threads: int = 0  # that are in it now
    since: float = 0.0


@dataclass
class Stage:
    """One stage of the run, as reported when it ends."""

    name: str
    items: int = 0
    unit: str = ""
    start_s: float = 0.0  # since the start of the run
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_memory_bytes: int = 0  # of the run by the end of the stage
    compile_s: float = 0.0  # of the wall time, for compiling kernels in their first run
    parts: dict[str, float] = field(default_factory=dict)  # CPU seconds of its steps, all threads together
    shares: dict[str, Share] = field(default_factory=dict)  # of the wall time, for steps beside the others
    step: progress.Step | None = None  # while it runs

    def progress(self, done: int, total: int = 0) -> None:
        """Say how far the stage is, in its unit, for the bar on a terminal; a total of 0 is not known."""
        if self.step is not None:
            self.step.update(done, total, self.unit)

    def record(self) -> StageRecord:
        """Return what ``run.json`` holds of the stage."""
        return StageRecord(
            name=one_line(self.name),
            start_s=self.start_s,
            items=self.items,
            unit=self.unit,
            wall_s=self.wall_s,
            cpu_s=self.cpu_s,
            compile_s=self.compile_s,
            peak_memory_bytes=self.peak_memory_bytes,
            steps=dict(sorted(self.parts.items())),
        )

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


#: Stages, and warnings, that a run keeps; without a limit, a process of a million calls would grow by gigabytes.
MOST_KEPT = 10_000


def _append(items: list[Any], item: Any) -> None:
    """Append to a list; at `MOST_KEPT` items, drop the older half first."""
    if len(items) >= MOST_KEPT:
        del items[: len(items) // 2]
    items.append(item)


class Run:
    """State of one run: its stages, warnings and backends, and the handler that prints its messages.

    Parameters
    ----------
    is_whole_process : bool
        Time and CPU seconds count from the start of the process, so that they include the imports.
    """

    def __init__(self, is_whole_process: bool = False) -> None:
        self.stages: list[Stage] = []
        self.lock = threading.Lock()
        self.handler: logging.Handler | None = None
        self.stores: WeakSet[Spillable] = WeakSet()
        self._wall = _imported if is_whole_process else time.perf_counter()
        start = time.gmtime(time.time() - self.wall_s())
        self.record = RunRecord(start=time.strftime("%Y-%m-%dT%H:%M:%SZ", start))
        self._cpu = 0.0 if is_whole_process else cpu_seconds()
        self._peak = PeakMemory()

    def wall_s(self) -> float:
        """Return the seconds since the run began."""
        return time.perf_counter() - self._wall

    def cpu_s(self) -> float:
        """Return the CPU seconds of the process since the run began."""
        return cpu_seconds() - self._cpu

    def peak_memory(self) -> int:
        """Return the largest resident size of the process during the run, in bytes."""
        return self._peak.update()

    def spill(self) -> None:
        """Move what the stores of this run hold in memory to scratch files."""
        for store in list(self.stores):
            store.spill()

    def use(self, handler: logging.Handler | None) -> None:
        """Print messages with a handler from now on, instead of with the one before."""
        if self.handler is not None:
            logger.removeHandler(self.handler)
            self.handler.close()
        self.handler = handler
        if handler is not None:
            logger.addHandler(handler)


_run: ContextVar[Run | None] = ContextVar("dbg_run", default=None)


def begin_run(is_whole_process: bool = False) -> Run:
    """Begin a run in this context, which ends the one before; see `Run`."""
    if (ended := _run.get()) is not None:
        ended.use(None)
    run = Run(is_whole_process)
    _run.set(run)
    return run


def current_run() -> Run:
    """Return the run of this context; begin one if there is none."""
    return _run.get() or begin_run()


@contextmanager
def new_run() -> Iterator[None]:
    """Begin a run that keeps its log, stages and bars apart from those of the surrounding context."""
    token = _run.set(Run())
    try:
        with progress.new_steps():
            yield
    finally:
        current_run().use(None)
        _run.reset(token)


def _note_run(record: logging.LogRecord) -> bool:
    """Attach the run to a record, as a filter of the logger, and keep warnings."""
    run = record.run = _run.get()
    if run is not None and record.levelno >= logging.WARNING:
        _append(run.record.messages, Message(one_line(record.getMessage()), record.levelname.lower()))
    return True


logger.addFilter(_note_run)


@contextmanager
def stage(name: str, items: int = 0, unit: str = "") -> Iterator[Stage]:
    """Time a stage; the caller may set ``items``, ``unit`` and ``name`` of what it gets."""
    run, entry = current_run(), Stage(name, items, unit)
    _append(run.stages, entry)
    entry.start_s, wall, cpu = run.wall_s(), time.perf_counter(), cpu_seconds()
    entry.step = step = progress.start(name)
    try:
        yield entry
    finally:
        progress.stop(step)
    entry.wall_s, entry.cpu_s = time.perf_counter() - wall, cpu_seconds() - cpu
    entry.peak_memory_bytes = run.peak_memory()
    logger.info("%s", entry)
    if not logger.isEnabledFor(logging.DEBUG):
        return
    parts = "".join(f", {part} {seconds:.2f}" for part, seconds in sorted(entry.parts.items()))
    of_them = parts and f" (of them{parts[1:]})"
    logger.debug("  %.2f CPU s%s; peak memory %s", entry.cpu_s, of_them, format_bytes(entry.peak_memory_bytes))
    for part, share in sorted(entry.shares.items()):
        seconds = entry.parts.get(part, 0.0)
        logger.debug("  %s: %.2f CPU s, %.2f s of the %.2f s", part, seconds, share.wall_s, entry.wall_s)


@contextmanager
def _current_stage() -> Iterator[Stage | None]:
    """Lock the current stage to change it; None outside of all runs and stages."""
    run = _run.get()
    if run is None:
        yield None
        return
    with run.lock:
        yield run.stages[-1] if run.stages else None


def note_compiling(seconds: float) -> None:
    """Add to the time that the current stage spent compiling."""
    with _current_stage() as entry:
        if entry is not None:
            entry.compile_s += seconds


@contextmanager
def cpu_time(part: str) -> Iterator[None]:
    """Add this thread's CPU seconds to a part of the current stage."""
    start = time.thread_time()
    yield
    add_cpu_time(part, time.thread_time() - start)


def add_cpu_time(part: str, seconds: float) -> None:
    """Add CPU seconds to a part of the current stage."""
    with _current_stage() as entry:
        if entry is not None:
            entry.parts[part] = entry.parts.get(part, 0.0) + seconds


@contextmanager
def busy(part: str) -> Iterator[None]:
    """Add this thread's CPU seconds to a part of the current stage, and the time to its share: that in which at least
    one thread was in it, which shows whether the stage had to wait for this part."""
    with _current_stage() as entry:
        share = Share() if entry is None else entry.shares.setdefault(part, Share())
        if not share.threads:
            share.since = time.perf_counter()
        share.threads += 1
    try:
        with cpu_time(part):
            yield
    finally:
        with _current_stage():
            share.threads -= 1
            if not share.threads:
                share.wall_s += time.perf_counter() - share.since


def report(message: str, *values: object) -> None:
    """Log a line of the summary of a run: a result, or a choice that explains it. Commands log at most five."""
    logger.log(SUMMARY, message, *values, stacklevel=2)


def note_backend(name: str, device: str, reason: str = "") -> None:
    """Record a backend that the run uses."""
    used, backends = BackendRecord(name, device, reason), current_run().record.backends
    if used not in backends:
        backends.append(used)
