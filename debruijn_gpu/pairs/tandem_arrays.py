"""Take joins through tandem arrays back that may lack a copy, by the number of reads in the unitigs of the array."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.copies import SURE, CopyNumbers
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.window_depths import WindowDepths

Longs = NDArray[np.int64]

#: Depth of a copy that is taken for possible where hardly any sequence has its GC, relative to single-copy sequence
_RARE_GC_DEPTH = 0.7
#: Part by which the depth of sequence with some GC may be less by chance
_EVEN_PART = 0.1
#: Vertices that the search for a cycle looks at
_MOST_STEPS = 64
#: Standard errors by which a distance differs; larger ones count as this
_MOST_DEVIATION = 5.0


def without_doubtful_arrays(
    found: Mapping[int, Join],
    graph: Graph,
    ends: LinkGraph,
    copies: CopyNumbers,
    reach: float,
    deviation: Callable[[Link, float], float],
    slack_bp: float,
    windows: WindowDepths,
) -> dict[int, Join]:
    """Leave out joins along paths through a short cycle that the genome may run through once more.

    Where copies of a tandem repeat are alike, they are one cycle of the graph. Pairs link a unitig of the cycle to the
    sequence on both sides of the array, whether it has one copy or two, and no pair spans a long array. The reads in
    all unitigs of the cycle state the number of turns: the odds of one more than the joins take are the sum of
    theirs. Where a joined unitig is of the cycle itself, distances say nothing, and one more has to be excluded.
    Otherwise the distance states the number of turns, and one more has to be certain to contradict it; what the
    distance says for one more adds to the odds.

    Parameters
    ----------
    found : mapping of int to Join
        By tail; see `joins.joins`.
    graph : Graph
        Of the unitigs, in NumPy arrays.
    ends : LinkGraph
    copies : CopyNumbers
    reach : float
        Bases of a turn, at most: a typical insert size.
    deviation : callable
        See `Links.deviation`.
    slack_bp : float
        Bases by which distances may be wrong whatever their number.
    windows : WindowDepths
        Of all unitigs.
    """
    turns = _turns(found, len(copies.copies))
    cycles = _Cycles(graph, ends, reach)
    depth_of = cache(lambda cycle: _depth(cycle, copies, ends, windows))
    doubtful: set[int] = set()
    for tail, join in found.items():
        n_copies = _replicons(join, copies)
        for vertex in join.path or ():
            cycle = cycles.shortest(vertex & ~1)
            if not cycle:
                continue
            odds = _odds(cycle, turns, copies, n_copies * depth_of(cycle), ends)
            most = -SURE
            if not copies.is_single[[*cycle]].any():
                odds, most = odds + _odds_by_distance(join, cycle, ends, deviation, slack_bp), SURE
            if odds > most:
                doubtful.update((tail, join.link.head ^ 1))
    return {tail: join for tail, join in found.items() if tail not in doubtful}


def _turns(found: Mapping[int, Join], n: int) -> Longs:
    """Count how often the joins run through each unitig; 1 for the unitigs that they join."""
    counts = np.zeros(n, np.int64)
    for join in found.values():
        for vertex in join.path or ():
            counts[vertex >> 1] += 1
    counts //= 2  # both strands
    joined = np.array([tail >> 1 for tail in found], np.int64)
    counts[joined] = np.maximum(1, counts[joined])
    return counts


def _replicons(join: Join, copies: CopyNumbers) -> float:
    """Copy number of the replicon that a join is of: 1 between single-copy unitigs."""
    both = [join.link.tail >> 1, join.link.head >> 1]
    return max(1.0, float(copies.copies[both].min())) if copies.is_repeat[both].all() else 1.0


def _depth(cycle: tuple[int, ...], copies: CopyNumbers, ends: LinkGraph, windows: WindowDepths) -> float:
    """Depth of one copy of a cycle relative to single-copy sequence, at most 1: that of sequence with its GC."""
    if windows.spread == math.inf:
        return 1.0
    typical = windows.typical(cycle, copies.n_bases_of(cycle, ends.n_kmers))
    if typical is None:
        return _RARE_GC_DEPTH
    return typical if typical < 1.0 - _EVEN_PART else 1.0


def _odds(cycle: tuple[int, ...], turns: Longs, copies: CopyNumbers, n_copies: float, ends: LinkGraph) -> float:
    """Compute the odds, as a logarithm, of one more turn of a cycle than the joins take in each of some replicons."""
    total = 0.0
    for unitig in cycle:
        n_reads, expected = copies.reads_of(unitig, int(ends.n_kmers[2 * unitig]))
        n_turns = int(turns[unitig])
        before = max(n_turns, 0.5)  # one turn is compared with half a one where the joins take none
        total += n_reads * math.log((n_turns + 1) / before) - n_copies * expected
    return total


def _odds_by_distance(
    join: Join, cycle: tuple[int, ...], ends: LinkGraph, deviation: Callable[[Link, float], float], slack_bp: float
) -> float:
    """Compute the odds, as a logarithm, of one turn more by the distance.

    They are 0 if the distance is for the path, as its reads have to state the number of turns in any case, or if a turn
    is too short for it.
    """
    added = ends.n_kmers
    gap = int(added[[*(join.path or ())]].sum()) - ends.k + 1
    turn = int(added[[2 * unitig for unitig in cycle]].sum())
    if turn <= slack_bp:
        return 0.0
    longer = gap + turn
    by_path, by_longer = (min(deviation(join.link, bases), _MOST_DEVIATION) for bases in (gap, longer))
    return max(0.0, (by_path**2 - by_longer**2) / 2)


class _Cycles:
    """Finds the shortest cycles of a graph.

    Parameters
    ----------
    graph : Graph
    ends : LinkGraph
    longest : float
        Bases of a cycle, at most.
    """

    def __init__(self, graph: Graph, ends: LinkGraph, longest: float) -> None:
        self._row_ptr, self._col = graph.row_ptr, graph.col
        self._added = ends.n_kmers
        self._longest = longest
        self._found: dict[int, tuple[int, ...]] = {}

    def shortest(self, start: int) -> tuple[int, ...]:
        """Unitigs of the shortest cycle through a vertex; none if there is no short one."""
        if start not in self._found:
            self._found[start] = self._search(start)
        return self._found[start]

    def _search(self, start: int) -> tuple[int, ...]:
        waiting: list[tuple[int, int, tuple[int, ...]]] = [(int(self._added[start]), start, (start >> 1,))]
        seen: set[int] = set()
        while waiting and len(seen) < _MOST_STEPS:
            n_bases, vertex, path = heapq.heappop(waiting)
            if vertex in seen:
                continue
            seen.add(vertex)
            for successor in self._col[self._row_ptr[vertex] : self._row_ptr[vertex + 1]].tolist():
                if successor == start:
                    return path
                beyond = n_bases + int(self._added[successor])
                if beyond <= self._longest and successor not in seen:
                    heapq.heappush(waiting, (beyond, successor, (*path, successor >> 1)))
        return ()
