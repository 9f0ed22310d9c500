"""Junctions of unitigs at which not all links occur, made ready for trails."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.graph import Graph

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import GraphBackend

#: Of each end of a junction, the ends that it is linked to, as bits
_Links: TypeAlias = tuple[int, ...]


def with_complete_junctions(graph: Graph, backend: GraphBackend) -> Graph:
    """Remove links so that at each junction every end that leads there is linked to every end that leads away.

    A junction is a set of linked ends of unitigs; in a graph of all overlaps it is a shared (k-1)-mer. Where links are
    missing, a maximum matching of the ends remains, so that as many links as possible can be followed by strings that
    hold each unitig once. A junction has at most eight ends.

    Parameters
    ----------
    graph : Graph
        Links of a `UnitigGraph`, in NumPy arrays: vertex v leads through its end, and v -> w is a link of the ends v
        and w ^ 1.
    backend : GraphBackend
        With NumPy arrays.
    """
    tails = np.repeat(np.arange(graph.n_vertices), graph.out_degrees)
    ends = graph.col.astype(np.int64) ^ 1
    junction = backend.graphs.weak_components(graph.row_ptr, ends.astype(graph.col.dtype)).astype(np.int64)
    is_incomplete = _are_incomplete(junction, tails, ends)[junction[tails]]
    if not is_incomplete.any():
        return graph
    pairs = np.array(_matched(junction, tails[is_incomplete], ends[is_incomplete]), np.int64).reshape(-1, 2)
    new_tails = np.concatenate((tails[~is_incomplete], pairs[:, 0], pairs[:, 1]))
    heads = np.concatenate((ends[~is_incomplete], pairs[:, 1], pairs[:, 0])) ^ 1
    order = np.lexsort((heads, new_tails))
    row_ptr = np.searchsorted(new_tails[order], np.arange(graph.n_vertices + 1)).astype(np.int64)
    return Graph(row_ptr, heads[order].astype(graph.col.dtype), graph.names)


def _are_incomplete(
    junction: NDArray[np.int64], tails: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Compute which junctions, by their smallest end, lack links.

    Complete are those with all links between two sides, and palindromic ones, whose ends are all linked to each other
    and to themselves. Ends of both sides together are as many as there are; of a palindrome each has all.
    """
    n = len(junction)
    size, degree = np.bincount(junction, minlength=n), np.bincount(tails, minlength=n)
    at = junction[tails]
    has_loop, lacks_sides, lacks_all = (np.zeros(n, np.bool_) for _ in range(3))
    has_loop[at[tails == ends]] = True
    lacks_sides[at[degree[tails] + degree[ends] != size[at]]] = True
    lacks_all[at[degree[tails] != size[at]]] = True
    incomplete: NDArray[np.bool_] = (has_loop | lacks_sides) & lacks_all
    return incomplete


def _matched(junction: NDArray[np.int64], tails: NDArray[np.int64], ends: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Match the ends of each junction, one junction after another: few are incomplete."""
    order = np.argsort(junction[tails], kind="stable")
    tails, ends = tails[order], ends[order]
    bounds = [*np.flatnonzero(np.diff(junction[tails], prepend=-1)).tolist(), len(tails)]
    pairs = []
    for start, stop in pairwise(bounds):
        own = tails[start:stop].tolist()
        members = sorted(set(own))
        number = {end: i for i, end in enumerate(members)}
        links = [0] * len(members)
        for tail, end in zip(own, ends[start:stop].tolist(), strict=True):
            if tail != end:  # a unitig is not followed by its own reverse complement
                links[number[tail]] |= 1 << number[end]
        pairs += [(members[a], members[b]) for a, b in _maximum_matching(tuple(links), (1 << len(members)) - 1)]
    return pairs


@cache
def _maximum_matching(links: _Links, free: int) -> tuple[tuple[int, int], ...]:
    """Find a maximum matching of the free ends of a junction by trying all; of several the first."""
    if not free:
        return ()
    first = (free & -free).bit_length() - 1
    rest = free & ~(1 << first)
    best: tuple[tuple[int, int], ...] = ()
    for other in range(first + 1, len(links)):
        if links[first] & rest & 1 << other:
            found = ((first, other), *_maximum_matching(links, rest & ~(1 << other)))
            best = found if len(found) > len(best) else best
    without = _maximum_matching(links, rest)
    return without if len(without) > len(best) else best
