"""Distinct values: integers from a small range are counted, others sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cpu import pool
from debruijn_gpu.backends.cpu.jit import kernel
from debruijn_gpu.backends.cpu.keys import Form, bits_of, form_of, from_key, to_key
from debruijn_gpu.backends.cpu.order import sort, sort_pairs
from debruijn_gpu.backends.cpu.radix import range_of
from debruijn_gpu.backends.cpu.selection import run_lengths, run_starts
from debruijn_gpu.parallel import split_range

_SMALL_RANGE = 1 << 17  # as many int64 fit the cache of a core


@kernel
def _count_keys(bits, form, low, counts):
    for i in range(bits.size):
        counts[to_key(bits[i], form) - low] += 1


@kernel
def _first_of_keys(bits, form, low, first, positions):
    """First position, counted from ``first``, of each key; positions (in, out, int64) is large where there is none."""
    for i in range(bits.size):
        key = to_key(bits[i], form) - low
        positions[key] = min(positions[key], first + i)


@kernel
def _values_of(keys, form, low, values):
    """Numbers of the keys (in, int64) above ``low``, as bits."""
    for i in range(keys.size):
        values[i] = from_key(np.uint64(keys[i]) + low, form)


def _small_range(bits: NDArray[Any], form: Form) -> tuple[int, int] | None:
    """Least key and size of the range, if it is small and so are the values' samples."""
    for part in (bits[:1000], bits):
        if len(part) == 0:
            return None
        low, high = range_of(part, form)
        if high - low >= min(_SMALL_RANGE, max(1000, len(bits) // 4)):
            return None
    return low, high - low + 1


def _numbers(keys: NDArray[np.int64], low: int, like: Array) -> Array:
    result = np.empty(len(keys), like.dtype)
    _values_of(keys, form_of(like), np.uint64(low), bits_of(result))
    return result


def _counted(values: Array) -> tuple[Array, Array] | None:
    """Distinct values and their counts, if they are from a small range."""
    bits, form = bits_of(values), form_of(values)
    found = _small_range(bits, form)
    if found is None:
        return None
    low, size = found

    def count(piece: tuple[int, int]) -> NDArray[np.int64]:
        counts = np.zeros(size, np.int64)
        _count_keys(bits[slice(*piece)], form, np.uint64(low), counts)
        return counts

    counts = np.sum(pool.over_items(split_range(len(bits), pool.n_threads()), count), axis=0)
    keys = np.flatnonzero(counts)
    return _numbers(keys, low, values), counts[keys]


def distinct(values: Array) -> Array:
    """See `ArrayBackend.distinct`."""
    counted = _counted(values)
    return run_starts(sort(values), with_positions=False)[0] if counted is None else counted[0]


def distinct_counts(values: Array) -> tuple[Array, Array]:
    """See `ArrayBackend.distinct_counts`."""
    counted = _counted(values)
    return run_lengths(sort(values)) if counted is None else counted


def distinct_first(values: Array) -> tuple[Array, Array]:
    """See `ArrayBackend.distinct_first`."""
    n = len(values)
    bits, form = bits_of(values), form_of(values)
    found = _small_range(bits, form)
    if found is None:
        keys, positions = sort_pairs(values, np.arange(n, dtype=np.uint32 if n < 1 << 32 else np.uint64))
        runs, starts = run_starts(keys)
        return runs, positions[starts].astype(np.int64)
    low, size = found

    def first(piece: tuple[int, int]) -> NDArray[np.int64]:
        positions = np.full(size, n, np.int64)
        _first_of_keys(bits[slice(*piece)], form, np.uint64(low), piece[0], positions)
        return positions

    positions = np.min(pool.over_items(split_range(n, pool.n_threads()), first), axis=0)
    present = np.flatnonzero(positions < n)
    return _numbers(present, low, values), positions[present]
