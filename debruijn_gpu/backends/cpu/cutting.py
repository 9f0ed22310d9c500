"""Circles cut into pieces, and the circuits that pieces are put together to.

An edge where a circle is cut ends a piece (in the direction of predecessors). At joins, the predecessors of edges
p - 1, p, ..., q are exchanged one after another: that of each becomes the one of the next, and that of q the one of
p - 1. So each of these edges ends a piece, and the piece that comes next is the one after that which the next of these
edges ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.cpu.circles import Circles, edge_dtype, number_circles
from debruijn_gpu.backends.cpu.jit import kernel
from debruijn_gpu.backends.cpu.joining import Joins
from debruijn_gpu.backends.cpu.order import sort_pairs
from debruijn_gpu.backends.cpu.pool import over_ranges

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Pieces:
    """Pieces of circles in the order in which they lie on them; on each circle there is one at least.

    Attributes
    ----------
    cuts : ndarray, dtype=int64, shape=(n_cuts,)
        Edges that end a piece.
    left : ndarray, dtype=int64, shape=(n_cuts,)
        Edges from the predecessor of each (included) to the next start of a sublist (not included).
    piece_of : ndarray, dtype=int64, shape=(n_cuts,)
        The piece that each cut ends.
    ends : ndarray, dtype=int64, shape=(n_pieces,)
        Place of the last edge of each, counted through all circles; ascending. (The first piece of a circle begins
        after the last one's end.)
    starts : ndarray, dtype=int64, shape=(n_circles + 1,)
        First piece of each circle.
    lengths, after : ndarray, dtype=int64, shape=(n_pieces,)
        Length of each piece, and the one after it on its circle.
    """

    cuts: Longs
    left: Longs
    piece_of: Longs
    ends: Longs
    starts: Longs
    lengths: Longs
    after: Longs


@dataclass(frozen=True)
class Circuits:
    """What pieces are put together to, each going round.

    Attributes
    ----------
    pieces : Pieces
    circuit, place : ndarray, dtype=int64, shape=(n_pieces,)
        Circuit of each piece, and where on it it begins.
    offsets : ndarray, dtype=int64, shape=(n_circuits + 1,)
        Edges on circuits before each.
    """

    pieces: Pieces
    circuit: Longs
    place: Longs
    offsets: Longs


@kernel
def _locate(seats, lengths, circle, place, offsets, cuts, start, stop, ends, left, is_cut):
    """Where cuts start..stop are.

    Parameters
    ----------
    seats, lengths, circle, place, offsets : in, as in `Circles` and `Sublists`
    cuts : in, int64 (n_cuts,)
    ends : out, int64 (n_cuts,); place of each, counted through all circles
    left : out, as in `Pieces`
    is_cut : out, bool (n_circles,); set for circles that these are on
    """
    for i in range(start, stop):
        seat = seats[cuts[i]]
        sublist = seat >> np.uint64(32)
        rank = np.int64(seat & np.uint64(0xFFFFFFFF))
        number = circle[sublist]
        ends[i] = offsets[number] + place[sublist] + rank
        left[i] = lengths[sublist] - rank - 1
        is_cut[number] = True


def cut_at(circles: Circles, cuts: Longs) -> Pieces:
    """Cut circles after some edges, each given once."""
    offsets, n_cuts = circles.offsets, len(cuts)
    cut_ends, left, is_cut = np.empty(n_cuts, np.int64), np.empty(n_cuts, np.int64), np.zeros(circles.n_circles, bool)
    where = (circles.seats, circles.sublists.lengths, circles.circle, circles.place, offsets)
    over_ranges(n_cuts, lambda start, stop: _locate(*where, cuts, start, stop, cut_ends, left, is_cut))
    ends = np.concatenate((cut_ends, offsets[1:][~is_cut] - 1))
    n = len(ends)
    ends, order = sort_pairs(ends, np.arange(n, dtype=edge_dtype(n)))
    piece_of = np.empty(n, np.int64)
    piece_of[order] = np.arange(n)
    starts = np.searchsorted(ends, offsets)
    first, last = starts[:-1], starts[1:] - 1
    lengths, after = np.diff(ends, prepend=0), np.arange(1, n + 1)
    lengths[first] = ends[first] - ends[last] + np.diff(offsets)
    after[last] = first
    return Pieces(cuts, left, piece_of[:n_cuts], ends, starts, lengths, after)


def _cuts_of(joins: Longs) -> tuple[Longs, Longs]:
    """The cut edges, ascending, and the cut whose predecessor each gets; from ascending joins."""
    begins = np.diff(joins, prepend=-1) != 1
    run = np.cumsum(begins)  # of each join, from 1: join i is cut i + run[i]
    at = np.arange(len(joins)) + run
    cuts = np.empty(len(joins) + int(begins.sum()), np.int64)
    cuts[at] = joins
    cuts[at[begins] - 1] = joins[begins] - 1
    exchanged = np.arange(1, len(cuts) + 1)
    exchanged[at[np.roll(begins, -1)]] = at[begins] - 1  # the last of a run gets the first one's
    return cuts, exchanged


def cut_circles(circles: Circles, joins: Joins) -> Circuits:
    """Cut circles at the joins and put the pieces into circuits."""
    cuts, exchanged = _cuts_of(joins.edges)
    pieces = cut_at(circles, cuts)
    following = np.arange(len(pieces.ends))
    following[pieces.piece_of] = pieces.after[pieces.piece_of[exchanged]]
    return Circuits(pieces, *number_circles(following, pieces.lengths))
