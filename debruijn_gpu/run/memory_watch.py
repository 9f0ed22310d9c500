"""End a run that takes more memory than it may, before the machine swaps.

Stages ask what is left before they allocate (`resources.memory_left`), store what does not fit in scratch files, and
raise an error that names their need. This watch is behind them, for needs that were estimated too low.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run import signals
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import print_message
from debruijn_gpu.run.resources import (
    LEAST_BUDGET,
    available_memory,
    check_budget,
    current_memory,
    format_bytes,
    return_free_memory,
    total_memory,
    tree_memory,
)

_INTERVAL_S = 0.05
_PATIENCE_S = 2.0  # for the main thread to leave; then the process ends without it
#: Of a budget that was given, what may be exceeded: pages that the allocator has not returned yet
TOLERANCE = 1 / 16
#: What the compiler takes, which only the first run of a version needs
_COMPILER_BYTES = 256 << 20
_LEAST_LEFT = 1 / 64  # of the memory of machine or cgroup
_FIX = "give the job more memory and a larger -m, as 'dbg assemble --estimate' advises"


class MemoryWatch:
    """Compares the memory of this process and its children with a budget.

    Parameters
    ----------
    memory : str
        See `RunOptions`. The default is no budget that was asked for: then only lack of memory ends the run.
    """

    def __init__(self, memory: str) -> None:
        self._total = total_memory()
        self._budget: int | None = None
        self._most: float | None = None
        if memory != RunOptions.memory:
            self._budget = check_budget(memory)
            # a program that calls a command, and is large itself, does not count
            self._most = max(self._budget, self._budget + current_memory() - LEAST_BUDGET) * (1 + TOLERANCE)

    def problem(self) -> OutOfMemoryError | None:
        """Return an error if this run takes too much."""
        if not self._excess():
            return None
        return_free_memory()
        what = self._excess()
        return OutOfMemoryError(f"Out of memory: {what}", _FIX) if what else None

    def _excess(self) -> str:
        """Describe what is exceeded; empty if nothing is."""
        taken = tree_memory()
        if self._budget is not None and self._most is not None:
            if taken > self._most + (_COMPILER_BYTES if "llvmlite" in sys.modules else 0):
                return f"the run takes {format_bytes(taken)}, and the budget is {format_bytes(self._budget)} (-m)"
        if taken > self._total / 2 and (left := available_memory()) < self._total * _LEAST_LEFT:
            return f"the run takes {format_bytes(taken)}, and the machine has only {format_bytes(left)} left"
        return ""


@contextmanager
def memory_watched(memory: str) -> Iterator[None]:
    """Watch the memory of the process tree during a block; too much raises `signals.Stopped` in the main thread.

    Where the main thread does not leave within two seconds, as in a long call of a library, the process ends: temporary
    files have no names, and what is hidden in an output directory is removed by the next run there.

    Parameters
    ----------
    memory : str
        See `MemoryWatch`.
    """
    watch, done = MemoryWatch(memory), threading.Event()

    def look() -> None:
        while not done.wait(_INTERVAL_S):
            problem = watch.problem()
            if problem is not None:
                signals.stop(problem)
                if not done.wait(_PATIENCE_S):
                    print_message(f"dbg: {problem.what}", f"     {problem.fix}")
                    os._exit(problem.exit_code)
                return

    thread = threading.Thread(target=look, name="dbg-memory", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
