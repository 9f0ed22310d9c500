"""Threads over independent pieces of work, with the results in the order of the pieces."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def ordered_map(function: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Like `map`, on a thread pool, with at most ``2 * threads`` items under way so that memory stays bounded.

    The caller's thread draws the items. Kernels release the GIL, so threads are enough.
    """
    if threads == 1:
        yield from map(function, items)
        return
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="dbg")
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) >= 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def split_range(n: int, n_parts: int) -> list[tuple[int, int]]:
    """Cut 0..n into at most ``n_parts`` ranges of nearly equal size, none of them empty."""
    n_parts = max(1, min(n, n_parts))
    edges = [n * i // n_parts for i in range(n_parts + 1)]
    return list(zip(edges[:-1], edges[1:], strict=True))
