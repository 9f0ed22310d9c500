"""Rank linked lists as cycles that are cut at the heads of the lists."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.masks import select, selected_positions
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.arrays.cuda.select import matches
from debruijn_gpu.backends.circuits.cuda.cycles import Cycles, cycles_of
from debruijn_gpu.backends.circuits.cuda.noted import Noted
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.segments import Circuits, cut_at, uncut
from debruijn_gpu.backends.circuits.cuda.starts import LATER, Starts
from debruijn_gpu.backends.circuits.cuda.writing import write_segments
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import counted, filled
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, xp


@kernel
def _turn(successor, predecessor):
    """Note each item as the one before its successor. One thread per item.

    Parameters
    ----------
    successor : in, uint32 or uint64 (n,); n at the end of a list
    predecessor : in and out, as successor (n,); left alone for heads
    """
    n = np.uint64(successor.size)
    for item in range(cuda.grid(1), successor.size, cuda.gridsize(1)):
        following = np.uint64(successor[item])
        if following != n:
            predecessor[following] = item


@kernel
def _link(heads, ends, predecessor):
    """Put each end before the head that is next in order. One thread per list.

    Parameters
    ----------
    heads, ends : in, int64 (n_lists,), ascending
    predecessor : in and out, uint32 or uint64 (n,)
    """
    n_lists = heads.size
    for i in range(cuda.grid(1), n_lists, cuda.gridsize(1)):
        predecessor[heads[i + 1 if i + 1 < n_lists else 0]] = ends[i]


@kernel
def _start(heads, segment_of, lengths, n, first, place, left):
    """A list begins with its head, which ends a segment. One thread per list.

    Parameters
    ----------
    heads : in, int64 (n_lists,)
    segment_of, lengths : in, as in `Segments`
    n : int64; items
    first, place, left : out, as in `Starts`; left alone for cycles without heads
    """
    for i in range(cuda.grid(1), heads.size, cuda.gridsize(1)):
        segment = segment_of[i]
        first[segment] = heads[i] - n
        place[segment] = lengths[segment] - 1
        left[segment] = 0


def _close(successor: Array) -> tuple[Array, Array]:
    """The item before each, and the heads, ascending: before the head of a list comes the end of another one.

    Before the head that is next in order comes each end in order. Where lists are of one item, in order, in
    reverse order, or random, that makes a few long cycles of them; with the head that is the same in order
    there would be many, most too short for a splitter.
    """
    n = successor.size
    predecessor = filled(n, successor.dtype.type(n))
    launch(_turn, n, successor, predecessor)
    heads = selected_positions(select(matches(predecessor, "==", n)))
    ends = selected_positions(select(matches(successor, "==", n)))
    launch(_link, heads.size, heads, ends, predecessor)
    return predecessor, heads


def _cut(pairing: Pairing, cycles: Cycles, heads: Array) -> tuple[Circuits, Starts]:
    """Each segment that a head ends by itself, and cycles without heads."""
    if not heads.size:
        circuits = uncut(cycles)
    else:
        segments = cut_at(pairing, cycles, Noted.of_first(cycles.noted), heads)
        n = segments.lengths.size
        circuits = Circuits(segments, counted(n, np.uint32), xp.zeros(n, np.int64), exclusive_scan(segments.lengths))
    n = circuits.segments.lengths.size
    starts = Starts(filled(n, LATER), xp.empty(n, np.int64), xp.empty(n, np.int64))
    of_lists = (heads, circuits.segments.segment_of, circuits.segments.lengths, np.int64(pairing.size))
    launch(_start, heads.size, *of_lists, starts.first, starts.place, starts.left)
    return circuits, starts


@guarded
def rank_lists(successor: Array) -> tuple[Array, Array, Array]:
    """See `CircuitOperations.rank_lists`."""
    n = successor.size
    if not n:
        return xp.zeros(1, np.int64), xp.empty(0, successor.dtype), xp.empty(0, np.bool_)
    predecessor, heads = _close(contiguous(successor))
    pairing = Pairing.of(predecessor)
    cycles = cycles_of(pairing, n)  # noted for all items: a head may be anywhere
    circuits, starts = _cut(pairing, cycles, heads)
    circular = matches(counted(starts.first.size, np.uint32), ">", heads.size - 1)
    return *write_segments(pairing, cycles, circuits, starts), circular
