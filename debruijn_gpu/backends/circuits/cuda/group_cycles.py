"""Find the cycles of a pairing on several GPUs: each walks from the splitters of its blocks of edges.

The short list of sublists goes to the first GPU, which ranks it, and finds where cycles are spliced.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cycles import Cycles, n_noted, numbered
from debruijn_gpu.backends.circuits.cuda.lines import Lines
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.rows import Rows
from debruijn_gpu.backends.circuits.cuda.splice_rest import spliced
from debruijn_gpu.backends.circuits.cuda.splices import PairedTails, Splices, TailArrays
from debruijn_gpu.backends.circuits.cuda.sublists import NOT_NOTED, Walked, splitter_shift, walk_blocks
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.devices import here
from debruijn_gpu.backends.core.cuda.fill import filled
from debruijn_gpu.backends.core.cuda.group import DeviceGroup
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, synchronize, xp
from debruijn_gpu.backends.core.cuda.scalars import lower_bound


@kernel
def _merge(noted, noted_there, passed, passed_there):
    """Merge what two ranks have noted and counted. One thread per element.

    Parameters
    ----------
    noted : in and out, uint32 (n,); 2^32 - 1 for none
    noted_there : in, uint32 (n,)
    passed : in and out, uint32 (m,)
    passed_there : in, uint32 (m,)
    """
    for i in range(cuda.grid(1), max(noted.size, passed.size), cuda.gridsize(1)):
        if i < noted.size:
            noted[i] = min(noted[i], noted_there[i])
        if i < passed.size:
            passed[i] += passed_there[i]


def find_together(pairings: list[Pairing], group: DeviceGroup) -> Cycles:
    """The cycles of a pairing that each rank has."""
    n_edges = pairings[0].size
    n_blocks = -(-n_edges >> splitter_shift(n_edges))
    bounds = [n_blocks * rank // len(group) for rank in range(len(group) + 1)]

    @guarded
    def walk(rank: int) -> Walked:
        first, stop = bounds[rank : rank + 2]
        noted, lines = filled(n_noted(n_edges), NOT_NOTED), Lines.none(pairings[rank].dtype)
        return walk_blocks(pairings[rank], noted, first, stop - first, 0, lines)

    return _collected(pairings[0], group.each(walk), group)


@guarded
def _collected(pairing: Pairing, walked: list[Walked], group: DeviceGroup) -> Cycles:
    """The cycles of sublists that ranks have walked, on the first GPU."""
    room = tuple(gathered([part.room for part in walked], group))
    noted, passed = walked[0].noted, walked[0].passed
    for part in walked[1:]:
        launch(_merge, max(noted.size, passed.size), noted, here(part.noted), passed, here(part.passed))
    return numbered(pairing, Walked(noted, passed, room, Lines.none(pairing.dtype)))


def gathered(arrays: list[tuple[Array, ...]], group: DeviceGroup) -> list[Array]:
    """Arrays of each kind that all ranks have, one after another, on the first GPU."""
    n_others = len(group) - 1
    sends = [[[array, *[array[:0]] * n_others] for array in of_ranks] for of_ranks in zip(*arrays, strict=True)]
    return [received[0] for received in group.exchange_all(sends)]


@kernel
def _mark_row_starts(row_ptr, n, marks):
    """Mark the first edge of each row. One thread per row.

    Parameters
    ----------
    row_ptr : in, int64 (n_rows + 1,)
    n : int64; edges from this one on are left out
    marks : in and out, uint32 (ceil(n / 32),); bit e % 32 of word e // 32 for edge e
    """
    for row in range(cuda.grid(1), row_ptr.size - 1, cuda.gridsize(1)):
        edge = row_ptr[row]
        if edge < row_ptr[row + 1] and edge < n:
            cuda.atomic.or_(marks, edge >> 5, np.uint32(1) << np.uint32(edge & 31))


@kernel
def _find_row_starts(edges, row_ptr, marks):
    """Mark edges that are the first of their rows. One thread per edge.

    Parameters
    ----------
    edges : in, int64 (n,)
    row_ptr : in, int64 (n_rows + 1,)
    marks : in and out, uint32 (n,); 1 if the edge is
    """
    for i in range(cuda.grid(1), edges.size, cuda.gridsize(1)):
        row = lower_bound(row_ptr, edges[i], np.int64(0), np.int64(row_ptr.size))
        if row < row_ptr.size and row_ptr[row] == edges[i]:
            marks[i] = 1


class RowTails:
    """Tells which edges leave the same vertex by the rows of each rank; see `splices.Tails`."""

    def __init__(self, pairing: Pairing, rows: list[Rows], group: DeviceGroup) -> None:
        self._pairing = pairing
        self._rows = rows
        self._group = group

    def of_first(self, n_edges: int) -> TailArrays:
        """See `Tails.of_first`."""
        degree = self._pairing.degree
        marks = xp.zeros(0 if degree else -(-n_edges // 32), np.uint32)
        for part in self._rows if marks.size else ():
            if part.first_edge < n_edges:
                row_ptr = here(part.row_ptr)
                launch(_mark_row_starts, row_ptr.size - 1, row_ptr, np.int64(n_edges), marks)
        return xp.empty(0, np.uint32), self._pairing.array, np.uint64(degree), marks

    def begin_rows(self, edges: Array) -> Array:
        """See `Tails.begin_rows`: a row pointer of a rank is the edge."""
        if self._pairing.degree:
            return PairedTails(xp.empty(0, np.uint32), self._pairing).begin_rows(edges)

        @guarded
        def find(rank: int) -> Array:
            marks, row_ptr = xp.zeros(edges.size, np.uint32), self._rows[rank].row_ptr
            launch(_find_row_starts, edges.size, here(edges), row_ptr, marks)
            return marks

        synchronize()
        found = [here(marks) for marks in self._group.each(find)]
        for marks in found[1:]:
            launch(_merge_marks, marks.size, found[0], marks)
        return found[0]


@kernel
def _merge_marks(marks, others):
    """Marks of either array. One thread per mark.

    Parameters
    ----------
    marks : in and out, uint32 (n,)
    others : in, uint32 (n,)
    """
    for i in range(cuda.grid(1), marks.size, cuda.gridsize(1)):
        marks[i] |= others[i]


@guarded
def splice_together(pairing: Pairing, cycles: Cycles, rows: list[Rows], group: DeviceGroup) -> Splices:
    """Compute on the first GPU where to splice cycles; see `CircuitOperations.splice_cycles`."""
    return spliced(pairing, cycles, RowTails(pairing, rows, group))
