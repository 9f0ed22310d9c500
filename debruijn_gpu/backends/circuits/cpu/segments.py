"""Cut cycles into segments, and splice segments into circuits.

An edge where a cycle is cut ends a segment (in the direction of predecessors). At splices, the predecessors of edges
p - 1, p, ..., q are exchanged one after another: that of each becomes the one of the next, and that of q the one of
p - 1. So each of these edges ends a segment, and the segment that comes next is the one after that which the next of
these edges ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cpu.sorting import sort_pairs
from debruijn_gpu.backends.circuits.cpu.cycles import Cycles, number_cycles
from debruijn_gpu.backends.circuits.cpu.splices import Splices
from debruijn_gpu.backends.core.array_types import id_dtype
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.threads import over_ranges

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Segments:
    """Segments of cycles, in their order along each cycle; each cycle has at least one.

    Attributes
    ----------
    segment_of : ndarray, dtype=int64, shape=(n_cuts,)
        The segment that each cut ends.
    last : ndarray, dtype=int64, shape=(n_segments,)
        The edge that ends each; -1 for a cycle that is not cut.
    ends : ndarray, dtype=int64, shape=(n_segments,)
        Place of the last edge of each, counted through all cycles; ascending. (The first segment of a cycle begins
        after the last one's end.)
    starts : ndarray, dtype=int64, shape=(n_cycles + 1,)
        First segment of each cycle.
    lengths, after : ndarray, dtype=int64, shape=(n_segments,)
        Length of each segment, and the one after it on its cycle.
    """

    segment_of: Longs
    last: Longs
    ends: Longs
    starts: Longs
    lengths: Longs
    after: Longs


@dataclass(frozen=True)
class Circuits:
    """Circuits spliced from segments.

    Attributes
    ----------
    segments : Segments
    circuit, place : ndarray, dtype=int64, shape=(n_segments,)
        Circuit of each segment, and where on it it begins.
    offsets : ndarray, dtype=int64, shape=(n_circuits + 1,)
        Edges on circuits before each.
    """

    segments: Segments
    circuit: Longs
    place: Longs
    offsets: Longs


@kernel
def _locate(seats, cycle, place, offsets, cuts, start, stop, ends, is_cut):
    """Where cuts start..stop are.

    Parameters
    ----------
    seats, cycle, place, offsets : in, as in `Cycles`
    cuts : in, int64 (n_cuts,)
    ends : out, int64 (n_cuts,); place of each, counted through all cycles
    is_cut : out, bool (n_cycles,); set for cycles that these are on
    """
    for i in range(start, stop):
        seat = seats[cuts[i]]
        sublist = seat >> np.uint64(32)
        number = cycle[sublist]
        ends[i] = offsets[number] + place[sublist] + np.int64(seat & np.uint64(0xFFFFFFFF))
        is_cut[number] = True


@kernel
def _arrange(order, cuts, start, stop, segment_of, last):
    """Which cuts end segments start..stop.

    Parameters
    ----------
    order : in, uint32 or uint64 (n_segments,); the cut that ends each, n_cuts or more for cycles that are not cut
    cuts : in, int64 (n_cuts,)
    segment_of, last : out, as in `Segments`
    """
    for segment in range(start, stop):
        cut = order[segment]
        if cut < cuts.size:
            segment_of[cut] = segment
            last[segment] = cuts[cut]
        else:
            last[segment] = -1


def cut_at(cycles: Cycles, cuts: Longs) -> Segments:
    """Cut cycles after some edges, each given once."""
    offsets, n_cuts = cycles.offsets, len(cuts)
    cut_ends, is_cut = np.empty(n_cuts, np.int64), np.zeros(cycles.n_cycles, np.bool_)
    on_cycles = (cycles.seats, cycles.cycle, cycles.place, offsets)
    over_ranges(n_cuts, lambda start, stop: _locate(*on_cycles, cuts, start, stop, cut_ends, is_cut))
    ends = np.concatenate((cut_ends, offsets[1:][~is_cut] - 1))
    n = len(ends)
    ends, order = sort_pairs(ends, np.arange(n, dtype=id_dtype(n)))
    segment_of, last_edges = np.empty(n_cuts, np.int64), np.empty(n, np.int64)
    over_ranges(n, lambda start, stop: _arrange(order, cuts, start, stop, segment_of, last_edges))
    starts = np.searchsorted(ends, offsets)
    first, last = starts[:-1], starts[1:] - 1
    lengths, after = np.diff(ends, prepend=0), np.arange(1, n + 1)
    lengths[first] = ends[first] - ends[last] + np.diff(offsets)
    after[last] = first
    return Segments(segment_of, last_edges, ends, starts, lengths, after)


def _cuts_of(splices: Longs) -> tuple[Longs, Longs]:
    """The cut edges, ascending, and the cut whose predecessor each gets; from ascending splices."""
    begins = np.diff(splices, prepend=-1) != 1
    run = np.cumsum(begins)  # of each splice, from 1: splice i is cut i + run[i]
    at = np.arange(len(splices)) + run
    cuts = np.empty(len(splices) + int(begins.sum()), np.int64)
    cuts[at] = splices
    cuts[at[begins] - 1] = splices[begins] - 1
    exchanged = np.arange(1, len(cuts) + 1)
    exchanged[at[np.roll(begins, -1)]] = at[begins] - 1  # the last of a run gets the first one's
    return cuts, exchanged


def cut_cycles(cycles: Cycles, splices: Splices) -> Circuits:
    """Cut cycles at the splices, and order the segments along circuits."""
    cuts, exchanged = _cuts_of(splices.edges)
    segments = cut_at(cycles, cuts)
    following = np.arange(len(segments.ends))
    following[segments.segment_of] = segments.after[segments.segment_of[exchanged]]
    return Circuits(segments, *number_cycles(following, segments.lengths))
