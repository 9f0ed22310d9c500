"""Gather the reads that may be from the ends of unitigs, or from behind them, with their mates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import packed_codes
from debruijn_gpu.arithmetic.distinct import sorted_distinct
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.link_evidence import LinkGraph, toward_mate
from debruijn_gpu.pairs.placed_reads import LoosePairs, distinct_columns

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Codes = NDArray[np.uint8]
Longs = NDArray[np.int64]
AMBIGUOUS = 4
#: Reads that are asked for together, at most: chosen by a hash of their content
_MOST_READS = 2_000


class EndReads:
    """Reads that may be from behind the ends of vertices, copied to the host in one pass when any are asked for.

    Parameters
    ----------
    vertices : ndarray, dtype=int64, shape=(n,)
        Distinct and ascending.
    libraries : sequence of (Library, LoosePairs)
    graph : LinkGraph
    reads : iterable of ReadBatch
        In arrays of the backend, in the order in which they were placed.
    backend : AssemblyBackend
    """

    def __init__(
        self,
        vertices: Longs,
        libraries: Sequence[tuple[Library, LoosePairs]],
        graph: LinkGraph,
        reads: Iterable[ReadBatch],
        backend: AssemblyBackend,
    ) -> None:
        self._vertices = vertices
        self._ranks = {vertex: rank for rank, vertex in enumerate(vertices.tolist())}
        self._libraries = libraries
        self._graph = graph
        self._reads = reads
        self._backend = backend

    @property
    def are_there(self) -> bool:
        """Whether there may be any: mates tell which reads these are."""
        return len(self._libraries) > 0

    def of(self, *vertices: int) -> tuple[Codes, Longs]:
        """Return the reads behind some vertices, each once: codes of the bases, `AMBIGUOUS` where they are ambiguous,
        and where each read begins (n_reads + 1)."""
        found = self._gathered
        some = sorted_distinct(np.concatenate([self._behind(vertex) for vertex in vertices]))
        return found.taken(self._chosen(some))

    def of_each(self, vertices: Sequence[int]) -> tuple[Codes, Longs, Longs, Longs]:
        """Return reads as `of` does, those behind any vertex, then their numbers behind each of some, and the bounds of
        these (n + 1)."""
        found = self._gathered
        each = [self._behind(vertex) for vertex in vertices]
        each = [some if len(some) <= _MOST_READS else self._chosen(some) for some in each]
        bounds = np.append(0, np.cumsum([len(some) for some in each], dtype=np.int64))
        return found.codes, found.offsets, np.concatenate([np.empty(0, np.int64), *each]), bounds

    def _behind(self, vertex: int) -> Longs:
        """Numbers of the reads behind a vertex, each once."""
        found, rank = self._gathered, self._ranks[vertex]
        return found.reads[found.bounds[rank] : found.bounds[rank + 1]]

    def _chosen(self, reads: Longs) -> Longs:
        """Those of the smallest hashes, by these."""
        return reads[np.argsort(self._gathered.hashes[reads], kind="stable")[:_MOST_READS]]

    def codes_at(self, batches: Longs, rows: Longs) -> tuple[Codes, Longs]:
        """Return some reads behind the vertices as `of` does, by batch and row, in the given order."""
        found = self._gathered
        return found.taken(np.searchsorted(found.keys, batches * found.n_rows + rows))

    def gather(self) -> None:
        """Copy the reads now, so that threads may ask for them."""
        _ = self._gathered

    @cached_property
    def _gathered(self) -> _Gathered:
        """Find which reads are wanted, and copy them batch by batch."""
        rank_of = np.full(len(self._graph.lengths), -1, np.int64)
        rank_of[self._vertices] = np.arange(len(self._vertices))
        none = np.empty((3, 0), np.int64)
        parts = [_of_library(rank_of, library, loose, self._graph) for library, loose in self._libraries]
        ranks, batches, rows = distinct_columns([none, *parts])
        n_rows = int(rows.max(initial=0)) + 1
        distinct, reads = np.unique(batches * n_rows + rows, return_inverse=True)
        bounds = np.searchsorted(distinct // n_rows, np.arange(int(batches.max(initial=-1)) + 2))
        taken = [(np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.uint8))]
        for number, batch in enumerate(self._reads):
            if number + 1 >= len(bounds):
                break
            wanted = distinct[bounds[number] : bounds[number + 1]] % n_rows
            if len(wanted):
                taken.append(_taken(batch, wanted, self._backend))
        hashes, lengths, codes = (np.concatenate(column) for column in zip(*taken, strict=True))
        offsets = np.append(0, np.cumsum(lengths))
        bounds = np.searchsorted(ranks, np.arange(len(self._vertices) + 1))
        return _Gathered(bounds, reads, hashes, offsets, codes, n_rows, distinct)


@dataclass(frozen=True)
class _Gathered:
    """Reads by the order of batches and rows, and which of them are behind each vertex.

    Attributes
    ----------
    bounds : ndarray, dtype=int64, shape=(n_vertices + 1,)
    reads : ndarray, dtype=int64, shape=(bounds[-1],)
        Numbers of the reads behind vertex i: ``reads[bounds[i]:bounds[i + 1]]``.
    hashes : ndarray, dtype=uint64, shape=(n_reads,)
    offsets : ndarray, dtype=int64, shape=(n_reads + 1,)
    codes : ndarray, dtype=uint8, shape=(offsets[-1],)
    n_rows : int
        More than any row.
    keys : ndarray, dtype=int64, shape=(n_reads,)
        ``batch * n_rows + row``, ascending.
    """

    bounds: Longs
    reads: Longs
    hashes: NDArray[np.uint64]
    offsets: Longs
    codes: Codes
    n_rows: int
    keys: Longs

    def taken(self, reads: Longs) -> tuple[Codes, Longs]:
        """Codes of some reads, one after another, and where each begins (n_reads + 1)."""
        starts, lengths = self.offsets[reads], self.offsets[reads + 1] - self.offsets[reads]
        bounds = np.append(0, np.cumsum(lengths))
        return self.codes[np.arange(bounds[-1]) + np.repeat(starts - bounds[:-1], lengths)], bounds


def _of_library(rank_of: Longs, library: Library, loose: LoosePairs, graph: LinkGraph) -> Longs:
    """List rank of the vertex, batch and row of both mates of pairs that point beyond its end, or reach there."""
    parts = [np.empty((3, 0), np.int64)]

    def add(ranks: Longs, is_near: NDArray[np.bool_]) -> None:
        chosen = np.flatnonzero(is_near & (ranks >= 0))
        for batches, rows in (loose.places[:2], loose.places[2:]):
            parts.append(np.stack((ranks[chosen], batches[chosen], rows[chosen])))

    for row in (0, 2, 4, 6):
        vertices, starts, length = loose.anchors[row], loose.anchors[row + 1], loose.lengths[row // 4]
        is_placed = vertices >= 0
        ahead, reach = toward_mate(vertices, starts, library.orientation, row // 4, graph)
        add(rank_of[ahead], is_placed & (reach <= library.longest_bp))
        add(rank_of[vertices], is_placed & (starts + length > graph.lengths[vertices] - (graph.k - 1)))
        add(rank_of[vertices ^ 1], is_placed & (starts < graph.k - 1))
    return np.concatenate(parts, axis=1)


def _taken(
    batch: ReadBatch, rows: Longs, backend: AssemblyBackend
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint8]]:
    """Copy rows of a batch: hashes, lengths, and codes of the bases."""
    lengths = np.diff(backend.to_host(batch.offsets))[rows]
    some = backend.reads.take_reads(batch, rows, lengths)
    host = some.moved(backend.to_host)
    codes = packed_codes(host.bases, 0, some.n_bases)
    codes[host.ambiguous_positions] = AMBIGUOUS
    return backend.reads.hash_reads(some), lengths, codes
