"""Links between unitigs: which follow each other by reads and pairs, how many pairs say so, and how far apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.library import Ends, Library, estimated_gap, expected_pairs, expected_reach
from debruijn_gpu.pairs.placement import ANCHOR_BP, PlacedLibrary, PlacedReads

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
    """

    k: int
    lengths: Longs
    leads_on: NDArray[np.bool_]

    def ends(self, tail: int, head: int) -> Ends:
        """Describe the end of one vertex and the start of another."""
        own = [self.k if self.leads_on[vertex] else ANCHOR_BP for vertex in (tail, head ^ 1)]
        return Ends((int(self.lengths[tail]), int(self.lengths[head])), (own[0], own[1]))


@dataclass(frozen=True)
class Link:
    """Evidence that one vertex follows another.

    Attributes
    ----------
    tail, head : int
        Vertices: 2 * unitig + strand.
    n_pairs : int
        Distinct fragments.
    gap_bp, error_bp : float
        Estimated bases from the end of one to the start of the other, below 0 if they overlap; its standard error.
    support : float
        Fragments relative to those expected of single-copy sequence.
    expected : float
        The latter.
    reaches : tuple of (int, int, float)
        Of each source: number of the library or `WITHIN_READS`, fragments, and mean bases that these have on both
        sides of the gap; within reads the mean gap itself.
    """

    tail: int
    head: int
    n_pairs: int
    gap_bp: float
    error_bp: float
    support: float
    expected: float
    reaches: tuple[tuple[int, int, float], ...]


class Links:
    """All links of a graph.

    Parameters
    ----------
    graph : LinkGraph
    placed : PlacedReads
    libraries : sequence of Library
    fragment_rates : dict of int to float
        Fragments of each library that begin at a base of single-copy sequence.
    least_pairs : int
        With fewer fragments there is no link.
    """

    def __init__(
        self,
        graph: LinkGraph,
        placed: PlacedReads,
        libraries: Sequence[Library],
        fragment_rates: dict[int, float],
        least_pairs: int,
    ) -> None:
        self._graph = graph
        self._libraries = {library.number: library for library in libraries}
        self._rates = fragment_rates
        self._least = least_pairs
        tails, heads, sources, reaches = _evidence(graph, placed, self._libraries)
        self._tails, self._heads, self._sources, self._totals, self._numbers = _grouped(tails, heads, sources, reaches)
        bounds = np.flatnonzero(np.append(True, (np.diff(self._tails) != 0) | (np.diff(self._heads) != 0)))
        bounds = np.append(bounds, len(self._tails)) if len(self._tails) else np.zeros(1, np.int64)
        self._bounds = bounds
        self.n_pairs = np.add.reduceat(self._numbers, bounds[:-1]) if len(bounds) > 1 else np.zeros(0, np.int64)
        self.tails, self.heads = self._tails[bounds[:-1]], self._heads[bounds[:-1]]
        self._row_of = {
            pair: row for row, pair in enumerate(zip(self.tails.tolist(), self.heads.tolist(), strict=True))
        }
        self._link = lru_cache(maxsize=None)(self._make)

    def __len__(self) -> int:
        return len(self.tails)

    def support_of(self, tail: int, head: int) -> int:
        """Count the distinct fragments that link two vertices."""
        row = self._row_of.get((tail, head))
        return 0 if row is None else int(self.n_pairs[row])

    def find(self, tail: int, head: int) -> Link | None:
        """Return a link, if there is one with enough fragments."""
        row = self._row_of.get((tail, head))
        return None if row is None or self.n_pairs[row] < self._least else self._link(row)

    def among(self, is_wanted: NDArray[np.bool_]) -> dict[int, list[Link]]:
        """Collect the links with enough fragments between wanted unitigs, by tail, the nearest head first."""
        chosen = is_wanted[self.tails >> 1] & is_wanted[self.heads >> 1] & (self.n_pairs >= self._least)
        found: dict[int, list[Link]] = {}
        for row in np.flatnonzero(chosen).tolist():
            link = self._link(row)
            found.setdefault(link.tail, []).append(link)
        for links in found.values():
            links.sort(key=lambda link: (link.gap_bp, link.head))
        return found

    def expected(self, tail: int, head: int, gap_bp: float) -> float:
        """Compute the number of fragments expected across a gap in single-copy sequence."""
        ends = self._graph.ends(tail, head)
        return sum(expected_pairs(one, ends, gap_bp) * self._rates[number] for number, one in self._libraries.items())

    def deviation(self, link: Link, gap_bp: float) -> float:
        """Compute by how many standard errors a gap contradicts a link, at most over its sources."""
        ends = self._graph.ends(link.tail, link.head)
        worst = 0.0
        for source, n_pairs, reach in link.reaches:
            if source == WITHIN_READS:
                worst = max(worst, abs(reach - gap_bp))
                continue
            mean, spread = expected_reach(self._libraries[source], ends, gap_bp)
            if math.isnan(mean):  # no fragment spans such a gap
                return float("inf")
            worst = max(worst, abs(mean - reach) / (max(spread, 1.0) / n_pairs**0.5))
        return worst

    def _make(self, row: int) -> Link:
        first, stop = int(self._bounds[row]), int(self._bounds[row + 1])
        tail, head = int(self.tails[row]), int(self.heads[row])
        ends = self._graph.ends(tail, head)
        reaches, gaps = [], []
        for i in range(first, stop):
            source, n_pairs = int(self._sources[i]), int(self._numbers[i])
            mean = int(self._totals[i]) / n_pairs
            reaches.append((source, n_pairs, mean))
            if source == WITHIN_READS:
                gaps.append((mean, 1.0))
            else:
                library = self._libraries[source]
                gap = estimated_gap(library, ends, mean, float(-self._graph.k))
                _mean, spread = expected_reach(library, ends, gap)
                gaps.append((gap, max(1.0, library.spread_bp if math.isnan(spread) else spread) / n_pairs**0.5))
        weights = [error**-2 for _gap, error in gaps]
        gap_bp = sum(weight * gap for weight, (gap, _error) in zip(weights, gaps, strict=True)) / sum(weights)
        expected = self.expected(tail, head, gap_bp)
        n_pairs = int(self.n_pairs[row])
        error_bp = sum(weights) ** -0.5
        return Link(tail, head, n_pairs, gap_bp, error_bp, n_pairs / max(expected, 1e-9), expected, tuple(reaches))


def _evidence(
    graph: LinkGraph, placed: PlacedReads, libraries: dict[int, Library]
) -> tuple[Longs, Longs, Longs, Longs]:
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
    """Links of pairs: each anchor of the first mate with each of the second."""
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
            n = int(np.count_nonzero(chosen))
            found.append((tails[chosen], heads[chosen], np.full(n, library.number), total[chosen]))
    return found


def toward_mate(vertices: Longs, starts: Longs, orientation: str, mate: int, graph: LinkGraph) -> tuple[Longs, Longs]:
    """Compute the vertex on which a fragment runs from a mate to the other, and the bases from the mate's first one
    to its end."""
    if orientation == "FR" or (orientation, mate) in (("FF", 0), ("RR", 1)):
        return vertices, graph.lengths[vertices] - starts
    return vertices ^ 1, starts + 1


def _grouped(tails: Longs, heads: Longs, sources: Longs, values: Longs) -> tuple[Longs, Longs, Longs, Longs, Longs]:
    """Sum and count the values of equal links of one source: tails, heads, sources, sums, numbers; ascending."""
    order = np.lexsort((sources, heads, tails))
    tails, heads, sources, values = (column[order] for column in (tails, heads, sources, values))
    if not len(tails):
        return tails, heads, sources, values, values
    is_first = np.append(True, (np.diff(tails) != 0) | (np.diff(heads) != 0) | (np.diff(sources) != 0))
    first = np.flatnonzero(is_first)
    numbers = np.diff(np.append(first, len(tails)))
    return tails[first], heads[first], sources[first], np.add.reduceat(values, first), numbers
