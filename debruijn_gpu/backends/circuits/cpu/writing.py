"""Write circuits from segments of cycles.

The output is split into runs of edges that are stored consecutively. A run begins at the start of a sublist, at the
begin of a segment, or at the end of a circuit, and ends where the next run begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.circuits.cpu.cycles import LANES, Cycles
from debruijn_gpu.backends.circuits.cpu.segments import Circuits, cut_cycles
from debruijn_gpu.backends.circuits.cpu.splices import Splices
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.threads import over_ranges

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Runs:
    """Segments of a circuit, in the direction of predecessors: a run goes to lower and lower places.

    Attributes
    ----------
    edges : ndarray, dtype=int64, shape=(n,)
        First edge of each.
    at : ndarray, dtype=int64, shape=(n,)
        Place of that in the output.
    lengths : ndarray, dtype=int64, shape=(n,)
        0 for no run.
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
        Edges to the end of the segment, both included.
    """

    circuit: Longs
    place: Longs
    left: Longs


@dataclass(frozen=True)
class _Starts:
    """Where circuits begin.

    Attributes
    ----------
    order : ndarray, dtype=int64, shape=(n_circuits,)
        The circuits as they come in the output.
    place : ndarray, dtype=int64, shape=(n_circuits,)
        Where on each, in the direction of predecessors.
    inside : ndarray, dtype=int64, shape=(n,)
        Circuits that begin with their smallest edges, so that another run than those of sublists and segments begins
        before.
    edges : ndarray, dtype=int64, shape=(n,)
        The first edges of these.
    left : ndarray, dtype=int64, shape=(n,)
        Edges from the predecessor (included) to the next begin of a run (not included).
    """

    order: Longs
    place: Longs
    inside: Longs
    edges: Longs
    left: Longs


def _spots(cycles: Cycles, circuits: Circuits, sublists: Longs | slice, ranks: Longs | int) -> _Spots:
    """Where the edges at some ranks of some sublists are."""
    segments = circuits.segments
    cycle = cycles.cycle[sublists]
    lengths = np.diff(cycles.offsets)[cycle]
    at = cycles.place[sublists] + ranks
    at = cycles.offsets[cycle] + np.where(at >= lengths, at - lengths, at)
    segment = np.searchsorted(segments.ends, at)
    segment = np.where(segment < segments.starts[cycle + 1], segment, segments.starts[cycle])
    left = segments.ends[segment] - at + 1
    left = np.where(left > 0, left, left + lengths)
    return _Spots(circuits.circuit[segment], circuits.place[segment] + segments.lengths[segment] - left, left)


@kernel
def _smallest(group, values, smallest):
    """The smallest value (in and out, int64 (n_groups,)) and its index (out: returned) of each group."""
    at = np.empty(smallest.size, np.int64)
    for i in range(group.size):
        if values[i] < smallest[group[i]]:
            smallest[group[i]] = values[i]
            at[group[i]] = i
    return at


def _starts(cycles: Cycles, circuits: Circuits, of_sublists: _Spots, leading: Longs) -> _Starts:
    """Where circuits begin; ``leading`` as in `write_segments`."""
    lists = cycles.sublists
    least = np.full(len(circuits.offsets) - 1, len(cycles.seats))
    least[leading] = -1
    least_in = _smallest(of_sublists.circuit, lists.least, least)
    inside = np.flatnonzero(least >= 0)
    least, least_in = least[inside], least_in[inside]
    least_at = lists.least_at[least_in]
    spots = _spots(cycles, circuits, least_in, least_at)
    place = np.diff(circuits.offsets) - 1
    place[inside] = spots.place
    left = np.minimum(spots.left, lists.lengths[least_in] - least_at) - 1
    order = np.concatenate((leading, inside[np.argsort(least)]))
    return _Starts(order, place, inside, least, left)


@kernel
def _run_from_segments(predecessor, on_cycles, segments, circuits, begin, end, runs):
    """Compute the runs that begin where segments do, after segments begin..end.

    Parameters
    ----------
    predecessor : in, uint32 or uint64 (n_edges,)
    on_cycles : in; seats as in `Cycles`, and lengths as in `Sublists`
    segments : in; last, after, lengths, circuit and place as in `Segments` and `Circuits`
    circuits : in, int64 (n_circuits,); begin of each in the output, its length, and where on it it begins
    begin, end : int64
    runs : out; edges, at and lengths as in `Runs`, (n_segments,)
    """
    seats, sublist_lengths = on_cycles
    last, after, lengths, circuit, place = segments
    first, circuit_lengths, start_of = circuits
    edges, at, run_lengths = runs
    for before in range(begin, end):
        edge = last[before]
        if edge < 0:
            run_lengths[before] = 0
            continue
        seat = seats[edge]
        left = sublist_lengths[seat >> np.uint64(32)] - np.int64(seat & np.uint64(0xFFFFFFFF)) - 1
        segment = after[before]
        on = circuit[segment]
        to = start_of[on] - place[segment]
        if to < 0:
            to += circuit_lengths[on]
        edges[before] = predecessor[edge]
        at[before] = first[on] + to
        run_lengths[before] = min(left, lengths[segment], to + 1)


@kernel
def _next_run(lengths, run, stop):
    """The first of runs run..stop that is one."""
    while run < stop and lengths[run] == 0:
        run += 1
    return run


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
    waiting = _next_run(lengths, start, stop)
    active = 0
    while active < LANES and waiting < stop:
        lane_edge[active] = edges[waiting]
        lane_to[active] = at[waiting]
        lane_end[active] = at[waiting] - lengths[waiting] + 1
        active += 1
        waiting = _next_run(lengths, waiting + 1, stop)
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
                waiting = _next_run(lengths, waiting + 1, stop)
                lane += 1
            else:
                active -= 1
                lane_edge[lane] = lane_edge[active]
                lane_to[lane] = lane_to[active]
                lane_end[lane] = lane_end[active]


def _runs(predecessor: Array, cycles: Cycles, circuits: Circuits, leading: Longs) -> tuple[Longs, Runs]:
    """Offsets of the circuits in the output, and the runs to be written; ``leading`` as in `write_segments`."""
    lists, segments = cycles.sublists, circuits.segments
    circuit_lengths = np.diff(circuits.offsets)
    of_sublists = _spots(cycles, circuits, slice(None), 0)
    starts = _starts(cycles, circuits, of_sublists, leading)
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(circuit_lengths[starts.order])))
    begins = np.empty(len(circuit_lengths), np.int64)
    begins[starts.order] = offsets[:-1]

    n_lists, n_segments = len(lists.first), len(segments.ends)
    runs = Runs(*(np.empty(n_lists + n_segments + len(starts.inside), np.int64) for _ in range(3)))
    to = starts.place[of_sublists.circuit] - of_sublists.place  # how far from the begin of its circuit an edge comes
    to = np.where(to < 0, to + circuit_lengths[of_sublists.circuit], to)
    runs.edges[:n_lists] = lists.first
    runs.at[:n_lists] = begins[of_sublists.circuit] + to
    runs.lengths[:n_lists] = np.minimum(np.minimum(lists.lengths, of_sublists.left), to + 1)

    of_segments, of_starts = slice(n_lists, n_lists + n_segments), slice(n_lists + n_segments, None)
    on_cycles = (cycles.seats, lists.lengths)
    placed = (segments.last, segments.after, segments.lengths, circuits.circuit, circuits.place)
    on_circuits = (begins, circuit_lengths, starts.place)
    out = (runs.edges[of_segments], runs.at[of_segments], runs.lengths[of_segments])
    over_ranges(
        n_segments,
        lambda start, stop: _run_from_segments(predecessor, on_cycles, placed, on_circuits, start, stop, out),
    )
    runs.edges[of_starts] = predecessor[starts.edges]
    runs.at[of_starts] = begins[starts.inside] + circuit_lengths[starts.inside] - 1
    runs.lengths[of_starts] = starts.left
    return offsets, runs


def write_segments(predecessor: Array, cycles: Cycles, circuits: Circuits, leading: Longs) -> tuple[Array, Array]:
    """Offsets and edges of circuits. Each begins with its smallest edge, and they come in the order of these, but for
    those that lead.

    Parameters
    ----------
    predecessor : ndarray, dtype=uint32 or uint64, shape=(n_edges,)
    cycles : Cycles
    circuits : Circuits
    leading : ndarray, dtype=int64, shape=(n,)
        Circuits that come first, in this order. Each is of one segment and begins with the edge that ends it.
    """
    steps = np.empty(len(predecessor), predecessor.dtype)
    offsets, runs = _runs(predecessor, cycles, circuits, leading)
    over_ranges(
        len(runs.at),
        lambda start, stop: _write(predecessor, runs.edges, runs.at, runs.lengths, start, stop, steps),
        ranges_per_thread=16,
        work=len(steps),
    )
    return offsets, steps


def write_circuits(pairing: Array, cycles: Cycles, splices: Splices) -> tuple[Array, Array]:
    """See `CircuitOperations.write_circuits`."""
    if not len(pairing):
        return np.zeros(1, np.int64), np.empty(0, pairing.dtype)
    return write_segments(pairing, cycles, cut_cycles(cycles, splices), np.empty(0, np.int64))
