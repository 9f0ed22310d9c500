"""Bars on the terminal while steps run; a thread polls the steps, and imports rich with the first bar."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from debruijn_gpu.run.plain_text import one_line

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from debruijn_gpu.run.progress import Step, Steps

_SHOWN_AFTER_S = 1.0
_TICK_S = 0.2


class TerminalBars:
    """Bars in the last lines of the terminal, one for each run, gone when their steps end.

    A step has a bar once it has taken a second.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._is_hidden = False
        self._runs: list[Steps] = []
        self._bars: dict[Step, TaskID] = {}
        self._progress: Progress | None = None
        threading.Thread(target=self._watch, name="dbg-bar", daemon=True).start()

    def add(self, steps: Steps) -> None:
        """Draw the steps of a run, too."""
        with self._lock:
            self._runs.append(steps)

    def remove(self, steps: Steps) -> bool:
        """Draw the steps of a run no more; whether it was the last one, with which the thread ends."""
        with self._lock:
            if steps in self._runs:
                self._runs.remove(steps)
            if not self._runs:
                self._ended.set()
            self._keep([] if self._ended.is_set() else [step for run in self._runs for step in run.running])
            return self._ended.is_set()

    def hide(self, is_hidden: bool) -> None:
        """Remove the bars, or let them come again."""
        with self._lock:
            self._is_hidden = is_hidden
            self._keep([])

    def clear(self, step: Step) -> None:
        """Remove the bar of a step."""
        with self._lock:
            self._keep([other for other in self._bars if other is not step])

    def print_line(self, text: str) -> bool:
        """Print above the bars; False if there are none."""
        with self._lock:
            if self._progress is None:
                return False
            self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)
            return True

    def _watch(self) -> None:
        """Look at the steps until the end: the thread of the bars."""
        while not self._ended.wait(_TICK_S):
            with self._lock:
                if self._ended.is_set():
                    return
                try:
                    self._tick()
                except Exception:  # the terminal has gone: no reason to end the run
                    self._ended.set()

    def _tick(self) -> None:
        now = time.perf_counter()
        wanted = [step for run in self._runs if (step := run.to_show()) is not None]
        wanted = [] if self._is_hidden else [step for step in wanted if now - step.started >= _SHOWN_AFTER_S]
        self._keep(wanted)
        if wanted and self._progress is None:
            self._begin()
        for step in wanted:
            self._update(step)
        if self._progress is not None:
            self._progress.refresh()

    def _begin(self) -> None:
        from debruijn_gpu.run.progress_bar import make_progress

        self._progress = make_progress()
        self._progress.start()
        self._progress.console.show_cursor(True)  # a run that is killed cannot bring it back

    def _update(self, step: Step) -> None:
        assert self._progress is not None
        done, total, unit = step.state()
        if step not in self._bars:
            self._bars[step] = self._progress.add_task(one_line(step.name), total=None)
        task = next(task for task in self._progress.tasks if task.id == self._bars[step])
        task.start_time = step.started
        task.total = total or None  # `Progress.update` would forget the rate when it changes
        name = one_line(step.name)  # which may count
        self._progress.update(task.id, description=name, completed=min(done, total) if total else done, unit=unit)

    def _keep(self, steps: Iterable[Step]) -> None:
        """Remove the bars of other steps; with the last one, all that was drawn."""
        kept = set(steps)
        for step in [step for step in self._bars if step not in kept]:
            task = self._bars.pop(step)
            if self._progress is not None:
                self._progress.remove_task(task)
        if not self._bars and self._progress is not None:
            self._progress.stop()
            self._progress = None
