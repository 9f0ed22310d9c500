"""Count values in even bins, or each of the small integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from debruijn_gpu.backends.arrays.cpu.keys import bits_of
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.run.parallel import split_range

_BLOCK = 1 << 14  # numbers converted at once: they stay in the cache


@kernel
def _add_to_bins(values, edges, counts):
    """Count values (float64) in bins between edges; edges[i] <= value < edges[i + 1], and the last edge belongs too.

    The bin is estimated and put right by its edges, as numpy.histogram does.
    """
    n_bins = edges.size - 1
    low, high = edges[0], edges[n_bins]
    per_width = n_bins / (high - low)
    for i in range(values.size):
        value = values[i]
        if not low <= value <= high:
            continue
        b = np.uint64(min(np.int64((value - low) * per_width), n_bins - 1))
        if value < edges[b]:
            b -= np.uint64(1)
        elif value >= edges[b + np.uint64(1)] and b + np.uint64(1) < np.uint64(n_bins):
            b += np.uint64(1)
        counts[b] += 1


def histogram(values: Array, low: float, high: float, n_bins: int) -> Array:
    """See `ArrayOperations.histogram`."""
    edges = np.histogram_bin_edges(values[:0], n_bins, (low, high)).astype(np.float64)

    def count(start: int, stop: int) -> Array:
        counts = np.zeros(n_bins, np.int64)
        for block in range(start, stop, _BLOCK):
            _add_to_bins(values[block : min(stop, block + _BLOCK)].astype(np.float64), edges, counts)
        return counts

    return _counted(len(values), n_bins, count)


@kernel
def _count_each(bits, limit, counts):
    """Count integers below the limit; gives how many are not. Negative ones are large as unsigned numbers."""
    n_outside = 0
    for i in range(bits.size):
        value = np.uint64(bits[i])
        if value < limit:
            counts[value] += 1
        else:
            n_outside += 1
    return n_outside


def count_integers(values: Array, n: int) -> Array:
    """See `ArrayOperations.count_integers`."""
    if values.dtype.kind not in "ui":
        raise TypeError(f"integers are needed, not {values.dtype}")
    bits = bits_of(values)
    limit = np.uint64(min(n, 1 << (8 * bits.itemsize - (values.dtype.kind == "i"))))

    def count(start: int, stop: int) -> Array:
        counts = np.zeros(n, np.int64)
        if _count_each(bits[start:stop], limit, counts):
            raise ValueError(f"a value is not in 0..{n - 1}")
        return counts

    return _counted(len(values), n, count)


def _counted(n_values: int, n_counts: int, count: Callable[[int, int], Array]) -> Array:
    """Sum of the counts of ranges: one for each thread, or fewer where there would be more counts than values."""
    n_intervals = max(1, min(len(threads.ranges(n_values, 1)), n_values // max(1, n_counts)))
    total, *others = threads.over_items(split_range(n_values, n_intervals), lambda interval: count(*interval))
    for counts in others:
        total += counts
    return total
