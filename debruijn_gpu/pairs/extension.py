"""Verify the ends of walks, and the repeats that follow them, by the reads that point there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.pairs.closing import codes_of_vertex, last_codes
from debruijn_gpu.pairs.gap_reads import AMBIGUOUS, EndReads
from debruijn_gpu.pairs.placement import ANCHOR_BP

#: Length of the k-mers that reads must hold, that of anchors. Shorter ones may occur twice, and two reads that meet in
#: one would confirm what neither holds. A base that differs between copies changes as many k-mers.
_VERIFIED_BP = ANCHOR_BP
_FILTER_BITS = 16  # of k-mers, by which most of those that are not wanted are left out


def verified_bases(candidates: Mapping[int, Sequence[int]], graph: UnitigGraph, end_reads: EndReads) -> dict[int, int]:
    """Count the bases behind each end that its own reads confirm, one by one; less than 0 if they end before it.

    Copies of a repeat differ, and the graph may have that of another place only: where reads are few, the last k - 1
    bases of a unitig, which it shares with its neighbours, may begin as one copy and end as another. Reads whose mates
    are before the repeat, or that run into it, are of the right copy: they have to hold all 31-mers of these bases and
    of what is added. An end without reads is neither extended nor shortened.

    Parameters
    ----------
    candidates : mapping of int to sequence of int
        Steps behind the last vertex of a walk; there may be none.
    graph : UnitigGraph
        In NumPy arrays.
    end_reads : EndReads
        Of these vertices.
    """
    return {tail: _n_confirmed(tail, steps, graph, *end_reads.of(tail)) for tail, steps in sorted(candidates.items())}


def _n_confirmed(
    tail: int, steps: Sequence[int], graph: UnitigGraph, codes: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> int:
    """Count the first bases of steps whose k-mers, and those of the k - 1 bases before them, are all in reads."""
    if not len(codes):
        return 0
    added = [codes_of_vertex(graph, step)[graph.k - 1 :] for step in steps]
    own = last_codes(graph, tail, graph.k - 1 + _VERIFIED_BP - 1)
    text, n_before = np.concatenate((own, *added)), len(own) - (_VERIFIED_BP - 1)
    missing = np.flatnonzero(~_are_in_reads(text, codes, offsets))
    return (int(missing[0]) if len(missing) else len(text) - (_VERIFIED_BP - 1)) - n_before


def _are_in_reads(text: NDArray[np.uint8], codes: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find out which k-mers of a sequence are in reads, in either strand."""
    wanted = _kmers(text), _kmers((3 - text)[::-1])[::-1]
    mask = np.uint64((1 << _FILTER_BITS) - 1)
    may_be = np.zeros(1 << _FILTER_BITS, np.bool_)
    for strand in wanted:
        may_be[strand & mask] = True
    there = _kmers(codes & np.uint8(3))
    near = np.flatnonzero(may_be[there & mask] & _is_within_read(codes, offsets))
    ascending = np.sort(there[near])
    found = np.zeros(len(wanted[0]), np.bool_)
    for strand in wanted:
        found |= np.searchsorted(ascending, strand, "right") > np.searchsorted(ascending, strand, "left")
    return found


def _is_within_read(codes: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the k-mer that begins at a base is within one read, and has no ambiguous base."""
    is_within = np.ones(max(0, len(codes) - _VERIFIED_BP + 1), np.bool_)
    odd = np.flatnonzero(codes >= AMBIGUOUS)
    for n_before, places in ((_VERIFIED_BP, odd), (_VERIFIED_BP - 1, offsets[1:-1] - 1)):
        at = (places[:, np.newaxis] - np.arange(n_before)).reshape(-1)
        is_within[at[(at >= 0) & (at < len(is_within))]] = False
    return is_within


def _kmers(codes: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Pack the k-mers of a sequence, from those of 1, 2, 4, 8 and 16 bases."""
    n = len(codes) - _VERIFIED_BP + 1
    if n <= 0:
        return np.empty(0, np.uint64)
    twos = codes[:-1] << 2 | codes[1:]
    fours = twos[:-2] << 4 | twos[2:]
    eights = fours[:-4].astype(np.uint16) << 8 | fours[4:]
    sixteens = eights[:-8].astype(np.uint32) << 16 | eights[8:]
    kmers = sixteens[:n].astype(np.uint64)
    for part, start, n_bits in ((eights, 16, 16), (fours, 24, 8), (twos, 28, 4), (codes, 30, 2)):
        kmers = kmers << np.uint64(n_bits) | part[start : start + n].astype(np.uint64)
    return kmers
