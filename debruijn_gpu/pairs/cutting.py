"""Cut unitigs of a graph in two or more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.edges import edges_of, graph_of_edges
from debruijn_gpu.assembly.intervals import gathered
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.graph.graph import Graph

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class CutUnitigs:
    """A graph whose unitigs are pieces of those of another one.

    Attributes
    ----------
    graph : UnitigGraph
        In NumPy arrays.
    firsts, lasts : ndarray, dtype=int64, shape=(n_before,)
        Pieces at the start and at the end of each unitig; -1 if they have fewer than k bases.
    parents, starts : ndarray, dtype=int64, shape=(n,)
        Unitig of each piece, and where the piece begins there.
    """

    graph: UnitigGraph
    firsts: Longs
    lasts: Longs
    parents: Longs
    starts: Longs

    def length(self, piece: int) -> int:
        """Bases of a piece."""
        return int(self.graph.sequences.offsets[piece + 1] - self.graph.sequences.offsets[piece])

    def piece_before(self, unitig: int, stop: int) -> int:
        """Find the piece of a unitig that ends at a base; -1 if it has fewer than k bases."""
        lengths = np.diff(self.graph.sequences.offsets)
        found = np.flatnonzero((self.parents == unitig) & (self.starts + lengths == stop))
        return int(found[0]) if len(found) else -1

    def piece_behind(self, unitig: int, start: int) -> int:
        """Find the piece of a unitig that begins at a base; -1 if it has fewer than k bases."""
        found = np.flatnonzero((self.parents == unitig) & (self.starts == start))
        return int(found[0]) if len(found) else -1


def cut_unitigs(host: UnitigGraph, cuts: Mapping[int, Iterable[tuple[int, int]]]) -> CutUnitigs:
    """Cut unitigs at intervals of bases, which become unitigs of their own unless they are shorter than k.

    The pieces have no links to each other. The first and the last one keep the links of the unitig's ends, if they
    have k bases. Pieces of a circular unitig are linear. Unitigs that are not cut keep their order.

    Parameters
    ----------
    host : UnitigGraph
        In NumPy arrays.
    cuts : mapping of int to iterable of (int, int)
        Half-open intervals of each unitig; empty ones are between two bases.
    """
    offsets = host.sequences.offsets
    pieces: list[tuple[int, int]] = []  # intervals of all bases
    firsts, lasts, parents = [], [], []  # piece at the start and at the end of each unitig, unitig of each piece
    for unitig in range(len(host)):
        start, stop = int(offsets[unitig]), int(offsets[unitig + 1])
        own = _pieces(stop - start, sorted(cuts[unitig])) if unitig in cuts else [(0, stop - start)]
        kept = [one for one in own if one[1] - one[0] >= host.k]
        is_kept = own[0] in kept, own[-1] in kept
        firsts.append(len(pieces) if is_kept[0] else -1)
        pieces += [(start + first, start + last) for first, last in kept]
        lasts.append(len(pieces) - 1 if is_kept[1] else -1)
        parents += [unitig] * len(kept)
    bounds = np.array(pieces, np.int64).reshape(-1, 2)
    lengths, parent = bounds[:, 1] - bounds[:, 0], np.array(parents, np.int64)
    n_kmers = lengths - host.k + 1
    counts = host.kmer_counts[parent]
    is_cut = np.isin(parent, np.fromiter(cuts, np.int64, len(cuts)))
    shares = np.maximum(n_kmers, counts * n_kmers // host.n_kmers[parent])
    ends = np.array(firsts, np.int64), np.array(lasts, np.int64)
    graph = UnitigGraph(
        host.k,
        _renumbered(host.graph, *ends, len(pieces)),
        PackedSequences(np.append(0, np.cumsum(lengths)), gathered(host.sequences.bases, bounds)),
        host.circular[parent] & ~is_cut,
        n_kmers,
        np.where(is_cut, shares, counts),
    )
    return CutUnitigs(graph, *ends, parent, bounds[:, 0] - offsets[parent])


def _pieces(length: int, cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """List the intervals between cuts and those of cuts, in order."""
    bounds = [0, *(bound for cut in cuts for bound in cut), length]
    return [(start, stop) for number, (start, stop) in enumerate(pairwise(bounds)) if stop > start or not number % 2]


def _renumbered(graph: Graph, firsts: Longs, lasts: Longs, n: int) -> Graph:
    """Move edges to the pieces at the ends of unitigs; those of ends that are not kept are removed."""
    tails, heads = edges_of(graph)
    of_tail = np.where(tails & 1, firsts[tails >> 1], lasts[tails >> 1])
    of_head = np.where(heads & 1, lasts[heads >> 1], firsts[heads >> 1])
    kept = (of_tail >= 0) & (of_head >= 0)
    tails, heads = 2 * of_tail[kept] + (tails[kept] & 1), 2 * of_head[kept] + (heads[kept] & 1)
    return graph_of_edges(tails, heads, 2 * n)
