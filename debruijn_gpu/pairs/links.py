"""Links between unitigs: which follow each other by reads and pairs, how many pairs say so, and how far apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.library import Library, estimated_gaps, slopes
from debruijn_gpu.pairs.link_evidence import WITHIN_READS, LinkGraph, evidence, grouped
from debruijn_gpu.pairs.placed_reads import PlacedReads

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Pairs across a gap relative to those expected, at most, for the gap to be that large. The mean of more than so many
#: pairs determines it.
_MOST_SUPPORT, _FEW_PAIRS = 20.0, 10
_LEAST_RATE = 1e-12


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
        sides of the gap; within reads the mean gap itself. None of an implied link: see `implied_links`.
    """

    tail: int
    head: int
    n_pairs: int
    gap_bp: float
    error_bp: float
    support: float
    expected: float
    reaches: tuple[tuple[int, int, float], ...]

    @property
    def is_implied(self) -> bool:
        """Whether the gap follows from other links, and no fragment states it."""
        return not self.reaches

    @property
    def turned(self) -> Link:
        """The reverse complement."""
        return replace(self, tail=self.head ^ 1, head=self.tail ^ 1)


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
    shares : ndarray, dtype=float64, shape=(n_unitigs,)
        See `CopyNumbers`.
    """

    def __init__(
        self,
        graph: LinkGraph,
        placed: PlacedReads,
        libraries: Sequence[Library],
        fragment_rates: dict[int, float],
        least_pairs: int,
        shares: Floats,
    ) -> None:
        self._graph = graph
        self._libraries = {library.number: library for library in libraries}
        self._rates = fragment_rates
        self._least = least_pairs
        self._shares = np.repeat(shares, 2)
        found = evidence(graph, placed, self._libraries)
        tails, heads, self._sources, totals, self._numbers = grouped(*found)
        self._means = totals / self._numbers
        bounds = np.flatnonzero(np.append(True, (np.diff(tails) != 0) | (np.diff(heads) != 0)))
        bounds = np.append(bounds, len(tails)) if len(tails) else np.zeros(1, np.int64)
        self._bounds = bounds
        self.n_pairs = np.add.reduceat(self._numbers, bounds[:-1]) if len(bounds) > 1 else np.zeros(0, np.int64)
        self.tails, self.heads = tails[bounds[:-1]], heads[bounds[:-1]]
        self._keys = self._key(self.tails, self.heads)
        self._estimated: _Estimates | None = None
        self._link = lru_cache(maxsize=None)(lambda row: self._make(row, self._estimates()))

    def __len__(self) -> int:
        return len(self.tails)

    @property
    def longest_bp(self) -> int:
        """Longest insert of all libraries."""
        return max((library.longest_bp for library in self._libraries.values()), default=0)

    def support_of(self, tail: int, head: int) -> int:
        """Count the distinct fragments that link two vertices."""
        return int(self.supports_of(np.array([tail]), np.array([head]))[0])

    def supports_of(self, tails: Longs, heads: Longs) -> Longs:
        """Count the distinct fragments that link some vertices to others."""
        if not len(self):
            return np.zeros(len(tails), np.int64)
        keys = self._key(tails, heads)
        rows = np.minimum(np.searchsorted(self._keys, keys), len(self) - 1)
        return np.where(self._keys[rows] == keys, self.n_pairs[rows], 0)

    def find(self, tail: int, head: int) -> Link | None:
        """Return a link, if there is one with enough fragments."""
        row = self._row_of(tail, head)
        return None if row is None or self.n_pairs[row] < self._least else self._link(row)

    def among(self, is_wanted: NDArray[np.bool_], is_tail: NDArray[np.bool_] | None = None) -> dict[int, list[Link]]:
        """Collect the links with enough fragments between wanted unitigs, by tail, the nearest head first.

        ``is_tail`` is bool (n_unitigs,): unitigs that links lead away from; all wanted ones if it is None.
        """
        from_here = is_wanted if is_tail is None else is_tail
        chosen = from_here[self.tails >> 1] & is_wanted[self.heads >> 1] & (self.n_pairs >= self._least)
        found: dict[int, list[Link]] = {}
        for row in np.flatnonzero(chosen).tolist():
            link = self._link(row)
            found.setdefault(link.tail, []).append(link)
        for links in found.values():
            links.sort(key=lambda link: (link.gap_bp, link.head))
        return found

    def only_links(self, is_end: NDArray[np.bool_]) -> list[Link]:
        """Collect the links, of any number of fragments, from one end of a unitig to another that have no others.

        ``is_end`` is bool (n_vertices,): whether the end of a vertex is wanted.
        """
        n_links = np.bincount(self.tails, minlength=len(is_end))
        is_wanted = is_end & (n_links == 1)
        is_only = is_wanted[self.tails] & is_wanted[self.heads ^ 1]
        found = self._estimate(is_only)
        return [self._make(row, found) for row in np.flatnonzero(is_only).tolist()]

    def expected(self, tail: int, head: int, gap_bp: float) -> float:
        """Compute the number of fragments expected across a gap in single-copy sequence."""
        tails, heads = np.array([tail]), np.array([head])
        return float(self.expected_across(tails, heads, np.array([gap_bp], np.float64))[0])

    def expected_across(self, tails: Longs, heads: Longs, gaps: Floats) -> Floats:
        """Compute the numbers of fragments expected across gaps in single-copy sequence.

        Of a mixture, that is the deeper genome of both sides.
        """
        found = np.zeros(len(gaps))
        for number, library in self._libraries.items():
            corners = self._graph.corners(tails, heads, library.orientation)
            found += library.sums.n_pairs(corners, gaps) * self._rates[number]
        return found * np.maximum(self._shares[tails], self._shares[heads])

    def deviation(self, link: Link, gap_bp: float) -> float:
        """Compute by how many standard errors a gap contradicts a link, at most over its sources."""
        if link.is_implied:
            return abs(gap_bp - link.gap_bp) / link.error_bp
        tails, heads = np.array([link.tail]), np.array([link.head])
        worst = 0.0
        for source, n_pairs, reach in link.reaches:
            if source == WITHIN_READS:
                worst = max(worst, abs(reach - gap_bp))
                continue
            library = self._libraries[source]
            corners = self._graph.corners(tails, heads, library.orientation)
            found = library.sums.spanning(corners, np.array([gap_bp], np.float64))
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

    def _estimates(self) -> _Estimates:
        """Estimate the gaps of all links with enough fragments, when they are first wanted."""
        if self._estimated is None:
            self._estimated = self._estimate(self.n_pairs >= self._least)
        return self._estimated

    def _estimate(self, is_chosen: NDArray[np.bool_]) -> _Estimates:
        """Estimate the gaps of chosen links."""
        rows = np.repeat(np.arange(len(self)), np.diff(self._bounds))
        is_wanted = is_chosen[rows]
        weights, weighted = np.zeros(len(self)), np.zeros(len(self))
        for source in (WITHIN_READS, *sorted(self._libraries)):
            chosen = np.flatnonzero(is_wanted & (self._sources == source))
            means, at = self._means[chosen], rows[chosen]
            gaps, errors = means, np.ones(len(chosen))
            if source != WITHIN_READS:
                library = self._libraries[source]
                corners = self._graph.corners(self.tails[at], self.heads[at], library.orientation)
                least = self._least_expected(library, corners, self._numbers[chosen], at)
                gaps = estimated_gaps(library, corners, means, float(-self._graph.k), least)
                spreads = library.sums.spanning(corners, gaps).spreads
                spreads = np.maximum(1.0, np.where(np.isnan(spreads), library.spread_bp, spreads))
                errors = spreads / np.sqrt(self._numbers[chosen]) / slopes(library, corners, gaps)
            weight = 1.0 / (errors * errors)
            weights[at] += weight
            weighted[at] += weight * gaps
        weights[weights == 0] = 1.0  # of the others
        gaps = weighted / weights
        return _Estimates(gaps, 1.0 / np.sqrt(weights), self.expected_across(self.tails, self.heads, gaps))

    def _least_expected(self, library: Library, corners: Longs, n_pairs: Longs, rows: Longs) -> Floats:
        """Compute how many pairs are expected across the gaps of links at least, given the pairs that span them.

        Where more pairs span a gap than any gap of single-copy sequence lets expect, as in plasmids, there are more
        copies.
        """
        shares = np.maximum(self._shares[self.tails[rows]], self._shares[self.heads[rows]])
        single = n_pairs / np.maximum(self._rates[library.number] * shares, _LEAST_RATE)
        least = np.minimum(single, library.sums.n_pairs(corners, np.zeros(len(rows)))) / _MOST_SUPPORT
        return np.where(n_pairs > _FEW_PAIRS, 0.0, least)

    def _make(self, row: int, found: _Estimates) -> Link:
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
