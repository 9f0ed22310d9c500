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
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.circuits.cuda.segments import Circuits
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import counted, scattered
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import lower_bound
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
def _find_least_sublists(least, cycle, starts, circuit, least_of, sublist_of):
    """Find the sublist of the smallest edge of each circuit. One thread per sublist.

    Parameters
    ----------
    least, cycle, starts, circuit : in, as in `_find_least`
    least_of : in, int64 (n_circuits,); the smallest edges
    sublist_of : out, uint32 or uint64 (n_circuits,); left alone where least_of is negative
    """
    for sublist in range(cuda.grid(1), least.size, cuda.gridsize(1)):
        number = circuit[starts[cycle[sublist]]]
        if np.int64(least[sublist]) == least_of[number]:
            sublist_of[number] = sublist


@kernel
def _locate_starts(least_of, sublist_of, least_at, cycle, place, offsets, ends, starts, segment_of, left):
    """Find the segment of the smallest edge of each circuit. One thread per circuit.

    Parameters
    ----------
    least_of, sublist_of : in, as in `_find_least_sublists`
    least_at : in, as in `Sublists`
    cycle, place, offsets : in, as in `Cycles`
    ends, starts : in, as in `Segments`
    segment_of : out, int64 (n_circuits,); left alone where least_of is negative, as is ``left``
    left : out, int64 (n_circuits,); edges to the end of the segment, both included
    """
    for on in range(cuda.grid(1), least_of.size, cuda.gridsize(1)):
        if least_of[on] < 0:
            continue
        sublist = np.int64(sublist_of[on])
        number = cycle[sublist]
        at = place[sublist] + least_at[sublist]
        length = offsets[number + 1] - offsets[number]
        at = offsets[number] + (at - length if at >= length else at)
        segment = _segment_at(at, number, ends, starts)
        segment_of[on] = segment
        left[on] = _left_of_segment(at, segment, number, ends, offsets)


@kernel
def _measure_starts(
    predecessor,
    n_edges,
    n_vertices,
    degree,
    least_of,
    least_at,
    lengths,
    segment_place,
    segment_lengths,
    start_of,
    edges,
    left,
):
    """Compute the place of the smallest edge on each circuit, and the run before it. One thread per circuit.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    least_of : in, int64 (n_circuits,); where it is negative, all others are left alone
    least_at, lengths : in, as in `Sublists`
    segment_place, segment_lengths : in, as in `Circuits` and `Segments`
    start_of : in and out, int64 (n_circuits,); the segment of the smallest edge, then its place on the circuit
    edges : in and out, as predecessor (n_circuits,); the sublist of the smallest edge, then the edge's predecessor
    left : in and out, int64 (n_circuits,); edges to the end of the segment, then how far a run may go from the
        predecessor; 0 if another run begins there
    """
    for on in range(cuda.grid(1), least_of.size, cuda.gridsize(1)):
        if least_of[on] < 0:
            continue
        segment, sublist = start_of[on], np.int64(edges[on])
        start_of[on] = segment_place[segment] + segment_lengths[segment] - left[on]
        edges[on] = edge_before(np.uint64(least_of[on]), predecessor, n_vertices, degree)
        left[on] = min(left[on], lengths[sublist] - least_at[sublist]) - 1


@kernel
def _locate_sublists(cycle, place, offsets, ends, starts, at, run_lengths):
    """Find the segment in which each sublist begins. One thread per sublist.

    Parameters
    ----------
    cycle, place, offsets : in, as in `Cycles`
    ends, starts : in, as in `Segments`
    at, run_lengths : out, int64 (n_sublists,); the segment, and edges to its end, both included
    """
    for sublist in range(cuda.grid(1), at.size, cuda.gridsize(1)):
        number = cycle[sublist]
        where = offsets[number] + place[sublist]
        segment = _segment_at(where, number, ends, starts)
        at[sublist] = segment
        run_lengths[sublist] = _left_of_segment(where, segment, number, ends, offsets)


@kernel
def _locate_cuts(
    predecessor, n_edges, n_vertices, degree, cut_edges, segment_of, after, segment_lengths, edges, at, run_lengths
):
    """Find the segment that begins at each cut. One thread per cut.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    cut_edges : in, as in `Cuts`
    segment_of, after, segment_lengths : in, as in `Segments`
    edges : out, as predecessor (n_cuts,); first edge of the segment
    at, run_lengths : out, int64 (n_cuts,); the segment, -1 for none, and its length
    """
    for cut in range(cuda.grid(1), cut_edges.size, cuda.gridsize(1)):
        at[cut] = -1
        if cut_edges[cut] >= 0:
            segment = after[segment_of[cut]]
            edges[cut] = edge_before(np.uint64(cut_edges[cut]), predecessor, n_vertices, degree)
            at[cut] = segment
            run_lengths[cut] = segment_lengths[segment]


@kernel
def _place_runs(
    most, circuit, segment_place, segment_lengths, circuit_starts, circuit_lengths, start_of, at, run_lengths
):
    """Compute place and length of runs within segments. One thread per run.

    Parameters
    ----------
    most : in, int64 (n,); edges to the next start of a sublist
    circuit, segment_place, segment_lengths : in, as in `Circuits` and `Segments`
    circuit_starts, circuit_lengths, start_of : in, int64 (n_circuits,); where each is in the output, and where on it
        it begins
    at : in and out, int64 (n,); the segment, -1 for no run, then as in `Runs`
    run_lengths : in and out, int64 (n,); edges to the end of the segment, then as in `Runs`
    """
    for run in range(cuda.grid(1), at.size, cuda.gridsize(1)):
        segment, left = at[run], run_lengths[run]
        if segment < 0:
            run_lengths[run] = 0
            continue
        on = circuit[segment]
        to = start_of[on] - (segment_place[segment] + segment_lengths[segment] - left)
        if to < 0:
            to += circuit_lengths[on]
        at[run] = circuit_starts[on] + to
        run_lengths[run] = min(most[run], left, to + 1)


@kernel
def _run_from_ends(circuit_starts, circuit_lengths, left, at, run_lengths):
    """Runs that begin at the ends of circuits. One thread per circuit.

    Parameters
    ----------
    circuit_starts, circuit_lengths : in, int64 (n_circuits,)
    left : in, int64 (n_circuits,); see `_measure_starts`
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


def _find_starts(pairing: Pairing, cycles: Cycles, circuits: Circuits, starts: Starts, edges: Array) -> None:
    """Complete the starts, and write the predecessors of the smallest edges of circuits."""
    lists, segments, n = cycles.sublists, circuits.segments, starts.first.size
    on_cycles = (lists.least, cycles.cycle, segments.starts, circuits.circuit)
    launch(_find_least, len(lists), *on_cycles, starts.first)
    launch(_find_least_sublists, len(lists), *on_cycles, starts.first, edges)
    placed = (cycles.cycle, cycles.place, cycles.offsets, segments.ends, segments.starts)
    launch(_locate_starts, n, starts.first, edges, lists.least_at, *placed, starts.place, starts.left)
    measured = (lists.least_at, lists.lengths, circuits.place, segments.lengths)
    launch(_measure_starts, n, *pairing.arguments, starts.first, *measured, starts.place, edges, starts.left)


def find_runs(pairing: Pairing, cycles: Cycles, circuits: Circuits, starts: Starts) -> tuple[Array, Runs]:
    """Offsets of the circuits in the output, and the runs to be written; completes the starts."""
    lists, segments, cuts, n = cycles.sublists, circuits.segments, circuits.segments.cuts, starts.first.size
    n_lists, n_leaders, n_cuts = len(lists), lists.leaders.size, cuts.edges.size
    from_cuts = slice(n_lists, n_lists + n_cuts)
    edges = xp.empty(n_leaders + n_cuts + n, pairing.dtype)
    edges[:n_leaders] = lists.leaders
    at, lengths = xp.empty(n_lists + n_cuts + n, np.int64), xp.empty(n_lists + n_cuts + n, np.int64)
    _find_starts(pairing, cycles, circuits, starts, edges[n_leaders + n_cuts :])
    offsets, circuit_starts = _order_circuits(starts.first, circuits.offsets)
    circuit_lengths = out_degrees(circuits.offsets)
    in_output = (circuits.circuit, circuits.place, segments.lengths, circuit_starts, circuit_lengths, starts.place)
    runs_of_lists = (at[:n_lists], lengths[:n_lists])
    placed = (cycles.cycle, cycles.place, cycles.offsets, segments.ends, segments.starts)
    launch(_locate_sublists, n_lists, *placed, *runs_of_lists)
    launch(_place_runs, n_lists, lists.lengths, *in_output, *runs_of_lists)
    runs_of_cuts = (at[from_cuts], lengths[from_cuts])
    after_cuts = (segments.segment_of, segments.after, segments.lengths, edges[n_leaders : n_leaders + n_cuts])
    launch(_locate_cuts, n_cuts, *pairing.arguments, cuts.edges, *after_cuts, *runs_of_cuts)
    launch(_place_runs, n_cuts, cuts.left, *in_output, *runs_of_cuts)
    at_ends = (at[from_cuts.stop :], lengths[from_cuts.stop :])
    launch(_run_from_ends, n, circuit_starts, circuit_lengths, starts.left, *at_ends)
    return offsets, Runs(edges, at, lengths)


def _order_circuits(least_of: Array, circuit_offsets: Array) -> tuple[Array, Array]:
    """Offsets of the circuits in the output, in the order of their smallest edges, and where there each begins."""
    n = least_of.size
    if n == 1:
        return circuit_offsets, circuit_offsets[:1]
    _, order = sort_pairs(least_of, counted(n, np.uint32))
    offsets = exclusive_scan(gather(out_degrees(circuit_offsets), order))
    return offsets, scattered(order, offsets[:-1])
