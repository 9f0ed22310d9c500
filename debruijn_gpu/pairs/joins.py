"""Decide which single-copy unitigs follow each other, and find the paths between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.links import Link, Links

Longs = NDArray[np.int64]

#: Odds of two copies, as a logarithm, above which an end or a short unitig is not joined; chance gives as much to one
#: end in 10^4
SURE_OF_COPIES = 5.0


@dataclass(frozen=True)
class Join:
    """A vertex that follows another, and what lies between.

    Attributes
    ----------
    link : Link
    path : tuple of int or None
        Vertices between them; None if no path of the graph, or no single one, agrees with the link.
    is_thin : bool
        Whether it counts only if reads fill the gap; see `thin_joins`.
    """

    link: Link
    path: tuple[int, ...] | None
    is_thin: bool = False


def followers(links: Links, is_single: NDArray[np.bool_], lengths: Longs, options: PairOptions) -> dict[int, Link]:
    """Choose for each single-copy vertex the next one where pairs support it and no other.

    Both vertices have to choose each other: the reverse complement of a chosen link is chosen too.

    Parameters
    ----------
    links : Links
    is_single : ndarray, dtype=bool, shape=(n_unitigs,)
    lengths : ndarray, dtype=int64, shape=(n_vertices,)
    options : PairOptions
    """
    found = links.among(is_single)
    return mutual(
        {tail: link for tail, near in found.items() if (link := _next(near, links, lengths, options)) is not None}
    )


def mutual(chosen: dict[int, Link]) -> dict[int, Link]:
    """Leave out links whose head has not chosen the tail."""
    return {
        tail: link
        for tail, link in chosen.items()
        if (back := chosen.get(link.head ^ 1)) is not None and back.head == tail ^ 1
    }


def between_single_ends(chosen: dict[int, Link], odds: NDArray[np.float64]) -> dict[int, Link]:
    """Leave out links of ends in several copies, as of a tandem array that looks like one copy.

    Parameters
    ----------
    chosen : dict of int to Link
        See `followers`.
    odds : ndarray, dtype=float64, shape=(n_vertices,)
        See `copies.end_odds`.
    """
    return {tail: link for tail, link in chosen.items() if max(odds[tail], odds[link.head ^ 1]) <= SURE_OF_COPIES}


def _next(near: list[Link], links: Links, lengths: Longs, options: PairOptions) -> Link | None:
    """Return the nearest supported link if all others lead to what may lie behind its head."""
    supported = [link for link in near if link.support >= options.least_support]
    if not supported or supported[0].head == supported[0].tail ^ 1:
        return None
    first = supported[0]
    for other in near:
        is_noise = other.support < options.most_noise and other.n_pairs < options.most_noise * first.n_pairs
        if other is not first and not is_noise and not follows(first, other, links, lengths, options):
            return None
    return first


def follows(
    first: Link, other: Link, links: Links, lengths: Longs, options: PairOptions, n_copies: float = 1.0
) -> bool:
    """Whether the head of one link may lie behind the head of the first, in sequence of a number of copies."""
    gap = other.gap_bp - first.gap_bp - int(lengths[first.head])
    between = links.find(first.head, other.head)
    if between is None:
        least = -float(options.slack_bp) - options.most_errors * (first.error_bp + other.error_bp)
        return gap > least and n_copies * links.expected(first.head, other.head, gap) < options.least_expected
    error = (first.error_bp**2 + other.error_bp**2 + between.error_bp**2) ** 0.5
    return bool(abs(between.gap_bp - gap) <= max(options.slack_bp, options.most_errors * error))


def joins(
    chosen: dict[int, Link],
    links: Links,
    graph: Graph,
    k: int,
    lengths: Longs,
    options: PairOptions,
    is_single: NDArray[np.bool_],
) -> dict[int, Join]:
    """Find the path of each chosen link.

    Parameters
    ----------
    chosen : dict of int to Link
        See `followers`.
    links : Links
    graph : Graph
        Of the unitigs, in NumPy arrays.
    k : int
    lengths, options, is_single
        See `followers`.
    """
    taken = np.zeros(len(is_single), np.bool_)
    taken[[tail >> 1 for tail in chosen]] = True
    search = _PathSearch(graph, k, lengths, lambda vertex: bool(taken[vertex >> 1]), options)
    found: dict[int, Join] = {}
    for tail, link in sorted(chosen.items()):
        back = found.get(link.head ^ 1)
        if back is not None:
            path = None if back.path is None else tuple(vertex ^ 1 for vertex in reversed(back.path))
        else:
            path = _only_path(search.paths(link, links), link, links, options)
        found[tail] = Join(link, path)
    return _once(found, is_single)


def _once(found: dict[int, Join], is_single: NDArray[np.bool_]) -> dict[int, Join]:
    """Take the paths back that share a single-copy unitig."""
    uses = np.zeros(len(is_single), np.int64)
    for join in found.values():
        for vertex in join.path or ():
            uses[vertex >> 1] += 1
    twice = is_single & (uses > 2)  # each path counts in both strands
    return {
        tail: Join(join.link, None) if any(twice[vertex >> 1] for vertex in join.path or ()) else join
        for tail, join in found.items()
    }


class _PathSearch:
    """Searches the paths between two vertices.

    Parameters
    ----------
    graph : Graph
    k : int
    lengths : ndarray
    is_closed : callable
        Whether no path may pass through a vertex.
    options : PairOptions
    """

    def __init__(
        self, graph: Graph, k: int, lengths: Longs, is_closed: Callable[[int], bool], options: PairOptions
    ) -> None:
        self._row_ptr, self._col = graph.row_ptr, graph.col
        self._overlap = k - 1
        self._lengths = lengths
        self._is_closed = is_closed
        self._options = options

    def paths(self, link: Link, links: Links) -> list[tuple[int, ...]]:
        """List the paths whose length agrees with a link; none if there are too many to look at."""
        most = link.gap_bp + max(self._options.slack_bp, self._options.most_errors * link.error_bp)
        found: list[tuple[int, ...]] = []
        waiting: list[tuple[int, int, tuple[int, ...]]] = [(link.tail, -self._overlap, ())]
        n_steps = 0
        while waiting:
            vertex, gap, path = waiting.pop()
            n_steps += 1
            if n_steps > self._options.most_steps:
                return []
            for successor in self._col[self._row_ptr[vertex] : self._row_ptr[vertex + 1]].tolist():
                if successor == link.head:
                    if self._agrees(link, gap, links):
                        found.append(path)
                    continue
                beyond = gap + int(self._lengths[successor]) - self._overlap
                if beyond <= most and not self._is_closed(successor):
                    waiting.append((successor, beyond, (*path, successor)))
        return found

    def _agrees(self, link: Link, gap: int, links: Links) -> bool:
        if abs(gap - link.gap_bp) <= self._options.slack_bp:
            return True
        return links.deviation(link, gap) <= self._options.most_errors


def _only_path(paths: list[tuple[int, ...]], link: Link, links: Links, options: PairOptions) -> tuple[int, ...] | None:
    """Choose the only path, or the one whose own vertices have far more fragments than those of any other."""
    if len(paths) < 2:
        return paths[0] if paths else None
    shared = set.intersection(*(set(path) for path in paths))
    ranked = sorted(((_support(path, shared, link, links), path) for path in paths), reverse=True)
    (best, path), (second, _other) = ranked[:2]
    return path if best >= options.least_pairs and best >= options.path_ratio * second and best > second else None


def _support(path: tuple[int, ...], shared: set[int], link: Link, links: Links) -> int:
    """Count the fragments that link the least linked vertex of a path, shared ones left out, to the ends."""
    return min(
        (links.support_of(link.tail, one) + links.support_of(one, link.head) for one in path if one not in shared),
        default=0,
    )
