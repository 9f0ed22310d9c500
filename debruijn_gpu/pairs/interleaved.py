"""Joins that pass over unitigs which others join: two chains of joins through the same sequence become one.

Fragments that are longer than two unitigs link neither to the next one, but each to the one after that. Of four unitigs
in a row, the first is then joined to the third, and the second to the fourth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.copies import are_alike
from debruijn_gpu.pairs.joins import Join, turned
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.path_choice import Path, PathChoice

#: A path between two vertices, and the latter
Way = tuple[Path, int]


def as_one_chain(
    found: dict[int, Join], paths_of: Callable[[Link], list[Path]], choice: PathChoice, kinds: NDArray[np.float64]
) -> dict[int, Join]:
    """Join the unitigs that joins pass over in their order, where fragments show that these are between others.

    Parameters
    ----------
    found : dict of int to Join
        By tail, in both strands.
    paths_of : callable
        Lists all paths that agree with a link, through any vertices.
    choice : PathChoice
    kinds : ndarray, dtype=float64, shape=(n_unitigs,)
        A path leads through joined unitigs of the kind of its tail alone, and through none if that is nan.

    Returns
    -------
    dict of int to Join
        A path beside which others are as likely is left out, as is a join without a path where the way from its tail,
        or to its head, is known.
    """
    merging = _Merging(found, paths_of, choice, kinds)
    while merging.revert_doubtful() or merging.settle():
        pass
    return merging.joins()


class _Merging:
    """Chooses the paths of joins anew, through vertices that others join, so that all agree on what follows what.

    Parameters are those of `as_one_chain`.
    """

    def __init__(
        self,
        found: dict[int, Join],
        paths_of: Callable[[Link], list[Path]],
        choice: PathChoice,
        kinds: NDArray[np.float64],
    ) -> None:
        self._found = found
        self._choice = choice
        self._kinds = kinds
        self._paths = {tail: join.path for tail, join in found.items()}
        self._others: dict[int, list[Path]] = {}  # all paths that may be
        self._is_changed: set[int] = set()
        self._find_others(paths_of)
        ways = {tail: (join.path, join.link.head) for tail, join in found.items() if join.path is not None}
        for tail, join in sorted(found.items()):
            back, paths = join.link.head ^ 1, self._others[tail]
            if tail > back or not any(self._is_joined(vertex) for path in paths for vertex in path):
                continue
            before, behind = (choice.chain(vertex, ways) for vertex in (tail ^ 1, join.link.head))
            self._change(tail, choice.supported(paths, join.link, before, behind))

    def _find_others(self, paths_of: Callable[[Link], list[Path]]) -> None:
        """Find all paths of joins, but of those between neighbours, and where a path has a unitig twice."""
        found: dict[int, list[Path]] = {}
        for tail, join in self._found.items():
            back = join.link.head ^ 1
            if back in found:
                found[tail] = [turned(path) for path in found[back]]
                continue
            if join.path == ():
                found[tail] = [()]
                continue
            paths = paths_of(join.link)
            is_same = {*map(turned, paths)} == {*paths_of(join.link.turned)}
            if not is_same or not all(_is_simple(tail, path, join.link.head) for path in paths):
                paths = [] if join.path is None else [join.path]
            found[tail] = paths
        self._others = {
            tail: [path for path in paths if self._may_be(tail, path, found)] for tail, paths in found.items()
        }

    def _may_be(self, tail: int, path: Path, others: Mapping[int, list[Path]]) -> bool:
        """Whether joins of the unitigs on a path may lead along it."""
        head = self._found[tail].link.head
        if any(self._is_joined(vertex) and not are_alike(self._kinds, vertex >> 1, tail >> 1) for vertex in path):
            return False
        return self._may_lead((*path, head), others) and self._may_lead((*turned(path), tail ^ 1), others)

    def _may_lead(self, way: Path, others: Mapping[int, list[Path]]) -> bool:
        """Whether each join of a vertex on a way has a path that is along it, as far as both go."""
        for at, vertex in enumerate(way[:-1], 1):
            if vertex in self._found:
                rest, head = way[at:], self._found[vertex].link.head
                if not any(_agree(rest, (*path, head)) for path in others[vertex]):
                    return False
        return True

    def _is_joined(self, vertex: int) -> bool:
        """Whether a unitig is joined to another."""
        return vertex in self._found or vertex ^ 1 in self._found

    def _change(self, tail: int, path: Path | None) -> None:
        """Change the path of a join, in both strands; it may become what it was."""
        join, back = self._found[tail], self._found[tail].link.head ^ 1
        self._paths[tail], self._paths[back] = path, None if path is None else turned(path)
        self._is_changed -= {tail, back}
        if path != join.path:
            self._is_changed |= {tail, back}

    def _revert(self, tail: int) -> None:
        """Take a change back."""
        for one in (tail, self._found[tail].link.head ^ 1):
            self._paths[one] = self._found[one].path
            self._is_changed.discard(one)
            self._others.pop(one, None)

    def revert_doubtful(self) -> bool:
        """Take changes back that do not agree with other joins; return whether there were any."""
        ways, origins, doubtful = self._ways()
        for tail, path in self._paths.items():
            if path is None and not self._fitting(tail, ways):
                doubtful.update(origins.get(tail, ()), origins.get(self._found[tail].link.head ^ 1, ()))
        doubtful &= self._is_changed
        for tail in doubtful:
            self._revert(tail)
        return bool(doubtful)

    def settle(self) -> bool:
        """Choose missing paths by what is known to follow; return whether there were any."""
        ways, _origins, _doubtful = self._ways()
        settled = False
        for tail in self._found:
            fitting = self._fitting(tail, ways) if self._paths[tail] is None else []
            if len(fitting) == 1 and self._is_met(tail, ways):
                self._change(tail, fitting[0])
                settled = True
        return settled

    def _is_met(self, tail: int, ways: Mapping[int, Way]) -> bool:
        """Whether it is known what follows the tail of a join, or is before its head."""
        return tail in ways or self._found[tail].link.head ^ 1 in ways

    def _fitting(self, tail: int, ways: Mapping[int, Way]) -> list[Path]:
        """List the paths of a join that agree with what is known to follow."""
        back = self._found[tail].link.head ^ 1

        def agrees(tail: int, path: Path) -> bool:
            return all(ways.get(vertex, way) == way for vertex, way in self._steps(tail, path))

        return [path for path in self._others.get(tail, ()) if agrees(tail, path) and agrees(back, turned(path))]

    def _ways(self) -> tuple[dict[int, Way], dict[int, list[int]], set[int]]:
        """Follow joins: the way from each vertex to the next joined one, the joins along it, and contradicting ones."""
        ways: dict[int, Way] = {}
        origins: dict[int, list[int]] = {}
        doubtful: set[int] = set()
        for tail, path in self._paths.items():
            for vertex, way in self._steps(tail, path) if path is not None else ():
                origins.setdefault(vertex, []).append(tail)
                if ways.setdefault(vertex, way) != way:
                    doubtful.update(origins[vertex])
        return ways, origins, doubtful

    def _steps(self, tail: int, path: Path) -> Iterator[tuple[int, Way]]:
        """Yield the vertices of a join that are joined to others, but the last, each with the way to the next."""
        head = self._found[tail].link.head
        start, between = tail, list[int]()
        for vertex in (*path, head):
            if vertex == head or self._is_joined(vertex):
                yield start, (tuple(between), vertex)
                start, between = vertex, []
            else:
                between.append(vertex)

    def joins(self) -> dict[int, Join]:
        """Return the joins of ways, and those without a path."""
        ways, origins, _doubtful = self._ways()
        done = {
            tail: replace(self._found[tail], path=None)
            for tail, path in self._paths.items()
            if path is None and not self._is_met(tail, ways)
        }
        for tail, (path, head) in ways.items():
            join = self._found.get(tail)
            if join is not None and join.link.head == head:
                done[tail] = replace(join, path=path)
                continue
            source, gap_bp = self._found[min(origins[tail])].link, self._choice.gap_of(path)
            link = replace(source, tail=tail, head=head, gap_bp=gap_bp, expected=0.0, reaches=())
            done[tail] = Join(link, path, is_thin=True)
        return done


def _is_simple(tail: int, path: Path, head: int) -> bool:
    """Whether no unitig is twice on the way from a vertex to another."""
    unitigs = [vertex >> 1 for vertex in (tail, *path, head)]
    return len(set(unitigs)) == len(unitigs)


def _agree(one: Path, other: Path) -> bool:
    """Whether two ways from one vertex are the same, as far as both go."""
    n = min(len(one), len(other))
    return one[:n] == other[:n]
