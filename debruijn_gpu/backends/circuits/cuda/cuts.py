"""Where cycles are cut: the places of edges that end a segment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.noted import Noted, cycle_of
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel_of, launch_waiting, xp
from debruijn_gpu.backends.core.cuda.scalars import splitter
from debruijn_gpu.backends.core.cuda.waiting import wait_for_grid

_NOWHERE = np.int64(0x7FFFFFFFFFFFFFFF)


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
    cycle : array, dtype=uint32, shape=(n_cuts,)
        The cycle that it is on.
    """

    edges: Array
    ends: Array
    left: Array
    cycle: Array


@device_function
def _run_start(splices, i):
    """The first splice of the run of splices at consecutive edges to which splice i belongs."""
    low = np.int64(0)
    high = np.int64(i)
    while low < high:
        middle = (low + high) >> 1
        if splices[middle] - middle < splices[i] - i:
            low = middle + 1
        else:
            high = middle
    return low


@device_function
def _list_cuts(splices, edges, exchanged):
    """List the edges that end a segment. One thread per splice.

    Parameters
    ----------
    splices : int64 (n_splices,), ascending
    edges : out, int64 (2 * n_splices,); two for each splice; the first may be none: -1
    exchanged : out, int64 (2 * n_splices,); the cut whose predecessor each one gets
    """
    n = splices.size
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        begins = i == 0 or splices[i - 1] + 1 != splices[i]
        edges[2 * i] = splices[i] - 1 if begins else -1
        exchanged[2 * i] = 2 * i + 1
        edges[2 * i + 1] = splices[i]
        is_last = i + 1 == n or splices[i + 1] != splices[i] + 1
        exchanged[2 * i + 1] = 2 * _run_start(splices, i) if is_last else 2 * i + 3


@device_function
def _list_leaders(n_blocks, cycle, sublist_of):
    """The sublist that is the whole of a cycle without splitters. One thread per cycle.

    Parameters
    ----------
    n_blocks : int64; see `Sublists`
    cycle : uint32 (n_sublists,)
    sublist_of : out, int64 (n_cycles,); 1 more than the sublist; left alone for other cycles
    """
    for sublist in range(n_blocks + cuda.grid(1), cycle.size, cuda.gridsize(1)):
        sublist_of[cycle[sublist]] = sublist + 1


@device_function
def _walk_to_start(edge, whole, pairing, shift, n_blocks, leaders):
    """Walk from an edge (uint64) to the start of a sublist; return that, and how many edges are before the start.

    Parameters
    ----------
    edge : uint64
    whole : int64; 1 more than the sublist that is the whole of the edge's cycle; 0: the cycle has splitters
    pairing : tuple; as `edge_before` takes it, with the number of edges
    shift, n_blocks, leaders : as in `Sublists`
    """
    predecessor, n_edges, n_vertices, degree = pairing
    walked = np.int64(0)
    if whole:
        leader = np.uint64(leaders[whole - 1 - n_blocks])
        while edge != leader:
            edge = edge_before(edge, predecessor, n_vertices, degree)
            walked += 1
        return whole - 1, walked
    while edge != splitter(edge >> shift, shift, n_edges):
        edge = edge_before(edge, predecessor, n_vertices, degree)
        walked += 1
    return np.int64(edge >> shift), walked


@device_function
def _locate(edges, pairing, noted, blocks, lengths, cycles, marks, ends, left, on_cycle):
    """Compute the place of each cut edge on its cycle: as far before the start of a sublist as it takes to get there.
    One thread per cut.

    Parameters
    ----------
    edges : int64 (n,); see `Cuts`
    pairing, noted : tuples; as `edge_before` takes it, with the number of edges, and as `cycle_of` takes it
    blocks, lengths : (shift, n_blocks, leaders) and lengths, as in `Sublists`
    cycles : cycle, place and offsets, as in `Cycles`
    marks : sublist_of (see `_list_leaders`), is_cut (int64 (n_cycles,)) and n_segments (int64 (1,))
    ends, left, on_cycle : out, as in `Cuts`; ends are beyond all where there is no cut
    """
    first_cycles, noted_edges, edge_cycles, other = noted
    cycle, place, offsets = cycles
    sublist_of, is_cut, n_segments = marks
    for i in range(cuda.grid(1), edges.size, cuda.gridsize(1)):
        if edges[i] < 0:
            ends[i] = _NOWHERE
            continue
        cuda.atomic.add(n_segments, 0, 1)
        edge = np.uint64(edges[i])
        whole = sublist_of[cycle_of(edge, first_cycles, noted_edges, edge_cycles, other)]
        sublist, steps = _walk_to_start(edge, whole, pairing, blocks[0], blocks[1], blocks[2])
        number = cycle[sublist]
        at = place[sublist] - steps
        if at < 0:
            at += offsets[number + 1] - offsets[number]
        ends[i] = offsets[number] + at
        left[i] = steps - 1 if steps > 0 else lengths[sublist] - 1
        on_cycle[i] = number
        is_cut[number] = 1


@device_function
def _end_whole_cycles(is_cut, offsets, ends, n_segments):
    """A cycle that is not cut is a segment that ends with it. One thread per cycle.

    Parameters
    ----------
    is_cut : int64 (n_cycles,)
    offsets : int64 (n_cycles + 1,)
    ends : out, int64 (n_cycles,); beyond all for others
    n_segments : in and out, int64 (1,)
    """
    for cycle in range(cuda.grid(1), is_cut.size, cuda.gridsize(1)):
        if is_cut[cycle]:
            ends[cycle] = _NOWHERE
        else:
            ends[cycle] = offsets[cycle + 1] - 1
            cuda.atomic.add(n_segments, 0, 1)


@kernel_of(max_registers=40)
def _cut(
    splices,
    edges,
    exchanged,
    predecessor,
    n_edges,
    n_vertices,
    degree,
    first_cycles,
    noted_edges,
    edge_cycles,
    other,
    shift,
    n_blocks,
    leaders,
    lengths,
    cycle,
    place,
    offsets,
    ends,
    left,
    on_cycle,
    marks,
):
    """List the edges that end a segment, and compute where they are on their cycles. Blocks wait for each other.

    Parameters
    ----------
    splices : in, as in `_list_cuts`
    edges, exchanged : out, as in `_list_cuts`; edges are in where there are no splices
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    first_cycles, noted_edges, edge_cycles, other : in, as in `cycle_of`
    shift, n_blocks, leaders, lengths : in, as in `Sublists`
    cycle, place, offsets : in, as in `Cycles`
    ends : out, int64 (n_cuts + n_cycles,); those of `Cuts`, and of cycles that are not cut; beyond all for others
    left, on_cycle : out, as in `Cuts`
    marks : in and out, int64 (2 + 2 * n_cycles,); 0 on entry; number of segments, how many blocks have arrived; for
        each cycle what `_list_leaders` writes; for each cycle whether it is cut
    """
    n_segments, arrived, of_cycles = marks[:1], marks[1:2], marks[2:]
    sublist_of, is_cut = of_cycles[: offsets.size - 1], of_cycles[offsets.size - 1 :]
    pairing = predecessor, n_edges, n_vertices, degree
    noted = first_cycles, noted_edges, edge_cycles, other
    blocks, cycles, noting = (shift, n_blocks, leaders), (cycle, place, offsets), (sublist_of, is_cut, n_segments)
    _list_cuts(splices, edges, exchanged)
    _list_leaders(n_blocks, cycle, sublist_of)
    wait_for_grid(arrived, np.int64(1))
    _locate(edges, pairing, noted, blocks, lengths, cycles, noting, ends[: edges.size], left, on_cycle)
    wait_for_grid(arrived, np.int64(2))
    _end_whole_cycles(is_cut, offsets, ends[edges.size :], n_segments)


def locate_cuts(
    pairing: Pairing, cycles: Cycles, noted: Noted, splices: Array, edges: Array
) -> tuple[Cuts, Array, Array, Array]:
    """Cut cycles at splices, or at edges where there are none.

    Parameters
    ----------
    pairing : Pairing
    cycles : Cycles
    noted : Noted
    splices : array, dtype=int64, shape=(n_splices,)
        Ascending.
    edges : array, dtype=int64
        Where there are splices, room for two of each.

    Returns
    -------
    cuts : Cuts
    exchanged : array, dtype=int64, shape=(2 * n_splices,)
        The cut whose predecessor each one gets.
    ends : array, dtype=int64, shape=(n_cuts + n_cycles,)
        Those of cuts, and of cycles that are not cut; beyond all for others.
    n_segments : array, dtype=int64
        The first is how many there are.
    """
    lists, n_cycles, n = cycles.sublists, cycles.n_cycles, edges.size
    exchanged, ends = xp.empty(2 * splices.size, np.int64), xp.empty(n + n_cycles, np.int64)
    left, on_cycle, marks = xp.empty(n, np.int64), xp.empty(n, np.uint32), xp.zeros(2 + 2 * n_cycles, np.int64)
    sublists = (lists.shift, np.int64(lists.n_blocks), lists.leaders, lists.lengths)
    found = (cycles.cycle, cycles.place, cycles.offsets, ends, left, on_cycle, marks)
    most = max(n, n_cycles, lists.leaders.size)
    launch_waiting(_cut, most, splices, edges, exchanged, *pairing.arguments, *noted.arguments, *sublists, *found)
    return Cuts(edges, ends[:n], left, on_cycle), exchanged, ends, marks
