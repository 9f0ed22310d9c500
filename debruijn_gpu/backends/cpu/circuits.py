"""Euler circuits written from the pieces of circles.

What is written is cut into runs, each of which is stored to consecutive places: from the start of a sublist, from the
begin of a piece, or from the end of a circuit, to where the next run begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cpu.circles import LANES, Circles
from debruijn_gpu.backends.cpu.cutting import Pieces, cut_circles
from debruijn_gpu.backends.cpu.jit import kernel
from debruijn_gpu.backends.cpu.joining import Joins
from debruijn_gpu.backends.cpu.pool import over_ranges

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Runs:
    """Stretches of a circuit, in the direction of predecessors: a run goes to lower and lower places.

    Attributes
    ----------
    edges : ndarray, dtype=int64, shape=(n,)
        First edge of each.
    at : ndarray, dtype=int64, shape=(n,)
        Place of that in the output.
    lengths : ndarray, dtype=int64, shape=(n,)
        1 or more.
    """

    edges: Longs
    at: Longs
    lengths: Longs


@dataclass(frozen=True)
class _Spots:
    """Where some edges are.

    Attributes
    ----------
    circuit : ndarray, dtype=int64, shape=(n,)
    place : ndarray, dtype=int64, shape=(n,)
        On the circuit, in the direction of predecessors.
    left : ndarray, dtype=int64, shape=(n,)
        Edges to the end of the piece, both included.
    """

    circuit: Longs
    place: Longs
    left: Longs


def _spots(circles: Circles, pieces: Pieces, sublists: Longs | slice, ranks: Longs | int) -> _Spots:
    """Where the edges at some ranks of some sublists are."""
    circle = circles.circle[sublists]
    lengths = np.diff(circles.offsets)[circle]
    at = circles.place[sublists] + ranks
    at = circles.offsets[circle] + np.where(at >= lengths, at - lengths, at)
    piece = np.searchsorted(pieces.ends, at)
    piece = np.where(piece < pieces.starts[circle + 1], piece, pieces.starts[circle])
    left = pieces.ends[piece] - at + 1
    left = np.where(left > 0, left, left + lengths)
    return _Spots(pieces.circuit[piece], pieces.place[piece] + pieces.lengths[piece] - left, left)


@kernel
def _smallest(group, values, smallest):
    """The smallest value (in and out, int64 (n_groups,)) and its index (out: returned) of each group."""
    at = np.empty(smallest.size, np.int64)
    for i in range(group.size):
        if values[i] < smallest[group[i]]:
            smallest[group[i]] = values[i]
            at[group[i]] = i
    return at


@kernel
def _write(predecessor, edges, at, lengths, start, stop, steps):
    """Write runs start..stop; several take turns.

    Parameters
    ----------
    predecessor : in, uint32 or uint64 (n_edges,)
    edges, at, lengths : in, as in `Runs`
    steps : out, uint32 or uint64 (n_edges,)
    """
    lane_edge = np.empty(LANES, np.uint64)
    lane_to = np.empty(LANES, np.uint64)
    lane_end = np.empty(LANES, np.uint64)
    waiting = start
    active = 0
    while active < LANES and waiting < stop:
        lane_edge[active] = edges[waiting]
        lane_to[active] = at[waiting]
        lane_end[active] = at[waiting] - lengths[waiting] + 1
        active += 1
        waiting += 1
    while active > 0:
        lane = 0
        while lane < active:
            edge = lane_edge[lane]
            to = lane_to[lane]
            steps[to] = edge
            if to > lane_end[lane]:
                lane_edge[lane] = predecessor[edge]
                lane_to[lane] = to - np.uint64(1)
                lane += 1
            elif waiting < stop:
                lane_edge[lane] = edges[waiting]
                lane_to[lane] = at[waiting]
                lane_end[lane] = at[waiting] - lengths[waiting] + 1
                waiting += 1
                lane += 1
            else:
                active -= 1
                lane_edge[lane] = lane_edge[active]
                lane_to[lane] = lane_to[active]
                lane_end[lane] = lane_end[active]


def _runs(predecessor: Array, circles: Circles, pieces: Pieces) -> tuple[Longs, Runs]:
    """Offsets of the circuits in the output, and the runs to be written."""
    lists, n_circuits = circles.sublists, len(pieces.circuit_offsets) - 1
    circuit_lengths = np.diff(pieces.circuit_offsets)
    heads = _spots(circles, pieces, slice(None), 0)
    least = np.full(n_circuits, len(predecessor), np.int64)
    least_in = _smallest(heads.circuit, lists.least, least)
    starts = _spots(circles, pieces, least_in, lists.least_at[least_in])
    order = np.argsort(least)
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(circuit_lengths[order])))
    first = np.empty(n_circuits, np.int64)
    first[order] = offsets[:-1]

    def to(circuit: Longs, place: Longs) -> Longs:
        """How far from the begin of its circuit an edge comes."""
        distance = starts.place[circuit] - place
        return np.where(distance < 0, distance + circuit_lengths[circuit], distance)

    from_heads = to(heads.circuit, heads.place)
    seats = circles.seats[pieces.cuts]
    left = (
        lists.lengths[(seats >> np.uint64(32)).astype(np.int64)] - (seats & np.uint64(0xFFFFFFFF)).astype(np.int64) - 1
    )
    after = pieces.after[pieces.piece_of]
    from_cuts = to(pieces.circuit[after], pieces.place[after])
    at = (first[heads.circuit] + from_heads, first[pieces.circuit[after]] + from_cuts, first + circuit_lengths - 1)
    lengths = (
        np.minimum(np.minimum(lists.lengths, heads.left), from_heads + 1),
        np.minimum(np.minimum(left, pieces.lengths[after]), from_cuts + 1),
        np.minimum(starts.left, lists.lengths[least_in] - lists.least_at[least_in]) - 1,
    )
    edges = (lists.first, predecessor[pieces.cuts].astype(np.int64), predecessor[least].astype(np.int64))
    runs = Runs(*(np.concatenate(parts) for parts in (edges, at, lengths)))
    wanted = runs.lengths > 0
    return offsets, Runs(runs.edges[wanted], runs.at[wanted], runs.lengths[wanted])


def write_circuits(predecessor: Array, circles: Circles, joins: Joins) -> tuple[Array, Array]:
    """See `CircuitBackend.write_circuits`."""
    steps = np.empty(len(predecessor), predecessor.dtype)
    if not len(steps):
        return np.zeros(1, np.int64), steps
    offsets, runs = _runs(predecessor, circles, cut_circles(circles, joins))
    over_ranges(
        len(runs.at),
        lambda start, stop: _write(predecessor, runs.edges, runs.at, runs.lengths, start, stop, steps),
        pieces_per_thread=16,
    )
    return offsets, steps
