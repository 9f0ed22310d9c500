"""Gather and sum ragged rows."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array, Counts, Longs, Vertices
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.threads import over_ranges


@kernel
def _gather_rows(offsets, items, chosen, new_offsets, start, stop, taken):
    """Copy the lists ``chosen[start:stop]``."""
    for i in range(start, stop):
        source = offsets[chosen[i]]
        target = new_offsets[i]
        for j in range(new_offsets[i + 1] - target):
            taken[target + j] = items[source + j]


def gather_rows(offsets: Longs, items: Array, chosen: Longs) -> tuple[Longs, Array]:
    """See `ArrayOperations.gather_rows`."""
    lengths = offsets[chosen + 1] - offsets[chosen]
    new_offsets = np.concatenate(([0], np.cumsum(lengths)))
    taken = np.empty(new_offsets[-1], items.dtype)
    take = lambda start, stop: _gather_rows(offsets, items, chosen, new_offsets, start, stop, taken)  # noqa: E731
    over_ranges(len(chosen), take, work=len(chosen) + len(taken))
    return new_offsets, taken


def segmented_sum(weights: Longs | Counts, offsets: Longs, steps: Vertices) -> Longs:
    """See `ArrayOperations.segmented_sum`."""
    if len(offsets) == 1:
        return np.zeros(0, np.int64)
    return np.add.reduceat(weights[steps >> 1], offsets[:-1], dtype=np.int64)
