"""Cut cycles into segments, and splice segments into circuits.

An edge where a cycle is cut ends a segment (in the direction of predecessors). At splices, the predecessors of edges
p - 1, p, ..., q are exchanged one after another: that of each becomes the one of the next, and that of q the one of
p - 1. So each of these edges ends a segment, and the segment that comes next is the one after that which the next of
these edges ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cuts import Cuts, locate_cuts
from debruijn_gpu.backends.circuits.cuda.cycle_numbering import number_cycles
from debruijn_gpu.backends.circuits.cuda.cycle_ranking import new_counts, rank_cycles
from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.noted import Noted
from debruijn_gpu.backends.circuits.cuda.ordering import ordered
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.splices import Splices
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, kernel_of, launch, launch_waiting, xp
from debruijn_gpu.backends.core.cuda.scalars import lower_bound
from debruijn_gpu.backends.core.cuda.waiting import wait_for_grid


@dataclass(frozen=True)
class Segments:
    """Segments of cycles, in their order along each cycle; each cycle has at least one.

    Where all cycles become one circuit, some behind the last may stand for none: their length is 0, and all else has no
    meaning.

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
def _start_cycles(ends, offsets, starts):
    """The first segment of each cycle: the first that ends at its begin or after. One thread per cycle.

    Parameters
    ----------
    ends : int64 (n_segments,), ascending
    offsets : int64 (n_cycles + 1,)
    starts : out, int64 (n_cycles + 1,)
    """
    for cycle in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        starts[cycle] = lower_bound(ends, offsets[cycle], np.int64(0), np.int64(ends.size))


@device_function
def _next_on_cycle(segment, cycle, starts):
    """The segment after one on its cycle."""
    return starts[cycle] if segment == starts[cycle + 1] - 1 else segment + 1


@device_function
def _measure_segments(ends, order, cycle_of_cut, offsets, starts, lengths, after):
    """Length of each segment, and the one after it on its cycle. One thread per segment.

    Parameters
    ----------
    ends, order, starts : as in `Segments`
    cycle_of_cut : uint32 (n_cuts,)
    offsets : int64 (n_cycles + 1,)
    lengths, after : out, as in `Segments`
    """
    n_cuts = np.int64(cycle_of_cut.size)
    for segment in range(cuda.grid(1), ends.size, cuda.gridsize(1)):
        cut = np.int64(order[segment])
        cycle = np.int64(cycle_of_cut[cut]) if cut < n_cuts else cut - n_cuts
        first = starts[cycle]
        if segment == first:
            lengths[segment] = ends[first] - ends[starts[cycle + 1] - 1] + offsets[cycle + 1] - offsets[cycle]
        else:
            lengths[segment] = ends[segment] - ends[segment - 1]
        after[segment] = _next_on_cycle(segment, cycle, starts)


@device_function
def _follow(order, exchanged, segment_of, cycle_of_cut, starts, n_segments, following):
    """The segment after each on its circuit. One thread per segment, or one that stands for none.

    Parameters
    ----------
    order, segment_of, starts : as in `Segments`
    exchanged : int64 (n_cuts,); see `locate_cuts`
    cycle_of_cut : uint32 (n_cuts,)
    n_segments : int64
    following : out, uint32 (n,); beyond the segments, each follows itself
    """
    n_cuts = np.int64(exchanged.size)
    for segment in range(cuda.grid(1), following.size, cuda.gridsize(1)):
        following[segment] = segment
        if segment < n_segments:
            cut = np.int64(order[segment])
            if cut < n_cuts:
                at = exchanged[cut]
                following[segment] = _next_on_cycle(np.int64(segment_of[at]), np.int64(cycle_of_cut[at]), starts)


@kernel_of(max_registers=40)
def _measure(
    ends,
    order,
    segment_of,
    cycle_of_cut,
    exchanged,
    offsets,
    n_segments,
    starts,
    lengths,
    after,
    following,
    whole,
    arrived,
):
    """Measure the segments, and find the ones after them. Blocks wait for each other.

    Parameters
    ----------
    ends, order, segment_of : in, as in `Segments`
    cycle_of_cut : in, uint32 (n_cuts,)
    exchanged : in, int64 (n_cuts,) or (0,); see `locate_cuts`
    offsets : in, int64 (n_cycles + 1,)
    n_segments : in, int64; the first is how many there are
    starts, lengths, after : out, as in `Segments`
    following : out, uint32 (n,) or (0,); the segment after each on its circuit
    whole : out, int64 (2,); 0, and the edges of all cycles
    arrived : in and out, int64 (1,); see `wait_for_grid`
    """
    n = n_segments[0]
    _start_cycles(ends[:n], offsets, starts)
    for segment in range(n + cuda.grid(1), lengths.size, cuda.gridsize(1)):
        lengths[segment] = 0
    if cuda.grid(1) == 0:
        whole[0], whole[1] = 0, offsets[starts.size - 1]
    wait_for_grid(arrived, np.int64(1))
    _measure_segments(ends[:n], order, cycle_of_cut, offsets, starts, lengths, after)
    _follow(order, exchanged, segment_of, cycle_of_cut, starts, n, following)


@kernel
def _list_whole_cycles(offsets, numbers, starts, ends, lengths):
    """Each cycle is a segment. One thread per cycle, and one behind them.

    Parameters
    ----------
    offsets : in, int64 (n_cycles + 1,)
    numbers : out, uint32 (n_cycles,); those of cycles
    starts, ends, lengths : out, as in `Segments`
    """
    for cycle in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        starts[cycle] = cycle
        if cycle < numbers.size:
            numbers[cycle] = cycle
            ends[cycle] = offsets[cycle + 1] - 1
            lengths[cycle] = offsets[cycle + 1] - offsets[cycle]


def uncut(cycles: Cycles) -> Circuits:
    """Each cycle is a segment, and a circuit."""
    n = cycles.n_cycles
    numbers, starts, no_edges = xp.empty(n, np.uint32), xp.empty(n + 1, np.int64), xp.empty(0, np.int64)
    ends, lengths = xp.empty(n, np.int64), xp.empty(n, np.int64)
    launch(_list_whole_cycles, n + 1, cycles.offsets, numbers, starts, ends, lengths)
    cuts = Cuts(no_edges, no_edges, no_edges, numbers[:0])
    segments = Segments(cuts, numbers, numbers, ends, starts, lengths, numbers)
    return Circuits(segments, numbers, xp.zeros(n, np.int64), cycles.offsets)


def _segments(
    pairing: Pairing, cycles: Cycles, noted: Noted, splices: Array, edges: Array, n: int | None
) -> tuple[Segments, Array, Array]:
    """Segments, the one after each (uint32; none without splices) on its circuit, and offsets of a circuit of all.

    Parameters are those of `locate_cuts`, and the number of segments, or more; None: the host asks for it.
    """
    cuts, exchanged, all_ends, n_segments = locate_cuts(pairing, cycles, noted, splices, edges)
    n = int(n_segments[0]) if n is None else n
    ends, order, segment_of = ordered(all_ends, pairing.size, n)
    starts, lengths, after = xp.empty(cycles.n_cycles + 1, np.int64), xp.empty(n, np.int64), xp.empty(n, np.uint32)
    following = xp.empty(n if exchanged.size else 0, np.uint32)
    whole = xp.empty(2, np.int64)
    found = (starts, lengths, after, following, whole, xp.zeros(1, np.int64))
    of_cuts = (ends, order, segment_of, cuts.cycle, exchanged, cycles.offsets, n_segments)
    launch_waiting(_measure, max(n, starts.size), *of_cuts, *found)
    return Segments(cuts, order, segment_of, ends, starts, lengths, after), following, whole


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
    return _segments(pairing, cycles, noted, edges[:0], edges, None)[0]


def cut_cycles(pairing: Pairing, cycles: Cycles, splices: Splices) -> Circuits:
    """Cut cycles at the splices, and order the segments along circuits."""
    n_splices = splices.n_splices
    if not n_splices:
        return uncut(cycles)
    is_one = n_splices == cycles.n_cycles - 1  # each cycle is cut: there are no more segments than cuts
    in_order, _, _ = ordered(splices.edges, pairing.size, n_splices)
    edges, n_known = xp.empty(2 * n_splices, np.int64), 2 * n_splices if is_one else None
    segments, following, whole = _segments(pairing, cycles, splices.noted, in_order, edges, n_known)
    if not is_one:
        return Circuits(segments, *number_cycles(following, segments.lengths, following[:0]))
    place = rank_cycles(following, segments.lengths, int(following.size), new_counts()).place
    return Circuits(segments, xp.zeros(following.size, np.uint32), place, whole)
