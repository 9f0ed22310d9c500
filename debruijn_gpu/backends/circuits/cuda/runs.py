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
from debruijn_gpu.backends.circuits.cuda.starts import Starts, find_starts, left_of_segment, segment_at
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import assign, counted, scattered
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, xp
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
        segment = segment_at(where, number, ends, starts)
        at[sublist] = segment
        run_lengths[sublist] = left_of_segment(where, segment, number, ends, offsets)


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
    left : in, int64 (n_circuits,); see `starts`
    at, run_lengths : out, as in `Runs`, (n_circuits,)
    """
    for circuit in range(cuda.grid(1), left.size, cuda.gridsize(1)):
        at[circuit] = circuit_starts[circuit] + circuit_lengths[circuit] - 1
        run_lengths[circuit] = left[circuit]


def find_runs(pairing: Pairing, cycles: Cycles, circuits: Circuits, starts: Starts) -> tuple[Array, Runs]:
    """Offsets of the circuits in the output, and the runs to be written; completes the starts."""
    lists, segments, cuts, n = cycles.sublists, circuits.segments, circuits.segments.cuts, starts.first.size
    n_lists, n_leaders, n_cuts = len(lists), lists.leaders.size, cuts.edges.size
    from_cuts = slice(n_lists, n_lists + n_cuts)
    edges = xp.empty(n_leaders + n_cuts + n, pairing.dtype)
    assign(edges[:n_leaders], lists.leaders)
    at, lengths = xp.empty(n_lists + n_cuts + n, np.int64), xp.empty(n_lists + n_cuts + n, np.int64)
    find_starts(pairing, cycles, circuits, starts, edges[n_leaders + n_cuts :])
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
