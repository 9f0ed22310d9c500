"""Compute distinct values: count few of them, sort many."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cpu.few_values import count_few, first_of_few
from debruijn_gpu.backends.arrays.cpu.select import run_lengths, run_starts
from debruijn_gpu.backends.arrays.cpu.sorting import sort_many, sort_pairs
from debruijn_gpu.backends.core.array_types import Array


def distinct(values: Array) -> Array:
    """See `ArrayOperations.distinct`."""
    few = count_few(values)
    return run_starts(sort_many(values), with_positions=False)[0] if few is None else few[0]


def distinct_counts(values: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.distinct_counts`."""
    few = count_few(values)
    return run_lengths(sort_many(values)) if few is None else few


def distinct_first(values: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.distinct_first`."""
    few = first_of_few(values)
    if few is not None:
        return few
    n = len(values)
    keys, positions = sort_pairs(values, np.arange(n, dtype=np.uint32 if n < 1 << 32 else np.uint64))
    runs, starts = run_starts(keys)
    return runs, positions[starts].astype(np.int64)
