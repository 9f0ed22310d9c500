"""Leave a gap where a tandem array of unknown length has one way in and one way out, between two long unitigs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.neighbours import have_cycle, predecessors, successors
from debruijn_gpu.pairs.arrays import Array, ArrayLinks, replaced
from debruijn_gpu.pairs.copies import CopyNumbers, are_alike
from debruijn_gpu.pairs.flanks import LEAST_FLANK, MOST_BP, MOST_UNITIGS
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Links


class ArrayGaps:
    """Finds tandem arrays between long single-copy unitigs that nothing is joined to.

    Parameters
    ----------
    graph : Graph
        Of the unitigs, in NumPy arrays, without fillings of gaps.
    ends : LinkGraph
    copies : CopyNumbers
    links : Links
    options : PairOptions
    """

    def __init__(self, graph: Graph, ends: LinkGraph, copies: CopyNumbers, links: Links, options: PairOptions) -> None:
        self._graph, self._copies, self._ends = graph, copies, ends
        self._added = ends.n_kmers[0::2]
        self._numbers = copies.numbers
        self._is_flank = copies.is_single & (self._added >= LEAST_FLANK)
        self._arrays = [array for tail in self._tails() if (array := self._behind(tail)) is not None]
        self._links = ArrayLinks(self._arrays, self._is_flank, ends, copies, links, options)

    def with_gaps(self, found: Mapping[int, Join]) -> dict[int, Join]:
        """Join what an array separates: a walk that enters it from one side has to leave it on the other.

        How often the genome turns in the array is unknown. So the gap stays open, and its size is that of the unitigs
        by their copy numbers. Fragments have to link both sides to the array, and none the array to other dead ends.
        Open gaps between a side and a unitig of the array, which may be in it several times, are left out.

        Parameters
        ----------
        found : mapping of int to Join
            By tail, after gaps are closed.
        """
        more: dict[int, Join] = {}
        for array in self._arrays:
            joined = [found[side] for side in (array.tail, array.head ^ 1) if side in found]
            if any(join.path is not None or join.link.head >> 1 not in array.unitigs for join in joined):
                continue
            link = self._links.across(array)
            if link is not None:
                more |= {array.tail: Join(link, None), array.head ^ 1: Join(link.turned, None)}
        return replaced(found, more)

    def _tails(self) -> list[int]:
        """List the vertices that an array may be behind."""
        found: list[int] = np.flatnonzero(np.repeat(self._is_flank, 2) & self._ends.leads_on).tolist()
        return found

    def _behind(self, tail: int) -> Array | None:
        """Find the array behind a vertex, if it leads to one other vertex alone."""
        inner, heads, n_bases = set[int](), set[int](), 0
        waiting = successors(self._graph, tail)
        while waiting:
            vertex = waiting.pop()
            if vertex in inner or vertex == tail:
                continue
            if self._is_flank[vertex >> 1]:
                heads.add(vertex)
                continue
            before, behind = predecessors(self._graph, vertex), successors(self._graph, vertex)
            n_bases += int(self._numbers[vertex >> 1] * self._added[vertex >> 1])
            is_other = vertex ^ 1 in inner or any(self._is_flank[one >> 1] and one != tail for one in before)
            if not before or not behind or is_other or n_bases > MOST_BP or len(inner) == MOST_UNITIGS:
                return None
            inner.add(vertex)
            waiting += [*before, *behind]
        if len(heads) != 1 or not have_cycle(self._graph, inner):
            return None
        (head,) = heads
        if tail >= head ^ 1 or tail >> 1 == head >> 1 or not are_alike(self._copies.shares, tail >> 1, head >> 1):
            return None  # of both strands, one is looked at
        is_only = all(one in inner or one == tail for one in predecessors(self._graph, head))
        return Array(tail, head, tuple(sorted(inner))) if is_only else None
