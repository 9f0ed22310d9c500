"""Decide which single-copy unitigs follow each other, and find the paths between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.links import Link, Links
from debruijn_gpu.pairs.path_choice import Path, PathChoice
from debruijn_gpu.pairs.path_search import PathSearch

Longs = NDArray[np.int64]

#: In a mixture, single-copy unitigs of one genome differ in depth by at most this factor, beyond so many standard
#: deviations: rarer genomes are those of less than 1 / 1.6 of the depth of a deeper one.
MOST_DEEPER, DEEPER_ERRORS = 1.6, 3.0
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
        Whether it counts only along a path, or if reads fill the gap; see `thin_joins` and `implied_links`.
    """

    link: Link
    path: tuple[int, ...] | None
    is_thin: bool = False


def next_links(near: Mapping[int, list[Link]], links: Links, lengths: Longs, options: PairOptions) -> dict[int, Link]:
    """Choose for each vertex the next one where pairs support it and no other, by tail.

    Parameters
    ----------
    near : mapping of int to list of Link
        Links between single-copy vertices by tail, the nearest head first.
    links : Links
    lengths : ndarray, dtype=int64, shape=(n_vertices,)
    options : PairOptions
    """
    found = {tail: _next(some, links, lengths, options) for tail, some in near.items()}
    return {tail: link for tail, link in found.items() if link is not None}


def mutual(chosen: Mapping[int, Link]) -> dict[int, Link]:
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
        By tail, in both strands or not.
    odds : ndarray, dtype=float64, shape=(n_vertices,)
        See `copies.end_odds`.
    """
    return {tail: link for tail, link in chosen.items() if max(odds[tail], odds[link.head ^ 1]) <= SURE_OF_COPIES}


def between_equal_depths(
    chosen: dict[int, Link], n_reads: NDArray[np.float64], expected: NDArray[np.float64]
) -> dict[int, Link]:
    """Leave out links of unitigs if either is certainly deeper, as a repeat of a rarer genome is.

    Parameters
    ----------
    chosen : dict of int to Link
        By tail, in both strands or not.
    n_reads, expected : ndarray, dtype=float64, shape=(n_unitigs,)
        Reads that begin in a unitig, and those expected of one copy.
    """
    errors = DEEPER_ERRORS * np.sqrt(n_reads)
    least, most = n_reads - errors, MOST_DEEPER * (n_reads + errors)

    def is_deeper(one: int, other: int) -> bool:
        return bool(least[one] * expected[other] > most[other] * expected[one])

    return {
        tail: link
        for tail, link in chosen.items()
        if not (is_deeper(tail >> 1, link.head >> 1) or is_deeper(link.head >> 1, tail >> 1))
    }


def _next(near: list[Link], links: Links, lengths: Longs, options: PairOptions) -> Link | None:
    """Return the nearest supported link if all others lead to what may lie behind its head."""
    supported = [link for link in near if link.support >= options.least_support]
    if not supported or supported[0].head == supported[0].tail ^ 1:
        return None
    first = supported[0]
    others = [other for other in near if other is not first]
    return None if is_contradicted(first, others, links, lengths, options) else first


def is_contradicted(link: Link, others: Iterable[Link], links: Links, lengths: Longs, options: PairOptions) -> bool:
    """Whether any of the other links of a tail contradicts one."""
    return any(_contradicts(other, link, links, lengths, options) for other in others)


def _contradicts(other: Link, first: Link, links: Links, lengths: Longs, options: PairOptions) -> bool:
    """Whether a link is neither by chance nor to what may lie behind the head of the first."""
    is_noise = other.support < options.most_noise and other.n_pairs < options.most_noise * first.n_pairs
    return not is_noise and not follows(first, other, links, lengths, options)


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
        By tail, in both strands.
    links : Links
    graph : Graph
        Of the unitigs, in NumPy arrays.
    k : int
    lengths : ndarray, dtype=int64, shape=(n_vertices,)
    options : PairOptions
    is_single : ndarray, dtype=bool, shape=(n_unitigs,)
    """
    taken = np.zeros(len(is_single), np.bool_)
    taken[[tail >> 1 for tail in chosen]] = True
    search = PathSearch(graph, k, lengths, lambda vertex: bool(taken[vertex >> 1]), options)
    choice = PathChoice(links, lengths, k - 1, options)
    found: dict[int, Join] = {}
    several: dict[int, list[Path]] = {}
    for tail, link in sorted(chosen.items()):
        back = found.get(link.head ^ 1)
        if back is not None:
            found[tail] = Join(link, None if back.path is None else turned(back.path), link.is_implied)
            continue
        paths = search.paths(link, links)
        found[tail] = Join(link, choice.best(paths, link), link.is_implied)
        if found[tail].path is None and paths:
            several[tail] = paths
    return once(_by_chains(found, several, choice), is_single)


def _by_chains(found: dict[int, Join], several: Mapping[int, list[Path]], choice: PathChoice) -> dict[int, Join]:
    """Choose paths by fragments of unitigs that are joined to the tail or the head, too."""
    ways = {tail: (join.path, join.link.head) for tail, join in found.items() if join.path is not None}
    done = dict(found)
    for tail, paths in several.items():
        link, back = found[tail].link, found[found[tail].link.head ^ 1]
        before, behind = (choice.chain(vertex, ways) for vertex in (tail ^ 1, link.head))
        path = choice.best(paths, link, before, behind)
        done[tail] = replace(found[tail], path=path)
        done[back.link.tail] = replace(back, path=None if path is None else turned(path))
    return done


def turned(path: Path) -> Path:
    """The reverse complement of a path."""
    return tuple(vertex ^ 1 for vertex in reversed(path))


def once(found: dict[int, Join], is_single: NDArray[np.bool_]) -> dict[int, Join]:
    """Take the paths back that share a single-copy unitig."""
    uses = np.zeros(len(is_single), np.int64)
    for join in found.values():
        for vertex in join.path or ():
            uses[vertex >> 1] += 1
    twice = is_single & (uses > 2)  # each path counts in both strands
    return {
        tail: replace(join, path=None) if any(twice[vertex >> 1] for vertex in join.path or ()) else join
        for tail, join in found.items()
    }
