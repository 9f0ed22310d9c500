"""Walks of reads along the links of segments; see `AlignmentOperations`.

The zero of a vertex is the position in the read of its first base, which may be before or behind the read. Reads are
codes of a byte each (uint8), of ``length`` bases: 0 to 3, or 5 for an ambiguous base, which equals no other.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import lean_function

#: Links between the two anchors of a read, and vertices by which a walk is extended at one end, at most
MOST_LINKS = 50
#: Scores
MISMATCH, END_BONUS = 4, 10
_DROP = 40  # below the highest score at which an extension ends
_FALLEN = np.int64(-(1 << 60))
_MOST_VISITS = 2_000  # vertices that one search looks at
_MISMATCH_SHARE = 4  # of the bases of a read, one may differ between its anchors
#: Rows of the stack of a search; those of walks are the first two
VERTEX, ZERO, _EDGE, _SCORE = 0, 1, 2, 3
N_FIELDS = 4


@lean_function
def size_of(segments, vertex):
    """Bases of a vertex."""
    return segments.offsets[(vertex >> 1) + 1] - segments.offsets[vertex >> 1]


@lean_function
def count_mismatches(segments, vertex, zero, read, start, stop, most):
    """Count the bases start..stop of a read that differ from a vertex; stops beyond ``most``."""
    n = np.int64(0)
    if vertex & 1:
        last = segments.offsets[(vertex >> 1) + 1] - 1 + zero
        for position in range(start, stop):
            n += np.int64(segments.codes[last - position]) + np.int64(read[position]) != 3
            if n > most:
                break
    else:
        first = segments.offsets[vertex >> 1] - zero
        for position in range(start, stop):
            n += segments.codes[first + position] != read[position]
            if n > most:
                break
    return n


@lean_function
def is_match(segments, vertex, zero, read, position):
    """Whether a base of a read equals that of a vertex."""
    if vertex & 1:
        at = segments.offsets[(vertex >> 1) + 1] - 1 + zero - position
        return np.int64(segments.codes[at]) + np.int64(read[position]) == 3
    return segments.codes[segments.offsets[vertex >> 1] + position - zero] == read[position]


@lean_function
def _push(segments, stack, depth, vertex, zero, score):
    """Put a vertex on the stack of a search."""
    stack[VERTEX, depth], stack[ZERO, depth] = vertex, zero
    stack[_EDGE, depth], stack[_SCORE, depth] = segments.row_ptr[vertex], score


@lean_function
def _keep(stack, depth, best):
    """Keep the walk on the stack, without its first vertex."""
    for i in range(depth):
        best[VERTEX, i], best[ZERO, i] = stack[VERTEX, i + 1], stack[ZERO, i + 1]


@lean_function
def find_bridge(segments, read, length, ends, stack, best):
    """Find the walk between two anchored vertices with the fewest mismatches, by depth-first branch and bound.

    Parameters
    ----------
    ends : vertex and zero of the first one, vertex and zero of the last one
    stack : work, int64 (N_FIELDS, MOST_LINKS + 1)
    best : out, int64 (2, MOST_LINKS + 1); vertices behind the first one, and their zeros

    Returns
    -------
    int64
        Number of these vertices; 0 if there is no walk.
    """
    vertex, zero, goal, goal_zero = ends
    most = np.int64(length // _MISMATCH_SHARE)
    depth, n_best, n_visits = 0, 0, 0
    _push(segments, stack, 0, vertex, zero, 0)
    while depth >= 0:
        tail, edge = stack[VERTEX, depth], stack[_EDGE, depth]
        if depth == MOST_LINKS or edge == segments.row_ptr[tail + 1] or n_visits == _MOST_VISITS:
            depth -= 1
            continue
        stack[_EDGE, depth] += 1
        at = stack[ZERO, depth] + size_of(segments, tail)
        head, head_zero = segments.col[edge], at - segments.overlaps[edge]
        n_visits += 1
        if head_zero > goal_zero:
            continue
        stop = min(length, head_zero + size_of(segments, head))
        n = stack[_SCORE, depth]
        n += count_mismatches(segments, head, head_zero, read, at, stop, most - n)
        if n > most:
            continue
        _push(segments, stack, depth + 1, head, head_zero, n)
        if head == goal and head_zero == goal_zero:
            n_best, most = depth + 1, n - 1
            _keep(stack, n_best, best)
        else:
            depth += 1
    return n_best


@lean_function
def _score_run(segments, vertex, zero, read, start, length, score, highest):
    """Score the bases of a read from ``start`` on along a vertex.

    Returns
    -------
    int64, int64
        Score at its end, or `_FALLEN` where no extension can exceed the highest score; and the new highest score.
    """
    stop = min(length, zero + size_of(segments, vertex))
    for position in range(start, stop):
        if is_match(segments, vertex, zero, read, position):
            score += 1
            if position == length - 1:
                score += END_BONUS
            if score > highest:
                highest = score
        else:
            score -= MISMATCH
            if position == length - 1:
                score += END_BONUS
                highest = max(highest, score)
            elif score < highest - _DROP or score + length - position - 1 + END_BONUS <= highest:
                return _FALLEN, highest
    return score, highest


@lean_function
def follow_links(segments, read, length, start, stack, best):
    """Find the walk behind a vertex along which the rest of a read scores highest, by depth-first branch and bound.

    Parameters
    ----------
    start : its vertex and zero
    stack, best : see `find_bridge`

    Returns
    -------
    int64
        Number of vertices behind the first one.
    """
    vertex, zero = start
    depth, n_best, n_visits, highest = 0, 0, 0, np.int64(0)
    _push(segments, stack, 0, vertex, zero, 0)
    while depth >= 0:
        tail, edge = stack[VERTEX, depth], stack[_EDGE, depth]
        at = stack[ZERO, depth] + size_of(segments, tail)
        is_end = at >= length or edge == segments.row_ptr[tail + 1]
        if is_end or depth == MOST_LINKS or n_visits == _MOST_VISITS:
            depth -= 1
            continue
        stack[_EDGE, depth] += 1
        n_visits += 1
        head, head_zero = segments.col[edge], at - segments.overlaps[edge]
        score, reached = _score_run(segments, head, head_zero, read, at, length, stack[_SCORE, depth], highest)
        _push(segments, stack, depth + 1, head, head_zero, score)
        if reached > highest:
            n_best, highest = depth + 1, reached
            _keep(stack, n_best, best)
        depth += score != _FALLEN
    return n_best
