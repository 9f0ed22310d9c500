"""Circuits written from the pieces of circles.

What is written is cut into runs, each of which is stored to consecutive places: from the start of a sublist, from the
begin of a piece, or from the end of a circuit, to where the next run begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cpu.circles import LANES, Circles, edge_dtype
from debruijn_gpu.backends.cpu.cutting import Circuits, cut_circles
from debruijn_gpu.backends.cpu.jit import kernel
from debruijn_gpu.backends.cpu.joining import Joins
from debruijn_gpu.backends.cpu.order import sort_pairs
from debruijn_gpu.backends.cpu.pool import over_ranges

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Runs:
    """Stretches of a circuit, in the direction of predecessors: a run goes to lower and lower places.

    Attributes
    ----------
    edges : ndarray, dtype=int64, shape=(n,)
        First edge of each.
    at : ndarray, dtype=int64, shape=(n,)
        Place of that in the output.
    lengths : ndarray, dtype=int64, shape=(n,)
        0 for no run.
    """

    edges: Longs
    at: Longs
    lengths: Longs


@dataclass(frozen=True)
class _Spots:
    """Where some edges are.

    Attributes
    ----------
    circuit : ndarray, dtype=int64, shape=(n,)
    place : ndarray, dtype=int64, shape=(n,)
        On the circuit, in the direction of predecessors.
    left : ndarray, dtype=int64, shape=(n,)
        Edges to the end of the piece, both included.
    """

    circuit: Longs
    place: Longs
    left: Longs


@dataclass(frozen=True)
class _Starts:
    """Where circuits begin.

    Attributes
    ----------
    place : ndarray, dtype=int64, shape=(n_circuits,)
        Where on it, in the direction of predecessors.
    inside : ndarray, dtype=int64, shape=(n,)
        Circuits that begin with their smallest edges, so that another run than those of sublists and pieces begins
        before.
    edges : ndarray, dtype=int64, shape=(n,)
        The first edges of these.
    left : ndarray, dtype=int64, shape=(n,)
        Edges from the predecessor (included) to the next begin of a run (not included).
    """

    place: Longs
    inside: Longs
    edges: Longs
    left: Longs


def _spots(circles: Circles, circuits: Circuits, sublists: Longs | slice, ranks: Longs | int) -> _Spots:
    """Where the edges at some ranks of some sublists are."""
    pieces = circuits.pieces
    circle = circles.circle[sublists]
    lengths = np.diff(circles.offsets)[circle]
    at = circles.place[sublists] + ranks
    at = circles.offsets[circle] + np.where(at >= lengths, at - lengths, at)
    piece = np.searchsorted(pieces.ends, at)
    piece = np.where(piece < pieces.starts[circle + 1], piece, pieces.starts[circle])
    left = pieces.ends[piece] - at + 1
    left = np.where(left > 0, left, left + lengths)
    return _Spots(circuits.circuit[piece], circuits.place[piece] + pieces.lengths[piece] - left, left)


@kernel
def _smallest(group, values, smallest):
    """The smallest value (in and out, int64 (n_groups,)) and its index (out: returned) of each group."""
    at = np.empty(smallest.size, np.int64)
    for i in range(group.size):
        if values[i] < smallest[group[i]]:
            smallest[group[i]] = values[i]
            at[group[i]] = i
    return at


def _starts(circles: Circles, circuits: Circuits, of_sublists: _Spots, first: Longs) -> _Starts:
    """Where circuits begin; ``first`` as in `write_pieces`, changed to the smallest edges of circuits."""
    lists = circles.sublists
    least_in = _smallest(of_sublists.circuit, lists.least, first)
    inside = np.flatnonzero(first >= 0)
    least_in = least_in[inside]
    least_at = lists.least_at[least_in]
    spots = _spots(circles, circuits, least_in, least_at)
    place = np.diff(circuits.offsets) - 1
    place[inside] = spots.place
    left = np.minimum(spots.left, lists.lengths[least_in] - least_at) - 1
    return _Starts(place, inside, first[inside], left)


@kernel
def _run_from_cuts(
    predecessor, cuts, left, piece_of, after, lengths, circuit, place, first, circuit_lengths, start_of, begin, end,
    edges, at, run_lengths,
):  # fmt: skip
    """Runs that begin where pieces do, after cuts begin..end.

    Parameters
    ----------
    predecessor : in, uint32 or uint64 (n_edges,)
    cuts, left, piece_of, after, lengths, circuit, place : in, as in `Pieces` and `Circuits`
    first, circuit_lengths, start_of : in, int64 (n_circuits,); where each is in the output, and where on it it begins
    edges, at, run_lengths : out, as in `Runs`, (n_cuts,)
    """
    for cut in range(begin, end):
        piece = after[piece_of[cut]]
        on = circuit[piece]
        to = start_of[on] - place[piece]
        if to < 0:
            to += circuit_lengths[on]
        edges[cut] = predecessor[cuts[cut]]
        at[cut] = first[on] + to
        run_lengths[cut] = min(left[cut], lengths[piece], to + 1)


@kernel
def _next_run(lengths, run, stop):
    """The first of runs run..stop that is one."""
    while run < stop and lengths[run] == 0:
        run += 1
    return run


@kernel
def _write(predecessor, edges, at, lengths, start, stop, steps):
    """Write runs start..stop; several take turns.

    Parameters
    ----------
    predecessor : in, uint32 or uint64 (n_edges,)
    edges, at, lengths : in, as in `Runs`
    steps : out, uint32 or uint64 (n_edges,)
    """
    lane_edge = np.empty(LANES, np.uint64)
    lane_to = np.empty(LANES, np.uint64)
    lane_end = np.empty(LANES, np.uint64)
    waiting = _next_run(lengths, start, stop)
    active = 0
    while active < LANES and waiting < stop:
        lane_edge[active] = edges[waiting]
        lane_to[active] = at[waiting]
        lane_end[active] = at[waiting] - lengths[waiting] + 1
        active += 1
        waiting = _next_run(lengths, waiting + 1, stop)
    while active > 0:
        lane = 0
        while lane < active:
            edge = lane_edge[lane]
            to = lane_to[lane]
            steps[to] = edge
            if to > lane_end[lane]:
                lane_edge[lane] = predecessor[edge]
                lane_to[lane] = to - np.uint64(1)
                lane += 1
            elif waiting < stop:
                lane_edge[lane] = edges[waiting]
                lane_to[lane] = at[waiting]
                lane_end[lane] = at[waiting] - lengths[waiting] + 1
                waiting = _next_run(lengths, waiting + 1, stop)
                lane += 1
            else:
                active -= 1
                lane_edge[lane] = lane_edge[active]
                lane_to[lane] = lane_to[active]
                lane_end[lane] = lane_end[active]


def _runs(predecessor: Array, circles: Circles, circuits: Circuits, first: Longs) -> tuple[Longs, Runs]:
    """Offsets of the circuits in the output, and the runs to be written; ``first`` as in `write_pieces`."""
    lists, pieces, n_circuits = circles.sublists, circuits.pieces, len(first)
    circuit_lengths = np.diff(circuits.offsets)
    of_sublists = _spots(circles, circuits, slice(None), 0)
    starts = _starts(circles, circuits, of_sublists, first)
    _, order = sort_pairs(first, np.arange(n_circuits, dtype=edge_dtype(n_circuits)))
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(circuit_lengths[order])))
    begins = np.empty(n_circuits, np.int64)
    begins[order] = offsets[:-1]

    n_lists, n_cuts = len(lists.first), len(pieces.cuts)
    runs = Runs(*(np.empty(n_lists + n_cuts + len(starts.inside), np.int64) for _ in range(3)))
    to = starts.place[of_sublists.circuit] - of_sublists.place  # how far from the begin of its circuit an edge comes
    to = np.where(to < 0, to + circuit_lengths[of_sublists.circuit], to)
    runs.edges[:n_lists] = lists.first
    runs.at[:n_lists] = begins[of_sublists.circuit] + to
    runs.lengths[:n_lists] = np.minimum(np.minimum(lists.lengths, of_sublists.left), to + 1)

    at_cuts = slice(n_lists, n_lists + n_cuts)
    placed = (pieces.piece_of, pieces.after, pieces.lengths, circuits.circuit, circuits.place)
    on_circuits = (begins, circuit_lengths, starts.place)
    out = (runs.edges[at_cuts], runs.at[at_cuts], runs.lengths[at_cuts])
    over_ranges(
        n_cuts,
        lambda start, stop: _run_from_cuts(
            predecessor, pieces.cuts, pieces.left, *placed, *on_circuits, start, stop, *out
        ),
    )
    runs.edges[at_cuts.stop :] = predecessor[starts.edges]
    runs.at[at_cuts.stop :] = begins[starts.inside] + circuit_lengths[starts.inside] - 1
    runs.lengths[at_cuts.stop :] = starts.left
    return offsets, runs


def write_pieces(predecessor: Array, circles: Circles, circuits: Circuits, first: Longs) -> tuple[Array, Array]:
    """Offsets and edges of circuits.

    Parameters
    ----------
    predecessor : ndarray, dtype=uint32 or uint64, shape=(n_edges,)
    circles : Circles
    circuits : Circuits
    first : ndarray, dtype=int64, shape=(n_circuits,)
        They come in the order of these. One that is negative stands for a circuit of one piece that begins where this
        ends; n_edges for one that begins with its smallest edge, which comes in its place.
    """
    steps = np.empty(len(predecessor), predecessor.dtype)
    offsets, runs = _runs(predecessor, circles, circuits, first)
    over_ranges(
        len(runs.at),
        lambda start, stop: _write(predecessor, runs.edges, runs.at, runs.lengths, start, stop, steps),
        pieces_per_thread=16,
    )
    return offsets, steps


def write_circuits(predecessor: Array, circles: Circles, joins: Joins) -> tuple[Array, Array]:
    """See `CircuitBackend.write_circuits`."""
    n_edges = len(predecessor)
    if not n_edges:
        return np.zeros(1, np.int64), np.empty(0, predecessor.dtype)
    circuits = cut_circles(circles, joins)
    return write_pieces(predecessor, circles, circuits, np.full(len(circuits.offsets) - 1, n_edges))
