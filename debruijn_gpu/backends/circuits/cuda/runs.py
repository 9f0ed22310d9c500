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
from debruijn_gpu.backends.circuits.cuda.starts import (
    Starts,
    find_least,
    find_least_sublists,
    left_of_segment,
    locate_starts,
    segment_at,
)
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import assign, counted, scattered
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, kernel_of, launch, launch_waiting, xp
from debruijn_gpu.backends.core.cuda.waiting import wait_for_grid
from debruijn_gpu.backends.graphs.cuda.csr import out_degrees


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
def _locate_sublists(cycle, place, offsets, ends, starts, at, run_lengths):
    """Find the segment in which each sublist begins. One thread per sublist.

    Parameters
    ----------
    cycle, place, offsets : as in `Cycles`
    ends, starts : as in `Segments`
    at, run_lengths : out, int64 (n_sublists,); the segment, and edges to its end, both included
    """
    for sublist in range(cuda.grid(1), at.size, cuda.gridsize(1)):
        number = cycle[sublist]
        where = offsets[number] + place[sublist]
        segment = segment_at(where, number, ends, starts)
        at[sublist] = segment
        run_lengths[sublist] = left_of_segment(where, segment, number, ends, offsets)


@device_function
def _locate_cuts(pairing, cut_edges, segment_of, after, segment_lengths, edges, at, run_lengths):
    """Find the segment that begins at each cut. One thread per cut.

    Parameters
    ----------
    pairing : as `edge_before` takes it
    cut_edges : as in `Cuts`
    segment_of, after, segment_lengths : as in `Segments`
    edges : out, as predecessor (n_cuts,); first edge of the segment
    at, run_lengths : out, int64 (n_cuts,); the segment, -1 for none, and its length
    """
    predecessor, n_vertices, degree = pairing
    for cut in range(cuda.grid(1), cut_edges.size, cuda.gridsize(1)):
        at[cut] = -1
        if cut_edges[cut] >= 0:
            segment = after[segment_of[cut]]
            edges[cut] = edge_before(np.uint64(cut_edges[cut]), predecessor, n_vertices, degree)
            at[cut] = segment
            run_lengths[cut] = segment_lengths[segment]


@kernel_of(max_registers=48)
def _locate(
    predecessor,
    n_edges,
    n_vertices,
    degree,
    least,
    least_at,
    list_lengths,
    cycle,
    place,
    offsets,
    ends,
    starts,
    segment_of,
    after,
    segment_lengths,
    cut_edges,
    circuit,
    segment_place,
    least_of,
    start_of,
    left_of,
    edges,
    at,
    run_lengths,
    arrived,
):
    """Find the segments in which runs begin, and where circuits do. Blocks wait for each other.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    least, least_at, list_lengths : in, as in `Sublists`
    cycle, place, offsets : in, as in `Cycles`
    ends, starts, segment_of, after, segment_lengths : in, as in `Segments`
    cut_edges : in, as in `Cuts`
    circuit, segment_place : in, as in `Circuits`
    least_of, start_of, left_of : in and out, as in `Starts`, which are completed
    edges : out, as in `Runs`, but for the sublists without splitters
    at, run_lengths : out, int64 (n_sublists + n_cuts + n_circuits,); the segment, -1 for no run, and edges to its end,
        both included; the last n_circuits are left alone
    arrived : in and out, int64 (1,); see `wait_for_grid`
    """
    pairing = predecessor, n_vertices, degree
    n_lists, n_cuts, first = least.size, cut_edges.size, edges.size - least_of.size
    find_least(least, cycle, starts, circuit, least_of)
    _locate_sublists(cycle, place, offsets, ends, starts, at[:n_lists], run_lengths[:n_lists])
    of_cuts = edges[first - n_cuts : first], at[n_lists : n_lists + n_cuts], run_lengths[n_lists : n_lists + n_cuts]
    _locate_cuts(pairing, cut_edges, segment_of, after, segment_lengths, of_cuts[0], of_cuts[1], of_cuts[2])
    wait_for_grid(arrived, np.int64(1))
    find_least_sublists(least, cycle, starts, circuit, least_of, edges[first:])
    wait_for_grid(arrived, np.int64(2))
    lists, cycles, segments = (least_at, list_lengths), (cycle, place, offsets), (ends, starts, segment_lengths)
    locate_starts(pairing, lists, cycles, segments, segment_place, least_of, edges[first:], start_of, left_of)


@kernel
def _place_runs(
    list_lengths,
    cut_left,
    left_of,
    circuit,
    segment_place,
    segment_lengths,
    circuit_starts,
    circuit_offsets,
    start_of,
    at,
    run_lengths,
):
    """Compute place and length of runs within segments. One thread per run.

    The last runs begin at the ends of circuits.

    Parameters
    ----------
    list_lengths, cut_left, left_of : in, int64 (n_sublists,), (n_cuts,), (n_circuits,); edges to the next start of a
        sublist, or begin of a run
    circuit, segment_place, segment_lengths : in, as in `Circuits` and `Segments`
    circuit_starts : in, int64 (n_circuits or more,); where each is in the output
    circuit_offsets : in, int64 (n_circuits + 1,); see `Circuits`
    start_of : in, int64 (n_circuits,); where on it each circuit begins
    at, run_lengths : in and out, int64 (n_sublists + n_cuts + n_circuits,); as `_locate` leaves them, then as in `Runs`
    """
    n_lists = list_lengths.size
    n_inner = n_lists + cut_left.size
    for run in range(cuda.grid(1), at.size, cuda.gridsize(1)):
        if run >= n_inner:
            on = run - n_inner
            at[run] = circuit_starts[on] + circuit_offsets[on + 1] - circuit_offsets[on] - 1
            run_lengths[run] = left_of[on]
            continue
        segment, left = at[run], run_lengths[run]
        if segment < 0:
            run_lengths[run] = 0
            continue
        number = circuit[segment]
        to = start_of[number] - (segment_place[segment] + segment_lengths[segment] - left)
        if to < 0:
            to += circuit_offsets[number + 1] - circuit_offsets[number]
        at[run] = circuit_starts[number] + to
        most = list_lengths[run] if run < n_lists else cut_left[run - n_lists]
        run_lengths[run] = min(most, left, to + 1)


def find_runs(pairing: Pairing, cycles: Cycles, circuits: Circuits, starts: Starts) -> tuple[Array, Runs]:
    """Offsets of the circuits in the output, and the runs to be written; completes the starts."""
    lists, segments, cuts = cycles.sublists, circuits.segments, circuits.segments.cuts
    n_leaders, n_others = lists.leaders.size, cuts.edges.size + starts.first.size
    edges, n = xp.empty(n_leaders + n_others, pairing.dtype), len(lists) + n_others
    if n_leaders:
        assign(edges[:n_leaders], lists.leaders)
    at, lengths = xp.empty(n, np.int64), xp.empty(n, np.int64)
    of_lists = (lists.least, lists.least_at, lists.lengths, cycles.cycle, cycles.place, cycles.offsets)
    of_segments = (segments.ends, segments.starts, segments.segment_of, segments.after, segments.lengths, cuts.edges)
    of_circuits = (circuits.circuit, circuits.place, starts.first, starts.place, starts.left)
    runs = (edges, at, lengths, xp.zeros(1, np.int64))
    launch_waiting(_locate, n, *pairing.arguments, *of_lists, *of_segments, *of_circuits, *runs)
    offsets, circuit_starts = _order_circuits(starts.first, circuits.offsets)
    in_circuits = (circuits.circuit, circuits.place, segments.lengths, circuit_starts, circuits.offsets, starts.place)
    launch(_place_runs, n, lists.lengths, cuts.left, starts.left, *in_circuits, at, lengths)
    return offsets, Runs(edges, at, lengths)


def _order_circuits(least_of: Array, circuit_offsets: Array) -> tuple[Array, Array]:
    """Offsets of the circuits in the output, in the order of their smallest edges, and where there each begins."""
    n = least_of.size
    if n == 1:
        return circuit_offsets, circuit_offsets
    _, order = sort_pairs(least_of, counted(n, np.uint32))
    offsets = exclusive_scan(gather(out_degrees(circuit_offsets), order))
    return offsets, scattered(order, offsets[:-1])
