"""Splice cycles: by the first edges, and then by those of cycles that are not yet part of the largest tree.

These are nearly always few: their edges are listed, with their cycles. Where they are many, the cycles of all edges are
noted.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import gather
from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.joints import grow_by_joints
from debruijn_gpu.backends.circuits.cuda.noted import Noted, cycle_of
from debruijn_gpu.backends.circuits.cuda.ordering import ordered
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.circuits.cuda.splices import Forest, PairedTails, Splices, Tails, grow_by_first
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import filled
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, to_host, xp
from debruijn_gpu.backends.core.cuda.scalars import splitter
from debruijn_gpu.run.tuning import tuning

_MOST, _LARGEST, _MEMBER, _N_REST, _N_LISTED = range(5)  # what kernels find; see `_Rest`


@kernel
def _sum_lengths(offsets, group, totals, found):
    """Edges of each tree, and of the largest. One thread per cycle.

    Parameters
    ----------
    offsets : in, int64 (n_cycles + 1,)
    group : in, uint32 (n_cycles,)
    totals : in and out, int64 (n_cycles,); 0 on entry
    found : in and out, int64 (5,); see `_Rest`
    """
    for cycle in range(cuda.grid(1), group.size, cuda.gridsize(1)):
        length = offsets[cycle + 1] - offsets[cycle]
        before = cuda.atomic.add(totals, group[cycle], length)
        cuda.atomic.max(found, _MOST, before + length)


@kernel
def _find_largest(totals, found):
    """Find the first tree of the most edges. One thread per tree.

    Parameters
    ----------
    totals : in, int64 (n_cycles,)
    found : in and out, int64 (5,); see `_Rest`
    """
    for tree in range(cuda.grid(1), totals.size, cuda.gridsize(1)):
        if totals[tree] == found[_MOST]:
            cuda.atomic.max(found, _LARGEST, totals.size - tree)


@device_function
def _largest(group, found):
    """The largest tree."""
    return group.size - found[_LARGEST]


@kernel
def _note(predecessor, n_edges, n_vertices, degree, shift, n_blocks, leaders, cycle, group, found, noted):
    """Note the cycles of edges that are not in the largest tree, or not on cycles with splitters. One thread per
    sublist.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    shift, n_blocks, leaders : in, as in `Sublists`
    cycle : in, uint32 (n_sublists,)
    group : in, uint32 (n_cycles,)
    found : in, int64 (5,); see `_Rest`
    noted : out, uint32 (n_edges,)
    """
    n = n_edges
    largest = _largest(group, found)
    for sublist in range(cuda.grid(1), cycle.size, cuda.gridsize(1)):
        if sublist >= n_blocks:
            first = np.uint64(leaders[sublist - n_blocks])
        elif group[cycle[sublist]] == largest:
            continue
        else:
            first = splitter(np.uint64(sublist), shift, n)
        edge = first
        while True:
            noted[edge] = cycle[sublist]
            edge = edge_before(edge, predecessor, n_vertices, degree)
            if edge == first or edge == splitter(edge >> shift, shift, n):
                break


@kernel
def _count_rest(lengths, n_blocks, cycle, group, found):
    """Count the edges that `_list_rest` lists, and find a cycle with splitters of the largest tree. One thread per
    sublist.

    Parameters
    ----------
    lengths : in, int64 (n_sublists,)
    n_blocks, cycle, group : in, as in `_note`
    found : in and out, int64 (5,); see `_Rest`
    """
    largest = _largest(group, found)
    for sublist in range(cuda.grid(1), cycle.size, cuda.gridsize(1)):
        if sublist >= n_blocks or group[cycle[sublist]] != largest:
            cuda.atomic.add(found, _N_REST, lengths[sublist])
        elif found[_MEMBER] == 0:
            found[_MEMBER] = 1 + np.int64(cycle[sublist])


@kernel
def _list_rest(
    predecessor,
    n_edges,
    n_vertices,
    degree,
    shift,
    n_blocks,
    leaders,
    lengths,
    cycle,
    group,
    found,
    edges,
    cycles,
):
    """List edges that are not in the largest tree, or not on cycles with splitters. One thread per sublist.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    shift, n_blocks, leaders, lengths : in, as in `Sublists`
    cycle, group : in, as in `_note`
    found : in and out, int64 (5,); see `_Rest`
    edges : out, int64 (n_rest,); in no order
    cycles : out, uint32 (n_rest,)
    """
    largest = _largest(group, found)
    for sublist in range(cuda.grid(1), cycle.size, cuda.gridsize(1)):
        if sublist < n_blocks and group[cycle[sublist]] == largest:
            continue
        edge = splitter(np.uint64(sublist), shift, n_edges)
        if sublist >= n_blocks:
            edge = np.uint64(leaders[sublist - n_blocks])
        at = cuda.atomic.add(found, _N_LISTED, lengths[sublist])
        for i in range(at, at + lengths[sublist]):
            edges[i] = edge
            cycles[i] = cycle[sublist]
            edge = edge_before(edge, predecessor, n_vertices, degree)


@kernel
def _list_candidates(edges, n_edges, candidates):
    """List the edges that may connect listed cycles with others: they and those after them. One thread per candidate.

    Parameters
    ----------
    edges : in, int64 (n,)
    n_edges : uint64
    candidates : out, int64 (2 * n,); -1 for none
    """
    for i in range(cuda.grid(1), candidates.size, cuda.gridsize(1)):
        edge = np.uint64(edges[i >> 1]) + np.uint64(i & 1)
        candidates[i] = np.int64(edge) if edge > np.uint64(0) and edge < n_edges else np.int64(-1)


@kernel
def _choose_candidates(candidates, begin_row, first_cycles, edges, edge_cycles, other, group, best):
    """Find the smallest candidate at which each tree can be merged with another. One thread per candidate.

    Parameters
    ----------
    candidates : in, int64 (n,); -1 for none
    begin_row : in, uint32 (n,); 1 where the edge before leaves another vertex
    first_cycles, edges, edge_cycles, other : in, as in `cycle_of`
    group : in, uint32 (n_cycles,)
    best : in and out, int64 (n_cycles,)
    """
    for i in range(cuda.grid(1), candidates.size, cuda.gridsize(1)):
        edge = candidates[i]
        if edge < 0 or begin_row[i]:
            continue
        a = group[cycle_of(np.uint64(edge - 1), first_cycles, edges, edge_cycles, other)]
        b = group[cycle_of(np.uint64(edge), first_cycles, edges, edge_cycles, other)]
        if a != b:
            cuda.atomic.min(best, a, edge)
            cuda.atomic.min(best, b, edge)


class _Rest:
    """Cycles that are not part of the largest tree, and cycles without splitters.

    Kernels pass on what they find in an array: edges of the largest tree, how far behind it trees end, a cycle with
    splitters in it and 1 (0: none), edges that are not in it, and how many of these are listed.

    Parameters
    ----------
    pairing : Pairing
    cycles : Cycles
    group : array, dtype=uint32, shape=(n_cycles,)
        See `Splices`.
    """

    def __init__(self, pairing: Pairing, cycles: Cycles, group: Array) -> None:
        lists, totals, found = cycles.sublists, xp.zeros(group.size, np.int64), xp.zeros(5, np.int64)
        launch(_sum_lengths, group.size, cycles.offsets, group, totals, found)
        launch(_find_largest, group.size, totals, found)
        self._pairing = pairing
        self._cycles = cycles
        self._choice = (cycles.cycle, group, found)
        launch(_count_rest, len(lists), lists.lengths, np.int64(lists.n_blocks), *self._choice)
        _, behind, member, self.n_edges, _ = to_host(found).tolist()
        self._member = member - 1 if member else group.size - behind

    def listed(self) -> Noted:
        """Note the cycles of the first edges, and list the others."""
        lists, n = self._cycles.sublists, self.n_edges
        edges, cycles = xp.empty(n, np.int64), xp.empty(n, np.uint32)
        of_lists = (lists.shift, np.int64(lists.n_blocks), lists.leaders, lists.lengths)
        launch(_list_rest, len(lists), *self._pairing.arguments, *of_lists, *self._choice, edges, cycles)
        ascending, order, _ = ordered(edges, self._pairing.size, n)
        return Noted(self._cycles.noted, ascending, gather(cycles, order), self._member)

    def all_noted(self) -> Noted:
        """Note the cycles of all edges, with one cycle for all those with splitters in the largest tree."""
        lists, noted = self._cycles.sublists, filled(self._pairing.size, np.uint32(self._member))
        arrays = (lists.shift, np.int64(lists.n_blocks), lists.leaders, *self._choice, noted)
        launch(_note, len(lists), *self._pairing.arguments, *arrays)
        return Noted.of_first(noted)


def _grow_by_listed(forest: Forest, noted: Noted, n_edges: int, tails: Tails) -> None:
    """Merge trees by edges that are listed, and those after them."""
    candidates = xp.empty(2 * noted.edges.size, np.int64)
    launch(_list_candidates, candidates.size, noted.edges, np.uint64(n_edges), candidates)
    begin_row = tails.begin_rows(candidates)

    def choose(group: Array, best: Array) -> None:
        launch(_choose_candidates, candidates.size, candidates, begin_row, *noted.arguments, group, best)

    forest.grow(choose, noted, n_later=3)


@guarded
def splice_cycles(col: Array, pairing: Pairing, cycles: Cycles) -> Splices:
    """See `CircuitOperations.splice_cycles`."""
    return spliced(pairing, cycles, PairedTails(col, pairing))


def spliced(pairing: Pairing, cycles: Cycles, tails: Tails) -> Splices:
    """Compute where to splice cycles; ``tails`` tells which edges leave the same vertex."""
    is_listed = cycles.n_cycles >= max(2, tuning().listed_cycles)
    forest, noted = Forest(cycles.n_cycles, not is_listed), Noted.of_first(cycles.noted)
    if not forest.is_tree:
        arrays = tails.of_first(noted.first.size)
        if not is_listed or not grow_by_joints(forest, noted, arrays):
            grow_by_first(forest, noted, arrays)
    if not forest.is_tree and noted.first.size < pairing.size:
        rest = _Rest(pairing, cycles, forest.group)
        if rest.n_edges <= tuning().listed_edges:
            noted = rest.listed()
            _grow_by_listed(forest, noted, pairing.size, tails)
        else:
            noted = rest.all_noted()
            grow_by_first(forest, noted, tails.of_first(noted.first.size))
    return forest.splices(noted)
