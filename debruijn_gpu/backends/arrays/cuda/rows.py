"""Gather and sum ragged rows.

One list may have nearly all items, and most lists only one. So a thread takes an item, and looks up whose it is.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.search import row_of

_RUN = 16  # steps that a thread adds up


@kernel
def _lengths_of(offsets, chosen, lengths):
    """Items of the chosen lists. One thread per chosen one.

    Parameters
    ----------
    offsets : in, int64 (n_lists + 1,)
    chosen : in, unsigned or int64 (n,)
    lengths : out, int64 (n,)
    """
    for i in range(cuda.grid(1), lengths.size, cuda.gridsize(1)):
        at = np.int64(chosen[i])
        lengths[i] = offsets[at + 1] - offsets[at]


def offsets_of(offsets: Array, chosen: Array) -> Array:
    """Where the chosen ones of ragged lists begin when they come one after another, and where the last ends."""
    lengths = xp.empty(chosen.size, np.int64)
    launch(_lengths_of, lengths.size, offsets, chosen, lengths)
    return exclusive_scan(lengths)


@kernel
def _take_items(offsets, items, chosen, new_offsets, taken):
    """Items of the chosen lists. One thread per item of the result.

    Parameters
    ----------
    offsets : in, int64 (n_lists + 1,)
    items : in, uint8, uint32 or uint64
    chosen : in, int64 (n,)
    new_offsets : in, int64 (n + 1,)
    taken : out, dtype of items (new_offsets[n],)
    """
    for place in range(cuda.grid(1), taken.size, cuda.gridsize(1)):
        i = row_of(place, new_offsets, 0, chosen.size - 1)
        taken[place] = items[offsets[chosen[i]] + place - new_offsets[i]]


@guarded
def gather_rows(offsets: Array, items: Array, chosen: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.gather_rows`."""
    offsets, items, chosen = map(contiguous, (offsets, items, chosen))
    new_offsets = offsets_of(offsets, chosen)
    taken = xp.empty(int(new_offsets[-1]), items.dtype)
    launch(_take_items, taken.size, offsets, items, chosen, new_offsets, taken)
    return new_offsets, taken


@kernel
def _add_weights(weights, offsets, steps, sums):
    """Add the weights of steps to the sums of their walks. One thread per run of steps, which adds up what is of one
    walk before it adds that to the sum; so a long walk is no queue of threads.

    Parameters
    ----------
    weights : in, uint32 or int64
    offsets, steps : in, int64 (n + 1,), uint32 or uint64
    sums : in and out, int64 (n,)
    """
    for run in range(cuda.grid(1), -(-steps.size // _RUN), cuda.gridsize(1)):
        at = run * _RUN
        stop = min(at + _RUN, steps.size)
        walk = row_of(at, offsets, 0, sums.size - 1)
        while at < stop:
            end = min(offsets[walk + 1], stop)
            total = np.int64(0)
            for i in range(at, end):
                total += np.int64(weights[np.int64(steps[i]) >> 1])
            cuda.atomic.add(sums, walk, total)
            at = end
            walk += 1


@guarded
def segmented_sum(weights: Array, offsets: Array, steps: Array) -> Array:
    """See `ArrayOperations.segmented_sum`."""
    sums = xp.zeros(offsets.size - 1, np.int64)
    n_runs = -(-steps.size // _RUN)
    launch(_add_weights, n_runs, contiguous(weights), contiguous(offsets), contiguous(steps), sums)
    return sums
