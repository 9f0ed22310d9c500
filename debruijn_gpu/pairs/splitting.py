"""Split unitigs into pieces that follow each other in the graph, so that walks can lead over a part of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.edges import edges_of, graph_of_edges
from debruijn_gpu.assembly.intervals import gathered
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.graph.graph import Graph


@dataclass(frozen=True)
class SplitUnitigs:
    """A graph some of whose unitigs are split.

    Attributes
    ----------
    graph : UnitigGraph
        In NumPy arrays. The first piece of a unitig has its number, further ones follow all unitigs.
    pieces : dict of int to list of int
        Of each unitig that is split, in order.
    """

    graph: UnitigGraph
    pieces: dict[int, list[int]]

    @property
    def parents(self) -> list[int]:
        """Unitigs that further pieces are of, in the order of these."""
        return [unitig for unitig, pieces in self.pieces.items() for _piece in pieces[1:]]

    def steps(self, vertices: Iterable[int]) -> list[int]:
        """Translate a walk: a vertex of a unitig that is split becomes all of its pieces."""
        found: list[int] = []
        for vertex in vertices:
            found += self._of_vertex(vertex)
        return found

    def first_steps(self, vertex: int, n_kmers: int) -> list[int]:
        """List the first pieces of a vertex that have this number of k-mers, at a place where it was split."""
        found: list[int] = []
        for step in self._of_vertex(vertex):
            n_kmers -= int(self.graph.n_kmers[step >> 1])
            if n_kmers < 0:
                break
            found.append(step)
        return found

    def place(self, unitig: int, first: int, last: int) -> tuple[int, int, int]:
        """Translate an interval of a unitig to the piece in which it begins."""
        for piece in self.pieces.get(unitig, (unitig,)):
            n = int(self.graph.n_kmers[piece])
            if first < n or piece == self.pieces.get(unitig, (unitig,))[-1]:
                return piece, first, min(last, n + self.graph.k - 1)
            first, last = first - n, last - n
        raise AssertionError("a unitig has pieces")

    def _of_vertex(self, vertex: int) -> list[int]:
        pieces = self.pieces.get(vertex >> 1)
        if pieces is None:
            return [vertex]
        return [2 * piece + 1 for piece in reversed(pieces)] if vertex & 1 else [2 * piece for piece in pieces]


def split_unitigs(host: UnitigGraph, cuts: Mapping[int, Iterable[int]]) -> SplitUnitigs:
    """Split linear unitigs. Their pieces have their k-mers, overlap by k - 1 bases, and are linked.

    Parameters
    ----------
    host : UnitigGraph
        In NumPy arrays.
    cuts : mapping of int to iterable of int
        Numbers of k-mers of a unitig before each cut, at least 1 and less than all.
    """
    if not cuts:
        return SplitUnitigs(host, {})
    bounds = {unitig: [0, *sorted(set(at)), int(host.n_kmers[unitig])] for unitig, at in sorted(cuts.items())}
    pieces, n = {}, len(host)
    for unitig, own in bounds.items():
        pieces[unitig] = [unitig, *range(n, n + len(own) - 2)]
        n += len(own) - 2
    starts, stops = (part.copy() for part in (host.sequences.offsets[:-1], host.sequences.offsets[1:]))
    counts, n_kmers = host.kmer_counts.copy(), host.n_kmers.copy()
    more: list[tuple[int, int, int, int]] = []  # start, stop, number of k-mers and their counts of further pieces
    for unitig, own in bounds.items():
        start, total, whole = int(starts[unitig]), int(host.kmer_counts[unitig]), own[-1]
        parts = [
            (start + a, start + b + host.k - 1, b - a, total * b // whole - total * a // whole)
            for a, b in pairwise(own)
        ]
        starts[unitig], stops[unitig], n_kmers[unitig], counts[unitig] = parts[0]
        more += parts[1:]
    added = np.array(more, np.int64).reshape(-1, 4).T
    intervals = np.stack((np.append(starts, added[0]), np.append(stops, added[1])), axis=1)
    lengths = intervals[:, 1] - intervals[:, 0]
    graph = UnitigGraph(
        host.k,
        _with_pieces(host.graph, pieces, n),
        PackedSequences(np.append(0, np.cumsum(lengths)), gathered(host.sequences.bases, intervals)),
        np.append(host.circular, np.zeros(len(more), np.bool_)),
        np.append(n_kmers, added[2]),
        np.append(counts, added[3]),
    )
    return SplitUnitigs(graph, pieces)


def places_of_parts(
    parts: Iterable[tuple[list[int], tuple[int, int] | None]], n_kmers: NDArray[np.int64]
) -> dict[int, set[int]]:
    """Collect where unitigs are to be split so that walks can end there; see `Behind.within`."""
    found: dict[int, set[int]] = {}
    for _whole, part in parts:
        if part is not None:
            vertex, n = part
            found.setdefault(vertex >> 1, set()).add(int(n_kmers[vertex >> 1]) - n if vertex & 1 else n)
    return found


def _with_pieces(graph: Graph, pieces: Mapping[int, Sequence[int]], n: int) -> Graph:
    """Move the edges behind unitigs to their last pieces, and link pieces."""
    last = np.arange(graph.n_vertices // 2)
    last[list(pieces)] = [own[-1] for own in pieces.values()]
    tails, heads = edges_of(graph)
    tails = np.where(tails & 1, tails, 2 * last[tails >> 1])
    heads = np.where(heads & 1, 2 * last[heads >> 1] + 1, heads)
    inner = [(2 * one, 2 * other) for own in pieces.values() for one, other in pairwise(own)]
    inner += [(head + 1, tail + 1) for tail, head in inner]
    new_tails, new_heads = np.array(inner, np.int64).reshape(-1, 2).T
    return graph_of_edges(np.append(tails, new_tails), np.append(heads, new_heads), 2 * n)
