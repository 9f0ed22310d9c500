"""Judge the unitigs of a graph: scalar functions of both backends, in plain Python.

Unitigs are judged from the least covered to the best, then by length, then by number, each among those still kept then.
Only short ones are judged at all; the others are kept. The *state* of a unitig is whether it is kept: `NO`, `YES` or,
as long as it has not been judged, `OPEN`. Other questions have the same three answers. Whether a unitig was present
when another one was judged follows from its state (`look`): one that is judged later was present, and one that is
judged earlier was present if it is kept. So unitigs may be judged in any order, many at once, and each repeatedly: the
answer is `OPEN` while it may depend on earlier ones that are open, and any other answer is final. The first of the open
ones never has to wait.

Unitig u is the vertices 2u and 2u + 1, its reverse complement; edges come in reverse-complement pairs. Arrays: row_ptr
int64 and col uint32 or uint64, the graph; n_kmers and kmer_counts int64, coverage float64 (counts / k-mers) and state
uint8, one for each unitig. Vertices, edges and numbers of k-mers are int64. No float expression has a product and a
sum, which a GPU rounds once and a CPU twice.
"""

from __future__ import annotations

import numpy as np

NO, YES, OPEN = 0, 1, 2

MAX_DEPTH = 12  # unitigs in the other way around a bubble
_MAX_VISITS = 100  # steps of the search for it
#: Rows of the scratch of `has_other_way`: the next edge to try at each depth, the end of these, k-mers of the way so
#: far and their total count.
_EDGE, _END, _LENGTH, _COUNT = range(4)
SCRATCH_SHAPE = (4, MAX_DEPTH + 1)


def is_earlier(coverage, n_kmers, x, u):
    """Whether unitig x is judged before unitig u."""
    if coverage[x] != coverage[u]:
        return coverage[x] < coverage[u]
    if n_kmers[x] != n_kmers[u]:
        return n_kmers[x] < n_kmers[u]
    return x < u


def look(coverage, n_kmers, state, x, u):
    """Whether unitig x is present when unitig u is judged. (A backend that judges in order need not compare.)"""
    decision = state[x]
    if decision == YES or not is_earlier(coverage, n_kmers, x, u):
        return YES
    return OPEN if decision == OPEN else NO


def leads_on(row_ptr, v):
    """Whether v has a successor; it had one before others were removed, if they were removed as tips or erroneous
    connections: wherever one of these led to, there is another way in."""
    return row_ptr[v] < row_ptr[v + 1]


def opposite(answer):
    """`NO` for `YES` and the other way around."""
    return OPEN if answer == OPEN else YES - answer


def has_other_way_in(row_ptr, col, coverage, n_kmers, state, w, u, ratio, or_equal):
    """Return whether another unitig leads to w, and u's coverage is below ``ratio`` times that of the other.

    With ``or_equal``, equal coverage suffices.
    """
    answer = NO
    for e in range(row_ptr[w ^ 1], row_ptr[(w ^ 1) + 1]):
        other = np.int64(col[e]) >> 1
        bound = ratio * coverage[other]
        if other != u and (coverage[u] < bound or (or_equal and coverage[u] == bound)):
            seen = look(coverage, n_kmers, state, other, u)
            if seen == YES:
                return YES
            if seen == OPEN:
                answer = OPEN
    return answer


def is_replaced(row_ptr, col, coverage, n_kmers, state, v, ratio, or_equal):
    """Return whether each successor of v has a better covered predecessor; see `has_other_way_in`."""
    answer = YES
    for e in range(row_ptr[v], row_ptr[v + 1]):
        w = np.int64(col[e])
        seen = look(coverage, n_kmers, state, w >> 1, v >> 1)
        if seen != NO:
            other = has_other_way_in(row_ptr, col, coverage, n_kmers, state, w, v >> 1, ratio, or_equal)
            if other == NO and seen == YES:
                return NO
            if other != YES:
                answer = OPEN
    return answer


def tip_is_kept(row_ptr, col, coverage, n_kmers, state, u, short, ratio):
    """Return whether unitig u is kept, not a tip; see `UnitigOperations.remove_tips`."""
    v = 2 * u if leads_on(row_ptr, 2 * u) else 2 * u + 1
    if not leads_on(row_ptr, v) or leads_on(row_ptr, v ^ 1):
        return YES
    is_short = n_kmers[u] <= short
    return opposite(is_replaced(row_ptr, col, coverage, n_kmers, state, v, 1.0 if is_short else ratio, is_short))


def connection_is_kept(row_ptr, col, coverage, n_kmers, state, u, ratio):
    """Return whether unitig u is kept; see `UnitigOperations.remove_erroneous_connections`."""
    if not leads_on(row_ptr, 2 * u) or not leads_on(row_ptr, 2 * u + 1):
        return YES
    ahead = is_replaced(row_ptr, col, coverage, n_kmers, state, 2 * u, ratio, True)
    if ahead == NO:
        return YES
    behind = is_replaced(row_ptr, col, coverage, n_kmers, state, 2 * u + 1, ratio, True)
    return OPEN if ahead == OPEN and behind == YES else opposite(behind)


def only_successor(row_ptr, col, coverage, n_kmers, state, v):
    """A successor of v when its unitig is judged, -1 if none is known, and whether it is the only one then."""
    found = np.int64(-1)
    answer = YES
    for e in range(row_ptr[v], row_ptr[v + 1]):
        w = np.int64(col[e])
        seen = look(coverage, n_kmers, state, w >> 1, v >> 1)
        if seen == YES:
            if found >= 0:
                return found, NO
            found = w
        elif seen == OPEN:
            answer = OPEN
    return found, NO if found < 0 and answer == YES else answer


def is_outdone(coverage, other, ratio, rare):
    """Return whether a coverage is at most ``ratio`` times another one, or at most ``rare`` and less than the other."""
    return coverage <= ratio * other or (coverage <= rare and coverage < other)


def has_other_way(row_ptr, col, coverage, n_kmers, kmer_counts, state, u, source, target, margin, ratio, rare, scratch):
    """Return whether a path from source to target avoids unitig u and is similar in length and better covered.

    Its length differs by at most ``margin`` k-mers; u is outdone by its mean coverage, see `is_outdone`.

    Depth-first, bounded in depth and steps. Unitigs that are open are passed, so that more steps are taken than when
    they are known: what is found so far holds, what is not found does not where the steps came to their end.

    Parameters
    ----------
    target : int64; there when u is judged
    scratch : int64 `SCRATCH_SHAPE`
    """
    edge, end, length, count = scratch[_EDGE], scratch[_END], scratch[_LENGTH], scratch[_COUNT]
    edge[0], end[0], length[0], count[0] = row_ptr[source], row_ptr[source + 1], 0, 0
    shortest, longest = n_kmers[u] - margin, n_kmers[u] + margin
    depth = 0
    sure_depth = MAX_DEPTH  # so many unitigs of the way are known to be there
    n_visits = 0
    passed_open, found_open = False, False
    while depth >= 0 and n_visits < _MAX_VISITS:
        if edge[depth] == end[depth]:
            depth -= 1
            if depth <= sure_depth:
                sure_depth = MAX_DEPTH
            continue
        w = np.int64(col[edge[depth]])
        edge[depth] += 1
        n_visits += 1
        x = w >> 1
        if w == target:
            if depth and length[depth] >= shortest:
                if is_outdone(coverage[u], count[depth] / length[depth], ratio, rare):
                    if depth <= sure_depth:
                        return YES
                    found_open = True
        elif x != u and depth < MAX_DEPTH and length[depth] + n_kmers[x] <= longest:
            seen = look(coverage, n_kmers, state, x, u)
            if seen == OPEN:
                passed_open = True
                sure_depth = min(sure_depth, depth)
            if seen != NO:
                depth += 1
                length[depth] = length[depth - 1] + n_kmers[x]
                count[depth] = count[depth - 1] + kmer_counts[x]
                edge[depth], end[depth] = row_ptr[w], row_ptr[w + 1]
    return OPEN if found_open or (passed_open and depth >= 0) else NO


def bubble_is_kept(row_ptr, col, coverage, n_kmers, kmer_counts, state, u, ratio, slack, indel, rare, scratch):
    """Return whether unitig u is kept; see `UnitigOperations.pop_bubbles` and, for scratch, `has_other_way`."""
    target, is_target = only_successor(row_ptr, col, coverage, n_kmers, state, 2 * u)
    source, is_source = only_successor(row_ptr, col, coverage, n_kmers, state, 2 * u + 1)
    if is_target == NO or is_source == NO or target >> 1 == u or source >> 1 == u:
        return YES
    if target < 0 or source < 0:
        return OPEN
    margin = max(slack, np.int64(indel * n_kmers[u]))
    source ^= 1
    other = has_other_way(
        row_ptr, col, coverage, n_kmers, kmer_counts, state, u, source, target, margin, ratio, rare, scratch
    )
    if other == YES and (is_target == OPEN or is_source == OPEN):
        return OPEN
    return opposite(other)  # without another path it is kept, whether there are other successors or not


def isolated_is_kept(row_ptr, n_kmers, kmer_counts, u, longest, threshold):
    """Return whether unitig u is kept; see `UnitigOperations.remove_isolated`. An isolated unitig has no neighbours and
    is nobody's neighbour, so that the order does not matter."""
    if row_ptr[2 * u] < row_ptr[2 * u + 2] or n_kmers[u] > longest:
        return True
    return kmer_counts[u] / n_kmers[u] >= threshold
