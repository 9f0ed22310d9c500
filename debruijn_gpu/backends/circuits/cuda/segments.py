"""Cut cycles into segments, and splice segments into circuits.

An edge where a cycle is cut ends a segment (in the direction of predecessors). At splices, the predecessors of edges
p - 1, p, ..., q are exchanged one after another: that of each becomes the one of the next, and that of q the one of
p - 1. So each of these edges ends a segment, and the segment that comes next is the one after that which the next of
these edges ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.arrays.cuda.sorting import sort_pairs
from debruijn_gpu.backends.circuits.cuda.cycle_ranking import rank_circles
from debruijn_gpu.backends.circuits.cuda.cycles import Circles, number_circles
from debruijn_gpu.backends.circuits.cuda.splices import Joins
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import counted, filled, joined, scattered
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import splitter
from debruijn_gpu.backends.core.cuda.search import lower_bound
from debruijn_gpu.backends.graphs.cuda.csr import out_degrees

_NOWHERE = np.int64(0x7FFFFFFFFFFFFFFF)
KEY_BITS = 64


@dataclass(frozen=True)
class Cuts:
    """Edges that end a segment.

    Attributes
    ----------
    edges : array, dtype=int64, shape=(n_cuts,)
        -1 for none.
    ends : array, dtype=int64, shape=(n_cuts,)
        Where it is, counted through all cycles.
    left : array, dtype=int64, shape=(n_cuts,)
        Edges from its predecessor (included) to the next start of a sublist (not included).
    circle : array, dtype=uint32, shape=(n_cuts,)
        The cycle that it is on.
    """

    edges: Array
    ends: Array
    left: Array
    circle: Array


@dataclass(frozen=True)
class Pieces:
    """Segments of cycles, in their order along each cycle; each cycle has at least one.

    Attributes
    ----------
    cuts : Cuts
    order : array, dtype=uint32, shape=(n_pieces,)
        The cut that ends each, or n_cuts and the number of a cycle that is not cut.
    piece_of : array, dtype=uint32, shape=(n_cuts + n_circles,)
        The segment that each cut ends.
    ends : array, dtype=int64, shape=(n_pieces,)
        Place of the last edge of each, counted through all cycles; ascending. (The first segment of a cycle begins
        after the last one's end.)
    starts : array, dtype=int64, shape=(n_circles + 1,)
        First segment of each cycle.
    lengths : array, dtype=int64, shape=(n_pieces,)
    after : array, dtype=uint32, shape=(n_pieces,)
        The segment after each on its cycle.
    """

    cuts: Cuts
    order: Array
    piece_of: Array
    ends: Array
    starts: Array
    lengths: Array
    after: Array


@dataclass(frozen=True)
class Circuits:
    """Circuits spliced from segments.

    Attributes
    ----------
    pieces : Pieces
    circuit : array, dtype=uint32, shape=(n_pieces,)
        Circuit of each segment.
    place : array, dtype=int64, shape=(n_pieces,)
        Where on its circuit it begins.
    offsets : array, dtype=int64, shape=(n_circuits + 1,)
        Edges on circuits before each.
    """

    pieces: Pieces
    circuit: Array
    place: Array
    offsets: Array


@device_function
def _run_start(joins, i):
    """The first splice of the run of splices at consecutive edges to which splice i belongs."""
    low = np.int64(0)
    high = np.int64(i)
    while low < high:
        middle = (low + high) >> 1
        if joins[middle] - middle < joins[i] - i:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _list_cuts(joins, edges, exchanged):
    """List the edges that end a segment. One thread per splice.

    Parameters
    ----------
    joins : in, int64 (n_joins,), ascending
    edges : out, int64 (2 * n_joins,); two for each splice; the first may be none: -1
    exchanged : out, int64 (2 * n_joins,); the cut whose predecessor each one gets
    """
    n = joins.size
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        begins = i == 0 or joins[i - 1] + 1 != joins[i]
        edges[2 * i] = joins[i] - 1 if begins else -1
        exchanged[2 * i] = 2 * i + 1
        edges[2 * i + 1] = joins[i]
        is_last = i + 1 == n or joins[i + 1] != joins[i] + 1
        exchanged[2 * i + 1] = 2 * _run_start(joins, i) if is_last else 2 * i + 3


@kernel
def _list_leaders(n_blocks, circle, sublist_of):
    """The sublist that is the whole of a cycle without splitters. One thread per cycle.

    Parameters
    ----------
    n_blocks : int64; see `Sublists`
    circle : in, uint32 (n_sublists,)
    sublist_of : out, int64 (n_circles,); left alone for other cycles
    """
    for sublist in range(n_blocks + cuda.grid(1), circle.size, cuda.gridsize(1)):
        sublist_of[circle[sublist]] = sublist


@kernel
def _locate(
    edges, predecessor, noted, shift, n_blocks, leaders, lengths, sublist_of, circle, place, offsets,
    ends, left, on_circle, is_cut, n_cuts,
):  # fmt: skip
    """Where on its cycle each cut edge is: as many edges before the next start of a sublist as it takes to get there.
    One thread per cut.

    Parameters
    ----------
    edges : in, int64 (n,); see `Cuts`
    predecessor : in, uint32 or uint64 (n_edges,)
    noted : in, uint32; cycles of the first edges, as in `Joins`
    shift, n_blocks, leaders, lengths : in, as in `Sublists`
    sublist_of : in, int64 (n_circles,); the sublist that is the whole of a cycle without splitters, else -1
    circle, place, offsets : in, as in `Circles`
    ends, left, on_circle : out, as in `Cuts`; ``ends`` is beyond all where there is none
    is_cut : in and out, uint32 (n_circles,)
    n_cuts : in and out, int64 (1,)
    """
    n = np.uint64(predecessor.size)
    for i in range(cuda.grid(1), edges.size, cuda.gridsize(1)):
        if edges[i] < 0:
            ends[i] = _NOWHERE
            continue
        cuda.atomic.add(n_cuts, 0, 1)
        edge = np.uint64(edges[i])
        steps = np.int64(0)
        sublist = sublist_of[noted[edge]]
        if sublist >= 0:
            leader = np.uint64(leaders[sublist - n_blocks])
            while edge != leader:
                edge = np.uint64(predecessor[edge])
                steps += 1
        else:
            while edge != splitter(edge >> shift, shift, n):
                edge = np.uint64(predecessor[edge])
                steps += 1
            sublist = np.int64(edge >> shift)
        number = circle[sublist]
        at = place[sublist] - steps
        if at < 0:
            at += offsets[number + 1] - offsets[number]
        ends[i] = offsets[number] + at
        left[i] = steps - 1 if steps > 0 else lengths[sublist] - 1
        on_circle[i] = number
        is_cut[number] = 1


@kernel
def _end_whole_circles(is_cut, offsets, ends, n_whole):
    """A cycle that is not cut is a segment that ends with it. One thread per cycle.

    Parameters
    ----------
    is_cut : in, integer (n_circles,)
    offsets : in, int64 (n_circles + 1,)
    ends : out, int64 (n_circles,); beyond all for others
    n_whole : in and out, int64 (1,)
    """
    for circle in range(cuda.grid(1), is_cut.size, cuda.gridsize(1)):
        if is_cut[circle]:
            ends[circle] = _NOWHERE
        else:
            ends[circle] = offsets[circle + 1] - 1
            cuda.atomic.add(n_whole, 0, 1)


@kernel
def _pack_ends(ends, shift, beyond, packed):
    """End over number of a cut. One thread per cut.

    Parameters
    ----------
    ends : in, int64 (n,)
    shift : uint64; bits of a number
    beyond : int64; more than any end, in place of those that are nowhere
    packed : out, uint64 (n,)
    """
    for i in range(cuda.grid(1), ends.size, cuda.gridsize(1)):
        packed[i] = (np.uint64(min(ends[i], beyond)) << shift) | np.uint64(i)


@kernel
def _unpack_ends(packed, shift, ends, order, piece_of):
    """Ends and numbers of cuts, and the segment that each ends. One thread per segment.

    Parameters
    ----------
    packed : in, uint64 (n,), sorted
    shift : uint64
    ends : out, int64 (n_pieces,)
    order : out, uint32 (n_pieces,); the cut that ends each segment
    piece_of : out, uint32 (n,)
    """
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for piece in range(cuda.grid(1), ends.size, cuda.gridsize(1)):
        cut = packed[piece] & mask
        ends[piece] = np.int64(packed[piece] >> shift)
        order[piece] = cut
        piece_of[cut] = piece


@kernel
def _start_circles(ends, offsets, starts):
    """The first segment of each cycle: the first that ends at its begin or after. One thread per cycle.

    Parameters
    ----------
    ends : in, int64 (n_pieces,), ascending
    offsets : in, int64 (n_circles + 1,)
    starts : out, int64 (n_circles + 1,)
    """
    for circle in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        starts[circle] = lower_bound(ends, offsets[circle], np.int64(0), np.int64(ends.size))


@kernel
def _measure_pieces(ends, order, circle_of_cut, offsets, starts, lengths, after):
    """Length of each segment, and the one after it on its cycle. One thread per segment.

    Parameters
    ----------
    ends, order, starts : in, as in `Pieces`
    circle_of_cut : in, uint32 (n_cuts,)
    offsets : in, int64 (n_circles + 1,)
    lengths, after : out, as in `Pieces`
    """
    n_cuts = np.int64(circle_of_cut.size)
    for piece in range(cuda.grid(1), ends.size, cuda.gridsize(1)):
        cut = np.int64(order[piece])
        circle = np.int64(circle_of_cut[cut]) if cut < n_cuts else cut - n_cuts
        first = starts[circle]
        last = starts[circle + 1] - 1
        if piece == first:
            lengths[piece] = ends[first] - ends[last] + offsets[circle + 1] - offsets[circle]
        else:
            lengths[piece] = ends[piece] - ends[piece - 1]
        after[piece] = first if piece == last else piece + 1


@kernel
def _follow(order, exchanged, piece_of, after, following):
    """The segment after each on its circuit. One thread per segment.

    Parameters
    ----------
    order, piece_of, after : in, as in `Pieces`
    exchanged : in, int64 (n_cuts,); see `_list_cuts`
    following : out, uint32 (n_pieces,)
    """
    n_cuts = np.int64(exchanged.size)
    for piece in range(cuda.grid(1), order.size, cuda.gridsize(1)):
        cut = np.int64(order[piece])
        following[piece] = after[piece_of[exchanged[cut]]] if cut < n_cuts else piece


def _located(predecessor: Array, circles: Circles, noted: Array, edges: Array, ends: Array, n_pieces: Array) -> Cuts:
    """The cuts; ``ends`` gets theirs, and then those of cycles that are not cut; ``n_pieces`` counts both."""
    lists, n_circles, n = circles.sublists, circles.n_circles, edges.size
    left, on_circle = xp.empty(n, np.int64), xp.empty(n, np.uint32)
    n_blocks, sublist_of = np.int64(lists.n_blocks), filled(n_circles, np.int64(-1))
    launch(_list_leaders, lists.leaders.size, n_blocks, circles.circle, sublist_of)
    is_cut = xp.zeros(n_circles, np.uint32)
    sublists = (lists.shift, n_blocks, lists.leaders, lists.lengths, sublist_of)
    on_circles = (circles.circle, circles.place, circles.offsets)
    out = (ends[:n], left, on_circle, is_cut, n_pieces)
    launch(_locate, n, edges, predecessor, noted, *sublists, *on_circles, *out)
    launch(_end_whole_circles, n_circles, is_cut, circles.offsets, ends[n:], n_pieces)
    return Cuts(edges, ends[:n], left, on_circle)


def _in_order(ends: Array, n_pieces: int, beyond: int) -> tuple[Array, Array, Array]:
    """Ends of segments in ascending order, the cut that ends each, and the segment that each cut ends; all ends that
    count are less than ``beyond``."""
    bits = max(1, (ends.size - 1).bit_length())
    if beyond.bit_length() + bits > KEY_BITS:
        sorted_ends, order = sort_pairs(ends, counted(ends.size, np.uint32))
        return sorted_ends[:n_pieces], order[:n_pieces], scattered(order, counted(ends.size, np.uint32))
    packed, sorted_ends = xp.empty(ends.size, np.uint64), xp.empty(n_pieces, np.int64)
    order, piece_of = xp.empty(n_pieces, np.uint32), xp.empty(ends.size, np.uint32)
    launch(_pack_ends, ends.size, ends, np.uint64(bits), np.int64(beyond), packed)
    packed.sort()
    launch(_unpack_ends, n_pieces, packed, np.uint64(bits), sorted_ends, order, piece_of)
    return sorted_ends, order, piece_of


def uncut(circles: Circles) -> Circuits:
    """Each cycle is a segment, and a circuit."""
    n = circles.n_circles
    ends, none, no_edges = xp.empty(n, np.int64), xp.zeros(n + 1, np.int64), xp.empty(0, np.int64)
    launch(_end_whole_circles, n, none[:-1], circles.offsets, ends, none[n:])
    numbers, starts = counted(n, np.uint32), counted(n + 1, np.int64)
    cuts = Cuts(no_edges, no_edges, no_edges, numbers[:0])
    pieces = Pieces(cuts, numbers, numbers, ends, starts, out_degrees(circles.offsets), numbers)
    return Circuits(pieces, numbers, none[:-1], circles.offsets)


def cut_at(predecessor: Array, circles: Circles, noted: Array, edges: Array) -> Pieces:
    """Cut cycles after some edges.

    Parameters
    ----------
    predecessor : array, dtype=uint32 or uint64, shape=(n_edges,)
    circles : Circles
    noted : array, dtype=uint32
        As in `Joins`, for all of the edges given.
    edges : array, dtype=int64, shape=(n_cuts,)
        Each edge once, at least one; -1 for none.
    """
    n_circles, n_cuts = circles.n_circles, edges.size
    all_ends, count = xp.empty(n_cuts + n_circles, np.int64), xp.zeros(1, np.int64)
    cuts = _located(predecessor, circles, noted, edges, all_ends, count)
    n = int(count[0])
    ends, order, piece_of = _in_order(all_ends, n, int(predecessor.size))
    starts = xp.empty(n_circles + 1, np.int64)
    launch(_start_circles, n_circles + 1, ends, circles.offsets, starts)
    lengths, after = xp.empty(n, np.int64), xp.empty(n, np.uint32)
    launch(_measure_pieces, n, ends, order, cuts.circle, circles.offsets, starts, lengths, after)
    return Pieces(cuts, order, piece_of, ends, starts, lengths, after)


def cut_circles(predecessor: Array, circles: Circles, joins: Joins) -> Circuits:
    """Cut cycles at the splices, and order the segments along circuits."""
    if not joins.n_joins:
        return uncut(circles)
    in_order = joins.edges.copy()
    in_order.sort()
    edges, exchanged = xp.empty(2 * joins.n_joins, np.int64), xp.empty(2 * joins.n_joins, np.int64)
    launch(_list_cuts, joins.n_joins, in_order, edges, exchanged)
    pieces = cut_at(predecessor, circles, joins.noted, edges)
    n = pieces.ends.size
    following = xp.empty(n, np.uint32)
    launch(_follow, n, pieces.order, exchanged, pieces.piece_of, pieces.after, following)
    if joins.n_joins < circles.n_circles - 1:
        return Circuits(pieces, *number_circles(following, pieces.lengths))
    place = rank_circles(following, pieces.lengths).place
    return Circuits(pieces, xp.zeros(n, np.uint32), place, joined(circles.offsets[:1], circles.offsets[-1:]))
