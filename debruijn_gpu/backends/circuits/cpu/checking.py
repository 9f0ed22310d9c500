"""Check walks; see `CircuitOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cpu.keys import bits_of
from debruijn_gpu.backends.circuits.protocol import NONE, WalkFaults
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import meets

_BLOCK = 256  # steps whose edges are looked up before any is judged: many reads of memory go on at once


@kernel
def _is_in(numbers, number):
    """Whether ascending numbers have this one among them."""
    place = np.searchsorted(numbers, number)
    return place < numbers.size and numbers[place] == number


@kernel
def _check_steps(start, stop, row_ptr, col, offsets, steps, used):
    """Check steps start..stop with the next ones, and note the edges that they use.

    Parameters
    ----------
    start, stop : int64
    row_ptr : in, int64 (n_vertices + 1,)
    col : in, unsigned (n_edges,)
    offsets : in, int64 (n_walks + 1,)
    steps : in, unsigned (n_steps,)
    used : out, uint8 (n_edges,); 1 for these edges. Threads may write the same byte: all write 1.

    Returns
    -------
    tuple of int
        First step that is no edge, and first that does not lead to the next; -1 for none.
    """
    no_edge, gap = NONE, NONE
    n_edges, n_vertices = np.uint64(col.size), np.uint64(row_ptr.size - 1)
    heads, begins, ends = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.int64), np.empty(_BLOCK, np.int64)
    for first in range(start, stop, _BLOCK):
        size = min(_BLOCK, stop - first)
        for i in range(size):
            step = np.uint64(steps[first + i])
            if step < n_edges:
                heads[i] = col[step]
                used[step] = 1
            else:
                heads[i] = n_vertices
                if no_edge == NONE:
                    no_edge = first + i
        for i in range(size):
            head = min(heads[i], n_vertices)
            begins[i] = row_ptr[head]
            ends[i] = row_ptr[min(head + np.uint64(1), n_vertices)]
        for i in range(first, min(first + size, steps.size - 1)):
            following = np.int64(steps[i + 1])
            if not (begins[i - first] <= following and following < ends[i - first]) and gap == NONE:
                if np.uint64(steps[i]) < n_edges and np.uint64(following) < n_edges and not _is_in(offsets, i + 1):
                    gap = i
    return no_edge, gap


@kernel
def _check_walks(start, stop, row_ptr, col, offsets, steps, circular):
    """Check the offsets of walks start..stop and, where they are circular, that their ends meet.

    Parameters
    ----------
    as in `_check_steps`, and
    circular : in, bool (n_walks,)

    Returns
    -------
    tuple of int
        First walk with wrong offsets, and first position of a last step that does not lead to the first; -1 for none.
    """
    wrong, gap = NONE, NONE
    n_edges = np.uint64(col.size)
    for walk in range(start, stop):
        begin, end = offsets[walk], offsets[walk + 1]
        if (walk == 0 and begin != 0) or end < begin or begin < 0 or end > steps.size:
            if wrong == NONE:
                wrong = walk
            continue
        if circular[walk] and begin < end and gap == NONE:
            last, first = np.uint64(steps[end - 1]), np.uint64(steps[begin])
            if last < n_edges and first < n_edges and not meets(row_ptr, col, last, first):
                gap = end - 1
    return wrong, gap


@kernel
def _first_unused(start, stop, used):
    """First of bytes start..stop (in) that is 0, or -1."""
    for i in range(start, stop):
        if used[i] == 0:
            return i
    return NONE


@kernel
def _first_not_once(steps, counts):
    """First edge that is not exactly once in the steps, or -1; ``counts``: uint8 (n_edges,), 0."""
    for i in range(steps.size):
        step = np.uint64(steps[i])
        if step < np.uint64(counts.size) and counts[step] < 2:
            counts[step] += 1
    for edge in range(counts.size):
        if counts[edge] != 1:
            return edge
    return NONE


def _first(positions: list[int]) -> int:
    """Least that is not -1, or -1."""
    return min((position for position in positions if position != NONE), default=NONE)


def check_walks(row_ptr: Array, col: Array, offsets: Array, steps: Array, circular: Array) -> WalkFaults:
    """See `CircuitOperations.check_walks`."""
    n_walks, n_edges = len(offsets) - 1, len(col)
    edge_ids, heads = bits_of(steps), bits_of(col)
    used = np.zeros(n_edges, np.uint8)
    of_steps = threads.over_ranges(
        len(steps), lambda start, stop: _check_steps(start, stop, row_ptr, heads, offsets, edge_ids, used)
    )
    of_walks = threads.over_ranges(
        n_walks, lambda start, stop: _check_walks(start, stop, row_ptr, heads, offsets, edge_ids, circular)
    )
    wrong = _first([found[0] for found in of_walks])
    if wrong == NONE and offsets[-1] != len(steps):
        wrong = n_walks
    unused = _first(threads.over_ranges(n_edges, lambda start, stop: _first_unused(start, stop, used)))
    edge = NONE
    if unused != NONE or len(steps) != n_edges:
        edge = _first_not_once(edge_ids, np.zeros(n_edges, np.uint8))
    return WalkFaults(
        walk=wrong,
        out_of_range=_first([found[0] for found in of_steps]),
        gap=_first([found[1] for found in (*of_steps, *of_walks)]) if wrong == NONE else NONE,
        edge=edge,
    )
