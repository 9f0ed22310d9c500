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
from debruijn_gpu.backends.circuits.cuda.cuts import Cuts, end_whole_circles, locate_cuts
from debruijn_gpu.backends.circuits.cuda.cycle_ranking import number_circles, rank_circles
from debruijn_gpu.backends.circuits.cuda.cycles import Circles
from debruijn_gpu.backends.circuits.cuda.splices import Joins
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import counted, joined, scattered
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.search import lower_bound
from debruijn_gpu.backends.graphs.cuda.csr import out_degrees

KEY_BITS = 64


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
    launch(end_whole_circles, n, none[:-1], circles.offsets, ends, none[n:])
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
    cuts = locate_cuts(predecessor, circles, noted, edges, all_ends, count)
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
