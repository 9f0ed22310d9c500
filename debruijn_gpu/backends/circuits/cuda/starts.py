"""Where circuits begin: at their smallest edges, or at places that are given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.circuits.cuda.predecessors import edge_before
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function
from debruijn_gpu.backends.core.cuda.scalars import lower_bound

LATER = np.int64(0x7FFFFFFFFFFFFFFF)


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


@device_function
def find_least(least, cycle, starts, circuit, least_of):
    """Find the smallest edge of each circuit. One thread per sublist.

    Parameters
    ----------
    least : uint32 or uint64 (n_sublists,); see `Sublists`
    cycle : uint32 (n_sublists,)
    starts : int64 (n_cycles + 1,)
    circuit : uint32 (n_segments,)
    least_of : in and out, int64 (n_circuits,); left alone where it is negative
    """
    for sublist in range(cuda.grid(1), least.size, cuda.gridsize(1)):
        number = circuit[starts[cycle[sublist]]]
        edge = np.int64(least[sublist])
        if edge < least_of[number]:
            cuda.atomic.min(least_of, number, edge)


@device_function
def find_least_sublists(least, cycle, starts, circuit, least_of, sublist_of):
    """Find the sublist of the smallest edge of each circuit. One thread per sublist.

    Parameters
    ----------
    least, cycle, starts, circuit : as in `find_least`
    least_of : int64 (n_circuits,); the smallest edges
    sublist_of : out, uint32 or uint64 (n_circuits,); left alone where least_of is negative
    """
    for sublist in range(cuda.grid(1), least.size, cuda.gridsize(1)):
        number = circuit[starts[cycle[sublist]]]
        if np.int64(least[sublist]) == least_of[number]:
            sublist_of[number] = sublist


@device_function
def locate_starts(pairing, lists, cycles, segments, circuits, least_of, edges, start_of, left_of):
    """Compute the place of the smallest edge on each circuit, and the run before it. One thread per circuit.

    Parameters
    ----------
    pairing : as `edge_before` takes it
    lists : least_at and lengths, as in `Sublists`
    cycles : cycle, place and offsets, as in `Cycles`
    segments : ends, starts and lengths, as in `Segments`
    circuits : place, as in `Circuits`
    least_of : int64 (n_circuits,); where it is negative, all others are left alone
    edges : in and out, as predecessor (n_circuits,); the sublist of the smallest edge, then the edge's predecessor
    start_of, left_of : out, int64 (n_circuits,); place and left, as in `Starts`: left is 0 if another run begins there
    """
    predecessor, n_vertices, degree = pairing
    least_at, lengths = lists
    cycle, place, offsets = cycles
    ends, starts, segment_lengths = segments
    for on in range(cuda.grid(1), least_of.size, cuda.gridsize(1)):
        if least_of[on] < 0:
            continue
        sublist = np.int64(edges[on])
        number = cycle[sublist]
        at = place[sublist] + least_at[sublist]
        length = offsets[number + 1] - offsets[number]
        at = offsets[number] + (at - length if at >= length else at)
        segment = segment_at(at, number, ends, starts)
        left = left_of_segment(at, segment, number, ends, offsets)
        start_of[on] = circuits[segment] + segment_lengths[segment] - left
        edges[on] = edge_before(np.uint64(least_of[on]), predecessor, n_vertices, degree)
        left_of[on] = min(left, lengths[sublist] - least_at[sublist]) - 1
