"""Find the cycles of a pairing of edges.

Cycles are walked to measure the sublists between splitters. The edges are kept in lines meanwhile, which are copied
when it is known where each belongs; where there is no room for lines, cycles are walked again to write them. Stores are
to consecutive places, but where the cycle of an edge is noted: on the GPU, a store to a random place costs more than a
load.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cycle_numbering import number_cycles, number_items
from debruijn_gpu.backends.circuits.cuda.cycle_ranking import new_counts
from debruijn_gpu.backends.circuits.cuda.lines import Lines
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.short_cycles import measure_unseen, with_more_unseen, with_rest
from debruijn_gpu.backends.circuits.cuda.sublists import (
    NOT_NOTED,
    Sublists,
    Walked,
    blocks_of,
    room_beside,
    walk_blocks,
)
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import filled
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import to_host, xp
from debruijn_gpu.run.tuning import tuning


@dataclass(frozen=True)
class Cycles:
    """Cycles of edges, numbered.

    Attributes
    ----------
    sublists : Sublists
    cycle : array, dtype=uint32, shape=(n_sublists,)
        Cycle of each sublist.
    place : array, dtype=int64, shape=(n_sublists,)
        Where on its cycle each sublist starts.
    offsets : array, dtype=int64, shape=(n_cycles + 1,)
        Edges on cycles before each.
    noted : array, dtype=uint32, shape=(n,)
        Cycle of each of the first n edges.
    lines : Lines
        Edges of the sublists that start at splitters, if they are kept.
    """

    sublists: Sublists
    cycle: Array
    place: Array
    offsets: Array
    noted: Array
    lines: Lines

    @property
    def n_cycles(self) -> int:
        return int(self.offsets.size) - 1


def n_noted(n_edges: int) -> int:
    """Number of edges whose cycles are noted."""
    return n_edges if n_edges <= tuning().few_edges else min(n_edges, tuning().noted_edges)


def cycles_of(pairing: Pairing, n_noted: int) -> Cycles:
    """`find_cycles`, with the cycles of the first ``n_noted`` edges."""
    n_edges = pairing.size
    _, n_blocks = blocks_of(n_edges)
    noted = filled(n_noted, NOT_NOTED) if n_noted == n_edges else xp.empty(n_noted, np.uint32)
    room, lines = room_beside(n_noted, n_edges, n_blocks), Lines.room(pairing, n_blocks)
    return numbered(pairing, walk_blocks(pairing, noted, 0, n_blocks, room, lines))


def numbered(pairing: Pairing, walked: Walked) -> Cycles:
    """The cycles of walks from all splitters, and those without splitters."""
    if walked.noted.size < pairing.size:
        sublists = with_rest(pairing, walked)
        found = number_cycles(sublists.following, sublists.lengths, walked.noted)
        return Cycles(sublists, *found, walked.noted, walked.lines)
    shift, n_blocks = blocks_of(pairing.size)
    counts = new_counts()
    leaders, (following, lengths, *_) = measure_unseen(pairing, walked, counts), walked.room
    cycle, place, offsets = number_items(following, lengths, walked.noted, n_blocks, counts)
    n_leaders, n_cycles, *_ = to_host(counts).tolist()
    if n_leaders > leaders.size:
        sublists = with_more_unseen(pairing, walked, leaders, n_leaders)
        found = number_cycles(sublists.following, sublists.lengths, walked.noted)
        return Cycles(sublists, *found, walked.noted, walked.lines)
    n = n_blocks + n_leaders
    sublists = Sublists(shift, n_blocks, leaders[:n_leaders], *(values[:n] for values in walked.room))
    return Cycles(sublists, cycle[:n], place[:n], offsets[: n_cycles + 1], walked.noted, walked.lines)


@guarded
def find_cycles(pairing: Pairing) -> Cycles:
    """See `CircuitOperations.find_cycles`."""
    return cycles_of(pairing, n_noted(pairing.size))
