"""Euler circuits written from the pieces of circles."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cuda.circles import Circles, Sublists
from debruijn_gpu.backends.cuda.compiled import splitter
from debruijn_gpu.backends.cuda.csr import out_degrees
from debruijn_gpu.backends.cuda.cutting import Pieces, cut_circles
from debruijn_gpu.backends.cuda.filling import counted, filled, scattered
from debruijn_gpu.backends.cuda.joining import Joins
from debruijn_gpu.backends.cuda.keys import gather
from debruijn_gpu.backends.cuda.memory import guarded
from debruijn_gpu.backends.cuda.order import sort_pairs
from debruijn_gpu.backends.cuda.runtime import cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.cuda.scans import exclusive_scan

_NO_EDGE = np.int64(0x7FFFFFFFFFFFFFFF)


@device_function
def _piece_at(place, circle, ends, starts):
    """The piece that covers a place (counted through all circles): the first that does not end before it, or the first
    of the circle."""
    low = starts[circle]
    high = starts[circle + 1]
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] < place:
            low = middle + 1
        else:
            high = middle
    return low if low < starts[circle + 1] else starts[circle]


@device_function
def _left_of_piece(place, piece, circle, ends, offsets):
    """Edges from a place to the end of its piece, both included."""
    left = ends[piece] - place + 1
    return left if left > 0 else left + offsets[circle + 1] - offsets[circle]


@device_function
def _length_of_piece(piece, circle, ends, starts, offsets):
    if piece == starts[circle]:
        return ends[piece] - ends[starts[circle + 1] - 1] + offsets[circle + 1] - offsets[circle]
    return ends[piece] - ends[piece - 1]


@device_function
def _place_on_circuit(place, piece, circle, ends, starts, offsets, piece_place):
    """Where on its circuit, in the direction of predecessors, the edge at a place of a circle is."""
    length = _length_of_piece(piece, circle, ends, starts, offsets)
    return piece_place[piece] + length - _left_of_piece(place, piece, circle, ends, offsets)


@kernel
def _find_least(least, circle, starts, circuit, least_of):
    """The smallest edge of each circuit. One thread a sublist.

    Parameters
    ----------
    least : in, uint32 or uint64 (n_sublists,); see `Sublists`
    circle : in, uint32 (n_sublists,)
    starts : in, int64 (n_circles + 1,)
    circuit : in, uint32 (n_pieces,)
    least_of : in and out, int64 (n_circuits,)
    """
    for sublist in range(cuda.grid(1), least.size, cuda.gridsize(1)):
        number = circuit[starts[circle[sublist]]]
        edge = np.int64(least[sublist])
        if edge < least_of[number]:
            cuda.atomic.min(least_of, number, edge)


@kernel
def _find_starts(least, least_at, circle, place, ends, starts, offsets, circuit, piece_place, least_of, start_of):
    """Where the smallest edge of each circuit is on it. One thread a sublist.

    Parameters
    ----------
    least_at, place : in, int64 (n_sublists,)
    ends, starts, circuit, piece_place : in, as in `Pieces`
    offsets : in, int64 (n_circles + 1,)
    least_of : in, int64 (n_circuits,)
    start_of : out, int64 (n_circuits,)
    """
    for sublist in range(cuda.grid(1), least.size, cuda.gridsize(1)):
        number = circle[sublist]
        on = circuit[starts[number]]
        if np.int64(least[sublist]) == least_of[on]:
            at = place[sublist] + least_at[sublist]
            length = offsets[number + 1] - offsets[number]
            at = offsets[number] + (at - length if at >= length else at)
            piece = _piece_at(at, number, ends, starts)
            start_of[on] = _place_on_circuit(at, piece, number, ends, starts, offsets, piece_place)


@kernel
def _write(
    predecessor, shift, n_blocks, leaders, lengths, circle, place, offsets,
    ends, starts, circuit, piece_place, circuit_starts, circuit_lengths, start_of, steps,
):  # fmt: skip
    """Write circuits, each sublist from its end to its start. A thread takes another sublist when it is done with one.

    Parameters
    ----------
    predecessor : in, uint32 or uint64 (n_edges,)
    shift, n_blocks, leaders, lengths : in, as in `Sublists`
    circle, place, offsets : in, as in `Circles`
    ends, starts, circuit, piece_place : in, as in `Pieces`
    circuit_starts, circuit_lengths : in, int64 (n_circuits,); in ``steps``
    start_of : in, int64 (n_circuits,); place of the edge that each begins with
    steps : out, uint32 or uint64 (n_edges,)
    """
    n = np.uint64(predecessor.size)
    n_sublists = circle.size
    stride = cuda.gridsize(1)
    sublist = cuda.grid(1)
    left = np.int64(0)
    left_of_piece = np.int64(0)
    piece = np.int64(0)
    number = np.int64(0)
    at = np.int64(0)
    first = np.int64(0)
    length = np.int64(0)
    edge = np.uint64(0)
    while True:
        if left == 0:
            if sublist >= n_sublists:
                break
            edge = (
                splitter(np.uint64(sublist), shift, n) if sublist < n_blocks else np.uint64(leaders[sublist - n_blocks])
            )
            left = lengths[sublist]
            number = np.int64(circle[sublist])
            where = offsets[number] + place[sublist]
            piece = _piece_at(where, number, ends, starts)
            left_of_piece = _left_of_piece(where, piece, number, ends, offsets)
            on = circuit[piece]
            first = circuit_starts[on]
            length = circuit_lengths[on]
            at = start_of[on] - _place_on_circuit(where, piece, number, ends, starts, offsets, piece_place)
            if at < 0:
                at += length
            sublist += stride
        steps[first + at] = edge
        edge = np.uint64(predecessor[edge])
        left -= 1
        left_of_piece -= 1
        at = at - 1 if at > 0 else length - 1
        if left_of_piece == 0 and left > 0:
            piece = piece + 1 if piece + 1 < starts[number + 1] else starts[number]
            left_of_piece = _length_of_piece(piece, number, ends, starts, offsets)
            on = circuit[piece]
            at = start_of[on] - piece_place[piece]
            if at < 0:
                at += length


def _ordered_circuits(lists: Sublists, circles: Circles, pieces: Pieces) -> tuple[Array, Array, Array]:
    """Offsets of the circuits in the output, and for each where its steps and where on it it begins."""
    n_circuits = pieces.circuit_offsets.size - 1
    least_of, start_of = filled(n_circuits, _NO_EDGE), xp.empty(n_circuits, np.int64)
    launch(_find_least, len(lists), lists.least, circles.circle, pieces.starts, pieces.circuit, least_of)
    placed = (pieces.ends, pieces.starts, circles.offsets, pieces.circuit, pieces.place, least_of, start_of)
    launch(_find_starts, len(lists), lists.least, lists.least_at, circles.circle, circles.place, *placed)
    if n_circuits == 1:
        return pieces.circuit_offsets, pieces.circuit_offsets[:1], start_of
    _, order = sort_pairs(least_of, counted(n_circuits, np.uint32))
    offsets = exclusive_scan(gather(out_degrees(pieces.circuit_offsets), order))
    return offsets, scattered(order, offsets[:-1]), start_of


@guarded
def write_circuits(predecessor: Array, circles: Circles, joins: Joins) -> tuple[Array, Array]:
    """See `CircuitBackend.write_circuits`."""
    steps = xp.empty(predecessor.size, predecessor.dtype)
    if not predecessor.size:
        return xp.zeros(1, np.int64), steps
    lists = circles.sublists
    pieces = cut_circles(predecessor, circles, joins)
    offsets, circuit_starts, start_of = _ordered_circuits(lists, circles, pieces)
    circuit_lengths = out_degrees(pieces.circuit_offsets)
    launch(
        _write, len(lists), predecessor, lists.shift, np.int64(lists.n_blocks), lists.leaders, lists.lengths,
        circles.circle, circles.place, circles.offsets, pieces.ends, pieces.starts, pieces.circuit, pieces.place,
        circuit_starts, circuit_lengths, start_of, steps,
    )  # fmt: skip
    return offsets, steps
