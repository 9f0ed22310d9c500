"""Where circuits begin: at their smallest edges, or at places that are given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.circuits.cuda.segments import Circuits
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch
from debruijn_gpu.backends.core.cuda.scalars import lower_bound

LATER = np.int64(0x7FFFFFFFFFFFFFFF)


@device_function
def segment_at(place, cycle, ends, starts):
    """The segment that covers a place (counted through all cycles): the first that does not end before it, or the first
    of the cycle."""
    segment = lower_bound(ends, place, starts[cycle], starts[cycle + 1])
    return segment if segment < starts[cycle + 1] else starts[cycle]


@device_function
def left_of_segment(place, segment, cycle, ends, offsets):
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
        segment = segment_at(at, number, ends, starts)
        segment_of[on] = segment
        left[on] = left_of_segment(at, segment, number, ends, offsets)


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


def find_starts(pairing: Pairing, cycles: Cycles, circuits: Circuits, starts: Starts, edges: Array) -> None:
    """Complete the starts, and write the predecessors of the smallest edges of circuits."""
    lists, segments, n = cycles.sublists, circuits.segments, starts.first.size
    on_cycles = (lists.least, cycles.cycle, segments.starts, circuits.circuit)
    launch(_find_least, len(lists), *on_cycles, starts.first)
    launch(_find_least_sublists, len(lists), *on_cycles, starts.first, edges)
    placed = (cycles.cycle, cycles.place, cycles.offsets, segments.ends, segments.starts)
    launch(_locate_starts, n, starts.first, edges, lists.least_at, *placed, starts.place, starts.left)
    measured = (lists.least_at, lists.lengths, circuits.place, segments.lengths)
    launch(_measure_starts, n, *pairing.arguments, starts.first, *measured, starts.place, edges, starts.left)
