"""Walks over the k-mers of the reads around one gap, from its left end to its right one; see `index_gap`.

SKESA connects mates in this way (Souvorov et al. 2018): breadth first, with few live walks, and the same from the other
side. All walks are enumerated that lead to the goal in the number of steps allowed, so the two sides differ only where
there are too many walks.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.unitigs.containers import GapKmers, GapWalk
from debruijn_gpu.backends.unitigs.cpu.gap_branches import leaves_supported_end
from debruijn_gpu.backends.unitigs.cpu.gap_kmers import successor

_MOST_WALKS = 200  # live ones, and complete ones (SKESA)
_SUPPORT = 3  # a walk beside others must be as many times better covered where they differ
_PARTS_UNLIKE = 16  # or they differ in one base of so many at most, and each other one is of single reads there
_AMBIGUOUS = -1
_NOTHING = np.zeros(0, np.uint8)
_3 = np.uint64(3)


@lean_function
def _is_present(kmers, vertex, min_count):
    """Whether a vertex exists, and is in enough reads or in an end."""
    return vertex >= 0 and (kmers.counts[vertex >> 1] >= min_count or kmers.is_end[vertex >> 1])


@kernel
def _distances(kmers, start, min_count, most):
    """Compute the fewest steps, at most ``most``, from a vertex to each vertex; -1 where there is no walk."""
    distances = np.full(2 * kmers.counts.size, -1, np.int32)
    queue = np.empty(2 * kmers.counts.size, np.int32)
    distances[start] = 0
    queue[0] = start
    first, last = 0, 1
    while first < last:
        vertex = queue[first]
        first += 1
        if distances[vertex] == most:
            break
        for base in range(4):
            head = successor(kmers, vertex, np.uint64(base))
            if _is_present(kmers, head, min_count) and distances[head] < 0:
                distances[head] = distances[vertex] + 1
                queue[last] = head
                last += 1
    return distances


@kernel
def _enumerate(kmers, source, goal, min_count, fewest, most, trace):
    """Find the walks from source to goal of fewest..most steps.

    ``trace`` (out, int32 (2, n)): vertex and previous row of each step of all live walks.

    Returns
    -------
    int64, int64, int32 (_MOST_WALKS,)
        Number of walks, `_AMBIGUOUS` if too many are live or found or if their lengths differ; their number of steps;
        last rows of them in ``trace``.
    """
    ends = np.empty(_MOST_WALKS, np.int32)
    n_found, n_steps = 0, 0
    from_goal = _distances(kmers, goal ^ 1, min_count, most)
    if from_goal[source ^ 1] < 0:
        return n_found, n_steps, ends
    trace[0, 0], trace[1, 0] = source, -1
    first, last = 0, 1
    step = 0
    while first < last and step < most:
        step += 1
        at = last
        for row in range(first, last):
            for base in range(4):
                head = successor(kmers, trace[0, row], np.uint64(base))
                if head < 0 or from_goal[head ^ 1] < 0 or step + from_goal[head ^ 1] > most:
                    continue
                is_found = head == goal and step >= fewest
                if at - last == _MOST_WALKS or (is_found and n_found and (step != n_steps or n_found == _MOST_WALKS)):
                    return _AMBIGUOUS, n_steps, ends
                trace[0, at], trace[1, at] = head, row
                if is_found:
                    n_steps = step
                    ends[n_found] = at
                    n_found += 1
                at += 1
        first, last = last, at
    return n_found, n_steps, ends


@lean_function
def _is_smaller(kmers, one, other):
    """Whether a walk is before another one between the same ends by its bases, in the strand of the smaller end."""
    start, end = one[0], one[one.size - 1] ^ 1
    is_forward = kmers.words[start, 0] < kmers.words[end, 0] or (
        kmers.words[start, 0] == kmers.words[end, 0] and kmers.words[start, 1] <= kmers.words[end, 1]
    )
    for i in range(one.size):
        at = i if is_forward else one.size - 1 - i
        if one[at] != other[at]:
            strand = 0 if is_forward else 1
            return kmers.words[one[at] ^ strand, 1] & _3 < kmers.words[other[at] ^ strand, 1] & _3
    return False


@lean_function
def _is_better(kmers, best, other):
    """Whether a walk is much better covered than another one where they differ, or the other one is of errors."""
    ours, others, most, n_unlike = np.int64(0), np.int64(0), np.int64(0), 0
    for i in range(best.size):
        if other[i] != best[i]:
            ours += kmers.counts[best[i] >> 1]
            others += kmers.counts[other[i] >> 1]
            most = max(most, np.int64(kmers.counts[other[i] >> 1]))
            n_unlike += (kmers.words[best[i], 1] ^ kmers.words[other[i], 1]) & _3 != 0
    if ours == 0:
        return False
    return ours >= _SUPPORT * others or (most <= 1 and n_unlike * _PARTS_UNLIKE <= best.size)


@kernel
def _choose(kmers, n_found, n_steps, ends, trace):
    """Trace walks back, and choose the one that is covered much better than each other where they differ.

    Where depth is low, one of two reads may have an error, and both walks have the same length: the one of more reads
    is chosen, else the smaller one.

    Returns
    -------
    int32 (n_steps + 1,)
        Its vertices; empty if there is none.
    """
    walks = np.empty((n_found, n_steps + 1), np.int32)
    best, most = 0, np.int64(-1)
    for walk in range(n_found):
        row = ends[walk]
        total = np.int64(0)
        for i in range(n_steps, -1, -1):
            walks[walk, i] = trace[0, row]
            total += kmers.counts[trace[0, row] >> 1]
            row = trace[1, row]
        if total > most or (total == most and _is_smaller(kmers, walks[walk], walks[best])):
            best, most = walk, total
    for walk in range(n_found):
        if walk != best and not _is_better(kmers, walks[best], walks[walk]):
            return np.empty(0, np.int32)
    return walks[best].copy()


@kernel
def _find_walk(kmers, source, goal, min_count, fewest, most):
    """Choose the walk from both sides.

    Returns
    -------
    bool, int32 (n,)
        Whether there are walks among which none is chosen; vertices, empty if there are none.
    """
    trace = np.empty((2, _MOST_WALKS * (most + 1) + 1), np.int32)
    nothing = np.empty(0, np.int32)
    n_found, n_steps, ends = _enumerate(kmers, source, goal, min_count, fewest, most, trace)
    if n_found <= 0:
        return n_found < 0, nothing
    walk = _choose(kmers, n_found, n_steps, ends, trace)
    n_found, n_steps, ends = _enumerate(kmers, goal ^ 1, source ^ 1, min_count, fewest, most, trace)
    if walk.size == 0 or n_found <= 0:
        return True, nothing
    other = _choose(kmers, n_found, n_steps, ends, trace)
    if other.size != walk.size:
        return True, nothing
    for i in range(walk.size):
        if walk[i] != other[walk.size - 1 - i] ^ 1:
            return True, nothing
    return False, walk


@kernel
def _spell(kmers, walk):
    """Spell the bases of a walk."""
    k = kmers.k
    sequence = np.empty(walk.size + k - 1, np.uint8)
    for i in range(k):
        bit = 2 * (k - 1 - i)
        word = kmers.words[walk[0], 0] if bit >= 64 else kmers.words[walk[0], 1]
        sequence[i] = (word >> np.uint64(bit & 63)) & np.uint64(3)
    for i in range(1, walk.size):
        sequence[i + k - 1] = kmers.words[walk[i], 1] & np.uint64(3)
    return sequence


@kernel
def _agreement(kmers, walk, first, last):
    """Count the vertices that a walk shares with the left end from ``first`` on, and with the right one to ``last``."""
    n_left, n_right = 0, 0
    while n_left < min(walk.size, kmers.left.size - first) and walk[n_left] == kmers.left[first + n_left]:
        n_left += 1
    while n_right < min(walk.size, last + 1) and walk[walk.size - 1 - n_right] == kmers.right[last - n_right]:
        n_right += 1
    return n_left, n_right


@kernel
def _count_reads(kmers, offsets, walk, low, high):
    """Count the reads with one of the k-mers low..high (inclusive) of a walk."""
    is_wanted = np.zeros(kmers.counts.size, np.bool_)
    for i in range(low, high + 1):
        is_wanted[walk[i] >> 1] = True
    n_reads = 0
    for read in range(offsets.size - 1):
        for i in range(offsets[read], offsets[read + 1]):
            if kmers.vertices[i] >= 0 and is_wanted[kmers.vertices[i] >> 1]:
                n_reads += 1
                break
    return n_reads


@kernel
def _walk(kmers, offsets, min_count, back, shortest, longest):
    """Find, choose and check a walk; see `HostUnitigOperations.walk_gap`."""
    first, last = max(0, kmers.left.size - 1 - back), min(back, kmers.right.size - 1)
    between = kmers.left.size + kmers.k - 1 - first + last  # steps from one k-mer to the other without a gap
    fewest, most = max(1, between + shortest), between + longest
    nothing = np.empty(0, np.uint8)
    if most < fewest:
        return False, nothing, 0, 0, 0
    is_ambiguous, walk = _find_walk(kmers, kmers.left[first], kmers.right[last], min_count, fewest, most)
    if walk.size == 0:
        return is_ambiguous, nothing, 0, 0, 0
    n_left, n_right = _agreement(kmers, walk, first, last)
    for i in range(n_left, walk.size - n_right):
        if kmers.counts[walk[i] >> 1] < min_count:
            return True, nothing, 0, 0, 0
    if leaves_supported_end(kmers, walk, n_left, n_right, first, last):
        return True, nothing, 0, 0, 0
    before, behind = n_left - 1, walk.size - n_right
    low, high = max(0, min(before, behind - 1)), min(walk.size - 1, max(before + 1, behind))
    n_reads = _count_reads(kmers, offsets, walk, low, high)
    return False, _spell(kmers, walk), n_left + kmers.k - 1, n_right + kmers.k - 1, n_reads


def walk_gap(kmers: GapKmers, offsets: Longs, min_count: int, back: int, shortest: int, longest: int) -> GapWalk:
    """See `HostUnitigOperations.walk_gap`."""
    if len(kmers.left) == 0 or len(kmers.right) == 0:
        return GapWalk(False, _NOTHING, 0, 0, 0)
    return GapWalk(*_walk(kmers, offsets, min_count, back, shortest, longest))
