"""Genomes as walks over unitigs without sequences, and the places of read pairs on them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.copies import CopyNumbers, estimate_copies
from debruijn_gpu.pairs.insert_counts import InsertCounts
from debruijn_gpu.pairs.library import Library, library_of
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Links
from debruijn_gpu.pairs.placed_reads import END_BP, LoosePairs, PlacedLibrary, PlacedReads
from debruijn_gpu.pairs.placement import ANCHOR_BP

K = 61
READ_BP = 100
Anchor = tuple[int, int, int, int]
NOWHERE = -1, 0, -1, 0


def graph_of(edges: set[tuple[int, int]], n_unitigs: int) -> Graph:
    """A graph of unitigs from edges, to which their reverse complements are added."""
    both = sorted(edges | {(head ^ 1, tail ^ 1) for tail, head in edges})
    degrees = np.bincount([tail for tail, _ in both], minlength=2 * n_unitigs)
    return Graph(np.concatenate(([0], np.cumsum(degrees))), np.array([head for _, head in both], np.uint32))


class Layout:
    """Chromosomes that are walks over unitigs.

    Parameters
    ----------
    lengths : sequence of int
        Of the unitigs.
    chromosomes : sequence of sequence of int
        Vertices; neighbours are linked in the graph and overlap by k - 1 bases.
    gaps : dict of (int, int) to int
        Bases between neighbours that are not linked.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        chromosomes: Sequence[Sequence[int]],
        gaps: dict[tuple[int, int], int] | None = None,
        further_edges: set[tuple[int, int]] | None = None,
    ) -> None:
        self.lengths = np.array(lengths, np.int64)
        self.gaps = gaps or {}
        steps = {step for one in chromosomes for step in pairwise(one)}
        edges = {step for step in steps if step not in self.gaps} | (further_edges or set())
        self.graph = graph_of(edges, len(lengths))
        self.ends = LinkGraph(K, np.repeat(self.lengths, 2), np.diff(self.graph.row_ptr) > 0)
        self._chromosomes = [self._intervals(list(one)) for one in chromosomes]

    def _intervals(self, vertices: list[int]) -> tuple[int, list[tuple[int, int]]]:
        """Length of a chromosome, and where each vertex begins."""
        start, found = 0, []
        for i, vertex in enumerate(vertices):
            found.append((start, vertex))
            start += int(self.lengths[vertex >> 1])
            if i + 1 < len(vertices):
                start += self.gaps.get((vertex, vertices[i + 1]), 1 - K)
        return start, found

    def _anchors(self, place: int, intervals: list[tuple[int, int]]) -> Anchor:
        """First and last anchor of a read."""
        found = []
        for start, vertex in intervals:
            shared = K - ANCHOR_BP
            low = start + (shared if self.ends.leads_on[vertex ^ 1] else 0)
            high = start + int(self.lengths[vertex >> 1]) - ANCHOR_BP - (shared if self.ends.leads_on[vertex] else 0)
            if max(place, low) <= min(high, place + READ_BP - ANCHOR_BP):
                found.append((vertex, place - start))
        return (*found[0], *found[-1]) if found else NOWHERE

    def fragment(self, chromosome: int, start: int, size: int) -> tuple[Anchor, Anchor]:
        """Anchors of both mates of a fragment in orientation FR."""
        length, intervals = self._chromosomes[chromosome]
        turned = sorted((length - at - int(self.lengths[vertex >> 1]), vertex ^ 1) for at, vertex in intervals)
        return self._anchors(start, intervals), self._anchors(length - start - size, turned)

    def fragments(
        self, depth: float = 40, insert_bp: int = 400, spread_bp: int = 20, seed: int = 1
    ) -> list[tuple[Anchor, Anchor]]:
        chance = random.Random(seed)
        found = []
        for number, (length, _) in enumerate(self._chromosomes):
            for _ in range(int(depth * length / (2 * READ_BP))):
                size = round(chance.gauss(insert_bp, spread_bp))
                pair = self.fragment(number, chance.randrange(length - size + 1), size)
                found.append(pair if chance.random() < 0.5 else pair[::-1])
        return found

    def placed(self, fragments: Sequence[tuple[Anchor, Anchor]]) -> PlacedReads:
        """What the anchors of pairs tell."""
        both = np.array([first + second for first, second in fragments], np.int64).reshape(-1, 8).T
        reads = np.concatenate((both[:4], both[4:]), axis=1)
        starts = np.bincount(reads[0][reads[0] >= 0] >> 1, minlength=len(self.lengths))
        before_shared = self.lengths[reads[0] >> 1] - K - reads[1]
        near_ends = reads[0][(reads[0] >= 0) & (before_shared > 0) & (before_shared <= END_BP)]
        end_starts = np.bincount(near_ends, minlength=2 * len(self.lengths))
        spans = reads[:, reads[0] >> 1 != reads[2] >> 1]
        both = both[:, (both[0] >= 0) & (both[4] >= 0)]
        together = (both[::2] >> 1 == both[0] >> 1).all(axis=0)
        counts = InsertCounts()
        within = self.lengths[both[0, together] >> 1]
        counts.add(both[[0, 1, 4, 5]][:, together], within, np.zeros(len(within), np.int64))
        apart = both[:, ~together]
        none = LoosePairs(np.empty((8, 0), np.int64), np.empty((2, 0), np.int64), np.empty((4, 0), np.int64))
        library = PlacedLibrary(len(fragments), counts, np.unique(apart, axis=1), apart.shape[1], none)
        return PlacedReads(2 * len(fragments), 0, int(starts.sum()), starts, end_starts, spans, [library])

    def copies(self, placed: PlacedReads) -> CopyNumbers:
        n_open = self.ends.leads_on[0::2].astype(np.int64) + self.ends.leads_on[1::2]
        depths = np.ones(len(self.lengths))
        return estimate_copies(placed.starts, self.lengths, depths, n_open, K, ANCHOR_BP)

    def links(self, placed: PlacedReads, options: PairOptions | None = None) -> Links:
        library = self.library(placed)
        one = placed.libraries[0]
        rate = self.copies(placed).rate / placed.n_reads * one.n_pairs * one.distinct_share
        return Links(
            self.ends, placed, [library], {0: rate}, (options or PairOptions()).least_pairs, np.ones(len(self.lengths))
        )

    def library(self, placed: PlacedReads) -> Library:
        library = library_of(0, placed.libraries[0].inserts)
        assert library is not None
        return library
