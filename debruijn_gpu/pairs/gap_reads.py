"""Gather the reads that may be from gaps between unitigs: those that point into one, and their mates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import packed_codes
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.links import LinkGraph, toward_mate
from debruijn_gpu.pairs.placement import LoosePairs, distinct_columns

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]
AMBIGUOUS = 4
#: Reads of a gap, at most: chosen by a hash of their content
_MOST_READS = 2_000


@dataclass(frozen=True)
class Wanted:
    """Reads of gaps, each once, ascending.

    Attributes
    ----------
    gaps, batches, rows : ndarray, dtype=int64, shape=(n,)
    """

    gaps: Longs
    batches: Longs
    rows: Longs


def wanted_reads(gap_of: Longs, libraries: Iterable[tuple[Library, LoosePairs]], graph: LinkGraph) -> Wanted:
    """Choose the reads of gaps.

    Parameters
    ----------
    gap_of : ndarray, dtype=int64, shape=(n_vertices,)
        Gap behind a vertex; -1: none.
    libraries : iterable of (Library, LoosePairs)
    graph : LinkGraph
    """
    none = np.empty((3, 0), np.int64)
    parts = [_of_library(gap_of, library, loose, graph) for library, loose in libraries]
    return Wanted(*distinct_columns([none, *parts]))


def _of_library(gap_of: Longs, library: Library, loose: LoosePairs, graph: LinkGraph) -> Longs:
    """List gap, batch and row of both mates of pairs that point into a gap, or have a mate that reaches into one."""
    parts = [np.empty((3, 0), np.int64)]

    def add(gaps: Longs, is_near: NDArray[np.bool_]) -> None:
        chosen = np.flatnonzero(is_near & (gaps >= 0))
        for batches, rows in (loose.places[:2], loose.places[2:]):
            parts.append(np.stack((gaps[chosen], batches[chosen], rows[chosen])))

    for row in (0, 2, 4, 6):
        vertices, starts, length = loose.anchors[row], loose.anchors[row + 1], loose.lengths[row // 4]
        is_placed = vertices >= 0
        ahead, reach = toward_mate(vertices, starts, library.orientation, row // 4, graph)
        add(gap_of[ahead], is_placed & (reach <= library.longest_bp))
        add(gap_of[vertices], is_placed & (starts + length > graph.lengths[vertices]))
        add(gap_of[vertices ^ 1], is_placed & (starts < 0))
    return np.concatenate(parts, axis=1)


def reads_of_gaps(
    n_gaps: int, wanted: Wanted, reads: Iterable[ReadBatch], backend: AssemblyBackend
) -> list[tuple[NDArray[np.uint8], Longs]]:
    """Copy the chosen reads of each gap to the host.

    Parameters
    ----------
    n_gaps : int
    wanted : Wanted
    reads : iterable of ReadBatch
        In arrays of the backend, in the order in which they were placed.
    backend : AssemblyBackend

    Returns
    -------
    list of (ndarray, dtype=uint8, shape=(n_bases,), ndarray, dtype=int64, shape=(n_reads + 1,))
        Codes of the bases, 4 where they are ambiguous, and where each read begins.
    """
    found: list[list[tuple[int, NDArray[np.uint8]]]] = [[] for _ in range(n_gaps)]
    order = np.argsort(wanted.batches, kind="stable")
    bounds = np.searchsorted(wanted.batches[order], np.arange(int(wanted.batches.max(initial=-1)) + 2))
    for number, batch in enumerate(reads):
        if number + 1 >= len(bounds):
            break
        chosen = order[bounds[number] : bounds[number + 1]]
        if len(chosen):
            rows, which = np.unique(wanted.rows[chosen], return_inverse=True)
            taken = _taken(batch, rows, backend)
            for gap, index in zip(wanted.gaps[chosen].tolist(), which.tolist(), strict=True):
                found[gap].append(taken[index])
    return [_concatenated(some) for some in found]


def _taken(batch: ReadBatch, rows: Longs, backend: AssemblyBackend) -> list[tuple[int, NDArray[np.uint8]]]:
    """Copy rows of a batch: the hash and the bases of each."""
    lengths = np.diff(backend.to_host(batch.offsets))[rows]
    some = backend.reads.take_reads(batch, rows, lengths)
    hashes = backend.reads.hash_reads(some).tolist()
    host = some.moved(backend.to_host)
    codes = packed_codes(host.bases, 0, some.n_bases)
    codes[host.ambiguous_positions] = AMBIGUOUS
    return list(zip(hashes, np.split(codes, host.offsets[1:-1]), strict=True))


def _concatenated(reads: list[tuple[int, NDArray[np.uint8]]]) -> tuple[NDArray[np.uint8], Longs]:
    reads = sorted(reads, key=lambda read: read[0])[:_MOST_READS]
    offsets = np.cumsum([0, *(len(codes) for _hash, codes in reads)], dtype=np.int64)
    return np.concatenate([np.empty(0, np.uint8), *(codes for _hash, codes in reads)]), offsets
