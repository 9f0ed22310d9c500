"""Rank linked lists, from many splitters or one after another; see `CircuitOperations`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.circuits.cpu.cycles import find_cycles
from debruijn_gpu.backends.circuits.cpu.segments import Circuits, cut_at
from debruijn_gpu.backends.circuits.cpu.writing import write_segments
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.threads import over_ranges


@kernel
def hierholzer(row_ptr, col, starts, offsets, steps):
    """One Euler walk from each start; see `HostCircuitOperations.hierholzer`.

    The stack of edges not yet closed grows from the left end of the walk's own room in ``steps``, the walk
    from its right end; together they never hold more than the component's edges.
    """
    next_edge = row_ptr[:-1].copy()
    for walk in range(len(starts)):
        first, closed = offsets[walk], offsets[walk + 1]
        top = first
        v = np.int64(starts[walk])
        while True:
            edge = next_edge[v]
            if edge < row_ptr[v + 1]:
                next_edge[v] += 1
                steps[top] = edge
                top += 1
                v = np.int64(col[edge])
                continue
            if top == first:
                break
            top -= 1
            closed -= 1
            steps[closed] = steps[top]
            v = np.int64(col[steps[top - 1]]) if top > first else np.int64(starts[walk])


@kernel
def _turn(successor, start, stop, predecessor):
    """Note items start..stop as predecessors.

    Parameters
    ----------
    successor : in, uint32 or uint64 (n,); n at the end of a list
    predecessor : in and out, as successor (n,); left alone for heads
    """
    n = np.uint64(successor.size)
    for item in range(start, stop):
        following = np.uint64(successor[item])
        if following != n:
            predecessor[following] = item


def _close(successor: Array) -> tuple[Array, NDArray[np.int64]]:
    """The item before each, and the heads, ascending: before the head of a list comes the end of another one.

    Before the head that is next in order comes each end in order. Where lists are of one item, in order, in
    reverse order, or random, that makes a few long cycles of them, which all threads share; with the head
    that is the same in order there would be many, most too short for a splitter.
    """
    n = len(successor)
    predecessor = np.full(n, n, successor.dtype)
    over_ranges(n, lambda start, stop: _turn(successor, start, stop, predecessor))
    heads = np.flatnonzero(predecessor == n)
    predecessor[heads] = np.roll(np.flatnonzero(successor == n), 1)
    return predecessor, heads


def rank_lists(successor: Array) -> tuple[Array, Array, Array]:
    """See `CircuitOperations.rank_lists`."""
    n = len(successor)
    if not n:
        return np.zeros(1, np.int64), np.empty(0, successor.dtype), np.empty(0, np.bool_)
    predecessor, heads = _close(successor)
    del successor  # memory that only this call holds is free from here on
    cycles = find_cycles(predecessor)
    segments = cut_at(cycles, heads)
    n_lists = len(segments.lengths)
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(segments.lengths)))
    circuits = Circuits(segments, np.arange(n_lists), np.zeros(n_lists, np.int64), offsets)
    return *write_segments(predecessor, cycles, circuits, segments.segment_of), np.arange(n_lists) >= len(heads)
