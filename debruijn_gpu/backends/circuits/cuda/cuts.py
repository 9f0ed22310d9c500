"""Where cycles are cut: the places of edges that end a segment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.noted import Noted, cycle_of
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import filled
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import splitter

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


@kernel
def _list_leaders(n_blocks, cycle, sublist_of):
    """The sublist that is the whole of a cycle without splitters. One thread per cycle.

    Parameters
    ----------
    n_blocks : int64; see `Sublists`
    cycle : in, uint32 (n_sublists,)
    sublist_of : out, int64 (n_cycles,); left alone for other cycles
    """
    for sublist in range(n_blocks + cuda.grid(1), cycle.size, cuda.gridsize(1)):
        sublist_of[cycle[sublist]] = sublist


@kernel
def _find_sublists(
    edges,
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
    sublist_of,
    sublists,
    steps,
    n_cuts,
):
    """Walk from each cut edge to the start of a sublist. One thread per cut.

    Parameters
    ----------
    edges : in, int64 (n,); see `Cuts`
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    first_cycles, noted_edges, edge_cycles, other : in, as in `cycle_of`
    shift, n_blocks, leaders : in, as in `Sublists`
    sublist_of : in, int64 (n_cycles,); the sublist that is the whole of a cycle without splitters, else -1
    sublists : out, int64 (n,); the sublist that starts there, -1 where there is no cut
    steps : out, int64 (n,); edges before the start
    n_cuts : in and out, int64 (1,)
    """
    n = n_edges
    for i in range(cuda.grid(1), edges.size, cuda.gridsize(1)):
        if edges[i] < 0:
            sublists[i] = -1
            continue
        cuda.atomic.add(n_cuts, 0, 1)
        edge = np.uint64(edges[i])
        walked = np.int64(0)
        sublist = sublist_of[cycle_of(edge, first_cycles, noted_edges, edge_cycles, other)]
        if sublist >= 0:
            leader = np.uint64(leaders[sublist - n_blocks])
            while edge != leader:
                edge = edge_before(edge, predecessor, n_vertices, degree)
                walked += 1
        else:
            while edge != splitter(edge >> shift, shift, n):
                edge = edge_before(edge, predecessor, n_vertices, degree)
                walked += 1
            sublist = np.int64(edge >> shift)
        sublists[i] = sublist
        steps[i] = walked


@kernel
def _locate(lengths, cycle, place, offsets, ends, left, on_cycle, is_cut):
    """Compute the place of each cut edge on its cycle: as far before the start of a sublist as it takes to get there.
    One thread per cut.

    Parameters
    ----------
    lengths : in, as in `Sublists`
    cycle, place, offsets : in, as in `Cycles`
    ends : in and out, int64 (n,); the sublist of `_find_sublists`, then as in `Cuts`; beyond all where there is none
    left : in and out, int64 (n,); the steps of `_find_sublists`, then as in `Cuts`
    on_cycle : out, as in `Cuts`
    is_cut : in and out, uint32 (n_cycles,)
    """
    for i in range(cuda.grid(1), ends.size, cuda.gridsize(1)):
        sublist, steps = ends[i], left[i]
        if sublist < 0:
            ends[i] = _NOWHERE
            continue
        number = cycle[sublist]
        at = place[sublist] - steps
        if at < 0:
            at += offsets[number + 1] - offsets[number]
        ends[i] = offsets[number] + at
        left[i] = steps - 1 if steps > 0 else lengths[sublist] - 1
        on_cycle[i] = number
        is_cut[number] = 1


@kernel
def end_whole_cycles(is_cut, offsets, ends, n_whole):
    """A cycle that is not cut is a segment that ends with it. One thread per cycle.

    Parameters
    ----------
    is_cut : in, integer (n_cycles,)
    offsets : in, int64 (n_cycles + 1,)
    ends : out, int64 (n_cycles,); beyond all for others
    n_whole : in and out, int64 (1,)
    """
    for cycle in range(cuda.grid(1), is_cut.size, cuda.gridsize(1)):
        if is_cut[cycle]:
            ends[cycle] = _NOWHERE
        else:
            ends[cycle] = offsets[cycle + 1] - 1
            cuda.atomic.add(n_whole, 0, 1)


def locate_cuts(pairing: Pairing, cycles: Cycles, noted: Noted, edges: Array, ends: Array, n_segments: Array) -> Cuts:
    """The cuts; ``ends`` gets theirs, and then those of cycles that are not cut; ``n_segments`` counts both."""
    lists, n_cycles, n = cycles.sublists, cycles.n_cycles, edges.size
    left, on_cycle = xp.empty(n, np.int64), xp.empty(n, np.uint32)
    n_blocks, sublist_of = np.int64(lists.n_blocks), filled(n_cycles, np.int64(-1))
    launch(_list_leaders, lists.leaders.size, n_blocks, cycles.cycle, sublist_of)
    is_cut = xp.zeros(n_cycles, np.uint32)
    sublists = (lists.shift, n_blocks, lists.leaders, sublist_of)
    launch(_find_sublists, n, edges, *pairing.arguments, *noted.arguments, *sublists, ends[:n], left, n_segments)
    launch(_locate, n, lists.lengths, cycles.cycle, cycles.place, cycles.offsets, ends[:n], left, on_cycle, is_cut)
    launch(end_whole_cycles, n_cycles, is_cut, cycles.offsets, ends[n:], n_segments)
    return Cuts(edges, ends[:n], left, on_cycle)
