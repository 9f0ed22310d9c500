"""Circles cut at the joins: pieces, and which piece comes after which.

Where the predecessors of edges p - 1, p, ..., q are exchanged one after another, that of each becomes the one of the
next, and that of q the one of p - 1. So each of these edges ends a piece (in the direction of predecessors), and the piece
that comes next is the one after that which the next of these edges ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cuda.circles import Circles, number_circles
from debruijn_gpu.backends.cuda.compiled import splitter
from debruijn_gpu.backends.cuda.filling import counted, filled, joined
from debruijn_gpu.backends.cuda.joining import Joins
from debruijn_gpu.backends.cuda.order import sort, sort_pairs
from debruijn_gpu.backends.cuda.runtime import cuda, kernel, launch, xp
from debruijn_gpu.backends.cuda.scans import exclusive_scan


@dataclass(frozen=True)
class Pieces:
    """Pieces of circles in the order in which they lie on them; on each circle there is one at least.

    Attributes
    ----------
    ends : array, dtype=int64, shape=(n_pieces,)
        Place of the last edge of each, counted through all circles; ascending. (The first piece of a circle begins
        after the last one's end.)
    starts : array, dtype=int64, shape=(n_circles + 1,)
        First piece of each circle.
    circuit : array, dtype=uint32, shape=(n_pieces,)
        Circuit of each.
    place : array, dtype=int64, shape=(n_pieces,)
        Where on its circuit it begins.
    circuit_offsets : array, dtype=int64, shape=(n_circuits + 1,)
        Edges on circuits before each.
    """

    ends: Array
    starts: Array
    circuit: Array
    place: Array
    circuit_offsets: Array


@kernel
def _mark_runs(joins, begins):
    """Whether a run of joins at consecutive edges begins (out, uint32 (n,)). One thread a join; joins ascend."""
    for i in range(cuda.grid(1), joins.size, cuda.gridsize(1)):
        begins[i] = np.uint32(i == 0 or joins[i - 1] + 1 != joins[i])


@kernel
def _list_cuts(joins, run_of, cuts, run_starts):
    """The edges before which (in the direction of predecessors: after which) circles are cut. One thread a join.

    Parameters
    ----------
    joins : in, int64 (n,), ascending
    run_of : in, int64 (n + 1,); runs before each join, so that join i of run r (from 1) is cut i + r
    cuts : out, int64 (n + n_runs,), ascending
    run_starts : out, int64 (n_runs,); the first cut of each run
    """
    for i in range(cuda.grid(1), joins.size, cuda.gridsize(1)):
        run = np.int64(run_of[i + 1])
        cuts[i + run] = joins[i]
        if np.int64(run_of[i]) != run:
            cuts[i + run - 1] = joins[i] - 1
            run_starts[run - 1] = i + run - 1


@kernel
def _list_exchanges(joins, run_of, run_starts, exchanged):
    """The cut whose predecessor each cut gets. One thread a join; arrays as in `_list_cuts`.

    Parameters
    ----------
    exchanged : out, int64 (n_cuts,)
    """
    n = joins.size
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        run = np.int64(run_of[i + 1])
        if np.int64(run_of[i]) != run:
            exchanged[i + run - 1] = i + run
        is_last = i + 1 == n or np.int64(run_of[i + 2]) != run
        exchanged[i + run] = run_starts[run - 1] if is_last else i + run + 1


@kernel
def _locate(cuts, predecessor, noted, shift, n_blocks, leader_of, circle, place, offsets, ends, is_cut):
    """Where on its circle each cut edge is: as many edges before the next splitter as it takes to get there. One
    thread a cut.

    Parameters
    ----------
    cuts : in, int64 (n_cuts,); edges
    predecessor : in, uint32 or uint64 (n_edges,)
    noted : in, uint32 (n,); see `Joins`
    shift, n_blocks : in, as in `Sublists`
    leader_of : in, int64 (n_circles,); the first edge of circles without splitters, else -1
    circle, place, offsets : in, as in `Circles`
    ends : out, int64 (n_cuts,); see `Pieces`
    is_cut : in and out, uint32 (n_circles,)
    """
    n = np.uint64(predecessor.size)
    for i in range(cuda.grid(1), cuts.size, cuda.gridsize(1)):
        edge = np.uint64(cuts[i])
        number = np.int64(noted[edge])
        leader = leader_of[number]
        at = np.int64(0)
        if leader >= 0:
            while edge != np.uint64(leader):
                edge = np.uint64(predecessor[edge])
                at -= 1
        else:
            while edge != splitter(edge >> shift, shift, n):
                edge = np.uint64(predecessor[edge])
                at -= 1
            number = np.int64(circle[edge >> shift])
            at += place[edge >> shift]
        if at < 0:
            at += offsets[number + 1] - offsets[number]
        ends[i] = offsets[number] + at
        is_cut[number] = 1


@kernel
def _list_leaders(leaders, n_blocks, circle, leader_of):
    """The first edge of circles without splitters. One thread a circle; arrays as in `_locate`."""
    for i in range(cuda.grid(1), leaders.size, cuda.gridsize(1)):
        leader_of[circle[n_blocks + i]] = leaders[i]


@kernel
def _end_whole_circles(is_cut, cut_before, offsets, ends):
    """A circle that is not cut is a piece that ends with it. One thread a circle.

    Parameters
    ----------
    is_cut : in, integer (n_circles,)
    cut_before : in, int64 (n_circles + 1,); cut ones before each
    offsets : in, int64 (n_circles + 1,)
    ends : out, int64 (whole circles,)
    """
    for circle in range(cuda.grid(1), is_cut.size, cuda.gridsize(1)):
        if not is_cut[circle]:
            ends[circle - np.int64(cut_before[circle])] = offsets[circle + 1] - 1


@kernel
def _start_circles(ends, offsets, starts):
    """The first piece of each circle: the first that ends at its begin or after. One thread a circle.

    Parameters
    ----------
    ends : in, int64 (n_pieces,), ascending
    offsets : in, int64 (n_circles + 1,)
    starts : out, int64 (n_circles + 1,)
    """
    for circle in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        low = np.int64(0)
        high = np.int64(ends.size)
        while low < high:
            middle = (low + high) >> 1
            if ends[middle] < offsets[circle]:
                low = middle + 1
            else:
                high = middle
        starts[circle] = low


@kernel
def _measure_pieces(ends, offsets, starts, lengths, after):
    """Length of each piece, and the one after it on its circle. One thread a circle.

    Parameters
    ----------
    ends, offsets, starts : in, as in `_start_circles`
    lengths : out, int64 (n_pieces,)
    after : out, uint32 (n_pieces,)
    """
    for circle in range(cuda.blockIdx.x, offsets.size - 1, cuda.gridDim.x):
        first = starts[circle]
        last = starts[circle + 1] - 1
        for piece in range(first + cuda.threadIdx.x, last + 1, cuda.blockDim.x):
            if piece == first:
                lengths[piece] = ends[first] - ends[last] + offsets[circle + 1] - offsets[circle]
            else:
                lengths[piece] = ends[piece] - ends[piece - 1]
            after[piece] = first if piece == last else piece + 1


@kernel
def _invert(order, piece_of):
    """The piece that each cut ends: the inverse of the order in which they were sorted. One thread a piece."""
    for piece in range(cuda.grid(1), order.size, cuda.gridsize(1)):
        piece_of[order[piece]] = piece


@kernel
def _follow(order, exchanged, piece_of, after, following):
    """The piece after each on its circuit. One thread a piece.

    Parameters
    ----------
    order : in, uint32 or uint64 (n_pieces,); the cut that ends each piece, or for whole circles a greater number
    exchanged : in, int64 (n_cuts,)
    piece_of, after : in, uint32 (n_pieces,)
    following : out, uint32 (n_pieces,)
    """
    n_cuts = np.uint64(exchanged.size)
    for piece in range(cuda.grid(1), order.size, cuda.gridsize(1)):
        cut = np.uint64(order[piece])
        following[piece] = after[piece_of[exchanged[cut]]] if cut < n_cuts else piece


def _cuts_of(joins: Array) -> tuple[Array, Array]:
    """The cut edges, ascending, and the cut whose predecessor each gets; from ascending joins."""
    begins = xp.empty(joins.size, np.uint32)
    launch(_mark_runs, joins.size, joins, begins)
    run_of = exclusive_scan(begins)
    n_runs = int(run_of[-1])
    cuts, exchanged = xp.empty(joins.size + n_runs, np.int64), xp.empty(joins.size + n_runs, np.int64)
    run_starts = xp.empty(n_runs, np.int64)
    launch(_list_cuts, joins.size, joins, run_of, cuts, run_starts)
    launch(_list_exchanges, joins.size, joins, run_of, run_starts, exchanged)
    return cuts, exchanged


def _ends_of(cuts: Array, predecessor: Array, circles: Circles, noted: Array) -> Array:
    """Places of the cuts, and then of the ends of circles that are not cut."""
    lists, n_circles = circles.sublists, circles.n_circles
    leader_of = filled(n_circles, np.int64(-1))
    n_blocks = np.int64(lists.n_blocks)
    launch(_list_leaders, lists.leaders.size, lists.leaders, n_blocks, circles.circle, leader_of)
    is_cut = xp.zeros(n_circles, np.uint32)
    cut_ends = xp.empty(cuts.size, np.int64)
    arrays = (leader_of, circles.circle, circles.place, circles.offsets, cut_ends, is_cut)
    launch(_locate, cuts.size, cuts, predecessor, noted, lists.shift, n_blocks, *arrays)
    cut_before = exclusive_scan(is_cut)
    whole_ends = xp.empty(n_circles - int(cut_before[-1]), np.int64)
    launch(_end_whole_circles, n_circles, is_cut, cut_before, circles.offsets, whole_ends)
    return joined(cut_ends, whole_ends)


def cut_circles(predecessor: Array, circles: Circles, joins: Joins) -> Pieces:
    """Cut circles at the joins and put the pieces into circuits."""
    n_circles = circles.n_circles
    if not joins.n_joins:
        none_cut, ends = xp.zeros(n_circles + 1, np.int64), xp.empty(n_circles, np.int64)
        launch(_end_whole_circles, n_circles, none_cut[:-1], none_cut, circles.offsets, ends)
        numbers = counted(n_circles, np.uint32), none_cut[:-1]
        return Pieces(ends, counted(n_circles + 1, np.int64), *numbers, circles.offsets)
    starts = xp.empty(n_circles + 1, np.int64)
    cuts, exchanged = _cuts_of(sort(joins.edges))
    ends = _ends_of(cuts, predecessor, circles, joins.noted)
    n_pieces = ends.size
    ends, order = sort_pairs(ends, counted(n_pieces, np.uint32))
    launch(_start_circles, n_circles + 1, ends, circles.offsets, starts)
    lengths, after = xp.empty(n_pieces, np.int64), xp.empty(n_pieces, np.uint32)
    launch(_measure_pieces, n_circles, ends, circles.offsets, starts, lengths, after, per_block=1)
    piece_of, following = xp.empty(n_pieces, np.uint32), xp.empty(n_pieces, np.uint32)
    launch(_invert, n_pieces, order, piece_of)
    launch(_follow, n_pieces, order, exchanged, piece_of, after, following)
    circuit, place, circuit_offsets = number_circles(following, lengths)
    return Pieces(ends, starts, circuit, place, circuit_offsets)
