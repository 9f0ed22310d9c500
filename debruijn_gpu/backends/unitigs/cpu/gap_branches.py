"""Judge the branches beside a walk through a gap; see `HostUnitigOperations.is_doubtful_walk`.

Where other sequence leads into a walk, it begins to share bases with another place of the genome; where other sequence
leads out of it, it ceases to. So a way in and the way out behind it, matched as parentheses, enclose a repeat. The walk
through it is certain only if a read spans it; if one of its sides does not show, a read must span what is between the
other one and the end of the gap beyond. A way out without a way in before it, and behind it a way in without a way out,
enclose sequence that may be from another place altogether.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Bytes
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.unitigs.containers import GapKmers
from debruijn_gpu.backends.unitigs.cpu.gap_kmers import add_kmers, successor

_SHARE = 3  # a k-mer beside the walk counts if it is more than 1 / _SHARE as frequent as that of the walk
_WEAK_SHARE = 10  # the same, of a branch that is unlike the walk: half of its bases differ
_MOST_COMPARED, _FEWEST_COMPARED = 16, 4  # bases of a branch of one read that are compared with the walk
_MOST_DIFFERENT = 1  # of them, of a read with an error; one more of `_MOST_COMPARED` where the ends are apart
_FEWEST_UNLIKE = 6  # bases of a branch that is unlike the walk
_SUPPORT = 4  # k-mers that replace those of a contig must be as many times as frequent
_TANDEM_BP = 9  # equal bases, one unit apart
_FLANK_BP = 4  # bases on both sides of a repeat in a read that spans it: a single one may be an error
_3 = np.uint64(3)


@lean_function
def _oriented(vertices, i, step):
    """Vertex i of a walk, or its reverse complement for the walk back (step -1)."""
    return vertices[i] if step > 0 else vertices[i] ^ 1


@lean_function
def _best_successor(kmers, vertex):
    """Find the successor of a vertex that is most frequent in reads; -1 if there is none, or no single one."""
    found, most = -1, 0
    for base in range(4):
        head = successor(kmers, vertex, np.uint64(base))
        count = kmers.counts[head >> 1] if head >= 0 else 0
        if count > most:
            found, most = head, count
        elif count == most:
            found = -1
    return found


@lean_function
def _compare_branch(kmers, vertices, i, step, head, are_apart):
    """Compare the branch that begins with ``head``, beside vertex i of a walk, with the walk, base by base.

    Returns
    -------
    bool, bool, bool
        Whether it is like a read with an error, which continues as the walk does; whether it is not; whether it is
        unlike the walk. The first two are false of a branch that is too short.
    """
    n_compared, n_different = 0, 0
    i += step
    while head >= 0 and 0 <= i < vertices.size and n_compared < _MOST_COMPARED:
        n_compared += 1
        n_different += (kmers.words[head, 1] ^ kmers.words[_oriented(vertices, i, step), 1]) & _3 != 0
        head = _best_successor(kmers, head)
        i += step
    most_different = _MOST_DIFFERENT + (are_apart and n_compared == _MOST_COMPARED)
    is_compared, is_alike = n_compared >= _FEWEST_COMPARED, n_different <= most_different
    is_unlike = n_compared >= _FEWEST_UNLIKE and 2 * n_different >= n_compared
    return is_compared and is_alike, is_compared and not is_alike, is_unlike


@lean_function
def _n_branches(kmers, vertices, i, step, are_apart):
    """Count the branches beside vertex i of a walk; step -1 counts those that lead into it.

    Beside a k-mer of one read, a single read with an error is no branch if the ends are apart: both reads have the same
    length, whichever has the error.
    """
    chosen = _oriented(vertices, i + step, step)
    chosen_count = kmers.counts[chosen >> 1]
    n_branches = 0
    for base in range(4):
        head = successor(kmers, _oriented(vertices, i, step), np.uint64(base))
        count = kmers.counts[head >> 1] if head >= 0 and head != chosen else 0
        if count == 0 or _WEAK_SHARE * count <= chosen_count:
            continue
        is_error, is_no_error, is_unlike = _compare_branch(kmers, vertices, i, step, head, are_apart)
        if _SHARE * count <= chosen_count:
            n_branches += is_unlike
        else:
            is_in_doubt = chosen_count == 1 and not (is_error and are_apart)
            n_branches += count > 1 or is_no_error or is_in_doubt
    return n_branches


@lean_function
def _is_spanned(kmers, vertices, first, last):
    """Whether a read holds the k-mers first..last (inclusive) of a walk in sequence, in either strand."""
    n = last - first + 1
    for at in range(kmers.vertices.size - n + 1):
        if kmers.vertices[at] == vertices[first]:
            i = 1
            while i < n and kmers.vertices[at + i] == vertices[first + i]:
                i += 1
            if i == n:
                return True
        if kmers.vertices[at] == vertices[last] ^ 1:
            i = 1
            while i < n and kmers.vertices[at + i] == vertices[last - i] ^ 1:
                i += 1
            if i == n:
                return True
    return False


@lean_function
def _is_supported(kmers, vertex, chosen):
    """Whether reads and a contig support a vertex of it, beside the one that a walk has chosen."""
    return _SUPPORT * max(1, kmers.counts[vertex >> 1]) > kmers.counts[chosen >> 1]


@kernel
def leaves_supported_end(kmers, walk, n_left, n_right, first, last):
    """Whether a walk leaves the left end, or enters the right one, where reads support the rest of that end.

    ``first`` and ``last`` are the vertices of the ends that it begins and ends with; it shares ``n_left`` and
    ``n_right`` vertices with them.
    """
    if first + n_left < kmers.left.size and n_left < walk.size:
        if _is_supported(kmers, kmers.left[first + n_left], walk[n_left]):
            return True
    if last - n_right >= 0 and n_right < walk.size:
        return _is_supported(kmers, kmers.right[last - n_right], walk[walk.size - 1 - n_right])
    return False


@kernel
def _vertices_of(kmers, sequence):
    """Look up the vertices of a sequence; all its k-mers occur."""
    vertices = np.empty(max(0, sequence.size - kmers.k + 1), np.int32)
    add_kmers(sequence, 0, sequence.size, kmers.k, kmers.slots, kmers.seed, kmers.words, 0, vertices)
    return vertices


@kernel
def _branches(kmers, vertices, before, behind, are_apart):
    """Count the branches into and out of each vertex, without bubbles of one base that are all within one end."""
    ways_in, ways_out = np.zeros(vertices.size, np.int64), np.zeros(vertices.size, np.int64)
    for i in range(vertices.size - 1):
        ways_in[i + 1] = _n_branches(kmers, vertices, i + 1, -1, are_apart)
        ways_out[i] = _n_branches(kmers, vertices, i, 1, are_apart)
    for i in range(vertices.size - kmers.k - 1):
        end = i + kmers.k + 1
        if (end <= before or i >= behind) and ways_out[i] > 0 and ways_in[end] > 0:
            ways_out[i] -= 1
            ways_in[end] -= 1
    return ways_in, ways_out


@lean_function
def _is_open(kmers, vertices, entered, left, before, behind):
    """Whether a repeat, first and last vertex, is not all within one end, and no read spans it."""
    is_relevant = left >= before and entered <= behind and entered <= left + 1
    first, last = max(0, entered - _FLANK_BP), min(vertices.size - 1, left + _FLANK_BP)
    return is_relevant and not _is_spanned(kmers, vertices, first, last)


@kernel
def _has_open_branches(kmers, vertices, before, behind, are_apart):
    """Whether reads do not span a repeat that branches beside a walk show, or other sequence may belong into it.

    ``before`` is the last vertex that agrees with the left end, ``behind`` the first one that agrees with the right
    end; or the other way round. ``are_apart`` states whether the ends do not overlap.
    """
    ways_in, ways_out = _branches(kmers, vertices, before, behind, are_apart)
    opened = np.empty(4 * vertices.size, np.int64)
    n_opened = 0
    left_at = vertices.size  # where the walk first leaves other sequence that it has not entered
    for i in range(vertices.size):
        for _ in range(ways_in[i]):
            opened[n_opened] = i
            n_opened += 1
        for _ in range(ways_out[i]):
            if n_opened > 0:
                n_opened -= 1
                if _is_open(kmers, vertices, opened[n_opened], i, before, behind):
                    return True
                continue
            if i >= before:
                left_at = min(left_at, i)
            if _is_open(kmers, vertices, before + 1, i, before, behind):
                return True
    for n in range(n_opened):
        entered = opened[n]
        if entered <= behind and left_at < vertices.size:
            return True
        if _is_open(kmers, vertices, entered, behind - 1, before, behind):
            return True
    return False


@lean_function
def _equal_run(sequence, at, period):
    """Find the run of bases around one that each equal the base a period behind: first of them, and beyond the last."""
    first, end = at, at
    while first > 0 and sequence[first - 1] == sequence[first - 1 + period]:
        first -= 1
    while end + period < sequence.size and sequence[end] == sequence[end + period]:
        end += 1
    return first, end


@kernel
def _has_open_tandem(kmers, vertices, sequence, before, behind):
    """Whether a tandem repeat of a walk between two of its vertices is longer than a k-mer, and no read spans it."""
    for period in range(1, sequence.size // 2):
        shortest = max(_TANDEM_BP, (period + 1) // 2)
        for at in range(shortest - 1, sequence.size - period, shortest):  # no such run is between two of them
            start, end = _equal_run(sequence, at, period)
            first, last = start - 1, end + period + 1 - kmers.k  # vertices that hold a base before it, or behind it
            if end - start < shortest or last <= first or last < before or first > behind:
                continue
            first, last = first - _FLANK_BP + 1, last + _FLANK_BP - 1
            if first < 0 or last >= vertices.size or not _is_spanned(kmers, vertices, first, last):
                return True
    return False


@kernel
def _is_doubtful(kmers, sequence, n_left, n_right):
    """See `HostUnitigOperations.is_doubtful_walk`."""
    vertices = _vertices_of(kmers, sequence)
    before, behind = n_left - kmers.k, sequence.size - n_right
    if before > behind:
        before, behind = behind, before
    if _has_open_branches(kmers, vertices, before, behind, n_left + n_right <= sequence.size):
        return True
    return _has_open_tandem(kmers, vertices, sequence, before, behind)


def is_doubtful_walk(kmers: GapKmers, sequence: Bytes, n_left: int, n_right: int) -> bool:
    """See `HostUnitigOperations.is_doubtful_walk`."""
    return bool(_is_doubtful(kmers, sequence, n_left, n_right))
