"""Join long single-copy unitigs across knots: short unitigs between them, some with dead ends, and no way out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.neighbours import have_cycle, predecessors, successors
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.flanks import LEAST_FLANK, MOST_BP, MOST_UNITIGS
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Knot:
    """Short unitigs between the end of a long one and the start of another.

    Attributes
    ----------
    tail, head : int
        Vertices of the long unitigs.
    unitigs : frozenset of int
        Between them.
    edges : frozenset of (int, int)
        Tail and head of the edges between all of them, in this strand.
    gap_bp : int
        Bases between both long unitigs along the only path, below 0 if they overlap.
    """

    tail: int
    head: int
    unitigs: frozenset[int]
    edges: frozenset[tuple[int, int]]
    gap_bp: int


def across_knots(
    knots: Iterable[Knot], chosen: Mapping[int, Link], beyond: Mapping[int, Link], options: PairOptions
) -> dict[int, Link]:
    """Let the long unitigs on both sides of a knot follow each other where its own unitigs do not lead across.

    Parameters
    ----------
    knots : iterable of Knot
    chosen : mapping of int to Link
        The follower of each vertex, of both strands.
    beyond : mapping of int to Link
        The same where the unitigs of knots are left out.
    options : PairOptions
    """
    done = dict(chosen)
    for knot in knots:
        link = beyond.get(knot.tail)
        if link is None or link.head != knot.head or _leads_across(knot, chosen):
            continue
        if abs(link.gap_bp - knot.gap_bp) > max(options.slack_bp, options.most_errors * link.error_bp):
            continue
        inner = {strand for unitig in knot.unitigs for strand in (2 * unitig, 2 * unitig + 1)}
        own = [chosen[one] for one in (knot.tail, knot.head ^ 1, *sorted(inner)) if one in chosen]
        if all(one.head in (knot.head, knot.tail ^ 1) or one.head in inner for one in own):
            for one in own:
                del done[one.tail]
            done |= {link.tail: link, link.head ^ 1: link.turned}
    return done


def _leads_across(knot: Knot, chosen: Mapping[int, Link]) -> bool:
    """Whether the followers of the tail lead to the head along edges."""
    vertex = knot.tail
    for _ in range(len(knot.unitigs) + 1):
        if vertex == knot.head or vertex not in chosen or (vertex, chosen[vertex].head) not in knot.edges:
            break
        vertex = chosen[vertex].head
    return vertex == knot.head


def find_knots(graph: Graph, ends: LinkGraph, copies: CopyNumbers) -> list[Knot]:
    """Find the short unitigs between two long single-copy ones that nothing else leads to, if one path leads
    across.

    Where two reads of a thin place overlap by less than k, an error or another allele in one of them leaves several
    short unitigs there, some of them with dead ends. Each seems single-copy, and one may be linked to one side by
    more fragments than the long unitig behind it. Nothing but the two long unitigs leads to them, so they are no
    copies of a repeat. Where only one path leads across, it is that of the genome.

    Parameters
    ----------
    graph : Graph
        Of the unitigs, in NumPy arrays.
    ends : LinkGraph
    copies : CopyNumbers

    Returns
    -------
    list of Knot
        By tail; of both strands, the smaller one. None has a cycle, as a tandem array has.
    """
    is_flank = copies.is_single & (ends.n_kmers[0::2] >= LEAST_FLANK)
    search = _Search(graph, ends, is_flank)
    tails = np.flatnonzero(np.repeat(is_flank, 2) & ends.leads_on).tolist()
    return [knot for tail in tails if (knot := search.behind(tail)) is not None]


class _Search:
    """Searches the vertices that are connected with the end of a long unitig, up to the start of another one."""

    def __init__(self, graph: Graph, ends: LinkGraph, is_flank: NDArray[np.bool_]) -> None:
        self._graph, self._is_flank = graph, is_flank
        self._overlap = ends.k - 1
        self._added = ends.lengths - self._overlap

    def behind(self, tail: int) -> Knot | None:
        """Return what is between a long unitig and the only other one, if it is a knot."""
        inner, heads = set[int](), set[int]()
        if not self._fill(tail, inner, heads) or len(heads) != 1 or have_cycle(self._graph, inner):
            return None
        (head,) = heads
        paths = self._paths(tail, head, inner) if inner and tail < head ^ 1 else []
        if len(paths) != 1:
            return None  # of both strands, one is looked at
        edges = frozenset((one, other) for one in (tail, *inner) for other in successors(self._graph, one))
        return Knot(tail, head, frozenset(vertex >> 1 for vertex in inner), edges, paths[0] - self._overlap)

    def _paths(self, vertex: int, head: int, inner: set[int]) -> list[int]:
        """List the bases that paths add between a vertex and the head through some vertices, which have no cycle."""
        found = []
        for one in successors(self._graph, vertex):
            if one == head:
                found.append(0)
            elif one in inner:
                found += [int(self._added[one]) + n_bases for n_bases in self._paths(one, head, inner)]
        return found

    def _fill(self, tail: int, inner: set[int], heads: set[int]) -> bool:
        """Collect the vertices and the starts of further long unitigs; False if other long ones lead to them."""
        waiting, n_bases = [(one, False) for one in successors(self._graph, tail)], 0
        while waiting:
            vertex, is_before = waiting.pop()
            if vertex in inner or (is_before and vertex == tail):
                continue
            if self._is_flank[vertex >> 1]:
                if is_before or vertex >> 1 == tail >> 1:
                    return False
                if vertex not in heads:
                    heads.add(vertex)
                    waiting += [(one, True) for one in predecessors(self._graph, vertex)]
                continue
            inner.add(vertex)
            n_bases += int(self._added[vertex])
            if vertex ^ 1 in inner or len(inner) > MOST_UNITIGS or n_bases > MOST_BP:
                return False
            waiting += [(one, False) for one in successors(self._graph, vertex)]
            waiting += [(one, True) for one in predecessors(self._graph, vertex)]
        return True
