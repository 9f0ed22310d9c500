"""Compute where to splice cycles: minimum spanning forest by edge id (Borůvka 1926).

The forest of all edges contains that of the first ones, which is nearly always nearly all of it. So the cycles of the
first edges alone are noted and looked at; then those of edges on cycles that are not yet part of the largest tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.arrays.cuda.scans import reduce
from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import counted, filled
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import splitter

_NO_EDGE = np.int64(0x7FFFFFFFFFFFFFFF)
_FIRST = 1 << 12
_SOON_SEEN = 1 << 23  # edges


@dataclass(frozen=True)
class Splices:
    """A spanning forest of cycles.

    Attributes
    ----------
    edges : array, dtype=int64, shape=(n_splices,)
        Edges whose predecessor is exchanged with that of the edge before; in no order.
    group : array, dtype=uint32, shape=(n_cycles,)
        One cycle of each cycle's tree, the same for all in it.
    noted : array, dtype=uint32, shape=(n,)
        Cycle of each of the first n edges. (Of a cycle with splitters, it may be another one of the same tree.)
    """

    edges: Array
    group: Array
    noted: Array

    @property
    def n_splices(self) -> int:
        return int(self.edges.size)


@device_function
def _begins_row(edge, col, predecessor, degree, row_starts):
    """Whether an edge and the one before it leave different vertices.

    Bits of ``row_starts`` (uint32) mark the first edges of rows. Without them, arithmetic decides in a shift graph, and
    else the vertices to which the predecessors of the two lead: ``col`` has the heads of edges.
    """
    if row_starts.size:
        return (row_starts[edge >> np.uint64(5)] >> np.uint32(edge & np.uint64(31))) & np.uint32(1) != np.uint32(0)
    if degree != np.uint64(0):
        return edge % degree == np.uint64(0)
    return col[predecessor[edge - np.uint64(1)]] != col[predecessor[edge]]


@kernel
def _choose(noted, group, col, predecessor, degree, row_starts, best):
    """Find the smallest edge at which each tree can be merged with another. One thread per edge.

    Parameters
    ----------
    noted : in, uint32 (n,); cycle of each edge
    group : in, uint32 (n_cycles,)
    col, predecessor, degree, row_starts : in, as in `_begins_row`
    best : in and out, int64 (n_cycles,)
    """
    for edge in range(cuda.grid(1) + 1, noted.size, cuda.gridsize(1)):
        cycle_before = noted[edge - 1]
        cycle = noted[edge]
        if cycle_before == cycle:
            continue
        a = group[cycle_before]
        b = group[cycle]
        if a == b or (edge >= best[a] and edge >= best[b]):
            continue
        if not _begins_row(np.uint64(edge), col, predecessor, degree, row_starts):
            cuda.atomic.min(best, a, edge)
            cuda.atomic.min(best, b, edge)


@kernel
def _hook(noted, group, best, parent, edges, n_splices):
    """Merge trees by their best edges. One thread per cycle.

    Parameters
    ----------
    noted, group, best : in, as in `_choose`
    parent : in and out, uint32 (n_cycles,); `group` on entry
    edges : in and out, int64 (n_cycles - 1,); see `Splices`
    n_splices : in and out, int64 (1,); how many are there
    """
    for tree in range(cuda.grid(1), group.size, cuda.gridsize(1)):
        edge = best[tree]
        if group[tree] != tree or edge == _NO_EDGE:
            continue
        a = group[noted[edge - 1]]
        b = group[noted[edge]]
        other = b if a == tree else a
        if best[other] == edge and tree < other:
            continue  # both have chosen the same edge
        parent[tree] = other
        edges[cuda.atomic.add(n_splices, 0, 1)] = edge


@kernel
def _compress(parent, group, best):
    """Find the root of each cycle's tree. One thread per cycle; all shorten the paths for all.

    Parameters
    ----------
    parent : in and out, uint32 (n_cycles,)
    group : out, uint32 (n_cycles,)
    best : out, int64 (n_cycles,); for the next round
    """
    for cycle in range(cuda.grid(1), parent.size, cuda.gridsize(1)):
        node = np.int64(cycle)
        above = np.int64(parent[node])
        while above != np.int64(parent[above]):
            parent[node] = parent[above]
            node = above
            above = np.int64(parent[node])
        group[cycle] = above
        best[cycle] = _NO_EDGE


@kernel
def _sum_lengths(offsets, group, totals):
    """Edges of each tree. One thread per cycle.

    Parameters
    ----------
    offsets : in, int64 (n_cycles + 1,)
    group : in, uint32 (n_cycles,)
    totals : in and out, int64 (n_cycles,); 0 on entry
    """
    for cycle in range(cuda.grid(1), group.size, cuda.gridsize(1)):
        cuda.atomic.add(totals, group[cycle], offsets[cycle + 1] - offsets[cycle])


@kernel
def _find_value(values, wanted, first):
    """The first place of a value. One thread per value.

    Parameters
    ----------
    values : in, int64 (n,)
    wanted : int64
    first : in and out, int64 (1,); n or more on entry
    """
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        if values[i] == wanted:
            cuda.atomic.min(first, 0, i)


@kernel
def _note(predecessor, n_edges, n_vertices, degree, shift, n_blocks, leaders, cycle, group, largest, noted):
    """Note the cycles of edges that are not in the largest tree, or not on cycles with splitters. One thread per
    sublist.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    shift, n_blocks, leaders : in, as in `Sublists`
    cycle : in, uint32 (n_sublists,)
    group : in, uint32 (n_cycles,)
    largest : int64; a tree
    noted : out, uint32 (n_edges,)
    """
    n = n_edges
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
def _find_member(cycle, n_blocks, group, largest, member):
    """A cycle with splitters of the largest tree. One thread per sublist.

    Parameters
    ----------
    cycle, n_blocks, group, largest : in, as in `_note`
    member : in and out, uint32 (1,); left alone if there is none
    """
    for sublist in range(cuda.grid(1), n_blocks, cuda.gridsize(1)):
        if group[cycle[sublist]] == largest:
            member[0] = cycle[sublist]


#: Heads, pairing, and marks of the first edges of rows, as `_choose` takes them
Tails = tuple[Array, Array, np.uint64, Array]


@guarded
def splice_cycles(col: Array, pairing: Pairing, cycles: Cycles) -> Splices:
    """See `CircuitOperations.splice_cycles`."""
    tails = (col, pairing.array, np.uint64(pairing.degree), xp.empty(0, np.uint32))
    return spliced(pairing, cycles, lambda _n_edges: tails)


def spliced(pairing: Pairing, cycles: Cycles, tails_of: Callable[[int], Tails]) -> Splices:
    """Compute where to splice cycles; ``tails_of`` tells which of the first n edges leave the same vertex."""
    n_cycles = cycles.n_cycles
    group = counted(n_cycles, np.uint32)
    edges, n_splices = xp.empty(max(0, n_cycles - 1), np.int64), 0
    noted = cycles.noted
    if n_cycles > 1:
        n_splices = _splice_noted(noted, group, tails_of(noted.size), edges, n_splices)
        if n_splices < n_cycles - 1 and noted.size < pairing.size:
            noted = _note_rest(pairing, cycles, group)
            n_splices = _splice_noted(noted, group, tails_of(noted.size), edges, n_splices)
    return Splices(edges[:n_splices], group, noted)


def _splice_noted(noted: Array, group: Array, tails: Tails, edges: Array, n_splices: int) -> int:
    """Merge trees by the noted edges; return the number of splices so far."""
    n_cycles = group.size
    parent, best = group.copy(), filled(n_cycles, _NO_EDGE)
    count = filled(1, np.int64(n_splices))
    rounds_at_once = 1
    while True:
        for _ in range(rounds_at_once):
            # what the first edges allow is known before all threads want to write it at once
            launch(_choose, min(noted.size, _FIRST) - 1, noted[:_FIRST], group, *tails, best)
            launch(_choose, noted.size - 1, noted, group, *tails, best)
            launch(_hook, n_cycles, noted, group, best, parent, edges, count)
            launch(_compress, n_cycles, parent, group, best)
        n_before, n_splices = n_splices, int(count[0])
        if n_splices in (n_before, n_cycles - 1):
            return n_splices
        if noted.size <= _SOON_SEEN:
            rounds_at_once = 3  # to ask takes as long as a round


def _first_with(values: Array, wanted: int) -> int:
    first = filled(1, _NO_EDGE)
    launch(_find_value, values.size, values, np.int64(wanted), first)
    return int(first[0])


def _note_rest(pairing: Pairing, cycles: Cycles, group: Array) -> Array:
    """Cycles of all edges, with one cycle for all those with splitters in the tree that has the most edges."""
    totals = xp.zeros(group.size, np.int64)
    launch(_sum_lengths, group.size, cycles.offsets, group, totals)
    largest = _first_with(totals, int(reduce(totals, "max")))
    lists = cycles.sublists
    member = filled(1, np.uint32(largest))
    launch(_find_member, lists.n_blocks, cycles.cycle, np.int64(lists.n_blocks), group, np.int64(largest), member)
    noted = filled(pairing.size, np.uint32(int(member[0])))
    arrays = (lists.leaders, cycles.cycle, group, np.int64(largest), noted)
    launch(_note, len(lists), *pairing.arguments, lists.shift, np.int64(lists.n_blocks), *arrays)
    return noted
