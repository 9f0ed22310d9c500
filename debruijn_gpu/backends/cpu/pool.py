"""How many threads the kernels of this backend may use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from debruijn_gpu.parallel import ordered_map, split_range

Item = TypeVar("Item")
Result = TypeVar("Result")

_n_threads = 1


def configure(threads: int) -> None:
    """Set the number of threads, at least 1."""
    global _n_threads
    _n_threads = max(1, threads)


def n_threads() -> int:
    """Number of threads in use."""
    return _n_threads


def ranges(n: int, pieces_per_thread: int = 4) -> list[tuple[int, int]]:
    """Ranges that cover 0..n, for `over_ranges` in steps that must use the same ones; none is empty."""
    if n == 0:
        return []
    return split_range(n, _n_threads if _n_threads == 1 else _n_threads * pieces_per_thread)


def over_items(items: Iterable[Item], function: Callable[[Item], Result]) -> list[Result]:
    """``function(item)`` of each item, on all threads; results in the order of the items."""
    return list(ordered_map(function, items, _n_threads))


def over_ranges(n: int, function: Callable[[int, int], Result], pieces_per_thread: int = 4) -> list[Result]:
    """``function(start, stop)`` over ranges that cover 0..n, on all threads; results in the order of the ranges."""
    return over_items(ranges(n, pieces_per_thread), lambda edges: function(*edges))
