"""Run kernels on threads, and split work into ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from debruijn_gpu.run.parallel import ordered_map, split_range
from debruijn_gpu.run.tuning import tuning

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Steps per number of kernels that sort
SORT_STEPS = 8

_of_context: ContextVar[int] = ContextVar("dbg_threads", default=0)
_latest = 1  # of any context: cells of a notebook may each have one of their own


def configure(threads: int) -> None:
    """Set the number of threads of this context, at least 1. Runs in other contexts keep theirs."""
    global _latest
    _latest = max(1, threads)
    _of_context.set(_latest)


def n_threads() -> int:
    """Return the number of threads of this context, or the latest one set if it has none."""
    return _of_context.get() or _latest


@contextmanager
def shared(n_users: int) -> Iterator[None]:
    """Leave to this block its share of the threads, while others work beside it; at least one."""
    token = _of_context.set(max(1, n_threads() // n_users))
    try:
        yield
    finally:
        _of_context.reset(token)


def threads_for(work: int, threads: int) -> int:
    """1 for work (in steps) that is not worth a second thread; else `threads`."""
    return threads if work >= 2 * tuning().least_work else 1


def ranges(n: int, ranges_per_thread: int = 4, work: int | None = None) -> list[tuple[int, int]]:
    """Ranges that cover 0..n, for `over_ranges` in steps that must use the same ones; none is empty.

    Parameters
    ----------
    n : int
    ranges_per_thread : int
        Ranges for each thread, at most.
    work : int, optional
        Steps that all items take; default: one step each. A range takes `Tuning.least_work` steps or more.
    """
    if n == 0:
        return []
    threads = n_threads()
    if threads == 1:
        return [(0, n)]
    most = (n if work is None else work) // tuning().least_work
    return split_range(n, min(threads * ranges_per_thread, most))


def over_items(items: Iterable[Item], function: Callable[[Item], Result]) -> list[Result]:
    """``function(item)`` of each item, on all threads; results in the order of the items."""
    return list(ordered_map(function, items, n_threads()))


def over_ranges(
    n: int, function: Callable[[int, int], Result], ranges_per_thread: int = 4, work: int | None = None
) -> list[Result]:
    """Call ``function(start, stop)`` over `ranges`, on all threads; results in the order of the ranges."""
    return over_items(ranges(n, ranges_per_thread, work), lambda edges: function(*edges))
