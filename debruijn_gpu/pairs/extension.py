"""Verify the ends of walks, and the repeats that follow them, by the reads that point there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.pairs.closing import codes_of_vertex, last_codes
from debruijn_gpu.pairs.gap_reads import EndReads
from debruijn_gpu.pairs.placement import ANCHOR_BP
from debruijn_gpu.run.parallel import ordered_map

#: Bases in which a read that holds a word of `ANCHOR_BP` bases is compared with the sequence. Longer windows tell more
#: copies apart, and fewer reads cover them: at most so much of the longest read.
_WINDOW_BP = 101
_PART_OF_READ = 2 / 3
#: Of the bases of a window behind its first word: errors and alleles differ in fewer, copies of a repeat in more
_MOST_DIFFERENT = 0.04
_LEAST_CONTRADICTING = 2


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

    def confirm(tail: int) -> int:
        return _n_confirmed(tail, candidates[tail], graph, *end_reads.of(tail))

    tails = sorted(candidates)
    if not end_reads.are_there:
        return dict.fromkeys(tails, 0)
    if tails:
        end_reads.gather()
    return dict(zip(tails, ordered_map(confirm, tails, threads), strict=True))


def _n_confirmed(
    tail: int, steps: Sequence[int], graph: UnitigGraph, codes: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> int:
    """Count the first bases of steps that reads hold, with the k - 1 bases before them, which may be less."""
    if not len(codes):
        return 0
    n_shared = graph.k - 1
    window_bp = min(_WINDOW_BP, int(_PART_OF_READ * np.diff(offsets).max()))
    window_bp = window_bp if window_bp >= 2 * ANCHOR_BP else ANCHOR_BP
    most_different = math.ceil(_MOST_DIFFERENT * (window_bp - ANCHOR_BP))
    own = last_codes(graph, tail, n_shared + _WINDOW_BP - 1)
    text = np.concatenate((own, *(codes_of_vertex(graph, step)[n_shared:] for step in steps)))
    n_first = max(0, len(own) - n_shared - (ANCHOR_BP - 1))
    count = backends.host().unitigs.count_held
    n_held = count(codes, offsets, text, n_first, window_bp, most_different, _LEAST_CONTRADICTING)
    return max(n_held - len(own), -n_shared)
