"""Joins by elimination: of the ways through a repeat, the last one is left over when all others are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.neighbours import have_cycle, predecessors, successors
from debruijn_gpu.pairs.copies import CopyNumbers, are_alike
from debruijn_gpu.pairs.joins import SURE_OF_COPIES, Join, is_contradicted, turned
from debruijn_gpu.pairs.links import Link, Links
from debruijn_gpu.pairs.path_choice import Path, PathChoice

#: Unitigs of a repeat at most, and ways in and out
_MOST_INNER, _MOST_WAYS = 20, 10
#: Standard deviations (Poisson) by which reads and fragments may differ from what is expected
_MOST_DEVIATIONS = 3.0


@dataclass
class _Region:
    """A repeat: unitigs that are not single-copy, and the single-copy vertices that lead in and out.

    Attributes
    ----------
    inner, ins, outs : set of int
        Vertices, all in the direction of the walk.
    """

    inner: set[int] = field(default_factory=set)
    ins: set[int] = field(default_factory=set)
    outs: set[int] = field(default_factory=set)


class LeftOver:
    """Finds joins that are left over.

    Parameters
    ----------
    graph : Graph
        Of the unitigs, in NumPy arrays.
    copies : CopyNumbers
    links : Links
    odds : ndarray, dtype=float64, shape=(n_vertices,)
        See `copies.end_odds`.
    choice : PathChoice
    options : PairOptions
    """

    def __init__(
        self,
        graph: Graph,
        copies: CopyNumbers,
        links: Links,
        odds: NDArray[np.float64],
        choice: PathChoice,
        options: PairOptions,
    ) -> None:
        self._graph = graph
        self._copies = copies
        self._links = links
        self._near = links.among(copies.is_single)
        self._odds = odds
        self._choice = choice
        self._options = options

    def with_joins(self, found: dict[int, Join]) -> dict[int, Join]:
        """Add the joins that are left over, in both strands; each may leave over another one."""
        found = dict(found)
        tails = [int(2 * unitig + strand) for unitig in np.flatnonzero(self._copies.is_single) for strand in (0, 1)]
        regions = {tail: region for tail in tails if tail not in found and (region := self._region(tail)) is not None}
        uses = Counter(vertex >> 1 for join in found.values() for vertex in join.path or ())
        n_before = -1
        while n_before != len(found):
            n_before = len(found)
            for tail, region in regions.items():
                if tail not in found and (join := self._left_over(tail, region, found, uses)) is not None:
                    path = join.path or ()
                    found[tail] = join
                    found[join.link.head ^ 1] = Join(join.link.turned, turned(path), is_thin=True)
                    uses.update([vertex >> 1 for vertex in path] * 2)
        return found

    def _left_over(self, tail: int, region: _Region, found: dict[int, Join], uses: Counter[int]) -> Join | None:
        """Return the join of a vertex that nothing follows, if all other ways through the repeat behind it are known.

        ``uses`` are how often joins lead through unitigs, in both strands.
        """
        if [vertex for vertex in region.ins if vertex not in found] != [tail]:
            return None
        heads = [vertex for vertex in region.outs if vertex ^ 1 not in found]
        others = {found[vertex].link.head for vertex in region.ins if vertex != tail and found[vertex].path is not None}
        if len(heads) != 1 or heads[0] >> 1 == tail >> 1 or others != region.outs - {heads[0]}:
            return None
        if uses[tail >> 1] or uses[heads[0] >> 1]:  # it is in a walk already
            return None
        paths = list(islice(self._paths(tail, heads[0], region), 2))
        if len(paths) != 1 or not all(self._has_copies(vertex >> 1, uses[vertex >> 1] // 2 + 1) for vertex in paths[0]):
            return None
        if not self._are_of_one_copy(tail, heads[0]):
            return None
        link = self._link(tail, heads[0], paths[0])
        return Join(link, paths[0], is_thin=True) if self._is_possible(link) else None

    def _region(self, tail: int) -> _Region | None:
        """Find the repeat behind a vertex.

        None if it is large, has an end or a cycle, is entered in both directions, or has not as many ways in as out.
        """
        region, waiting = _Region(ins={tail}), [(tail, True)]
        while waiting:
            vertex, is_forward = waiting.pop()
            beside = (successors if is_forward else predecessors)(self._graph, vertex)
            if not beside:
                return None
            for other in beside:
                if self._copies.is_single[other >> 1]:
                    known = region.outs if is_forward else region.ins
                    more = [(other, not is_forward)]
                else:
                    known = region.inner
                    more = [(other, True), (other, False)]
                if other not in known:
                    known.add(other)
                    waiting += more
            if len(region.inner) > _MOST_INNER or max(len(region.ins), len(region.outs)) > _MOST_WAYS:
                return None
        is_turned = any(one ^ 1 in some for some in (region.inner, region.ins, region.outs) for one in some)
        if is_turned or len(region.ins) != len(region.outs) or have_cycle(self._graph, region.inner):
            return None
        return region

    def _paths(self, tail: int, head: int, region: _Region) -> Iterator[Path]:
        """Yield the paths through a repeat, which has no cycle."""
        waiting: list[tuple[int, Path]] = [(tail, ())]
        while waiting:
            vertex, path = waiting.pop()
            for successor in successors(self._graph, vertex):
                if successor == head:
                    yield path
                elif successor in region.inner:
                    waiting.append((successor, (*path, successor)))

    def _are_of_one_copy(self, tail: int, head: int) -> bool:
        """Whether two vertices are of one genome, and neither ends in several copies."""
        shares = self._copies.shares
        ends_in_one = max(self._odds[tail], self._odds[head ^ 1]) <= SURE_OF_COPIES
        return are_alike(shares, tail >> 1, head >> 1) and ends_in_one

    def _has_copies(self, unitig: int, n_copies: int) -> bool:
        """Whether a unitig has as many reads as a number of copies makes expected."""
        of_one = float(self._copies.expected[unitig])
        n_reads, expected = float(self._copies.copies[unitig]) * of_one, n_copies * of_one
        return abs(n_reads - expected) <= _MOST_DEVIATIONS * sqrt(expected)

    def _link(self, tail: int, head: int, path: Path) -> Link:
        """Return the link of a path."""
        gap_bp, n_pairs = self._choice.gap_of(path), self._links.support_of(tail, head)
        expected = self._links.expected(tail, head, gap_bp)
        error_bp = float(self._options.slack_bp)
        return Link(tail, head, n_pairs, gap_bp, error_bp, n_pairs / max(expected, 1.0), expected, ())

    def _is_possible(self, link: Link) -> bool:
        """Whether there are enough fragments across, and no link contradicts."""
        if link.n_pairs < link.expected - _MOST_DEVIATIONS * sqrt(link.expected):
            return False
        return not any(map(self._is_contradicted, (link, link.turned)))

    def _is_contradicted(self, link: Link) -> bool:
        """Whether links of the tail to others contradict."""
        others = [other for other in self._near.get(link.tail, ()) if other.head != link.head]
        return is_contradicted(link, others, self._links, self._choice.lengths, self._options)
