"""Circles cut at the joins: pieces, and which piece comes after which.

Where the predecessors of edges p - 1, p, ..., q are exchanged one after another, that of each becomes the one of the
next, and that of q the one of p - 1. So each of these edges ends a piece (in the direction of predecessors), and the
piece that comes next is the one after that which the next of these edges ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.cpu.circles import Circles, number_circles
from debruijn_gpu.backends.cpu.joining import Joins


@dataclass(frozen=True)
class Pieces:
    """Pieces of circles in the order in which they lie on them; on each circle there is one at least.

    Attributes
    ----------
    cuts : ndarray, dtype=int64, shape=(n_cuts,)
        Edges that end a piece, ascending.
    piece_of : ndarray, dtype=int64, shape=(n_cuts,)
        The piece that each cut ends.
    ends : ndarray, dtype=int64, shape=(n_pieces,)
        Place of the last edge of each, counted through all circles; ascending. (The first piece of a circle begins
        after the last one's end.)
    starts : ndarray, dtype=int64, shape=(n_circles + 1,)
        First piece of each circle.
    lengths, after : ndarray, dtype=int64, shape=(n_pieces,)
        Length of each piece, and the one after it on its circle.
    circuit, place : ndarray, dtype=int64, shape=(n_pieces,)
        Circuit of each, and where on it it begins.
    circuit_offsets : ndarray, dtype=int64, shape=(n_circuits + 1,)
        Edges on circuits before each.
    """

    cuts: NDArray[np.int64]
    piece_of: NDArray[np.int64]
    ends: NDArray[np.int64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    after: NDArray[np.int64]
    circuit: NDArray[np.int64]
    place: NDArray[np.int64]
    circuit_offsets: NDArray[np.int64]


def _cuts_of(joins: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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


def cut_circles(circles: Circles, joins: Joins) -> Pieces:
    """Cut circles at the joins and put the pieces into circuits."""
    offsets = circles.offsets
    cuts, exchanged = _cuts_of(joins.edges)
    seats = circles.seats[cuts]
    sublist = (seats >> np.uint64(32)).astype(np.int64)
    circle = circles.circle[sublist]
    at = circles.place[sublist] + (seats & np.uint64(0xFFFFFFFF)).astype(np.int64)
    is_cut = np.zeros(circles.n_circles, np.bool_)
    is_cut[circle] = True
    ends = np.concatenate((offsets[circle] + at, offsets[1:][~is_cut] - 1))
    order = np.argsort(ends)
    ends = ends[order]
    starts = np.searchsorted(ends, offsets)
    lengths, after = np.diff(ends, prepend=0), np.arange(1, len(ends) + 1)
    first, last = starts[:-1], starts[1:] - 1
    lengths[first] = ends[first] - ends[last] + np.diff(offsets)
    after[last] = first
    piece_of = np.empty(len(order), np.int64)
    piece_of[order] = np.arange(len(order))
    following = np.arange(len(order))
    following[piece_of[: len(cuts)]] = after[piece_of[exchanged]]
    circuit, place, circuit_offsets = number_circles(following, lengths)
    return Pieces(cuts, piece_of[: len(cuts)], ends, starts, lengths, after, circuit, place, circuit_offsets)
