"""What reads and pairs tell of links between unitigs: each fragment that links two, in both strands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.insert_sums import Ends
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.placed_reads import PlacedLibrary, PlacedReads
from debruijn_gpu.pairs.placement import ANCHOR_BP

Longs = NDArray[np.int64]

#: Number of a source of links that is no library: reads that run from one unitig into another
WITHIN_READS = -1


@dataclass(frozen=True)
class LinkGraph:
    """What links of unitigs need to know of them.

    Attributes
    ----------
    k : int
    lengths : ndarray, dtype=int64, shape=(n_vertices,)
        Of the unitig of each vertex.
    leads_on : ndarray, dtype=bool, shape=(n_vertices,)
        Whether a vertex has successors, with which it shares its last k - 1 bases.
    further_bp : ndarray, dtype=int64, shape=(n_vertices,), or None
        Bases at the end of each vertex, beside those of the k-mer of a mate, on which no mate is placed, as they are
        repeated or no read runs beyond them: see `repeated_ends` and `without_unread`. None: there are none.
    read_bp : int
        Mean length of the reads; 0: unknown.
    """

    k: int
    lengths: Longs
    leads_on: NDArray[np.bool_]
    further_bp: Longs | None = None
    read_bp: int = 0

    @cached_property
    def n_kmers(self) -> Longs:
        """k-mers of each vertex: its bases without those that it shares with a neighbour."""
        found: Longs = self.lengths - self.k + 1
        return found

    @cached_property
    def least_bp(self) -> Longs:
        """Bases from the end of each vertex that a mate which points there needs at least, to be placed on it."""
        least: Longs = np.where(self.leads_on, max(self.k, ANCHOR_BP), ANCHOR_BP)
        return least if self.further_bp is None else least + self.further_bp

    @cached_property
    def least_outward_bp(self) -> Longs:
        """The same of a mate that points away from the end: it begins there, and is placed by its other bases."""
        found: Longs = np.maximum(1, self.least_bp - self.read_bp + 1)
        return found

    def corners(self, tails: Longs, heads: Longs, orientation: str = "FR") -> Longs:
        """Compute the corners of the ends of some vertices and the starts of others, for an orientation of mates.

        See `Ends.corners`.
        """
        least_bp = self.least_outward_bp if orientation == "RF" and self.read_bp else self.least_bp
        own, other = (least_bp[vertices] for vertices in (tails, heads ^ 1))
        return Ends((self.lengths[tails], self.lengths[heads]), (own, other)).corners()


def evidence(graph: LinkGraph, placed: PlacedReads, libraries: dict[int, Library]) -> tuple[Longs, Longs, Longs, Longs]:
    """List tail, head, source, and bases on both sides of each fragment that links two vertices, in both strands."""
    parts = [_of_reads(placed.spans, graph)]
    for number, library in libraries.items():
        parts += _of_pairs(placed.libraries[number], library, graph)
    tails, heads, sources, reaches = (np.concatenate(column) for column in zip(*parts, strict=True))
    other = (tails != heads ^ 1) | (heads != tails ^ 1)
    return (
        np.concatenate((tails, (heads ^ 1)[other])),
        np.concatenate((heads, (tails ^ 1)[other])),
        np.concatenate((sources, sources[other])),
        np.concatenate((reaches, reaches[other])),
    )


def _of_reads(spans: Longs, graph: LinkGraph) -> tuple[Longs, Longs, Longs, Longs]:
    """Links within reads; what is summed is the gap."""
    tails, starts, heads, other_starts = spans
    gaps = -other_starts - (graph.lengths[tails] - starts)
    plausible = gaps >= -graph.k
    columns = tails, heads, np.full(len(tails), WITHIN_READS), gaps
    return tuple(column[plausible] for column in columns)


def _of_pairs(placed: PlacedLibrary, library: Library, graph: LinkGraph) -> list[tuple[Longs, Longs, Longs, Longs]]:
    """Links of pairs: each anchor of the first mate with each of the second.

    Mate pairs that may be short fragments across neighbours are left out: these point to each other.
    """
    found = []
    anchors = placed.anchors
    firsts = [toward_mate(anchors[i], anchors[i + 1], library.orientation, 0, graph) for i in (0, 2)]
    seconds = [toward_mate(anchors[i], anchors[i + 1], library.orientation, 1, graph) for i in (4, 6)]
    for i, (tails, reach) in enumerate(firsts):
        for j, (others, other_reach) in enumerate(seconds):
            heads, total = others ^ 1, reach + other_reach
            chosen = (tails >> 1 != heads >> 1) & (reach > 0) & (other_reach > 0)
            if i:
                chosen &= anchors[0] != anchors[2]
            if j:
                chosen &= anchors[4] != anchors[6]
            chosen &= total <= library.longest_bp + graph.k
            if library.inward_bp:
                turned = graph.lengths[tails] - reach + graph.lengths[others] - other_reach + 2
                chosen &= turned > library.inward_bp + graph.k
            n = int(np.count_nonzero(chosen))
            found.append((tails[chosen], heads[chosen], np.full(n, library.number), total[chosen]))
    return found


def toward_mate(vertices: Longs, starts: Longs, orientation: str, mate: int, graph: LinkGraph) -> tuple[Longs, Longs]:
    """Compute the vertex on which a fragment runs from a mate to the other, and the bases from the mate's first one
    to its end."""
    if orientation == "FR" or (orientation, mate) in (("FF", 0), ("RR", 1)):
        return vertices, graph.lengths[vertices] - starts
    return vertices ^ 1, starts + 1


def grouped(tails: Longs, heads: Longs, sources: Longs, values: Longs) -> tuple[Longs, Longs, Longs, Longs, Longs]:
    """Sum and count the values of equal links of one source: tails, heads, sources, sums, numbers; ascending."""
    order = np.lexsort((sources, heads, tails))
    tails, heads, sources, values = (column[order] for column in (tails, heads, sources, values))
    if not len(tails):
        return tails, heads, sources, values, values
    is_first = np.append(True, (np.diff(tails) != 0) | (np.diff(heads) != 0) | (np.diff(sources) != 0))
    first = np.flatnonzero(is_first)
    numbers = np.diff(np.append(first, len(tails)))
    return tails[first], heads[first], sources[first], np.add.reduceat(values, first), numbers
