"""Ragged lists: some of them, walks over walks, and sums."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Counts, Longs, Vertices
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.threads import over_ranges


@kernel
def _take_lists(offsets, items, chosen, new_offsets, start, stop, taken):
    """Copy the lists ``chosen[start:stop]``."""
    for i in range(start, stop):
        source = offsets[chosen[i]]
        target = new_offsets[i]
        for j in range(new_offsets[i + 1] - target):
            taken[target + j] = items[source + j]


def take_lists(offsets: Longs, items: Vertices, chosen: Longs) -> tuple[Longs, Vertices]:
    """See `UnitigBackend.take_lists`."""
    lengths = offsets[chosen + 1] - offsets[chosen]
    new_offsets = np.concatenate(([0], np.cumsum(lengths)))
    taken = np.empty(new_offsets[-1], items.dtype)
    take = lambda start, stop: _take_lists(offsets, items, chosen, new_offsets, start, stop, taken)  # noqa: E731
    over_ranges(len(chosen), take, work=len(chosen) + len(taken))
    return new_offsets, taken


@kernel
def _expand(offsets, steps, inner_offsets, inner_steps, new_offsets, start, stop, expanded):
    """Replace each step of the walks start..stop by the inner walk that it stands for, mirrored if it is odd."""
    for walk in range(start, stop):
        at = new_offsets[walk]
        for i in range(offsets[walk], offsets[walk + 1]):
            inner = np.int64(steps[i]) >> 1
            first = inner_offsets[inner]
            last = inner_offsets[inner + 1] - 1
            mirrored = np.int64(steps[i]) & 1
            for j in range(last - first + 1):
                expanded[at] = inner_steps[last - j] ^ 1 if mirrored else inner_steps[first + j]
                at += 1


def expand(offsets: Longs, steps: Vertices, inner_offsets: Longs, inner_steps: Vertices) -> tuple[Longs, Vertices]:
    """See `UnitigBackend.expand`."""
    step_lengths = np.diff(inner_offsets)[steps >> 1]
    new_offsets = np.concatenate(([0], np.cumsum(step_lengths)))[offsets]
    expanded = np.empty(new_offsets[-1], inner_steps.dtype)
    over_ranges(
        len(offsets) - 1,
        lambda start, stop: _expand(offsets, steps, inner_offsets, inner_steps, new_offsets, start, stop, expanded),
        work=len(steps) + len(expanded),
    )
    return new_offsets, expanded


def single_steps(n: int, like: Vertices) -> tuple[Longs, Vertices]:
    """See `UnitigBackend.single_steps`."""
    steps = np.empty(n, like.dtype)
    steps[:] = np.arange(0, 2 * n, 2)
    return np.arange(n + 1), steps


def sum_lists(weights: Longs | Counts, offsets: Longs, steps: Vertices) -> Longs:
    """See `UnitigBackend.sum_lists`."""
    if len(offsets) == 1:
        return np.zeros(0, np.int64)
    return np.add.reduceat(weights[steps >> 1], offsets[:-1], dtype=np.int64)
