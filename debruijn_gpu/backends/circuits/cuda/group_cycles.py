"""Find the cycles of a pairing on several GPUs: each walks from the splitters of its blocks of edges.

The short list of sublists goes to the first GPU, which ranks it, and finds where cycles are spliced.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cycles import Cycles, n_noted, numbered
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.rows import Rows
from debruijn_gpu.backends.circuits.cuda.splices import Splices, Tails, spliced
from debruijn_gpu.backends.circuits.cuda.sublists import Walked, splitter_shift, walk_blocks
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.devices import here
from debruijn_gpu.backends.core.cuda.fill import filled
from debruijn_gpu.backends.core.cuda.group import DeviceGroup
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, xp

_NONE = np.uint32(0xFFFFFFFF)


@kernel
def _merge(noted, noted_there, seen, seen_there):
    """Merge what two ranks have noted and counted. One thread per element.

    Parameters
    ----------
    noted : in and out, uint32 (n,); 2^32 - 1 for none
    noted_there : in, uint32 (n,)
    seen : in and out, uint32 (m,)
    seen_there : in, uint32 (m,)
    """
    for i in range(cuda.grid(1), max(noted.size, seen.size), cuda.gridsize(1)):
        if i < noted.size:
            noted[i] = min(noted[i], noted_there[i])
        if i < seen.size:
            seen[i] += seen_there[i]


def find_together(pairings: list[Pairing], group: DeviceGroup) -> Cycles:
    """The cycles of a pairing that each rank has."""
    n_edges = pairings[0].size
    n_blocks = -(-n_edges >> splitter_shift(n_edges))
    bounds = [n_blocks * rank // len(group) for rank in range(len(group) + 1)]

    @guarded
    def walk(rank: int) -> Walked:
        first, stop = bounds[rank : rank + 2]
        return walk_blocks(pairings[rank], filled(n_noted(n_edges), _NONE), first, stop - first, 0)

    return _collected(pairings[0], group.each(walk), group)


@guarded
def _collected(pairing: Pairing, walked: list[Walked], group: DeviceGroup) -> Cycles:
    """The cycles of sublists that ranks have walked, on the first GPU."""
    room = tuple(gathered([part.room[i] for part in walked], group) for i in range(len(walked[0].room)))
    noted, seen = walked[0].noted, walked[0].seen
    for part in walked[1:]:
        launch(_merge, max(noted.size, seen.size), noted, here(part.noted), seen, here(part.seen))
    return numbered(pairing, Walked(noted, seen, room))


def gathered(arrays: list[Array], group: DeviceGroup) -> Array:
    """Arrays of all ranks, one after another, on the first GPU."""
    nothing = [array[:0] for array in arrays]
    return group.exchange([[array, *[none] * (len(group) - 1)] for array, none in zip(arrays, nothing, strict=True)])[0]


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


@guarded
def splice_together(pairing: Pairing, cycles: Cycles, rows: list[Rows]) -> Splices:
    """Compute on the first GPU where to splice cycles; see `CircuitOperations.splice_cycles`."""
    no_heads, degree = xp.empty(0, np.uint32), np.uint64(pairing.degree)

    def tails_of(n_edges: int) -> Tails:
        marks = xp.zeros(0 if pairing.degree else -(-n_edges // 32), np.uint32)
        for part in rows if marks.size else ():
            if part.first_edge < n_edges:
                launch(_mark_row_starts, part.row_ptr.size - 1, here(part.row_ptr), np.int64(n_edges), marks)
        return no_heads, pairing.array, degree, marks

    return spliced(pairing, cycles, tails_of)
