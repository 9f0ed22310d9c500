"""Finding errors in a unitig graph: tips, chimeric connections, bubbles, isolated junk.

Unitig u is the vertices 2u and 2u + 1 (its reverse complement). All kernels take unitigs from the least covered to the
best covered and look at what is still there, so that of two that excuse each other only the weaker one goes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.cpu.jit import kernel
from debruijn_gpu.backends.interface import Flags, Longs, Vertices

_MAX_DEPTH = 12  # unitigs in the other way around a bubble
_MAX_VISITS = 100  # steps of the search for it


@kernel
def _alive_degree(row_ptr, col, alive, v):
    degree = 0
    for e in range(row_ptr[v], row_ptr[v + 1]):
        if alive[col[e] >> 1]:
            degree += 1
    return degree


@kernel
def _support(row_ptr, col, alive, coverage, v):
    """How well the places that v leads to are reached without v: the least over its successors of the best
    coverage among their other predecessors; -1 if one has none."""
    unitig = np.int64(v) >> 1
    least = np.inf
    for e in range(row_ptr[v], row_ptr[v + 1]):
        w = np.int64(col[e])
        if not alive[w >> 1]:
            continue
        best = -1.0
        for f in range(row_ptr[w ^ 1], row_ptr[(w ^ 1) + 1]):
            other = np.int64(col[f]) >> 1
            if other != unitig and alive[other]:
                best = max(best, coverage[other])
        least = min(least, best)
    return least


@kernel
def _remove_tips(row_ptr, col, n_kmers, coverage, order, alive, short, long, ratio):
    for u in order:
        if not alive[u] or n_kmers[u] > long:
            continue
        ahead = _alive_degree(row_ptr, col, alive, 2 * u)
        behind = _alive_degree(row_ptr, col, alive, 2 * u + 1)
        if (ahead == 0) == (behind == 0):
            continue
        support = _support(row_ptr, col, alive, coverage, 2 * u if ahead else 2 * u + 1)
        if coverage[u] <= support if n_kmers[u] <= short else coverage[u] < ratio * support:
            alive[u] = False


@kernel
def _remove_chimeras(row_ptr, col, n_kmers, coverage, order, alive, longest, ratio):
    for u in order:
        if not alive[u] or n_kmers[u] > longest:
            continue
        if not _alive_degree(row_ptr, col, alive, 2 * u) or not _alive_degree(row_ptr, col, alive, 2 * u + 1):
            continue
        support = min(
            _support(row_ptr, col, alive, coverage, 2 * u), _support(row_ptr, col, alive, coverage, 2 * u + 1)
        )
        if coverage[u] < ratio * support:
            alive[u] = False


@kernel
def _only_successor(row_ptr, col, alive, v):
    """The successor of v if it is the only one, else -1."""
    found = -1
    for e in range(row_ptr[v], row_ptr[v + 1]):
        if alive[col[e] >> 1]:
            if found >= 0:
                return -1
            found = np.int64(col[e])
    return found


@kernel
def _other_way(row_ptr, col, n_kmers, coverage, alive, u, source, target, shortest, longest):
    """Best mean coverage of the ways from source to target that avoid unitig u and hold shortest..longest k-mers;
    -1 if there is none. Depth-first, bounded in depth and steps."""
    edge = np.empty(_MAX_DEPTH + 1, np.int64)  # next edge to try at each depth
    end = np.empty(_MAX_DEPTH + 1, np.int64)
    length = np.zeros(_MAX_DEPTH + 1, np.int64)
    total = np.zeros(_MAX_DEPTH + 1, np.float64)
    edge[0], end[0] = row_ptr[source], row_ptr[source + 1]
    depth = 0
    visits = 0
    best = -1.0
    while depth >= 0 and visits < _MAX_VISITS:
        if edge[depth] == end[depth]:
            depth -= 1
            continue
        w = np.int64(col[edge[depth]])
        edge[depth] += 1
        visits += 1
        unitig = w >> 1
        if unitig == u or not alive[unitig]:
            continue
        if w == target:
            if depth and length[depth] >= shortest:
                best = max(best, total[depth] / length[depth])
            continue
        if depth == _MAX_DEPTH or length[depth] + n_kmers[unitig] > longest:
            continue
        depth += 1
        length[depth] = length[depth - 1] + n_kmers[unitig]
        total[depth] = total[depth - 1] + coverage[unitig] * n_kmers[unitig]
        edge[depth], end[depth] = row_ptr[w], row_ptr[w + 1]
    return best


@kernel
def _pop_bubbles(row_ptr, col, n_kmers, coverage, order, alive, longest, ratio, slack, indel):
    for u in order:
        if not alive[u] or n_kmers[u] > longest:
            continue
        target = _only_successor(row_ptr, col, alive, 2 * u)
        source = _only_successor(row_ptr, col, alive, 2 * u + 1)
        if target < 0 or source < 0 or target >> 1 == u or source >> 1 == u:
            continue
        margin = max(slack, np.int64(indel * n_kmers[u]))
        other = _other_way(
            row_ptr, col, n_kmers, coverage, alive, u, source ^ 1, target, n_kmers[u] - margin, n_kmers[u] + margin
        )
        if coverage[u] <= ratio * other:
            alive[u] = False


@kernel
def _remove_isolated(row_ptr, col, n_kmers, coverage, order, alive, longest, threshold):
    for u in order:
        if alive[u] and n_kmers[u] <= longest and coverage[u] < threshold:
            if not _alive_degree(row_ptr, col, alive, 2 * u) and not _alive_degree(row_ptr, col, alive, 2 * u + 1):
                alive[u] = False


def _prepare(n_kmers: Longs, kmer_counts: Longs) -> tuple[NDArray[np.float64], Longs, Flags]:
    """Coverage, unitigs by rising coverage (then by length, then by number), all of them alive."""
    coverage = kmer_counts / n_kmers
    return coverage, np.lexsort((n_kmers, coverage)), np.ones(len(n_kmers), np.bool_)


def remove_tips(
    row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, short: int, long: int, ratio: float
) -> Flags:
    """See `Backend.remove_tips`."""
    coverage, order, alive = _prepare(n_kmers, kmer_counts)
    _remove_tips(row_ptr, col, n_kmers, coverage, order, alive, short, long, ratio)
    return alive


def remove_chimeras(
    row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, longest: int, ratio: float
) -> Flags:
    """See `Backend.remove_chimeras`."""
    coverage, order, alive = _prepare(n_kmers, kmer_counts)
    _remove_chimeras(row_ptr, col, n_kmers, coverage, order, alive, longest, ratio)
    return alive


def pop_bubbles(
    row_ptr: Longs,
    col: Vertices,
    n_kmers: Longs,
    kmer_counts: Longs,
    longest: int,
    ratio: float,
    slack: int,
    indel: float,
) -> Flags:
    """See `Backend.pop_bubbles`."""
    coverage, order, alive = _prepare(n_kmers, kmer_counts)
    _pop_bubbles(row_ptr, col, n_kmers, coverage, order, alive, longest, ratio, slack, indel)
    return alive


def remove_isolated(
    row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, longest: int, threshold: float
) -> Flags:
    """See `Backend.remove_isolated`."""
    coverage, order, alive = _prepare(n_kmers, kmer_counts)
    _remove_isolated(row_ptr, col, n_kmers, coverage, order, alive, longest, threshold)
    return alive
