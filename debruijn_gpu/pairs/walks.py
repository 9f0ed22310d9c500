"""Walks over unitigs that contigs are spelled from: joined where pairs say so, and extended into repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.scaffolds import LEAST_GAP_BP
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import Join

Longs = NDArray[np.int64]


#: Bases of a repeat that are worth to split it
LEAST_PART_BP = 50


@dataclass
class Walk:
    """A walk over vertices.

    Attributes
    ----------
    steps : list of int
    is_circular : bool
        Whether the last step leads to the first.
    n_before, n_behind : int
        Steps at the start and at the end by which it was extended into repeats.
    """

    steps: list[int]
    is_circular: bool = False
    n_before: int = 0
    n_behind: int = 0

    @property
    def first(self) -> int:
        """First vertex, extensions left out."""
        return self.steps[self.n_before]

    @property
    def last(self) -> int:
        """Last vertex, extensions left out."""
        return self.steps[len(self.steps) - 1 - self.n_behind]

    @property
    def turned(self) -> Walk:
        """The reverse complement."""
        return Walk([step ^ 1 for step in reversed(self.steps)], self.is_circular, self.n_behind, self.n_before)


def joined_walks(found: Mapping[int, Join], circular: NDArray[np.bool_], copies: CopyNumbers) -> list[Walk]:
    """Join unitigs along paths, and leave out repeats that are in walks as often as they have copies.

    Parameters
    ----------
    found : mapping of int to Join
        By tail; see `joins.joins`.
    circular : ndarray, dtype=bool, shape=(n_unitigs,)
    copies : CopyNumbers
    """
    paths = {tail: (join.path, join.link.head) for tail, join in found.items() if join.path is not None}
    n = len(circular)
    is_walked = np.zeros(n, np.bool_)
    uses = np.zeros(n, np.int64)
    walks: list[Walk] = []
    heads = [tail for tail in paths if tail ^ 1 not in paths]
    circles = sorted(paths)
    for start in (*sorted(heads), *circles):
        if is_walked[start >> 1]:
            continue
        walk = _walk_from(start, paths)
        for step in walk.steps:
            uses[step >> 1] += 1
        is_walked[[step >> 1 for step in walk.steps if step in paths or step ^ 1 in paths]] = True
        walks.append(walk)
    rest = ~is_walked & (uses < np.maximum(1, np.rint(copies.copies)))
    walks += [Walk([2 * unitig], bool(circular[unitig])) for unitig in np.flatnonzero(rest).tolist()]
    return walks


def _walk_from(start: int, paths: Mapping[int, tuple[tuple[int, ...], int]]) -> Walk:
    steps, vertex = [start], start
    while vertex in paths:
        path, vertex = paths[vertex]
        steps += path
        if vertex == start:
            return Walk(steps, True)
        steps.append(vertex)
    return Walk(steps)


@dataclass(frozen=True)
class Behind:
    """What follows the end of a walk.

    Attributes
    ----------
    steps : list of int
        The last one may be longer than the room.
    room_bp : int
        Bases to extend the walk by at most.
    """

    steps: list[int]
    room_bp: int

    def within(self, n_bases: int, added: Longs) -> tuple[list[int], tuple[int, int] | None]:
        """Return the whole steps within some bases, and of the next one, if there is enough room, vertex and bases."""
        left = min(n_bases, self.room_bp)
        for number, step in enumerate(self.steps):
            n = int(added[step >> 1])
            if left < n:
                return self.steps[:number], (step, left) if left >= LEAST_PART_BP else None
            left -= n
        return self.steps, None


def before_repeats(graph: Graph, copies: CopyNumbers) -> NDArray[np.bool_]:
    """Find out which vertices are single-copy, and followed by a repeat alone.

    Walks are extended behind these at most: see `steps_behind` for the arguments.
    """
    degrees = np.diff(graph.row_ptr)
    is_single = np.repeat(copies.is_single, 2)
    tails = np.flatnonzero(is_single & (degrees == 1))
    heads = graph.col[graph.row_ptr[tails]].astype(np.int64)
    is_repeat = ~is_single[heads] & ((degrees[heads ^ 1] > 1) | copies.is_repeat[heads >> 1])
    found = np.zeros(len(degrees), np.bool_)
    found[tails[is_repeat]] = True
    return found


def steps_behind(
    walks: Iterable[Walk],
    graph: Graph,
    added: Longs,
    copies: CopyNumbers,
    gaps: Mapping[int, float],
    most_bp: float,
) -> dict[int, Behind]:
    """List the repeats that alone follow the ends of walks, by the last vertex, where there are any.

    Whatever leaves a single-copy unitig with one successor passes through this successor.

    Parameters
    ----------
    walks : iterable of Walk
    graph : Graph
        Of the unitigs, in NumPy arrays.
    added : ndarray, dtype=int64, shape=(n_unitigs,)
        Bases that a unitig adds to a walk.
    copies : CopyNumbers
    gaps : mapping of int to float
        Estimated gaps behind vertices that another walk follows. Each side takes at most half.
    most_bp : float
        Bases to extend by at most: as far as pairs reach. Copies of a longer repeat may differ where no read tells it.
    """
    is_end = before_repeats(graph, copies)
    found = {}
    for walk in walks:
        for last in (walk.steps[-1], walk.steps[0] ^ 1):
            if is_end[last] and not walk.is_circular:
                room = min(most_bp, (gaps[last] - LEAST_GAP_BP) / 2) if last in gaps else most_bp
                behind = _repeats_behind(last, {step >> 1 for step in walk.steps}, graph, added, copies, room)
                if behind:
                    found[last] = Behind(behind, int(room))
    return found


def _repeats_behind(
    last: int, seen: set[int], graph: Graph, added: Longs, copies: CopyNumbers, room: float
) -> list[int]:
    """List the repeats that alone follow a single-copy vertex, until they exceed a number of bases; none twice."""
    found: list[int] = []
    while (after := _successor(last, graph)) is not None:
        unitig = after >> 1
        n_into = int(graph.row_ptr[(after ^ 1) + 1] - graph.row_ptr[after ^ 1])
        is_repeat = not copies.is_single[unitig] and (n_into > 1 or bool(copies.is_repeat[unitig]))
        if unitig in seen or not is_repeat or room <= 0:
            break
        room -= int(added[unitig])
        found.append(after)
        seen.add(unitig)
        last = after
    return found


def _successor(vertex: int, graph: Graph) -> int | None:
    """Return the successor of a vertex that has only one."""
    first, stop = graph.row_ptr[vertex], graph.row_ptr[vertex + 1]
    return int(graph.col[first]) if stop - first == 1 else None


def extended_walks(walks: list[Walk], behind: Mapping[int, Sequence[int]], copies: CopyNumbers) -> list[Walk]:
    """Extend the ends of walks into repeats, and leave out repeats that are in one then.

    Parameters
    ----------
    walks : list of Walk
    behind : mapping of int to sequence of int
        Steps behind the last vertex of a walk; see `steps_behind`. Of those of both ends, a unitig is taken once.
    copies : CopyNumbers
    """
    extended = [walk if walk.is_circular else _extended(walk, behind) for walk in walks]
    n_uses = np.zeros(len(copies.copies), np.int64)
    for walk in extended:
        if len(walk.steps) > 1:
            n_uses[list({step >> 1 for step in walk.steps})] += 1
    kept = []
    for before, walk in zip(walks, extended, strict=True):
        own = [step >> 1 for step in before.steps]
        is_whole = walk.is_circular or copies.is_single[own].any()
        if is_whole or (n_uses[own] - (len(walk.steps) > 1) <= 0).any():
            kept.append(walk)
    return kept


def _extended(walk: Walk, behind: Mapping[int, Sequence[int]]) -> Walk:
    """Extend both ends: the walk is turned twice."""
    if walk.steps[-1] not in behind and walk.steps[0] ^ 1 not in behind:
        return walk
    for _ in range(2):
        seen = {step >> 1 for step in walk.steps}
        more = []
        for step in behind.get(walk.steps[-1], ()):
            if step >> 1 in seen:
                break
            more.append(step)
        walk = Walk([*walk.steps, *more], n_before=walk.n_before, n_behind=len(more)).turned
    return walk
