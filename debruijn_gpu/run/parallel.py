"""Run threads over independent items, with results in the order of the items."""

from __future__ import annotations

import os
import queue
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from itertools import chain, islice, pairwise
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

#: By their number of threads. Starting sixteen threads takes a millisecond, and a sort would do it ten times. Who takes
#: a pool has it alone until all its work is done, so that work which shares out work itself waits for nobody.
_idle_pools: defaultdict[int, list[ThreadPoolExecutor]] = defaultdict(list)

_WAITING_S = 0.1  # how late an interrupt may be heard that comes just before a wait


def ordered_map(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Generator[Result, None, None]:
    """Like `map`, on a thread pool, with at most ``2 * threads`` items under way so that memory stays bounded.

    The caller's thread draws the items, and works on a single one itself: no thread is started for it. Threads see the
    caller's context, and with it the log of its run. Kernels release the GIL, so threads are enough. Where drawing
    fails, the results of all items before come first.
    """
    if threads == 1:
        yield from map(function, items)
        return
    source = iter(items)
    first = list(islice(source, 1))
    second = _Drawn(source)
    if not first or second.is_last:
        yield from map(function, first)
        return
    yield from _on_pool(function, chain(first, second), threads)


class _Drawn(Iterator[Item]):
    """Yield the items of an iterator, one drawn ahead; a failure to draw it is raised in its turn."""

    def __init__(self, source: Iterator[Item]) -> None:
        self._source = source
        self._next: list[Item] = []
        self._error: Exception | None = None
        try:
            self._next = list(islice(source, 1))
        except Exception as error:
            self._error = error
        self.is_last = not self._next and self._error is None

    def __next__(self) -> Item:
        if self._error is not None:
            raise self._error
        return self._next.pop() if self._next else next(self._source)


def _on_pool(function: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Generator[Result, None, None]:
    """`ordered_map` of more than one item."""
    waiting: deque[Future[Result]] = deque()
    pool = _take_pool(threads)
    try:
        for result in _submitted(function, items, pool):
            waiting.append(result)
            if len(waiting) >= 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BaseException:
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    _idle_pools[threads].append(pool)


def _submitted(
    function: Callable[[Item], Result], items: Iterable[Item], pool: ThreadPoolExecutor
) -> Iterator[Future[Result]]:
    """Submit a function for each item; a failure of the iterator becomes the last future."""
    try:
        for item in items:
            yield pool.submit(copy_context().run, function, item)
    except Exception as error:
        failed: Future[Result] = Future()
        failed.set_exception(error)
        yield failed


def _take_pool(threads: int) -> ThreadPoolExecutor:
    with suppress(IndexError):
        return _idle_pools[threads].pop()
    return ThreadPoolExecutor(threads, thread_name_prefix="dbg")


def end_idle_threads() -> None:
    """End the threads that wait for work."""
    while _idle_pools:
        for pool in _idle_pools.popitem()[1]:
            pool.shutdown()


if hasattr(os, "register_at_fork"):
    # A child has none of the threads, and would wait for them for ever.
    os.register_at_fork(before=end_idle_threads, after_in_child=_idle_pools.clear)


def in_background(items: Iterable[Item], ahead: bool = False) -> Generator[Item, None, None]:
    """The same items, made in a thread of their own. An interrupt is heard while one is made, however long that takes:
    the thread is left to itself then, and ends with the process.

    Parameters
    ----------
    items : iterable
    ahead : bool
        Make each while the one before is in use.
    """
    source, end = iter(items), object()
    wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
    made: queue.SimpleQueue[Future[Item | object]] = queue.SimpleQueue()

    def make() -> None:
        while wanted.get():
            result: Future[Item | object] = Future()
            try:
                result.set_result(next(source, end))
            except BaseException as error:  # the consumer raises it
                result.set_exception(error)
            made.put(result)

    thread = threading.Thread(target=copy_context().run, args=(make,), name="dbg-background", daemon=True)
    thread.start()
    try:
        wanted.put(True)
        while (item := _wait(made).result()) is not end:
            if ahead:
                wanted.put(True)
            yield item  # type: ignore[misc]
            if not ahead:
                wanted.put(True)
    except GeneratorExit:  # the consumer has seen enough
        wanted.put(False)
        thread.join()
        raise
    finally:
        wanted.put(False)


def interruptible(function: Callable[[], Result]) -> Result:
    """Call a long function so that interrupts are still noticed: see `in_background`."""
    return next(in_background(function() for _ in range(1)))


def _wait(results: queue.SimpleQueue[Result]) -> Result:
    while True:
        with suppress(queue.Empty):
            return results.get(timeout=_WAITING_S)


def split_range(n: int, n_parts: int) -> list[tuple[int, int]]:
    """Cut 0..n into at most ``n_parts`` ranges of nearly equal size, none of them empty."""
    n_parts = max(1, min(n, n_parts))
    edges = [n * i // n_parts for i in range(n_parts + 1)]
    return list(pairwise(edges))
