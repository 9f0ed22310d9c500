"""Walks over unitigs that contigs are spelled from: joined where pairs say so, and extended into repeats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.scaffolds import LEAST_GAP_BP
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import Join


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


def extended_walks(
    walks: list[Walk],
    graph: Graph,
    added: NDArray[np.int64],
    copies: CopyNumbers,
    gaps: Mapping[int, float],
    most_bp: float,
    allowed: Mapping[int, int] | None = None,
) -> list[Walk]:
    """Extend the ends of walks into the repeats that alone follow them, and leave out repeats that are in one then.

    Whatever leaves a single-copy unitig with one successor passes through this successor.

    Parameters
    ----------
    walks : list of Walk
    graph : Graph
        Of the unitigs, in NumPy arrays.
    added : ndarray, dtype=int64, shape=(n_unitigs,)
        Bases that a unitig adds to a walk.
    copies : CopyNumbers
    gaps : mapping of int to float
        Estimated gaps behind vertices that another walk follows. Each side takes at most half.
    most_bp : float
        Bases to extend by at most: as far as pairs reach. Copies of a longer repeat may differ where no read tells it.
    allowed : mapping of int to int, or None
        Steps to extend an end by at most, by its last vertex; none where it is not given. None: no such limit.
    """

    def extend(walk: Walk) -> Walk:
        """Extend both ends: the walk is turned twice."""
        for _ in range(2):
            behind = repeats_behind(walk, graph, added, copies, gaps, most_bp)
            behind = behind if allowed is None else behind[: allowed.get(walk.steps[-1], 0)]
            walk = Walk([*walk.steps, *behind], n_before=walk.n_before, n_behind=len(behind)).turned
        return walk

    extended = [walk if walk.is_circular else extend(walk) for walk in walks]
    n_uses = np.zeros(len(copies.copies), np.int64)
    for walk in extended:
        if len(walk.steps) > 1:
            n_uses[list({step >> 1 for step in walk.steps})] += 1
    kept = []
    for before, walk in zip(walks, extended, strict=True):
        own = before.steps[0] >> 1
        is_whole = len(before.steps) > 1 or walk.is_circular or copies.is_single[own]
        if is_whole or n_uses[own] - (len(walk.steps) > 1) <= 0:
            kept.append(walk)
    return kept


def repeats_behind(
    walk: Walk,
    graph: Graph,
    added: NDArray[np.int64],
    copies: CopyNumbers,
    gaps: Mapping[int, float],
    most_bp: float,
) -> list[int]:
    """List the repeats that alone follow the end of a walk, which has to be single-copy."""
    found: list[int] = []
    last = walk.steps[-1]
    if not copies.is_single[last >> 1]:
        return found
    room = min(most_bp, (gaps[last] - LEAST_GAP_BP) / 2) if last in gaps else most_bp
    seen = {step >> 1 for step in walk.steps}
    while (after := _successor(last, graph)) is not None:
        unitig = after >> 1
        n_into = int(graph.row_ptr[(after ^ 1) + 1] - graph.row_ptr[after ^ 1])
        is_repeat = not copies.is_single[unitig] and (n_into > 1 or bool(copies.is_repeat[unitig]))
        room -= int(added[unitig])
        if unitig in seen or not is_repeat or room < 0:
            break
        found.append(after)
        seen.add(unitig)
        last = after
    return found


def _successor(vertex: int, graph: Graph) -> int | None:
    """Return the successor of a vertex that has only one."""
    first, stop = graph.row_ptr[vertex], graph.row_ptr[vertex + 1]
    return int(graph.col[first]) if stop - first == 1 else None
