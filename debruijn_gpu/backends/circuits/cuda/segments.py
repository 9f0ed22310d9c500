"""Cut cycles into segments, and splice segments into circuits.

An edge where a cycle is cut ends a segment (in the direction of predecessors). At splices, the predecessors of edges
p - 1, p, ..., q are exchanged one after another: that of each becomes the one of the next, and that of q the one of
p - 1. So each of these edges ends a segment, and the segment that comes next is the one after that which the next of
these edges ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cuts import Cuts, end_whole_cycles, locate_cuts
from debruijn_gpu.backends.circuits.cuda.cycle_ranking import number_cycles, rank_cycles
from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.noted import Noted
from debruijn_gpu.backends.circuits.cuda.ordering import ordered
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.splices import Splices
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import concatenated, counted
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import lower_bound
from debruijn_gpu.backends.graphs.cuda.csr import out_degrees


@dataclass(frozen=True)
class Segments:
    """Segments of cycles, in their order along each cycle; each cycle has at least one.

    Attributes
    ----------
    cuts : Cuts
    order : array, dtype=uint32, shape=(n_segments,)
        The cut that ends each, or n_cuts and the number of a cycle that is not cut.
    segment_of : array, dtype=uint32, shape=(n_cuts + n_cycles,)
        The segment that each cut ends.
    ends : array, dtype=int64, shape=(n_segments,)
        Place of the last edge of each, counted through all cycles; ascending. (The first segment of a cycle begins
        after the last one's end.)
    starts : array, dtype=int64, shape=(n_cycles + 1,)
        First segment of each cycle.
    lengths : array, dtype=int64, shape=(n_segments,)
    after : array, dtype=uint32, shape=(n_segments,)
        The segment after each on its cycle.
    """

    cuts: Cuts
    order: Array
    segment_of: Array
    ends: Array
    starts: Array
    lengths: Array
    after: Array


@dataclass(frozen=True)
class Circuits:
    """Circuits spliced from segments.

    Attributes
    ----------
    segments : Segments
    circuit : array, dtype=uint32, shape=(n_segments,)
        Circuit of each segment.
    place : array, dtype=int64, shape=(n_segments,)
        Where on its circuit it begins.
    offsets : array, dtype=int64, shape=(n_circuits + 1,)
        Edges on circuits before each.
    """

    segments: Segments
    circuit: Array
    place: Array
    offsets: Array


@device_function
def _run_start(splices, i):
    """The first splice of the run of splices at consecutive edges to which splice i belongs."""
    low = np.int64(0)
    high = np.int64(i)
    while low < high:
        middle = (low + high) >> 1
        if splices[middle] - middle < splices[i] - i:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _list_cuts(splices, edges, exchanged):
    """List the edges that end a segment. One thread per splice.

    Parameters
    ----------
    splices : in, int64 (n_splices,), ascending
    edges : out, int64 (2 * n_splices,); two for each splice; the first may be none: -1
    exchanged : out, int64 (2 * n_splices,); the cut whose predecessor each one gets
    """
    n = splices.size
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        begins = i == 0 or splices[i - 1] + 1 != splices[i]
        edges[2 * i] = splices[i] - 1 if begins else -1
        exchanged[2 * i] = 2 * i + 1
        edges[2 * i + 1] = splices[i]
        is_last = i + 1 == n or splices[i + 1] != splices[i] + 1
        exchanged[2 * i + 1] = 2 * _run_start(splices, i) if is_last else 2 * i + 3


@kernel
def _start_cycles(ends, offsets, starts):
    """The first segment of each cycle: the first that ends at its begin or after. One thread per cycle.

    Parameters
    ----------
    ends : in, int64 (n_segments,), ascending
    offsets : in, int64 (n_cycles + 1,)
    starts : out, int64 (n_cycles + 1,)
    """
    for cycle in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        starts[cycle] = lower_bound(ends, offsets[cycle], np.int64(0), np.int64(ends.size))


@kernel
def _measure_segments(ends, order, cycle_of_cut, offsets, starts, lengths, after):
    """Length of each segment, and the one after it on its cycle. One thread per segment.

    Parameters
    ----------
    ends, order, starts : in, as in `Segments`
    cycle_of_cut : in, uint32 (n_cuts,)
    offsets : in, int64 (n_cycles + 1,)
    lengths, after : out, as in `Segments`
    """
    n_cuts = np.int64(cycle_of_cut.size)
    for segment in range(cuda.grid(1), ends.size, cuda.gridsize(1)):
        cut = np.int64(order[segment])
        cycle = np.int64(cycle_of_cut[cut]) if cut < n_cuts else cut - n_cuts
        first = starts[cycle]
        last = starts[cycle + 1] - 1
        if segment == first:
            lengths[segment] = ends[first] - ends[last] + offsets[cycle + 1] - offsets[cycle]
        else:
            lengths[segment] = ends[segment] - ends[segment - 1]
        after[segment] = first if segment == last else segment + 1


@kernel
def _follow(order, exchanged, segment_of, after, following):
    """The segment after each on its circuit. One thread per segment.

    Parameters
    ----------
    order, segment_of, after : in, as in `Segments`
    exchanged : in, int64 (n_cuts,); see `_list_cuts`
    following : out, uint32 (n_segments,)
    """
    n_cuts = np.int64(exchanged.size)
    for segment in range(cuda.grid(1), order.size, cuda.gridsize(1)):
        cut = np.int64(order[segment])
        following[segment] = after[segment_of[exchanged[cut]]] if cut < n_cuts else segment


def uncut(cycles: Cycles) -> Circuits:
    """Each cycle is a segment, and a circuit."""
    n = cycles.n_cycles
    ends, none, no_edges = xp.empty(n, np.int64), xp.zeros(n + 1, np.int64), xp.empty(0, np.int64)
    launch(end_whole_cycles, n, none[:-1], cycles.offsets, ends, none[n:])
    numbers, starts = counted(n, np.uint32), counted(n + 1, np.int64)
    cuts = Cuts(no_edges, no_edges, no_edges, numbers[:0])
    segments = Segments(cuts, numbers, numbers, ends, starts, out_degrees(cycles.offsets), numbers)
    return Circuits(segments, numbers, none[:-1], cycles.offsets)


def cut_at(pairing: Pairing, cycles: Cycles, noted: Noted, edges: Array) -> Segments:
    """Cut cycles after some edges.

    Parameters
    ----------
    pairing : Pairing
    cycles : Cycles
    noted : Noted
        As in `Splices`, for all of the edges given.
    edges : array, dtype=int64, shape=(n_cuts,)
        Each edge once, at least one; -1 for none.
    """
    n_cycles, n_cuts = cycles.n_cycles, edges.size
    all_ends, count = xp.empty(n_cuts + n_cycles, np.int64), xp.zeros(1, np.int64)
    cuts = locate_cuts(pairing, cycles, noted, edges, all_ends, count)
    n = int(count[0])
    ends, order, segment_of = ordered(all_ends, pairing.size, n)
    starts = xp.empty(n_cycles + 1, np.int64)
    launch(_start_cycles, n_cycles + 1, ends, cycles.offsets, starts)
    lengths, after = xp.empty(n, np.int64), xp.empty(n, np.uint32)
    launch(_measure_segments, n, ends, order, cuts.cycle, cycles.offsets, starts, lengths, after)
    return Segments(cuts, order, segment_of, ends, starts, lengths, after)


def cut_cycles(pairing: Pairing, cycles: Cycles, splices: Splices) -> Circuits:
    """Cut cycles at the splices, and order the segments along circuits."""
    if not splices.n_splices:
        return uncut(cycles)
    in_order, _, _ = ordered(splices.edges, pairing.size, splices.n_splices)
    edges, exchanged = xp.empty(2 * splices.n_splices, np.int64), xp.empty(2 * splices.n_splices, np.int64)
    launch(_list_cuts, splices.n_splices, in_order, edges, exchanged)
    segments = cut_at(pairing, cycles, splices.noted, edges)
    n = segments.ends.size
    following = xp.empty(n, np.uint32)
    launch(_follow, n, segments.order, exchanged, segments.segment_of, segments.after, following)
    if splices.n_splices < cycles.n_cycles - 1:
        return Circuits(segments, *number_cycles(following, segments.lengths, following[:0]))
    place = rank_cycles(following, segments.lengths).place
    return Circuits(segments, xp.zeros(n, np.uint32), place, concatenated(cycles.offsets[:1], cycles.offsets[-1:]))
