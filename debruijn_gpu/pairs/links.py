"""Links between unitigs: which follow each other by reads and pairs, how many pairs say so, and how far apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.insert_sums import Ends
from debruijn_gpu.pairs.library import Library, estimated_gaps
from debruijn_gpu.pairs.placed_reads import PlacedLibrary, PlacedReads
from debruijn_gpu.pairs.placement import ANCHOR_BP

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

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

    def corners(self, tails: Longs, heads: Longs) -> Longs:
        """Compute the corners of the ends of some vertices and the starts of others; see `Ends.corners`."""
        own, other = (np.where(self.leads_on[vertices], self.k, ANCHOR_BP) for vertices in (tails, heads ^ 1))
        return Ends((self.lengths[tails], self.lengths[heads]), (own, other)).corners()


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


@dataclass(frozen=True)
class _Estimates:
    """Gaps of links, their standard errors, and the fragments expected across them; each shape (n_links,)."""

    gaps: Floats
    errors: Floats
    expected: Floats


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
        evidence = _evidence(graph, placed, self._libraries)
        tails, heads, self._sources, totals, self._numbers = _grouped(*evidence)
        self._means = totals / self._numbers
        bounds = np.flatnonzero(np.append(True, (np.diff(tails) != 0) | (np.diff(heads) != 0)))
        bounds = np.append(bounds, len(tails)) if len(tails) else np.zeros(1, np.int64)
        self._bounds = bounds
        self.n_pairs = np.add.reduceat(self._numbers, bounds[:-1]) if len(bounds) > 1 else np.zeros(0, np.int64)
        self.tails, self.heads = tails[bounds[:-1]], heads[bounds[:-1]]
        self._keys = self._key(self.tails, self.heads)
        self._estimated: _Estimates | None = None
        self._link = lru_cache(maxsize=None)(self._make)

    def __len__(self) -> int:
        return len(self.tails)

    def support_of(self, tail: int, head: int) -> int:
        """Count the distinct fragments that link two vertices."""
        row = self._row_of(tail, head)
        return 0 if row is None else int(self.n_pairs[row])

    def find(self, tail: int, head: int) -> Link | None:
        """Return a link, if there is one with enough fragments."""
        row = self._row_of(tail, head)
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
        corners = self._graph.corners(np.array([tail]), np.array([head]))
        return float(self._expected(corners, np.array([gap_bp], np.float64))[0])

    def deviation(self, link: Link, gap_bp: float) -> float:
        """Compute by how many standard errors a gap contradicts a link, at most over its sources."""
        corners = self._graph.corners(np.array([link.tail]), np.array([link.head]))
        worst = 0.0
        for source, n_pairs, reach in link.reaches:
            if source == WITHIN_READS:
                worst = max(worst, abs(reach - gap_bp))
                continue
            found = self._libraries[source].sums.spanning(corners, np.array([gap_bp], np.float64))
            mean, spread = float(found.means[0]), float(found.spreads[0])
            if math.isnan(mean):  # no fragment spans such a gap
                return float("inf")
            worst = max(worst, abs(mean - reach) / (max(spread, 1.0) / n_pairs**0.5))
        return worst

    def _key(self, tails: Longs, heads: Longs) -> Longs:
        """Number the pairs of vertices."""
        return tails * len(self._graph.lengths) + heads

    def _row_of(self, tail: int, head: int) -> int | None:
        """Find the row of a link."""
        key = tail * len(self._graph.lengths) + head
        row = int(np.searchsorted(self._keys, key))
        return row if row < len(self._keys) and self._keys[row] == key else None

    def _expected(self, corners: Longs, gaps: Floats) -> Floats:
        """Compute the numbers of fragments expected across gaps in single-copy sequence."""
        found = np.zeros(len(gaps))
        for number, library in self._libraries.items():
            found += library.sums.n_pairs(corners, gaps) * self._rates[number]
        return found

    def _estimates(self) -> _Estimates:
        """Estimate the gaps of all links with enough fragments, when they are first wanted."""
        if self._estimated is None:
            self._estimated = self._estimate()
        return self._estimated

    def _estimate(self) -> _Estimates:
        rows = np.repeat(np.arange(len(self)), np.diff(self._bounds))
        is_wanted = (self.n_pairs >= self._least)[rows]
        corners = self._graph.corners(self.tails, self.heads)
        weights, weighted = np.zeros(len(self)), np.zeros(len(self))
        for source in (WITHIN_READS, *sorted(self._libraries)):
            chosen = np.flatnonzero(is_wanted & (self._sources == source))
            means, at = self._means[chosen], rows[chosen]
            gaps, errors = means, np.ones(len(chosen))
            if source != WITHIN_READS:
                library = self._libraries[source]
                gaps = estimated_gaps(library, corners[:, at], means, float(-self._graph.k))
                spreads = library.sums.spanning(corners[:, at], gaps).spreads
                spreads = np.maximum(1.0, np.where(np.isnan(spreads), library.spread_bp, spreads))
                errors = spreads / np.sqrt(self._numbers[chosen])
            weight = 1.0 / (errors * errors)
            weights[at] += weight
            weighted[at] += weight * gaps
        weights[weights == 0] = 1.0  # of links with fewer fragments
        gaps = weighted / weights
        return _Estimates(gaps, 1.0 / np.sqrt(weights), self._expected(corners, gaps))

    def _make(self, row: int) -> Link:
        found = self._estimates()
        some = slice(int(self._bounds[row]), int(self._bounds[row + 1]))
        columns = (column[some].tolist() for column in (self._sources, self._numbers, self._means))
        n_pairs, expected = int(self.n_pairs[row]), float(found.expected[row])
        return Link(
            int(self.tails[row]),
            int(self.heads[row]),
            n_pairs,
            float(found.gaps[row]),
            float(found.errors[row]),
            n_pairs / max(expected, 1e-9),
            expected,
            tuple(zip(*columns, strict=True)),
        )


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
