"""Runs of edges that are stored consecutively when circuits are written.

A run begins at the start of a sublist, at the begin of a segment, or at the end of a circuit, and ends where the next
run begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import gather
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.arrays.cuda.sorting import sort_pairs
from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.segments import Circuits
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import counted, scattered
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.search import lower_bound
from debruijn_gpu.backends.graphs.cuda.csr import out_degrees

LATER = np.int64(0x7FFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class Runs:
    """Segments of a circuit, in the direction of predecessors: a run goes to lower and lower places.

    Attributes
    ----------
    edges : array, dtype=uint32 or uint64, shape=(n,)
        First edges of the runs from ``n_blocks`` on; the others start at the splitters of blocks.
    at : array, dtype=int64, shape=(n_blocks + n,)
        Place in the output of the first edge.
    lengths : array, dtype=int64, shape=(n_blocks + n,)
        0 for no run.
    """

    edges: Array
    at: Array
    lengths: Array


@device_function
def _segment_at(place, cycle, ends, starts):
    """The segment that covers a place (counted through all cycles): the first that does not end before it, or the first
    of the cycle."""
    segment = lower_bound(ends, place, starts[cycle], starts[cycle + 1])
    return segment if segment < starts[cycle + 1] else starts[cycle]


@device_function
def _left_of_segment(place, segment, cycle, ends, offsets):
    """Edges from a place to the end of its segment, both included."""
    left = ends[segment] - place + 1
    return left if left > 0 else left + offsets[cycle + 1] - offsets[cycle]


@kernel
def _find_least(least, cycle, starts, circuit, least_of):
    """The smallest edge of each circuit. One thread per sublist.

    Parameters
    ----------
    least : in, uint32 or uint64 (n_sublists,); see `Sublists`
    cycle : in, uint32 (n_sublists,)
    starts : in, int64 (n_cycles + 1,)
    circuit : in, uint32 (n_segments,)
    least_of : in and out, int64 (n_circuits,); left alone where it is negative
    """
    for sublist in range(cuda.grid(1), least.size, cuda.gridsize(1)):
        number = circuit[starts[cycle[sublist]]]
        edge = np.int64(least[sublist])
        if edge < least_of[number]:
            cuda.atomic.min(least_of, number, edge)


@kernel
def _find_starts(
    predecessor, least, least_at, lengths, cycle, place, offsets, ends, starts, segment_lengths, circuit, segment_place,
    least_of, start_of, edges, left,
):  # fmt: skip
    """Where the smallest edge of each circuit is on it, and what comes last. One thread per sublist.

    Parameters
    ----------
    predecessor : in, uint32 or uint64 (n_edges,)
    least, least_at, lengths : in, as in `Sublists`
    cycle, place, offsets : in, as in `Cycles`
    ends, starts, segment_lengths, circuit, segment_place : in, as in `Segments` and `Circuits`
    least_of : in, int64 (n_circuits,); where it is negative, the others are left alone
    start_of : out, int64 (n_circuits,); place on the circuit
    edges : out, as predecessor (n_circuits,); the predecessor of the smallest edge
    left : out, int64 (n_circuits,); how far a run may go from there; 0 if another run begins there
    """
    for sublist in range(cuda.grid(1), least.size, cuda.gridsize(1)):
        number = cycle[sublist]
        on = circuit[starts[number]]
        if np.int64(least[sublist]) != least_of[on]:
            continue
        at = place[sublist] + least_at[sublist]
        length = offsets[number + 1] - offsets[number]
        at = offsets[number] + (at - length if at >= length else at)
        segment = _segment_at(at, number, ends, starts)
        left_of_segment = _left_of_segment(at, segment, number, ends, offsets)
        start_of[on] = segment_place[segment] + segment_lengths[segment] - left_of_segment
        edges[on] = predecessor[least[sublist]]
        left[on] = min(left_of_segment, lengths[sublist] - least_at[sublist]) - 1


@kernel
def _run_from_sublists(
    lengths, cycle, place, offsets, ends, starts, segment_lengths, circuit, segment_place, circuit_starts,
    circuit_lengths, start_of, at, run_lengths,
):  # fmt: skip
    """Runs that begin where sublists do. One thread per sublist.

    Parameters
    ----------
    lengths, cycle, place, offsets : in, as in `Sublists` and `Cycles`
    ends, starts, segment_lengths, circuit, segment_place : in, as in `Segments` and `Circuits`
    circuit_starts, circuit_lengths, start_of : in, int64 (n_circuits,)
    at, run_lengths : out, as in `Runs`, (n_sublists,)
    """
    for sublist in range(cuda.grid(1), lengths.size, cuda.gridsize(1)):
        number = cycle[sublist]
        where = offsets[number] + place[sublist]
        segment = _segment_at(where, number, ends, starts)
        left = _left_of_segment(where, segment, number, ends, offsets)
        on = circuit[segment]
        to = start_of[on] - (segment_place[segment] + segment_lengths[segment] - left)
        if to < 0:
            to += circuit_lengths[on]
        at[sublist] = circuit_starts[on] + to
        run_lengths[sublist] = min(lengths[sublist], left, to + 1)


@kernel
def _run_from_cuts(
    predecessor, cut_edges, cut_left, segment_of, after, segment_lengths, circuit, segment_place, circuit_starts,
    circuit_lengths, start_of, edges, at, run_lengths,
):  # fmt: skip
    """Runs that begin where segments do. One thread per cut.

    Parameters
    ----------
    predecessor : in, uint32 or uint64 (n_edges,)
    cut_edges, cut_left : in, as in `Cuts`
    segment_of, after, segment_lengths, circuit, segment_place : in, as in `Segments` and `Circuits`
    circuit_starts, circuit_lengths, start_of : in, int64 (n_circuits,)
    edges, at, run_lengths : out, as in `Runs`, (n_cuts,)
    """
    for cut in range(cuda.grid(1), cut_edges.size, cuda.gridsize(1)):
        if cut_edges[cut] < 0:
            run_lengths[cut] = 0
            continue
        edges[cut] = predecessor[cut_edges[cut]]
        segment = after[segment_of[cut]]
        on = circuit[segment]
        to = start_of[on] - segment_place[segment]
        if to < 0:
            to += circuit_lengths[on]
        at[cut] = circuit_starts[on] + to
        run_lengths[cut] = min(cut_left[cut], segment_lengths[segment], to + 1)


@kernel
def _run_from_ends(circuit_starts, circuit_lengths, left, at, run_lengths):
    """Runs that begin at the ends of circuits. One thread per circuit.

    Parameters
    ----------
    circuit_starts, circuit_lengths : in, int64 (n_circuits,)
    left : in, int64 (n_circuits,); see `_find_starts`
    at, run_lengths : out, as in `Runs`, (n_circuits,)
    """
    for circuit in range(cuda.grid(1), left.size, cuda.gridsize(1)):
        at[circuit] = circuit_starts[circuit] + circuit_lengths[circuit] - 1
        run_lengths[circuit] = left[circuit]


@dataclass(frozen=True)
class Starts:
    """Where circuits begin.

    Attributes
    ----------
    first : array, dtype=int64, shape=(n_circuits,)
        They come in the order of these. One that is negative stands for a circuit that is told here where it begins,
        `LATER` for one that begins with its smallest edge, which is then put in its place.
    place : array, dtype=int64, shape=(n_circuits,)
        Where on it, in the direction of predecessors.
    left : array, dtype=int64, shape=(n_circuits,)
        Edges from the predecessor of the first edge (included) to the next begin of a run (not included).
    """

    first: Array
    place: Array
    left: Array


def find_runs(predecessor: Array, cycles: Cycles, circuits: Circuits, starts: Starts) -> tuple[Array, Runs]:
    """Offsets of the circuits in the output, and the runs to be written; completes the starts."""
    lists, segments, cuts, n = cycles.sublists, circuits.segments, circuits.segments.cuts, starts.first.size
    n_leaders, n_cuts = lists.leaders.size, cuts.edges.size
    from_cuts = slice(len(lists), len(lists) + n_cuts)
    edges = xp.empty(n_leaders + n_cuts + n, predecessor.dtype)
    edges[:n_leaders] = lists.leaders
    at, lengths = xp.empty(len(lists) + n_cuts + n, np.int64), xp.empty(len(lists) + n_cuts + n, np.int64)
    on_cycles = (cycles.cycle, cycles.place, cycles.offsets)
    placed = (segments.ends, segments.starts, segments.lengths, circuits.circuit, circuits.place)
    launch(_find_least, len(lists), lists.least, cycles.cycle, segments.starts, circuits.circuit, starts.first)
    found = (starts.first, starts.place, edges[n_leaders + n_cuts :], starts.left)
    sublists = (lists.least, lists.least_at, lists.lengths)
    launch(_find_starts, len(lists), predecessor, *sublists, *on_cycles, *placed, *found)
    offsets, circuit_starts = _order_circuits(starts.first, circuits.offsets)
    in_output = (circuit_starts, out_degrees(circuits.offsets), starts.place)
    runs_of_lists = (at[: len(lists)], lengths[: len(lists)])
    launch(_run_from_sublists, len(lists), lists.lengths, *on_cycles, *placed, *in_output, *runs_of_lists)
    of_segments = (segments.segment_of, segments.after, segments.lengths, circuits.circuit, circuits.place)
    runs_of_cuts = (edges[n_leaders : n_leaders + n_cuts], at[from_cuts], lengths[from_cuts])
    launch(_run_from_cuts, n_cuts, predecessor, cuts.edges, cuts.left, *of_segments, *in_output, *runs_of_cuts)
    launch(_run_from_ends, n, *in_output[:2], starts.left, at[from_cuts.stop :], lengths[from_cuts.stop :])
    return offsets, Runs(edges, at, lengths)


def _order_circuits(least_of: Array, circuit_offsets: Array) -> tuple[Array, Array]:
    """Offsets of the circuits in the output, in the order of their smallest edges, and where there each begins."""
    n = least_of.size
    if n == 1:
        return circuit_offsets, circuit_offsets[:1]
    _, order = sort_pairs(least_of, counted(n, np.uint32))
    offsets = exclusive_scan(gather(out_degrees(circuit_offsets), order))
    return offsets, scattered(order, offsets[:-1])
