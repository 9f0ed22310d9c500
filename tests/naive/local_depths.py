"""Depths of single-copy sequence near unitigs, the slow and obvious way: chains without bubbles are unitigs."""

from __future__ import annotations

import math
from collections.abc import Sequence


def _beside(edges: set[tuple[int, int]], vertex: int) -> list[int]:
    """List the other unitigs that a vertex leads to, once for each edge."""
    return [head >> 1 for tail, head in edges if tail == vertex and head >> 1 != vertex >> 1]


def _is_sure(edges: set[tuple[int, int]], n_kmers: Sequence[int], depths: Sequence[float], unitig: int) -> bool:
    """Whether a unitig is long, no repeat by one of its ends, and not between deeper ones unless it is very long."""
    own, is_long = depths[unitig], n_kmers[unitig] >= 2000
    if n_kmers[unitig] < 500 or not own:
        return False
    n_below = 0
    for vertex in (2 * unitig, 2 * unitig + 1):
        beside = [depths[other] for other in _beside(edges, vertex)]
        if beside and max(beside) > 0 and max(beside) * (1.6 if is_long else 1.25) < own:
            return False
        n_below += bool(beside) and min(beside) > 1.6 * own
    return is_long or n_below < 2


def _handed_on(
    edges: set[tuple[int, int]], n_kmers: Sequence[int], depths: Sequence[float], known: set[int]
) -> list[float]:
    """Hand depths on from unitig to unitig, in steps: the rarest beside one and those alike, by their k-mers."""
    found = [depth if u in known else 0.0 for u, depth in enumerate(depths)]
    weights = [float(n) for n in n_kmers]
    for _ in range(50):
        sources = {
            u: [v for vertex in (2 * u, 2 * u + 1) for v in _beside(edges, vertex) if found[v] > 0]
            for u in range(len(found))
            if found[u] == 0
        }
        new = {}
        for u, near in sources.items():
            alike = [v for v in near if found[v] <= 1.6 * min(found[w] for w in near)]
            total = sum(weights[v] for v in alike)
            if total > 0:
                new[u] = (sum(weights[v] * found[v] for v in alike) / total, max(weights[v] for v in alike))
        for u, (depth, weight) in new.items():
            found[u], weights[u] = depth, weight
        if not new:
            break
    return found


def _component(edges: set[tuple[int, int]], start: int) -> set[int]:
    """Collect the unitigs that are connected with one."""
    seen, waiting = {start}, [start]
    while waiting:
        unitig = waiting.pop()
        new = {v for vertex in (2 * unitig, 2 * unitig + 1) for v in _beside(edges, vertex)} - seen
        seen |= new
        waiting += new
    return seen


def local_depths(
    edges: set[tuple[int, int]], n_kmers: Sequence[int], counts: Sequence[int], per_read: float
) -> list[float]:
    """See `assembly.local_depth.local_depths`; the graph has no simple bubbles."""
    depths = [count / max(1, n) for count, n in zip(counts, n_kmers, strict=True)]
    sure = {u for u in range(len(depths)) if _is_sure(edges, n_kmers, depths, u)}
    known = {u for u in sure if n_kmers[u] >= 2000}
    found = _handed_on(edges, n_kmers, depths, known)
    for u in sure - known:
        error = 3 * math.sqrt(depths[u] * per_read / n_kmers[u])
        if not (depths[u] - error) / 1.6 <= found[u] <= (depths[u] + error) * 1.6:
            known.add(u)
    found = _handed_on(edges, n_kmers, depths, known)
    for u in [u for u, depth in enumerate(found) if depth == 0 and sure]:
        members = sorted(_component(edges, u), key=lambda v: depths[v])
        total, upto = sum(n_kmers[v] for v in members), 0
        for v in members:
            upto += n_kmers[v]
            if total and 4 * upto >= total:
                if depths[v] > 0:
                    found[u] = min((depths[w] for w in sure), key=lambda one: (abs(math.log(one / depths[v])), one))
                break
    return found
