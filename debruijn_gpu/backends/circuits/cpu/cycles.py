"""Find the cycles of a pairing of edges.

Cycles are cut into sublists at splitters, one in a block of 64 edges, chosen by hash. Several walkers take turns in
one thread, so that their cache misses overlap. The short list of sublists is then ranked alone (Helman and JáJá 1999).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel
from debruijn_gpu.backends.core.cpu.scalars import splitter
from debruijn_gpu.backends.core.cpu.threads import over_ranges
from debruijn_gpu.errors import OutOfMemoryError

LANES = 16
_SHIFT = 6
_NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
_MARK = np.uint64(0xFFFFFFFFFFFFFFFE)
_MOST_SUBLISTS = 1 << 32  # numbers of 32 bits


@dataclass(frozen=True)
class Sublists:
    """Segments of cycles between splitters.

    Attributes
    ----------
    first : ndarray, dtype=int64, shape=(n_sublists,)
        First edge of each.
    following : ndarray, dtype=int64, shape=(n_sublists,)
        The sublist after each.
    lengths : ndarray, dtype=int64, shape=(n_sublists,)
    least : ndarray, dtype=int64, shape=(n_sublists,)
        Smallest edge of each.
    least_at : ndarray, dtype=int64, shape=(n_sublists,)
        How far from its start that is.
    """

    first: NDArray[np.int64]
    following: NDArray[np.int64]
    lengths: NDArray[np.int64]
    least: NDArray[np.int64]
    least_at: NDArray[np.int64]


@dataclass(frozen=True)
class Cycles:
    """Cycles of edges, numbered by their first sublists.

    Attributes
    ----------
    sublists : Sublists
    seats : ndarray, dtype=uint64, shape=(n_edges,)
        Of each edge its sublist (high 32 bits) and how far from its start it is.
    cycle : ndarray, dtype=int64, shape=(n_sublists,)
        Cycle of each sublist.
    place : ndarray, dtype=int64, shape=(n_sublists,)
        Where on its cycle each sublist starts.
    offsets : ndarray, dtype=int64, shape=(n_cycles + 1,)
        Edges on cycles before each.
    """

    sublists: Sublists
    seats: NDArray[np.uint64]
    cycle: NDArray[np.int64]
    place: NDArray[np.int64]
    offsets: NDArray[np.int64]

    @property
    def n_cycles(self) -> int:
        return len(self.offsets) - 1


@inlined_kernel
def _start_lane(lane, block, shift, n, lane_edge, lane_block, lane_rank, lane_least, first):
    """Let a lane walk from the splitter of a block; arrays as in `_measure`."""
    lane_edge[lane] = splitter(block, shift, n)
    lane_block[lane] = block
    lane_rank[lane] = 0
    lane_least[lane] = _NONE
    first[block] = lane_edge[lane]


@inlined_kernel
def _move_lane(lane, source, lane_edge, lane_block, lane_rank, lane_least, lane_least_at):
    """Replace a lane by another one; arrays as in `_measure`."""
    lane_edge[lane] = lane_edge[source]
    lane_block[lane] = lane_block[source]
    lane_rank[lane] = lane_rank[source]
    lane_least[lane] = lane_least[source]
    lane_least_at[lane] = lane_least_at[source]


@kernel
def _measure(predecessor, shift, start, stop, seats, first, following, lengths, least, least_at):
    """Walk from the splitters of blocks start..stop, each to the next one.

    Parameters
    ----------
    predecessor : in, uint32 or uint64 (n_edges,)
    shift : uint64
    seats : out, uint64 (n_edges,), as in `Cycles`
    first, following, lengths, least, least_at : out, as in `Sublists`
    """
    n = np.uint64(predecessor.size)
    lane_edge = np.empty(LANES, np.uint64)
    lane_block = np.empty(LANES, np.uint64)
    lane_rank = np.empty(LANES, np.uint64)
    lane_least = np.empty(LANES, np.uint64)
    lane_least_at = np.empty(LANES, np.uint64)
    waiting, end = np.uint64(start), np.uint64(stop)
    active = 0
    while active < LANES and waiting < end:
        _start_lane(active, waiting, shift, n, lane_edge, lane_block, lane_rank, lane_least, first)
        active += 1
        waiting += np.uint64(1)
    while active > 0:
        lane = 0
        while lane < active:
            edge, rank = lane_edge[lane], lane_rank[lane]
            seats[edge] = (lane_block[lane] << np.uint64(32)) | rank
            if edge < lane_least[lane]:
                lane_least[lane] = edge
                lane_least_at[lane] = rank
            lane_rank[lane] = rank + np.uint64(1)
            edge = np.uint64(predecessor[edge])
            lane_edge[lane] = edge
            reached = edge >> shift
            if edge != splitter(reached, shift, n):
                lane += 1
                continue
            block = lane_block[lane]
            following[block] = reached
            lengths[block] = rank + np.uint64(1)
            least[block] = lane_least[lane]
            least_at[block] = lane_least_at[lane]
            if waiting < end:
                _start_lane(lane, waiting, shift, n, lane_edge, lane_block, lane_rank, lane_least, first)
                waiting += np.uint64(1)
                lane += 1
            else:
                active -= 1
                _move_lane(lane, active, lane_edge, lane_block, lane_rank, lane_least, lane_least_at)


@kernel
def _count_rest(predecessor, seats):
    """Cycles without splitters: edges that have no seat. The smallest of each stays so, the others get a mark."""
    count = 0
    for i in range(seats.size):
        if seats[i] == _NONE:
            count += 1
            edge = np.uint64(predecessor[i])
            while edge != np.uint64(i):
                seats[edge] = _MARK
                edge = np.uint64(predecessor[edge])
    return count


@kernel
def _measure_rest(predecessor, n_blocks, seats, first, following, lengths, least, least_at):
    """Walk around cycles without splitters, as `_count_rest` leaves them; arrays as in `_measure`."""
    sublist = n_blocks
    for i in range(seats.size):
        if seats[i] != _NONE:
            continue
        edge = np.uint64(i)
        rank = np.uint64(0)
        while True:
            seats[edge] = (np.uint64(sublist) << np.uint64(32)) | rank
            rank += np.uint64(1)
            edge = np.uint64(predecessor[edge])
            if edge == np.uint64(i):
                break
        first[sublist] = i
        following[sublist] = sublist
        lengths[sublist] = rank
        least[sublist] = i
        least_at[sublist] = 0
        sublist += 1


def _sublists(predecessor: Array, seats: NDArray[np.uint64]) -> Sublists:
    """Walk all cycles; every edge gets its seat."""
    n_edges, shift = len(predecessor), np.uint64(_SHIFT)
    n_blocks = -(-n_edges >> _SHIFT)
    measured = [np.empty(n_blocks, np.int64) for _ in range(5)]
    over_ranges(n_blocks, lambda start, stop: _measure(predecessor, shift, start, stop, seats, *measured), 16, n_edges)
    if measured[2].sum() < n_edges:
        n_rest = _count_rest(predecessor, seats)
        if n_blocks + n_rest > _MOST_SUBLISTS:
            raise OutOfMemoryError(f"Out of memory: {n_rest:,} cycles of edges are too many", "part the graph")
        measured = [np.concatenate((values, np.empty(n_rest, np.int64))) for values in measured]
        _measure_rest(predecessor, n_blocks, seats, *measured)
    return Sublists(*measured)


@kernel
def rank_cycles(following, lengths, cycle, place, cycle_lengths):
    """Walk around cycles of a few items.

    Parameters
    ----------
    following, lengths : in, int64 (n,)
    cycle : in and out, int64 (n,); -1 on entry
    place : out, int64 (n,); lengths of the items before each, from the smallest of its cycle
    cycle_lengths : out, int64 (n,); one element per cycle is written

    Returns
    -------
    int
        Cycles, numbered by their smallest items.
    """
    n_cycles = 0
    for first in range(following.size):
        if cycle[first] >= 0:
            continue
        item = first
        walked = 0
        while cycle[item] < 0:
            cycle[item] = n_cycles
            place[item] = walked
            walked += lengths[item]
            item = following[item]
        cycle_lengths[n_cycles] = walked
        n_cycles += 1
    return n_cycles


def number_cycles(
    following: NDArray[np.int64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Cycle and place of each of n items, and the offsets (n_cycles + 1,) of cycles."""
    n = len(following)
    cycle, place, cycle_lengths = np.full(n, -1, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    n_cycles = rank_cycles(following, lengths, cycle, place, cycle_lengths)
    return cycle, place, np.concatenate((np.zeros(1, np.int64), np.cumsum(cycle_lengths[:n_cycles])))


def find_cycles(pairing: Array) -> Cycles:
    """See `CircuitOperations.find_cycles`."""
    seats = np.full(len(pairing), _NONE, np.uint64)
    sublists = _sublists(pairing, seats)
    return Cycles(sublists, seats, *number_cycles(sublists.following, sublists.lengths))
