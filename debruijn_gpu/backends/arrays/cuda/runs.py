"""Sort NumPy arrays that may exceed the memory of the device.

Runs that fit are sorted one by one. To merge them, the sorted runs are cut at the same values into segments that fit,
and each segment, a few sorted slices, is sorted again on the device: two ways there and back for each value, however
many runs. Where the device has less memory than was thought, all is tried again with runs of half the length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.keys import check_dtype, gather
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.arrays.cuda.select import distinct, distinct_counts, run_lengths
from debruijn_gpu.backends.arrays.cuda.sorting import sort, sort_pairs
from debruijn_gpu.backends.core.cuda import memory
from debruijn_gpu.backends.core.cuda.memory import to_device
from debruijn_gpu.backends.core.cuda.runtime import to_host
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run.log import logger
from debruijn_gpu.run.tuning import tuning

#: Sorted keys and what belongs to them: arrays of one length.
Columns = tuple[NDArray[Any], ...]
Operation = Callable[..., Columns]


def sort_host(keys: NDArray[Any]) -> NDArray[Any]:
    """`ArrayOperations.sort` of a NumPy array of any size."""
    return _in_runs(keys, memory.SORT_FACTOR * keys.itemsize, lambda run, _: (to_host(sort(to_device(run))),), _sort)[0]


def distinct_host(values: NDArray[Any]) -> NDArray[Any]:
    """`ArrayOperations.distinct` of a NumPy array of any size."""
    bytes_each = (memory.SORT_FACTOR + 1) * values.itemsize
    return _in_runs(values, bytes_each, lambda run, _: (to_host(distinct(to_device(run))),), _distinct)[0]


def distinct_counts_host(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """`ArrayOperations.distinct_counts` of a NumPy array of any size."""

    def count(run: NDArray[Any], _: int) -> Columns:
        return tuple(to_host(column) for column in distinct_counts(to_device(run)))

    found, counts = _in_runs(values, tuning().pair_bytes, count, _add_counts)
    return found, counts


def _in_runs(values: NDArray[Any], bytes_each: int, make: Operation, merge: Operation) -> Columns:
    check_dtype(values)
    return _in_runs_of(max(tuning().shortest_sorted_run, memory.budget() // bytes_each), values, make, merge)


def _in_runs_of(length: int, values: NDArray[Any], make: Operation, merge: Operation) -> Columns:
    try:
        if values.size <= length:
            return make(values, 0)
        runs = [make(values[start : start + length], start) for start in range(0, values.size, length)]
        merged = [merge(*segment) for segment in _segments(runs, length)]
        return tuple(np.concatenate(columns) for columns in zip(*merged, strict=True))
    except OutOfMemoryError:
        length = min(length, values.size) // 2
        if length < tuning().shortest_sorted_run:
            raise
        logger.info("the GPU has too little memory: taking runs of %d values", length)
    return _in_runs_of(length, values, make, merge)


def _segments(runs: list[Columns], capacity: int) -> Iterator[Columns]:
    """Cut sorted runs at the same values into segments, ascending, of at most ``capacity`` values, or of equal ones."""
    runs = [run for run in runs if run[0].size]
    total = sum(run[0].size for run in runs)
    ends = np.sort([end for run in runs for end in (run[0][0], run[0][-1])])
    if total <= capacity or np.array_equal(ends[:1], ends[-1:], equal_nan=ends.dtype.kind == "f"):
        yield tuple(np.concatenate(columns) for columns in zip(*runs, strict=True))
        return
    pivot = _weighted_median(runs)
    cuts = [int(np.searchsorted(run[0], pivot)) for run in runs]
    if not any(cuts):
        cuts = [int(np.searchsorted(run[0], pivot, side="right")) for run in runs]
    yield from _segments([_slice(run, 0, cut) for run, cut in zip(runs, cuts, strict=True)], capacity)
    yield from _segments([_slice(run, cut, run[0].size) for run, cut in zip(runs, cuts, strict=True)], capacity)


def _slice(run: Columns, start: int, stop: int) -> Columns:
    return tuple(column[start:stop] for column in run)


def _weighted_median(runs: list[Columns]) -> Any:
    """Of the middles of the runs: a quarter of all values, at least, is on either side of it."""
    middles = np.array([run[0][run[0].size // 2] for run in runs])
    order = np.argsort(middles)
    weights = np.cumsum(np.array([run[0].size for run in runs])[order])
    return middles[order][np.searchsorted(weights, weights[-1] / 2)]


def _sort(keys: NDArray[Any]) -> Columns:
    same = np.isnan(keys) if keys[0] != keys[0] else keys == keys[0]
    if same.all():  # perhaps more than fit
        return (keys,)
    return (to_host(sort(to_device(keys))),)


def _distinct(values: NDArray[Any]) -> Columns:
    return (to_host(distinct(to_device(values))),)


def _add_counts(values: NDArray[Any], counts: NDArray[np.int64]) -> Columns:
    found, bounds, in_order = _grouped(values, counts)
    return to_host(found), np.diff(to_host(gather(exclusive_scan(in_order), bounds)))


def _grouped(values: NDArray[Any], payload: NDArray[np.int64]) -> tuple[Any, Any, Any]:
    """Distinct values, where the payload of each begins and ends, and the payload, all on the device."""
    in_order, payload = sort_pairs(to_device(values), to_device(payload))
    found, lengths = run_lengths(in_order)
    return found, exclusive_scan(lengths), payload
