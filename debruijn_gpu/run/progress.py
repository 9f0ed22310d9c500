"""How far a step of the run is: a bar on a terminal, with rate and time left.

Every `log.stage` is a step. Who works through something calls `update`, or iterates with `through`; bytes of input
files are counted where they are read, and tell how far a step is that says nothing itself. That costs a few hundred
nanoseconds a call, whether there is a bar or not: a thread of the bar looks at the steps some times a second. A step
is drawn once it has taken a second, and rich is imported then.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

Item = TypeVar("Item")

_SHOWN_AFTER_S = 1.0
_TICK_S = 0.2
_DUMB = ("", "dumb", "unknown")  # terminals that cannot go back in a line

#: The unit of bytes of files
BYTES = "B"


class Step:
    """What is known of a step while it runs. Any thread may tell; the bar's reads.

    Parameters
    ----------
    name : str
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.started = time.perf_counter()
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
        """Whether there is something to show but its name."""
        return any(self.state()[:2])


_steps: list[Step] = []  # that run, the outermost first
_terminal: TerminalBar | None = None


def start(name: str) -> Step:
    """Begin a step; `stop` ends it."""
    step = Step(name)
    _steps.append(step)
    return step


def stop(step: Step) -> None:
    """End a step: its bar is gone when this returns."""
    _steps.remove(step)
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
    return _steps[-1] if _steps else Step("")


def update(done: int, total: int = 0, unit: str = "") -> None:
    """Say how far the innermost step is, see `Step.update`."""
    if _steps:
        _steps[-1].update(done, total, unit)


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
    """Draw bars from now on, if stderr is a terminal that can; or stop that."""
    global _terminal
    if _terminal is not None:
        _terminal.end()
    able = wanted and sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in _DUMB
    _terminal = TerminalBar() if able else None


def print_line(text: str) -> bool:
    """Print above the bar; whether there is one."""
    return _terminal is not None and _terminal.print_line(text)


@contextmanager
def hidden() -> Iterator[None]:
    """Without a bar while results go to the same terminal."""
    if _terminal is None or not sys.stdout.isatty():
        yield
        return
    terminal = _terminal
    terminal.hide(True)
    try:
        yield
    finally:
        terminal.hide(False)


class TerminalBar:
    """A bar in the last line of the terminal, gone when its step ends."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._is_hidden = False
        self._shown: Step | None = None
        self._progress: Progress | None = None
        threading.Thread(target=self._watch, name="dbg-bar", daemon=True).start()

    def end(self) -> None:
        """Remove it for good."""
        with self._lock:
            self._ended.set()
            self._remove()

    def hide(self, is_hidden: bool) -> None:
        """Remove it, or let it come again."""
        with self._lock:
            self._is_hidden = is_hidden
            self._remove()

    def clear(self, step: Step) -> None:
        """Remove it if it is that of a step."""
        with self._lock:
            if step is self._shown:
                self._remove()

    def print_line(self, text: str) -> bool:
        """Print above it; False if it is not there."""
        with self._lock:
            if self._progress is None:
                return False
            self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)
            return True

    def _watch(self) -> None:
        """Look at the steps until the end: the bar's thread."""
        while not self._ended.wait(_TICK_S):
            with self._lock:
                if self._ended.is_set():
                    return
                try:
                    self._tick()
                except Exception:  # the terminal has gone: no reason to end the run
                    self._ended.set()

    def _tick(self) -> None:
        step = _to_show()
        if step is not self._shown:
            self._remove()
        if step is None or self._is_hidden or time.perf_counter() - step.started < _SHOWN_AFTER_S:
            return
        if self._progress is None:
            self._show(step)
        assert self._progress is not None
        done, total, unit = step.state()
        task = self._progress.tasks[0]
        task.total = total or None  # `update` would forget the rate when it changes
        self._progress.update(task.id, completed=done, unit=unit)
        self._progress.refresh()

    def _show(self, step: Step) -> None:
        from debruijn_gpu.run.progress_bar import make_progress

        self._progress, self._shown = make_progress(step.name, step.started), step
        self._progress.start()
        self._progress.console.show_cursor(True)  # a run that is killed cannot bring it back

    def _remove(self) -> None:
        progress, self._progress, self._shown = self._progress, None, None
        if progress is not None:
            progress.stop()


def _to_show() -> Step | None:
    """The outermost step that says how far it is, or else the innermost."""
    steps = list(_steps)
    return next((step for step in steps if step.tells), steps[-1] if steps else None)
