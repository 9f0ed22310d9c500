"""Select values by comparison, by mask, or as the first of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.comparisons import exact_comparison
from debruijn_gpu.backends.arrays.cpu.keys import Form, bits_of, convert, form_of, from_key, to_key
from debruijn_gpu.backends.arrays.protocol import Comparison
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel

_COMPARE: dict[str, Callable[..., Any]] = {
    ">": np.greater,
    "<": np.less,
    "==": np.equal,
    "!=": np.not_equal,
    ">=": np.greater_equal,
    "<=": np.less_equal,
}


def matches(values: Array, comparison: Comparison, threshold: float) -> Array:
    """See `ArrayOperations.matches`."""
    if comparison == "nonzero":
        test: tuple[str, float] | bool = "!=", values.dtype.type(0)
    else:
        test = exact_comparison(values.dtype, comparison, threshold)
    if isinstance(test, bool):
        return np.full(len(values), test)
    compare, limit = _COMPARE[test[0]], test[1]
    result = np.empty(len(values), np.bool_)
    threads.over_ranges(len(values), lambda start, stop: compare(values[start:stop], limit, out=result[start:stop]), 1)
    return result


@kernel
def _take(bits, mask, first, values, positions):
    """Write the values where mask (uint8) is 1 and where they come from, counted from ``first``.

    Every value is written where the next one that is kept belongs, so that no branch depends on the mask; the loop
    ends when all are there, before it would write what belongs to the next thread.
    """
    n_kept = 0
    i = np.uint64(0)
    while n_kept < values.size:
        values[np.uint64(n_kept)] = bits[i]
        positions[np.uint64(n_kept)] = first + np.int64(i)
        n_kept += mask[i]
        i += np.uint64(1)


def _offsets(counts: list[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def compact(values: Array, mask: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.compact`."""
    if len(values) != len(mask):
        raise ValueError(f"{len(values)} values with a mask of {len(mask)}")
    bits, intervals = bits_of(values), threads.ranges(len(values))
    flags = np.ascontiguousarray(mask, np.bool_)
    ends = _offsets(threads.over_items(intervals, lambda interval: int(np.count_nonzero(flags[slice(*interval)]))))
    result, positions = np.empty(ends[-1], values.dtype), np.empty(ends[-1], np.int64)
    out = bits_of(result)

    def take(i: int) -> None:
        part, to = slice(*intervals[i]), slice(ends[i], ends[i + 1])
        _take(bits[part], flags[part].view(np.uint8), intervals[i][0], out[to], positions[to])

    threads.over_items(range(len(intervals)), take)
    return result, positions


@kernel
def _count_run_starts(bits, form):
    """Count the numbers after the first that differ from the one before."""
    n_starts = 0
    for i in range(bits.size - 1):
        n_starts += to_key(bits[i], form) != to_key(bits[i + 1], form)
    return n_starts


@kernel
def _take_run_values(bits, form, values):
    """Write the numbers after the first that differ from the one before; see `_take`."""
    n_runs = 0
    i = np.uint64(1)
    before = to_key(bits[0], form)
    while n_runs < values.size:
        key = to_key(bits[i], form)
        values[np.uint64(n_runs)] = from_key(key, form)
        n_runs += key != before
        before = key
        i += np.uint64(1)


@kernel
def _take_run_starts(bits, form, first, values, positions):
    """The same, and where they are (out, int64), counted from ``first``."""
    n_runs = 0
    i = np.uint64(1)
    before = to_key(bits[0], form)
    while n_runs < positions.size:
        key = to_key(bits[i], form)
        positions[np.uint64(n_runs)] = np.int64(i)
        n_runs += key != before
        before = key
        i += np.uint64(1)
    for run in range(positions.size):
        values[run] = from_key(to_key(bits[np.uint64(positions[run])], form), form)
        positions[run] += first


def run_starts(values: Array, with_positions: bool = True) -> tuple[Array, Array]:
    """Value and first position (or None) of each run of equal neighbours."""
    form: Form = form_of(values)
    bits = bits_of(values)
    # every range sees the number before it; the very first number is written here
    intervals = [(max(start - 1, 0), stop) for start, stop in threads.ranges(len(bits))]
    counts = threads.over_items(intervals, lambda interval: _count_run_starts(bits[slice(*interval)], form))
    ends = _offsets(counts) + 1 if len(bits) else np.zeros(1, np.int64)
    result = np.empty(ends[-1], values.dtype)
    positions = np.empty(ends[-1], np.int64) if with_positions else None
    out = bits_of(result)

    def take(i: int) -> None:
        to = slice(ends[i], ends[i + 1])
        if positions is None:
            _take_run_values(bits[slice(*intervals[i])], form, out[to])
        else:
            _take_run_starts(bits[slice(*intervals[i])], form, intervals[i][0], out[to], positions[to])

    if len(bits):
        convert(bits[:1], form, form, out[:1])
        if positions is not None:
            positions[0] = 0
    threads.over_items(range(len(intervals)), take)
    return result, positions


@kernel
def _to_lengths(starts, end):
    """Replace starts (in, out, int64) of runs by their lengths; ``end`` is where the last one ends."""
    for i in range(starts.size - 1):
        starts[i] = starts[i + 1] - starts[i]
    starts[starts.size - 1] = end - starts[starts.size - 1]


def run_lengths(values: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.run_lengths`."""
    runs, starts = run_starts(values)
    # where each range ends is read before its neighbour is written
    tasks = [(starts[a:b], int(starts[b]) if b < len(runs) else len(values)) for a, b in threads.ranges(len(runs), 1)]
    threads.over_items(tasks, lambda task: _to_lengths(*task))
    return runs, starts
