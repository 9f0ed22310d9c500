"""Chains of joined unitigs, and where each unitig is in them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.link_evidence import LinkGraph


class Chains:
    """Unitigs in the order of their joins, across gaps too; circles are cut open.

    Parameters
    ----------
    found : mapping of int to Join
        By tail, each in both strands.
    ends : LinkGraph

    Attributes
    ----------
    lengths : ndarray, dtype=int64, shape=(n,)
        Of the chains, in bases.
    sequence, start, turned : ndarray, dtype=int64, shape=(n_unitigs,)
        Chain of each unitig, where it begins there, and whether it is its reverse complement there. The chain is -1 for
        unitigs in none, or in several places.
    """

    def __init__(self, found: Mapping[int, Join], ends: LinkGraph) -> None:
        self._found, self._ends, self._overlap = found, ends, ends.k - 1
        n = len(ends.lengths) // 2
        self.sequence, self.start = np.full(n, -1, np.int64), np.zeros(n, np.int64)
        self.turned = np.zeros(n, np.int64)
        self._uses = np.zeros(n, np.int64)
        self._joins: list[list[tuple[int, int, Join]]] = []  # end of the tail, start of the head
        is_walked = np.zeros(n, np.bool_)
        lengths: list[int] = []
        heads = sorted(tail for tail in found if tail ^ 1 not in found)
        for first in (*heads, *sorted(found)):
            if not is_walked[first >> 1]:
                lengths.append(self._walk(first, len(lengths), is_walked))
        self.sequence[self._uses > 1] = -1
        self.lengths = np.array(lengths, np.int64)

    def join_at(self, chain: int, start: int, stop: int, slack_bp: int) -> Join | None:
        """Find the first join that an interval of a chain touches."""
        for tail_end, head_start, join in self._joins[chain]:
            low, high = min(tail_end, head_start), max(tail_end, head_start)
            if start <= high + slack_bp and stop >= low - slack_bp:
                return join
        return None

    def _walk(self, vertex: int, chain: int, is_walked: NDArray[np.bool_]) -> int:
        """Follow joins from a vertex on, and return the length of the chain."""
        start, joins = 0, list[tuple[int, int, Join]]()
        while True:
            is_walked[vertex >> 1] = True
            self._put(vertex, chain, start)
            stop = start + int(self._ends.lengths[vertex])
            join = self._found.get(vertex)
            if join is None or is_walked[join.link.head >> 1]:
                self._joins.append(joins)
                return stop
            start = self._put_between(join, chain, stop)
            joins.append((stop, start, join))
            vertex = join.link.head

    def _put_between(self, join: Join, chain: int, stop: int) -> int:
        """Place the unitigs of a path, and return where the head begins."""
        if join.path is None:
            return max(0, stop + round(join.link.gap_bp))
        for vertex in join.path:
            self._put(vertex, chain, stop - self._overlap)
            stop += int(self._ends.lengths[vertex]) - self._overlap
        return stop - self._overlap

    def _put(self, vertex: int, chain: int, start: int) -> None:
        unitig = vertex >> 1
        self._uses[unitig] += 1
        self.sequence[unitig], self.start[unitig], self.turned[unitig] = chain, start, vertex & 1
