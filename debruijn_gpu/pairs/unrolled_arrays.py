"""Unroll tandem arrays with one way in and one way out, where reads leave one number of copies alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.neighbours import predecessors, successors
from debruijn_gpu.pairs.arrays import Array, ArrayLinks, replaced
from debruijn_gpu.pairs.copies import SURE, CopyNumbers, are_alike
from debruijn_gpu.pairs.flanks import MOST_BP, MOST_UNITIGS
from debruijn_gpu.pairs.joins import Join, turned
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Links
from debruijn_gpu.pairs.path_choice import Path
from debruijn_gpu.pairs.window_depths import WindowDepths

#: k-mers of each unitig beside an array, at least
_LEAST_FLANK = 200
#: Part by which the depth of an array may differ from that of its sides, or of the genome: at least, and in standard
#: deviations of the depth from place to place
_LEAST_OFF, _SPREADS = 0.1, 2.0
#: Copies from which on no number is certain if depths may differ by `_LEAST_OFF`
_TOO_MANY_COPIES = 6
#: Standard deviations (Poisson) by which the reads of a part of the array may differ from what is expected
_MOST_DEVIATIONS = 3.0
#: Reads of what the genome has no copy of, in copies
_NO_COPY = 0.05


@dataclass(frozen=True)
class _Cycle(Array):
    """An array whose copies are alike, so that it is one cycle: too short to be a replicon that shares a repeat.

    Attributes
    ----------
    n_inner : int
        Vertices from the way in to the way out, which are the first ones; the rest lead back to the way in.
    """

    n_inner: int

    def unrolled(self, n_copies: int) -> Path:
        """The path that has so many copies of the inner vertices, and one less of the rest."""
        return self.vertices * (n_copies - 1) + self.vertices[: self.n_inner]


class UnrolledArrays:
    """Unrolls tandem arrays.

    Parameters
    ----------
    graph : Graph
        Of the unitigs, in NumPy arrays.
    ends : LinkGraph
    copies : CopyNumbers
    links : Links
    options : PairOptions
    windows : WindowDepths
    """

    def __init__(
        self,
        graph: Graph,
        ends: LinkGraph,
        copies: CopyNumbers,
        links: Links,
        options: PairOptions,
        windows: WindowDepths,
    ) -> None:
        self._graph, self._ends, self._copies, self._links, self._options = graph, ends, copies, links, options
        self._added = ends.n_kmers
        self._windows = windows
        self._is_flank = copies.is_single & (self._added[0::2] >= _LEAST_FLANK)
        degrees = np.diff(graph.row_ptr)
        tails = np.flatnonzero(np.repeat(self._is_flank, 2) & (degrees == 1))
        entered = tails[degrees[graph.col[graph.row_ptr[tails]] ^ 1] == 2].tolist()  # from the cycle, too
        self._cycles = [cycle for tail in entered if (cycle := self._behind(tail)) is not None]

    @cached_property
    def _links_across(self) -> ArrayLinks:
        return ArrayLinks(self._cycles, self._is_flank, self._ends, self._copies, self._links, self._options)

    def with_paths(self, found: Mapping[int, Join]) -> dict[int, Join]:
        """Join what an array separates along its cycle, as often as its reads say.

        The part of the cycle between the way in and the way out has one copy more than the rest. The reads of both
        parts have to be as many as one number of copies makes expected, and no other number, whether a copy is as deep
        as single-copy sequence, as both sides, or as other sequence of its GC, or differs from that as depths do in
        the sample. If fragments state a distance of both sides, it has to agree.

        Parameters
        ----------
        found : mapping of int to Join
            By tail, before gaps are closed. Those of the sides, and of the array, that have no path are replaced.
        """
        more: dict[int, Join] = {}
        inner: list[int] = []
        for cycle in self._cycles:
            if (join := self._join(cycle, found)) is not None:
                more |= {cycle.tail: join, cycle.head ^ 1: Join(join.link.turned, turned(join.path or ()))}
                inner += _both_strands(cycle)
        return replaced(found, more, inner)

    def _behind(self, tail: int) -> _Cycle | None:
        """Find the cycle behind a vertex, if one other vertex alone follows the cycle.

        The vertex has one successor, which has one predecessor more.
        """
        (first,) = successors(self._graph, tail)
        inner = self._chain(first)
        ways = successors(self._graph, inner[-1])
        if len(ways) != 2:
            return None
        for back, head in (ways, ways[::-1]):
            vertices = self._closed(inner, back)
            is_short = int(self._added[[*vertices]].sum()) <= MOST_BP
            is_only = predecessors(self._graph, head) == [inner[-1]]
            if vertices and is_short and is_only and self._are_sides(tail, head, vertices):
                return _Cycle(tail, head, vertices, len(inner))
        return None

    def _closed(self, inner: Path, back: int) -> Path:
        """Return the cycle that a successor of the last of some vertices leads back to the first of; empty if none."""
        if back == inner[0]:
            return inner
        rest = self._chain(back)
        is_closed = predecessors(self._graph, back) == [inner[-1]] and successors(self._graph, rest[-1]) == [inner[0]]
        return inner + rest if is_closed else ()

    def _chain(self, vertex: int) -> Path:
        """Follow single successors that nothing else leads to."""
        chain = [vertex]
        while len(chain) < MOST_UNITIGS:
            behind = successors(self._graph, chain[-1])
            if len(behind) != 1 or len(predecessors(self._graph, behind[0])) != 1:
                break
            chain += behind
        return tuple(chain)

    def _are_sides(self, tail: int, head: int, vertices: Path) -> bool:
        """Whether two vertices may be beside an array: of one genome, and each unitig there once. One strand counts."""
        is_once = len({vertex >> 1 for vertex in (tail, head, *vertices)}) == len(vertices) + 2
        is_alike = are_alike(self._copies.shares, tail >> 1, head >> 1)
        return bool(is_once and is_alike and self._is_flank[head >> 1] and tail < head ^ 1)

    def _join(self, cycle: _Cycle, found: Mapping[int, Join]) -> Join | None:
        """The join of both sides of an array; None if it is not certain, or something has a path or leads elsewhere."""
        within = {*cycle.unitigs, cycle.tail >> 1, cycle.head >> 1}
        joined = [found[one] for one in (cycle.tail, cycle.head ^ 1, *_both_strands(cycle)) if one in found]
        if any(join.path is not None or join.link.head >> 1 not in within for join in joined):
            return None
        n_copies = self._n_copies(cycle)
        link = self._links_across.across(cycle) if n_copies else None
        if link is None:
            return None
        path = cycle.unrolled(n_copies)
        gap_bp = float(self._added[[*path]].sum() - self._ends.k + 1)
        return Join(replace(link, gap_bp=gap_bp, error_bp=1.0), path) if self._agrees(cycle, gap_bp) else None

    def _agrees(self, cycle: _Cycle, gap_bp: float) -> bool:
        """Whether a distance of both sides is one that fragments state, if any do."""
        known = self._links.find(cycle.tail, cycle.head)
        if known is None or abs(known.gap_bp - gap_bp) <= self._options.slack_bp:
            return True
        return self._links.deviation(known, gap_bp) <= self._options.most_errors

    def _n_copies(self, cycle: _Cycle) -> int:
        """The copies of the inner vertices; 0 if more than one number is possible, or it is 1."""
        sides, inner, rest = (
            self._reads(part, cycle)
            for part in ((cycle.tail, cycle.head), cycle.vertices[: cycle.n_inner], cycle.vertices[cycle.n_inner :])
        )
        depth = sides[0] / max(sides[1], 1e-9)
        n_bases = self._copies.n_bases_of([vertex >> 1 for vertex in cycle.vertices], self._added)
        least, most = self._windows.range_of([*cycle.unitigs], n_bases, depth, _LEAST_OFF, _SPREADS)
        if most == math.inf:
            return 0

        def odds(n_copies: int, depth: float) -> float:
            """Logarithm of the likelihood, but for a constant (Poisson)."""
            more = max(n_copies - 1, _NO_COPY)
            expected = depth * (n_copies * inner[1] + more * rest[1])
            return inner[0] * math.log(n_copies) + rest[0] * math.log(more) - expected

        best = max(range(1, _TOO_MANY_COPIES + 1), key=lambda n: odds(n, 1.0))
        if not 1 < best < _TOO_MANY_COPIES:
            return 0
        of_parts = (inner[0], best * inner[1]), (rest[0], (best - 1) * rest[1])
        if not all(_is_near(n_reads, least * expected, most * expected) for n_reads, expected in of_parts):
            return 0
        others = [(depth, other) for depth in (least, most) for other in (best - 1, best + 1)]
        is_certain = all(odds(best, depth) - odds(other, depth) >= SURE for depth, other in others)
        return best if is_certain else 0

    def _reads(self, vertices: Path, cycle: _Cycle) -> tuple[float, float]:
        """Reads that begin in some unitigs, and those expected of one copy of each in the genome of an array."""
        shares = self._copies.shares
        n_reads = n_expected = 0.0
        for vertex in vertices:
            begun, expected = self._copies.reads_of(vertex >> 1, int(self._added[vertex]))
            n_reads += begun
            n_expected += expected * float(shares[cycle.tail >> 1] / shares[vertex >> 1])
        return n_reads, n_expected


def _is_near(n_reads: float, least: float, most: float) -> bool:
    """Whether a number of reads is one that an expected number between two others may give."""
    return least - _MOST_DEVIATIONS * math.sqrt(least) <= n_reads <= most + _MOST_DEVIATIONS * math.sqrt(most)


def _both_strands(cycle: _Cycle) -> list[int]:
    """List the vertices of a cycle, and their reverse complements."""
    return [strand for vertex in cycle.vertices for strand in (vertex, vertex ^ 1)]
