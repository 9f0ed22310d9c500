"""Trim the ends of walks to the bases that reads of their own side confirm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.splitting import SplitUnitigs
from debruijn_gpu.pairs.walks import Walk

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class TrimmedEnds:
    """Ends of walks in a graph whose unitigs are split where walks end.

    Attributes
    ----------
    split : SplitUnitigs
    n_trimmed : dict of int to int
        Bases by which walks are shortened behind a vertex, by the vertex before the split; at least 1.
    """

    split: SplitUnitigs
    n_trimmed: Mapping[int, int]

    def walk(self, walk: Walk) -> Walk:
        """Translate a walk, and leave out what is trimmed."""
        steps = self.split.steps(walk.steps)
        if walk.is_circular:
            return Walk(steps, True)
        for tail in (walk.steps[-1], walk.steps[0] ^ 1):
            steps = [step ^ 1 for step in reversed(self._without_last(steps, self.n_trimmed.get(tail, 0)))]
        return Walk(steps)

    def end(self, tail: int) -> int:
        """Translate the last vertex of a walk."""
        return self._without_last(self.split.steps([tail]), self.n_trimmed.get(tail, 0))[-1]

    def joins(self, found: Mapping[int, Join]) -> dict[int, Join]:
        """Translate joins that are gaps, which grow by what is trimmed on both sides; others stay as they are."""
        moved = {tail: join for tail, join in found.items() if join.path is not None}
        for tail, join in found.items():
            if join.path is None:
                back = join.link.head ^ 1
                gap_bp = join.link.gap_bp + self.n_trimmed.get(tail, 0) + self.n_trimmed.get(back, 0)
                link = replace(join.link, tail=self.end(tail), head=self.end(back) ^ 1, gap_bp=gap_bp)
                moved[link.tail] = replace(join, link=link)
        return moved

    def _without_last(self, steps: list[int], n_bases: int) -> list[int]:
        """Leave out the last steps of a number of bases."""
        steps = list(steps)
        while n_bases > 0:
            n_bases -= int(self.split.graph.n_kmers[steps.pop() >> 1])
        return steps


def checked_ends(copies: CopyNumbers) -> NDArray[np.bool_]:
    """Find the vertices whose last bases reads have to confirm where a walk ends: all but those of repeats.

    Reads of one copy of a repeat do not tell it from others. Dead ends are checked, too: where reads of the right copy
    are missing, the bases before a dead end may be those of another one.
    """
    return np.repeat(~copies.is_repeat, 2)


def without_thin_links(
    walks: Iterable[Walk], graph: UnitigGraph, copies: CopyNumbers, least_copies: float
) -> list[Walk]:
    """Leave out walks of one unitig of fewer than k k-mers beside neighbours, which few reads or none have made.

    Up to 2 (k - 1) bases at both of whose ends others follow are in these others. So few reads run along such a link
    between copies of repeats that one with an error, or a chimeric one, may be all that made it. It stays if it is a
    repeat by depth. With neighbours at one end alone it goes if it has more k-mers than occurrences of them in reads:
    it was extended along links from k to k, and where reads of one copy of a repeat are missing, into another copy.

    Parameters
    ----------
    walks : iterable of Walk
    graph : UnitigGraph
        In NumPy arrays.
    copies : CopyNumbers
    least_copies : float
        See `PairOptions`.
    """
    leads_on = np.diff(graph.graph.row_ptr) > 0
    ahead, behind = leads_on[0::2], leads_on[1::2]
    is_one_copy = ~copies.is_repeat & (copies.copies < least_copies)
    is_link = (ahead & behind & is_one_copy) | ((ahead | behind) & (graph.kmer_counts < graph.n_kmers))
    is_link &= graph.n_kmers < graph.k
    return [walk for walk in walks if len(walk.steps) > 1 or walk.is_circular or not is_link[walk.steps[0] >> 1]]


def walk_ends(walks: Iterable[Walk], is_wanted: NDArray[np.bool_]) -> list[int]:
    """List the last vertices of linear walks, in both strands, that are wanted."""
    linear = [walk for walk in walks if not walk.is_circular]
    ends = {end for walk in linear for end in (walk.steps[-1], walk.steps[0] ^ 1) if is_wanted[end]}
    return sorted(ends)


def trims(n_bases: Mapping[int, int], n_kmers: Longs) -> dict[int, int]:
    """Count the bases to trim behind the last vertices of walks, by vertex, where there are any.

    A unitig keeps a k-mer at least; where it would keep less, an end stays as it is.

    Parameters
    ----------
    n_bases : mapping of int to int
        Confirmed bases behind a vertex; negative where its own last bases are not. See `extension.verified_bases`.
    n_kmers : ndarray, dtype=int64, shape=(n_unitigs,)
    """
    found: dict[int, int] = {}
    for tail, n in sorted(n_bases.items()):
        if 0 < -n < int(n_kmers[tail >> 1]) - found.get(tail ^ 1, 0):
            found[tail] = -n
    return found
