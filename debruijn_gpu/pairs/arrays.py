"""Tandem arrays between two single-copy unitigs, and the links across them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import Join, is_contradicted
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link, Links


@dataclass(frozen=True)
class Array:
    """Vertices that all walks from one vertex to another pass through, and no other walk.

    Attributes
    ----------
    tail, head : int
        Vertices before and behind it.
    vertices : tuple of int
    """

    tail: int
    head: int
    vertices: tuple[int, ...]

    @property
    def unitigs(self) -> frozenset[int]:
        """The unitigs of the vertices."""
        return frozenset(vertex >> 1 for vertex in self.vertices)


class ArrayLinks:
    """Finds the links across some arrays.

    Parameters
    ----------
    arrays : sequence of Array
    is_flank : ndarray, dtype=bool, shape=(n_unitigs,)
        Single-copy unitigs, those beside arrays among them.
    ends : LinkGraph
    copies : CopyNumbers
    links : Links
    options : PairOptions
    """

    def __init__(
        self,
        arrays: Sequence[Array],
        is_flank: NDArray[np.bool_],
        ends: LinkGraph,
        copies: CopyNumbers,
        links: Links,
        options: PairOptions,
    ) -> None:
        self._is_flank, self._ends, self._copies, self._links, self._options = is_flank, ends, copies, links, options
        self._added = ends.n_kmers[0::2]
        is_tail = is_flank.copy()
        is_tail[[unitig for array in arrays for unitig in array.unitigs]] = True
        self._near = links.among(copies.is_single, is_tail)

    def across(self, array: Array) -> Link | None:
        """Return the link across an array, if fragments link both sides to it and none contradicts.

        Its size and error are by copy numbers. No link of either side may lead to other sequence nearby, nor one of
        the array to another dead end.
        """
        link = self._link(array)
        return link if link is not None and self._agree(link, array) else None

    def _agree(self, link: Link, array: Array) -> bool:
        """Whether no link of a side, or of the array, contradicts; see `across`."""
        for one in (link, link.turned):
            outside = [other for other in self._near.get(one.tail, ()) if other.head >> 1 not in array.unitigs]
            if is_contradicted(one, outside, self._links, self._ends.lengths, self._options):
                return False
        both = [strand for vertex in array.vertices for strand in (vertex, vertex ^ 1)]
        heads = {one.head for vertex in both for one in self._near.get(vertex, ())} - {link.head, link.tail ^ 1}
        return all(self._ends.leads_on[head ^ 1] for head in heads if self._is_flank[head >> 1])

    def _link(self, array: Array) -> Link | None:
        """The link across an array, if fragments link both sides to it."""
        vertices = np.array(array.vertices, np.int64)
        unitigs = vertices >> 1
        added, numbers = self._added[unitigs], self._copies.of(unitigs).numbers
        gap_bp = float((numbers * added).sum() - self._ends.k + 1)
        n_reads = self._copies.rate * self._copies.shares[unitigs] * added
        error_bp = math.sqrt(float((added * added * numbers / np.maximum(1.0, n_reads)).sum()))
        n_before = self._links.supports_of(np.full(len(vertices), array.tail), vertices).sum()
        n_behind = self._links.supports_of(vertices, np.full(len(vertices), array.head)).sum()
        if min(n_before, n_behind) < 1 or max(n_before, n_behind) < self._options.least_pairs:
            return None
        n_pairs = int(min(n_before, n_behind))
        return Link(array.tail, array.head, n_pairs, gap_bp, max(1.0, error_bp), 1.0, 0.0, ())


def replaced(found: Mapping[int, Join], more: Mapping[int, Join], vertices: Sequence[int] = ()) -> dict[int, Join]:
    """Add joins, and leave out what the same tails, and some other vertices, are joined to."""
    left_out = {one for tail in (*more, *vertices) if tail in found for one in (tail, found[tail].link.head ^ 1)}
    return {tail: join for tail, join in found.items() if tail not in left_out} | dict(more)
