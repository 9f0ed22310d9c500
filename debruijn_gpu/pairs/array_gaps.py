"""Leave a gap where a tandem array of unknown length has one way in and one way out, between two long unitigs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.neighbours import have_cycle, predecessors, successors
from debruijn_gpu.pairs.copies import CopyNumbers, are_alike
from debruijn_gpu.pairs.flanks import LEAST_FLANK, MOST_BP, MOST_UNITIGS
from debruijn_gpu.pairs.joins import Join, is_contradicted
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link, Links

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class _Array:
    """Vertices that all walks from one vertex to another pass through, and no other walk.

    Attributes
    ----------
    head : int
        Vertex behind it.
    vertices : list of int
        Ascending.
    """

    head: int
    vertices: list[int]

    @cached_property
    def unitigs(self) -> frozenset[int]:
        """The unitigs of the vertices."""
        return frozenset(vertex >> 1 for vertex in self.vertices)


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
        self._graph, self._copies, self._links, self._options = graph, copies, links, options
        self._ends = ends
        self._added = ends.lengths[0::2] - ends.k + 1
        self._turns = np.maximum(1, np.rint(copies.copies)).astype(np.int64)
        self._is_flank = copies.is_single & (self._added >= LEAST_FLANK)

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
        arrays = [(tail, array) for tail in self._tails() if (array := self._behind(tail)) is not None]
        is_inner = np.zeros(len(self._is_flank), np.bool_)
        is_inner[[unitig for _tail, array in arrays for unitig in array.unitigs]] = True
        near = self._links.among(self._copies.is_single, self._is_flank | is_inner)
        more: dict[int, Join] = {}
        left_out: set[int] = set()
        for tail, array in arrays:
            joined = [found[side] for side in (tail, array.head ^ 1) if side in found]
            if any(join.path is not None or join.link.head >> 1 not in array.unitigs for join in joined):
                continue
            link = self._link(tail, array)
            if link is not None and self._agree(link, array, near):
                more |= {tail: Join(link, None), array.head ^ 1: Join(link.turned, None)}
                left_out.update(one for join in joined for one in (join.link.tail, join.link.head ^ 1))
        return {tail: join for tail, join in found.items() if tail not in left_out} | more

    def _tails(self) -> list[int]:
        """List the vertices that an array may be behind."""
        found: list[int] = np.flatnonzero(np.repeat(self._is_flank, 2) & self._ends.leads_on).tolist()
        return found

    def _agree(self, link: Link, array: _Array, near: Mapping[int, Sequence[Link]]) -> bool:
        """Whether no link of either side leads to other sequence nearby, nor one of the array to another dead end."""
        for one in (link, link.turned):
            outside = [other for other in near.get(one.tail, ()) if other.head >> 1 not in array.unitigs]
            if is_contradicted(one, outside, self._links, self._ends.lengths, self._options):
                return False
        both = [strand for vertex in array.vertices for strand in (vertex, vertex ^ 1)]
        heads = {one.head for vertex in both for one in near.get(vertex, ())} - {link.head, link.tail ^ 1}
        return all(self._ends.leads_on[head ^ 1] for head in heads if self._is_flank[head >> 1])

    def _behind(self, tail: int) -> _Array | None:
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
            n_bases += int(self._turns[vertex >> 1] * self._added[vertex >> 1])
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
        return _Array(head, sorted(inner)) if is_only else None

    def _link(self, tail: int, array: _Array) -> Link | None:
        """The link across an array, if fragments link both sides to it; its size and error are by copy numbers."""
        vertices = np.array(array.vertices, np.int64)
        unitigs = vertices >> 1
        added = self._added[unitigs]
        gap_bp = float((self._turns[unitigs] * added).sum() - self._ends.k + 1)
        n_reads = self._copies.rate * self._copies.shares[unitigs] * added
        error_bp = math.sqrt(float((added * added * self._turns[unitigs] / np.maximum(1.0, n_reads)).sum()))
        n_before = self._links.supports_of(np.full(len(vertices), tail), vertices).sum()
        n_behind = self._links.supports_of(vertices, np.full(len(vertices), array.head)).sum()
        if min(n_before, n_behind) < 1 or max(n_before, n_behind) < self._options.least_pairs:
            return None
        return Link(tail, array.head, int(min(n_before, n_behind)), gap_bp, max(1.0, error_bp), 1.0, 0.0, ())
