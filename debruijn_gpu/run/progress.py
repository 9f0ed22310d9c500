"""Progress of the steps of a run: amount done, total, unit.

Every `log.stage` is a step. Loops call `update`, or iterate with `through`; bytes of input files are counted where they
are read, and are the progress of a step that reports none itself. A call costs a few hundred nanoseconds, with a bar or
without. Steps belong to a run, by a context variable (see `stages`); the terminal is that of all runs.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from debruijn_gpu.run.terminal_bars import TerminalBars

Item = TypeVar("Item")

_DUMB = ("", "dumb", "unknown")  # terminals that cannot go back in a line

#: The unit of bytes of files
BYTES = "B"


class Step:
    """Progress of a running step. Any thread may report it; the bar's thread reads it.

    Parameters
    ----------
    name : str
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.started = time.perf_counter()
        self.comes_first = False  # shown instead of the steps around it
        self._at = (0, 0, "")
        self._lock = threading.Lock()
        self._n_read = 0
        self._n_opened = 0
        self._n_announced = 0
        self._is_endless = False

    def update(self, done: int, total: int = 0, unit: str = "") -> None:
        """Say how far it is.

        Parameters
        ----------
        done, total : int
            A total of 0 is not known.
        unit : str
            What is counted; without it, amount and rate are not shown.
        """
        self._at = (done, total, unit)

    def expect_bytes(self, n_bytes: int) -> None:
        """Say how many bytes of files will be read, those included that are not open yet."""
        self._n_announced = n_bytes

    def open_file(self, n_bytes: int) -> None:
        """Note that a file of so many bytes is opened; 0 for a pipe, whose end is not known."""
        with self._lock:
            self._n_opened += n_bytes
            self._is_endless |= not n_bytes

    def add_bytes(self, n_bytes: int) -> None:
        """Note that so many bytes more of the files were read."""
        with self._lock:
            self._n_read += n_bytes

    def state(self) -> tuple[int, int, str]:
        """What is done of how much; by the bytes that were read if nothing else is known. When all of these are, what
        is left to do is not known."""
        if self._at[0] or self._at[1]:
            return self._at
        total = 0 if self._is_endless else max(self._n_opened, self._n_announced)
        return self._n_read, total if self._n_read < total else 0, BYTES

    @property
    def tells(self) -> bool:
        """Return whether the progress of a step is known."""
        return any(self.state()[:2])


class Steps:
    """Steps of one run that are under way, the outermost first."""

    def __init__(self) -> None:
        self.running: list[Step] = []

    def to_show(self) -> Step | None:
        """Return the step that comes first, or the outermost with known progress; without any, the innermost."""
        steps = list(self.running)
        first = next((step for step in steps if step.comes_first), None)
        return first or next((step for step in steps if step.tells), steps[-1] if steps else None)


_steps: ContextVar[Steps | None] = ContextVar("dbg_steps", default=None)
_terminal_lock = threading.Lock()
_terminal: TerminalBars | None = None  # stderr is one for all runs of the process


def _own_steps() -> Steps:
    steps = _steps.get()
    if steps is None:
        steps = Steps()
        _steps.set(steps)
    return steps


@contextmanager
def new_steps() -> Iterator[None]:
    """Begin with no step under way, and no bars, until the block ends: for a run of its own."""
    token = _steps.set(Steps())
    try:
        yield
    finally:
        show(False)
        _steps.reset(token)


def start(name: str) -> Step:
    """Begin a step; `stop` ends it."""
    step = Step(name)
    _own_steps().running.append(step)
    return step


def stop(step: Step) -> None:
    """End a step: its bar is gone when this returns."""
    _own_steps().running.remove(step)
    if _terminal is not None:
        _terminal.clear(step)


@contextmanager
def running(name: str) -> Iterator[Step]:
    """A step that the log does not tell of. While it says how far it is, it is shown instead of steps within it."""
    step = start(name)
    try:
        yield step
    finally:
        stop(step)


def current() -> Step:
    """The innermost step that runs; outside of all, one that nobody sees."""
    steps = _steps.get()
    return steps.running[-1] if steps is not None and steps.running else Step("")


def update(done: int, total: int = 0, unit: str = "") -> None:
    """Say how far the innermost step is, see `Step.update`."""
    steps = _steps.get()
    if steps is not None and steps.running:
        steps.running[-1].update(done, total, unit)


def through(
    items: Iterable[Item], total: int, unit: str = "", amount: Callable[[Item], int] = lambda _: 1
) -> Iterator[Item]:
    """The same items; the innermost step is told how much has been taken.

    Parameters
    ----------
    items : iterable
    total : int
        The sum of all amounts.
    unit : str
    amount : callable
        Of an item; by default 1.
    """
    step, done = current(), 0
    step.update(0, total, unit)
    for item in items:
        yield item
        done += amount(item)
        step.update(done, total, unit)


def show(wanted: bool) -> None:
    """Draw the bars of this run from now on, if stderr is a terminal that can; or stop that."""
    global _terminal
    steps = _own_steps()
    is_able = wanted and sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in _DUMB
    with _terminal_lock:
        if _terminal is not None and _terminal.remove(steps):
            _terminal = None
        if is_able:
            _terminal = _terminal or TerminalBars()
            _terminal.add(steps)


def print_line(text: str) -> bool:
    """Print above the bars; whether there are any."""
    return _terminal is not None and _terminal.print_line(text)


@contextmanager
def hidden() -> Iterator[None]:
    """Without bars while results go to the same terminal."""
    if _terminal is None or not sys.stdout.isatty():
        yield
        return
    terminal = _terminal
    terminal.hide(True)
    try:
        yield
    finally:
        terminal.hide(False)
