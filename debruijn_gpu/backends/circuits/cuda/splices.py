"""Compute where to splice cycles: minimum spanning forest by edge id (Borůvka 1926).

The forest of all edges contains that of the first ones, which is nearly always nearly all of it. So the cycles of the
first edges alone are noted and looked at; then those of edges on cycles that are not yet part of the largest tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from debruijn_gpu.backends.circuits.cuda.noted import Noted, cycle_of
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import copied, counted, filled
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, to_host, xp

#: No edge connects a tree with another one. (Its bytes are equal: to fill an array with it takes no launch.)
NO_EDGE = np.int64(0x7F7F7F7F7F7F7F7F)
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
    noted : Noted
        Cycles of edges. (Of a cycle with splitters, it may be another one of the same tree.)
    """

    edges: Array
    group: Array
    noted: Noted

    @property
    def n_splices(self) -> int:
        return int(self.edges.size)


@device_function
def begins_row(edge, col, predecessor, degree, row_starts):
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
    col, predecessor, degree, row_starts : in, as in `begins_row`
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
        if not begins_row(np.uint64(edge), col, predecessor, degree, row_starts):
            cuda.atomic.min(best, a, edge)
            cuda.atomic.min(best, b, edge)


@device_function
def hook(tree, edge, a, b, best, parent, edges, n_splices):
    """Merge a tree with another one by its best edge, which connects the trees a and b (one of them is the tree).

    Parameters
    ----------
    tree, edge, a, b : integer
    best : int64 (n_cycles,); as in `_choose`
    parent : in and out, uint32 (n_cycles,)
    edges : out, int64 (n_cycles - 1,); see `Splices`
    n_splices : in and out, int64; the first is how many there are
    """
    other = b if a == tree else a
    if best[other] != edge or tree > other:  # else both have chosen the same edge
        parent[tree] = other
        edges[cuda.atomic.add(n_splices, 0, 1)] = edge


@device_function
def compress(cycle, parent, group, best):
    """Find the root of a cycle's tree, and shorten the path for all; see `_compress`."""
    node = np.int64(cycle)
    above = np.int64(parent[node])
    while above != np.int64(parent[above]):
        parent[node] = parent[above]
        node = above
        above = np.int64(parent[node])
    group[cycle] = above
    best[cycle] = NO_EDGE


@kernel
def _hook(first_cycles, noted_edges, edge_cycles, other_cycle, group, best, parent, edges, n_splices):
    """Merge trees by their best edges. One thread per cycle.

    Parameters
    ----------
    first_cycles, noted_edges, edge_cycles, other_cycle : in, as in `cycle_of`
    group, best : in, as in `_choose`
    parent : in and out, uint32 (n_cycles,); `group` on entry
    edges : in and out, int64 (n_cycles - 1,); see `Splices`
    n_splices : in and out, int64 (3,); the first is how many there are
    """
    for tree in range(cuda.grid(1), group.size, cuda.gridsize(1)):
        edge = best[tree]
        if group[tree] == tree and edge != NO_EDGE:
            a = group[cycle_of(np.uint64(edge - 1), first_cycles, noted_edges, edge_cycles, other_cycle)]
            b = group[cycle_of(np.uint64(edge), first_cycles, noted_edges, edge_cycles, other_cycle)]
            hook(tree, edge, a, b, best, parent, edges, n_splices)


@kernel
def _compress(parent, group, best, n_splices):
    """Find the root of each cycle's tree. One thread per cycle; all shorten the paths for all.

    The first thread notes how many splices there were before the round that ends here.

    Parameters
    ----------
    parent : in and out, uint32 (n_cycles,)
    group : out, uint32 (n_cycles,)
    best : out, int64 (n_cycles,); for the next round
    n_splices : in and out, int64 (3,); how many there are, at the end of the last round, and at that of the one before
    """
    if cuda.grid(1) == 0:
        n_splices[2] = n_splices[1]
        n_splices[1] = n_splices[0]
    for cycle in range(cuda.grid(1), parent.size, cuda.gridsize(1)):
        compress(cycle, parent, group, best)


#: Heads, pairing, and marks of the first edges of rows, as `_choose` takes them
TailArrays = tuple[Array, Array, np.uint64, Array]


class Tails(Protocol):
    """Tells which edges leave the same vertex as the edge before."""

    def of_first(self, n_edges: int) -> TailArrays:
        """Arguments of a kernel that asks for the first edges."""

    def begin_rows(self, edges: Array) -> Array:
        """Whether edges (int64; -1: none) are the first of their rows (uint32)."""


@kernel
def _mark_beginnings(edges, col, predecessor, degree, row_starts, marks):
    """Mark edges that are the first of their rows. One thread per edge.

    Parameters
    ----------
    edges : in, int64 (n,); -1 for none
    col, predecessor, degree, row_starts : in, as in `begins_row`
    marks : out, uint32 (n,)
    """
    for i in range(cuda.grid(1), edges.size, cuda.gridsize(1)):
        begins = edges[i] >= 0 and begins_row(np.uint64(edges[i]), col, predecessor, degree, row_starts)
        marks[i] = 1 if begins else 0


class PairedTails:
    """Tells it by the heads of the edges before, or by arithmetic. Parameters are those of `splice_cycles`."""

    def __init__(self, col: Array, pairing: Pairing) -> None:
        self._arrays = (col, pairing.array, np.uint64(pairing.degree), xp.empty(0, np.uint32))

    def of_first(self, n_edges: int) -> TailArrays:
        """See `Tails.of_first`."""
        return self._arrays

    def begin_rows(self, edges: Array) -> Array:
        """See `Tails.begin_rows`."""
        marks = xp.empty(edges.size, np.uint32)
        launch(_mark_beginnings, edges.size, edges, *self._arrays, marks)
        return marks


class Forest:
    """A spanning forest that grows.

    Parameters
    ----------
    n_cycles : int
    is_filled : bool
        Whether each cycle is a tree from the start; else `grow_by_joints` fills ``group``.
    """

    def __init__(self, n_cycles: int, is_filled: bool) -> None:
        self.group = counted(n_cycles, np.uint32) if is_filled else xp.empty(n_cycles, np.uint32)
        self.n_splices = 0
        self.edges = xp.empty(max(0, n_cycles - 1), np.int64)

    @property
    def is_tree(self) -> bool:
        """Whether no more cycles can be merged."""
        return self.n_splices >= int(self.group.size) - 1

    def grow(
        self,
        choose: Callable[[Array, Array], None],
        noted: Noted,
        n_rounds: int = 2,
        n_later: int = 1,
    ) -> None:
        """Merge trees by their best edges until none can be merged.

        Parameters
        ----------
        choose : callable
            Finds the best edge of each tree, of those looked at: gets ``group`` and the best edges.
        noted : Noted
        n_rounds : int
            Rounds before the host asks whether trees are left.
        n_later : int
            Rounds before it asks again, until a round has merged nothing.
        """
        n_cycles = self.group.size
        parent, best = copied(self.group), filled(n_cycles, NO_EDGE)
        count = filled(3, np.int64(self.n_splices))
        while not self.is_tree:
            for _ in range(n_rounds):
                choose(self.group, best)
                launch(_hook, n_cycles, *noted.arguments, self.group, best, parent, self.edges, count)
                launch(_compress, n_cycles, parent, self.group, best, count)
            self.n_splices, _, n_before = to_host(count).tolist()
            if self.n_splices == n_before:
                return
            n_rounds = n_later

    def splices(self, noted: Noted) -> Splices:
        """Return what has grown."""
        return Splices(self.edges[: self.n_splices], self.group, noted)


def grow_by_first(forest: Forest, noted: Noted, arrays: TailArrays) -> None:
    """Merge trees by the first edges, whose cycles are noted; ``arrays`` tell which begin rows."""
    first = noted.first

    def choose(group: Array, best: Array) -> None:
        # what the first edges allow is known before all threads want to write it at once
        launch(_choose, min(first.size, _FIRST) - 1, first[:_FIRST], group, *arrays, best)
        launch(_choose, first.size - 1, first, group, *arrays, best)

    is_cheap = first.size <= _SOON_SEEN
    forest.grow(choose, noted, 2 if is_cheap else 1, n_later=3 if is_cheap else 1)
