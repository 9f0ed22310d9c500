"""Verify the ends of walks, and the repeats that follow them, by the reads that point there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.assembly.intervals import last_bases
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.backends.unitigs.containers import HeldQueries
from debruijn_gpu.pairs.gap_reads import EndReads
from debruijn_gpu.pairs.placement import ANCHOR_BP
from debruijn_gpu.run.parallel import ordered_map

Longs = NDArray[np.int64]
Codes = NDArray[np.uint8]

#: Bases in which a read that holds a word of `ANCHOR_BP` bases is compared with the sequence. Longer windows tell more
#: copies apart, and fewer reads cover them: at most so much of the longest read.
_WINDOW_BP = 101
_PART_OF_READ = 2 / 3
#: Of the bases of a window behind its first word: errors and alleles differ in fewer, copies of a repeat in more
_MOST_DIFFERENT = 0.04
_LEAST_CONTRADICTING = 2
_BASES_AT_ONCE = 1 << 20


def verified_bases(
    candidates: Mapping[int, Sequence[int]], graph: UnitigGraph, end_reads: EndReads, threads: int
) -> dict[int, int]:
    """Count the bases behind each end that its own reads confirm, one by one; less than 0 if they end before it.

    Copies of a repeat differ, and the graph may have that of another place only: where reads are few, the last k - 1
    bases of a unitig, which it shares with its neighbours, may begin as one copy and end as another. Reads whose mates
    are before the repeat, or that run into it, are of the right copy: they have to hold all 31-mers of these bases and
    of what is added, and must not all continue in another way. An end without reads is neither extended nor shortened.

    Parameters
    ----------
    candidates : mapping of int to sequence of int
        Steps behind the last vertex of a walk; there may be none.
    graph : UnitigGraph
        In NumPy arrays.
    end_reads : EndReads
        Of these vertices.
    threads : int
    """

    tails = sorted(candidates)
    if not end_reads.are_there:
        return dict.fromkeys(tails, 0)
    if tails:
        end_reads.gather()

    def confirm(some: Sequence[int]) -> list[int]:
        return _n_confirmed(some, candidates, graph, end_reads)

    parts = _parts(tails, candidates, graph)
    return dict(zip(tails, chain.from_iterable(ordered_map(confirm, parts, threads)), strict=True))


def _parts(tails: Sequence[int], candidates: Mapping[int, Sequence[int]], graph: UnitigGraph) -> list[Sequence[int]]:
    """Divide ends into parts of about a million bases, with the bases that steps add behind them."""
    if not tails:
        return []
    steps = np.array([vertex for tail in tails for vertex in candidates[tail]], np.int64)
    n_added = np.append(0, np.cumsum(graph.n_kmers[steps >> 1]))
    bounds = np.append(0, np.cumsum([len(candidates[tail]) for tail in tails], dtype=np.int64))
    n_bases = (graph.k + _WINDOW_BP) * np.arange(1, len(tails) + 1) + n_added[bounds[1:]]
    splits = np.flatnonzero(np.diff(n_bases // _BASES_AT_ONCE)) + 1
    return [tails[start:stop] for start, stop in pairwise([0, *splits.tolist(), len(tails)])]


def _n_confirmed(
    tails: Sequence[int], candidates: Mapping[int, Sequence[int]], graph: UnitigGraph, end_reads: EndReads
) -> list[int]:
    """Count the bases behind each of some ends that its reads hold; see `verified_bases`."""
    codes, offsets, reads, bounds = end_reads.of_each(tails)
    longest = _longest(offsets[reads + 1] - offsets[reads], bounds)
    windows_bp = np.minimum(_WINDOW_BP, (_PART_OF_READ * longest).astype(np.int64))
    windows_bp = np.where(windows_bp >= 2 * ANCHOR_BP, windows_bp, ANCHOR_BP)
    most_different = np.ceil(_MOST_DIFFERENT * (windows_bp - ANCHOR_BP)).astype(np.int64)
    n_shared = graph.k - 1
    sequences, starts, n_own = _sequences(tails, candidates, graph)
    n_first = np.maximum(0, n_own - n_shared - (ANCHOR_BP - 1))
    queries = HeldQueries(codes, offsets, reads, bounds, sequences, starts, n_first, windows_bp, most_different)
    n_held = backends.host().unitigs.count_held(queries, _LEAST_CONTRADICTING)
    found: list[int] = np.where(longest > 0, np.maximum(n_held - n_own, -n_shared), 0).tolist()
    return found


def _longest(lengths: Longs, bounds: Longs) -> Longs:
    """Return the longest of the reads behind each end; 0 without reads."""
    found = np.zeros(len(bounds) - 1, np.int64)
    are_there = np.diff(bounds) > 0
    if are_there.any():
        found[are_there] = np.maximum.reduceat(lengths, bounds[:-1][are_there])
    return found


def _sequences(
    tails: Sequence[int], candidates: Mapping[int, Sequence[int]], graph: UnitigGraph
) -> tuple[Codes, Longs, Longs]:
    """Unpack the last bases of ends and what steps add behind them: where each begins (n + 1), and how many are own."""
    vertices = np.array([vertex for tail in tails for vertex in (tail, *candidates[tail])], np.int64)
    n_vertices = np.array([1 + len(candidates[tail]) for tail in tails], np.int64)
    lengths = np.diff(graph.sequences.offsets)[vertices >> 1]
    own = np.cumsum(n_vertices) - n_vertices
    n_bases = lengths - (graph.k - 1)
    n_bases[own] = np.minimum(lengths[own], graph.k - 1 + _WINDOW_BP - 1)
    starts = np.append(0, np.cumsum(n_bases))
    return last_bases(graph, vertices, n_bases), starts[np.append(own, len(vertices))], n_bases[own]
