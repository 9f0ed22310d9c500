"""Verify the repeats that follow ends of walks by the reads that point into them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.pairs.closing import codes_of_vertex
from debruijn_gpu.pairs.gap_reads import AMBIGUOUS, reads_of_gaps, wanted_reads
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.links import LinkGraph
from debruijn_gpu.pairs.placement import PlacedReads

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: Length of the k-mers that reads must hold; a base that differs between copies changes as many of them
_VERIFIED_BP = 21


def verified_steps(
    candidates: Mapping[int, Sequence[int]],
    graph: UnitigGraph,
    placed: PlacedReads,
    libraries: Sequence[Library],
    links: LinkGraph,
    reads: Iterable[ReadBatch],
    backend: AssemblyBackend,
) -> dict[int, int]:
    """Count the steps behind each end that its own reads confirm, base by base.

    Copies of a repeat differ, and the graph may have that of another place only. Reads whose mates are before the
    repeat, or that run into it, are of the right copy: they have to hold all 21-mers of what is added.

    Parameters
    ----------
    candidates : mapping of int to sequence of int
        Steps behind the last vertex of a walk.
    graph : UnitigGraph
        In NumPy arrays.
    placed, libraries, links
        See `close_gaps`.
    reads : iterable of ReadBatch
        In arrays of the backend, in the order in which they were placed.
    backend : AssemblyBackend
    """
    tails = sorted(tail for tail, steps in candidates.items() if steps and tail < len(links.lengths))
    if not tails:
        return {}
    end_of = np.full(len(links.lengths), -1, np.int64)
    end_of[tails] = np.arange(len(tails))
    pairs = [(library, placed.libraries[library.number].loose) for library in libraries]
    some = reads_of_gaps(len(tails), wanted_reads(end_of, pairs, links), reads, backend)
    return {
        tail: _n_confirmed(tail, candidates[tail], graph, *of_tail) for tail, of_tail in zip(tails, some, strict=True)
    }


def _n_confirmed(
    tail: int, steps: Sequence[int], graph: UnitigGraph, codes: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> int:
    """Count the first steps whose k-mers are all in reads."""
    overlap = graph.k - 1
    there = np.unique(_canonical(codes, _starts(codes, offsets)))
    before = codes_of_vertex(graph, tail)[-(_VERIFIED_BP - 1) :]
    for number, step in enumerate(steps):
        text = np.concatenate((before, codes_of_vertex(graph, step)[overlap:]))
        if not np.isin(_canonical(text, np.arange(len(text) - _VERIFIED_BP + 1)), there).all():
            return number
        before = text[-(_VERIFIED_BP - 1) :]
    return len(steps)


def _starts(codes: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """List where k-mers begin that are within one read and have no ambiguous base."""
    n = max(0, len(codes) - _VERIFIED_BP + 1)
    at = np.arange(n)
    read = np.searchsorted(offsets, at, side="right") - 1
    n_odd = np.concatenate(([0], np.cumsum(codes >= AMBIGUOUS)))
    within = at + _VERIFIED_BP <= offsets[np.minimum(read + 1, len(offsets) - 1)]
    found: NDArray[np.int64] = np.flatnonzero(within & (n_odd[at + _VERIFIED_BP] == n_odd[at]))
    return found


def _canonical(codes: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Compute the smaller of each k-mer and its reverse complement."""
    forward, backward = np.zeros(len(starts), np.uint64), np.zeros(len(starts), np.uint64)
    for i in range(_VERIFIED_BP):
        base = codes[starts + i].astype(np.uint64)
        forward = forward << np.uint64(2) | base
        backward |= (np.uint64(3) - base) << np.uint64(2 * i)
    smaller: NDArray[np.uint64] = np.minimum(forward, backward)
    return smaller
