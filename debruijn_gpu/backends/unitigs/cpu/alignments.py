"""Align reads along the links of segments, through their anchors; see `AlignmentOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.scalars import base_at
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs.alignments import LinkedSegments, ReadAlignments
from debruijn_gpu.backends.unitigs.cpu.read_walks import (
    END_BONUS,
    MISMATCH,
    MOST_LINKS,
    N_FIELDS,
    VERTEX,
    ZERO,
    count_mismatches,
    find_bridge,
    follow_links,
    is_match,
    size_of,
)
from debruijn_gpu.run import log

_AMBIGUOUS = np.uint8(5)  # in a read
_MOST_STEPS = 3 * MOST_LINKS + 1
_NO_LIMIT = 1 << 60


@lean_function
def _unpack(bases, start, stop, breaks, low, read):
    """Write the codes of a read (out, uint8); ``breaks[low:]`` are ambiguous positions; returns the next ``low``."""
    for position in range(start, stop):
        read[position - start] = base_at(bases, position)
    while low < breaks.size and breaks[low] < stop:
        read[breaks[low] - start] = _AMBIGUOUS
        low += 1
    return low


@lean_function
def _reverse(read, length, reverse):
    """Write the reverse complement of a read (out, uint8)."""
    for i in range(length):
        code = read[length - 1 - i]
        reverse[i] = code if code == _AMBIGUOUS else np.uint8(3) - code


@lean_function
def _on_segment(segments, vertex, start):
    """Convert a place on an interval to a vertex of its segment, and its zero in the read."""
    interval = vertex >> 1
    before = segments.interval_starts[interval]
    oriented = 2 * segments.interval_segments[interval] + (vertex & 1)
    if vertex & 1:
        before = size_of(segments, oriented) - before - segments.interval_lengths[interval]
    return oriented, -(start + before)


@lean_function
def _extend(segments, read, reverse, length, n_middle, work):
    """Extend a walk at both ends along links.

    Parameters
    ----------
    read, reverse : in, uint8; codes of a read and of its reverse complement
    n_middle : int64; vertices of the walk, from `MOST_LINKS` on
    work : stack, best and walk (in and out, int64 (2, _MOST_STEPS + 1))

    Returns
    -------
    int64, int64
        First vertex of the walk, and behind its last one.
    """
    stack, best, walk = work
    first, stop = MOST_LINKS, MOST_LINKS + n_middle
    n = follow_links(segments, read, length, (walk[VERTEX, stop - 1], walk[ZERO, stop - 1]), stack, best)
    for i in range(n):
        walk[VERTEX, stop], walk[ZERO, stop] = best[VERTEX, i], best[ZERO, i]
        stop += 1
    vertex = walk[VERTEX, first] ^ 1
    zero = length - walk[ZERO, first] - size_of(segments, vertex)
    n = follow_links(segments, reverse, length, (vertex, zero), stack, best)
    for i in range(n):
        first -= 1
        vertex = best[VERTEX, i]
        walk[VERTEX, first] = vertex ^ 1
        walk[ZERO, first] = length - best[ZERO, i] - size_of(segments, vertex)
    return first, stop


@lean_function
def _highest_interval(segments, read, length, walk, first, stop):
    """Find the interval of a read that scores highest along a walk (Kadane's algorithm): score, start and end."""
    highest, start, end = np.int64(0), np.int64(0), np.int64(0)
    position = max(0, walk[ZERO, first])
    begin = position
    score = END_BONUS if position == 0 else 0
    for i in range(first, stop):
        vertex, zero = walk[VERTEX, i], walk[ZERO, i]
        for at in range(position, min(length, zero + size_of(segments, vertex))):
            score += 1 if is_match(segments, vertex, zero, read, at) else -MISMATCH
            reached = score + END_BONUS if at == length - 1 else score
            if reached > highest:
                highest, start, end = reached, begin, at + 1
            if score <= 0:
                score, begin = 0, at + 1
            position = at + 1
    return highest, start, end


@lean_function
def _trim(segments, walk, first, stop, start, end):
    """Leave out vertices that share all their aligned bases with a neighbour."""
    while first + 1 < stop and walk[ZERO, first + 1] <= start:
        first += 1
    last = first
    while last + 1 < stop and walk[ZERO, last] + size_of(segments, walk[VERTEX, last]) < end:
        last += 1
    return first, last + 1


@lean_function
def _align_walk(segments, read, reverse, length, n_middle, work):
    """Extend a walk and align a read to it: score, aligned interval of the read, and vertices of the walk."""
    first, stop = _extend(segments, read, reverse, length, n_middle, work)
    score, start, end = _highest_interval(segments, read, length, work[2], first, stop)
    first, stop = _trim(segments, work[2], first, stop, start, end)
    return score, start, end, first, stop


@lean_function
def _align_through(segments, read, reverse, length, place, work):
    """Align a read through one place, its vertex and zero; see `_align_walk`."""
    walk = work[2]
    walk[VERTEX, MOST_LINKS], walk[ZERO, MOST_LINKS] = place
    return _align_walk(segments, read, reverse, length, 1, work)


@lean_function
def _align_read(segments, read, reverse, length, ends, work):
    """Align a read by its two anchors, given as in `find_bridge`; see `_align_walk`."""
    stack, best, walk = work
    first_place, last_place = (ends[0], ends[1]), (ends[2], ends[3])
    if first_place == last_place:
        return _align_through(segments, read, reverse, length, first_place, work)
    n = find_bridge(segments, read, length, ends, stack, best)
    if n:
        walk[VERTEX, MOST_LINKS], walk[ZERO, MOST_LINKS] = first_place
        for i in range(n):
            walk[VERTEX, MOST_LINKS + 1 + i], walk[ZERO, MOST_LINKS + 1 + i] = best[VERTEX, i], best[ZERO, i]
        return _align_walk(segments, read, reverse, length, n + 1, work)
    last = _align_through(segments, read, reverse, length, last_place, work)
    found = _align_through(segments, read, reverse, length, first_place, work)
    if last[0] > found[0]:
        return _align_through(segments, read, reverse, length, last_place, work)
    return found


@lean_function
def _is_exact(segments, read, length, ends):
    """Whether a read equals the part of one vertex where both its anchors are."""
    vertex, zero, last_vertex, last_zero = ends
    if vertex != last_vertex or zero != last_zero or zero > 0 or zero + size_of(segments, vertex) < length:
        return False
    return count_mismatches(segments, vertex, zero, read, 0, length, 0) == 0


@lean_function
def _count_on_walk(segments, read, walk, found):
    """Count the mismatches of an alignment."""
    start, end, first, stop = found
    n = np.int64(0)
    for i in range(first, stop):
        vertex, zero = walk[VERTEX, i], walk[ZERO, i]
        behind = min(end, zero + size_of(segments, vertex))
        n += count_mismatches(segments, vertex, zero, read, start, behind, _NO_LIMIT)
        start = max(start, behind)
    return n


@kernel
def _align(bases, offsets, breaks, anchors, segments, row, longest, aligned, step_offsets, steps):
    """Align the reads of a batch from ``row`` on until the steps are full; returns the next row.

    Parameters
    ----------
    bases, offsets, breaks : in; of the batch
    anchors : in, int64 (4, n)
    segments : LinkedSegments
    row, longest : int64; first row, and bases of the longest read
    aligned : out, int64 (5, n); in the order of `ReadAlignments`
    step_offsets : in and out, int64 (n + 1,)
    steps : in and out, int64
    """
    read, reverse = np.empty(longest, np.uint8), np.empty(longest, np.uint8)
    walk = np.empty((2, _MOST_STEPS + 1), np.int64)
    work = np.empty((N_FIELDS, MOST_LINKS + 1), np.int64), np.empty((2, MOST_LINKS + 1), np.int64), walk
    low = np.searchsorted(breaks, offsets[row])
    while row < offsets.size - 1:
        at = step_offsets[row]
        if at + _MOST_STEPS > steps.size:
            break
        length = offsets[row + 1] - offsets[row]
        low = _unpack(bases, offsets[row], offsets[row + 1], breaks, low, read)
        start, end, first, stop = np.int64(0), np.int64(0), MOST_LINKS, MOST_LINKS
        if anchors[0, row] >= 0:
            vertex, zero = _on_segment(segments, anchors[0, row], anchors[1, row])
            last_vertex, last_zero = _on_segment(segments, anchors[2, row], anchors[3, row])
            ends = vertex, zero, last_vertex, last_zero
            if _is_exact(segments, read, length, ends):
                end, stop = length, first + 1
                walk[VERTEX, first], walk[ZERO, first] = vertex, zero
            else:
                _reverse(read, length, reverse)
                _score, start, end, first, stop = _align_read(segments, read, reverse, length, ends, work)
        for i in range(first, stop):
            steps[at + i - first] = walk[VERTEX, i]
        step_offsets[row + 1] = at + stop - first
        aligned[0, row], aligned[1, row] = start, end
        aligned[2, row] = aligned[3, row] = aligned[4, row] = 0
        if stop > first:
            path_end = walk[ZERO, stop - 1] + size_of(segments, walk[VERTEX, stop - 1])
            aligned[2, row], aligned[3, row] = path_end - walk[ZERO, first], start - walk[ZERO, first]
            aligned[4, row] = _count_on_walk(segments, read, walk, (start, end, first, stop))
        row += 1
    return row


def align_reads(batch: ReadBatch, anchors: Longs, segments: LinkedSegments) -> ReadAlignments:
    """See `AlignmentOperations.align_reads`."""
    n = len(batch.offsets) - 1
    aligned: Longs = np.empty((5, n), np.int64)
    step_offsets = np.zeros(n + 1, np.int64)
    steps = np.empty(n + n // 4 + _MOST_STEPS, np.int64)
    longest = int(np.diff(batch.offsets).max(initial=0))
    reads = batch.bases, batch.offsets, batch.ambiguous_positions, np.ascontiguousarray(anchors)
    with log.cpu_time("align"):
        row = 0
        while row < n:
            row = _align(*reads, segments, row, longest, aligned, step_offsets, steps)
            if row < n:
                steps = np.concatenate([steps, np.empty(len(steps) + _MOST_STEPS, np.int64)])
    starts, ends, path_lengths, path_starts, n_mismatches = aligned
    steps = steps[: step_offsets[-1]]
    return ReadAlignments(starts, ends, path_lengths, path_starts, n_mismatches, step_offsets, steps)
