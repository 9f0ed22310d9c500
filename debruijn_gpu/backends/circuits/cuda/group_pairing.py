"""Pair edges at vertices on several GPUs.

Each rank has a range of rows. Edges are sent to the rank of their head, which sorts them: in a balanced graph, they are
as many as those that leave its rows. Each rank then gets the pairs of all, so that no walk leaves the memory of a GPU:
a load from another GPU takes as long as five of its own. Where memory is too short for that, the pairs are one array
across all GPUs. Shift graphs are paired by arithmetic; nothing is exchanged.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

import numpy as np

from debruijn_gpu.backends.arrays.cuda.masks import Selection, select, selected_values
from debruijn_gpu.backends.arrays.cuda.sorting import sort_pairs
from debruijn_gpu.backends.circuits.cuda.pairing import edge_bits, is_shift_graph, pack, packs, pair_packed, pair_sorted
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.rows import Rows
from debruijn_gpu.backends.circuits.cuda.slots import deal_out, has_few_edges_each, pair_in_slots
from debruijn_gpu.backends.circuits.cuda.sublists import splitter_shift
from debruijn_gpu.backends.circuits.shift_graphs import is_like_shift_graph
from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cuda import memory
from debruijn_gpu.backends.core.cuda.devices import here
from debruijn_gpu.backends.core.cuda.fill import counted
from debruijn_gpu.backends.core.cuda.group import DeviceGroup
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, synchronize, to_device, xp
from debruijn_gpu.backends.core.cuda.shared_memory import empty_across
from debruijn_gpu.run import log
from debruijn_gpu.run.tuning import tuning

_SUBLIST_BYTES = 128  # of the first GPU, for each sublist, at most


def deal_rows(row_ptr: Array, col: Array, group: DeviceGroup) -> list[Rows]:
    """Deal out the rows of a graph to ranks, about as many edges to each.

    Parameters
    ----------
    row_ptr, col : ndarray, or arrays of the first GPU
    group : DeviceGroup
    """
    n_vertices, n_edges, n_ranks = row_ptr.size - 1, col.size, len(group)
    wanted = [n_edges * rank // n_ranks for rank in range(1, n_ranks)]
    bounds = [bisect_left(range(n_vertices), n, key=lambda vertex: int(row_ptr[vertex])) for n in wanted]
    bounds = [0, *bounds, n_vertices]
    edges = [0, *(int(row_ptr[vertex]) for vertex in bounds[1:-1]), n_edges]

    @guarded
    def own(rank: int) -> Rows:
        low, high = bounds[rank : rank + 2]
        of_rows, of_edges = slice(low, high + 1), slice(edges[rank], edges[rank + 1])
        return Rows(low, edges[rank], _moved(row_ptr[of_rows]), _moved(col[of_edges]))

    return group.each(own)


def _moved(array: Array) -> Array:
    """An array on the current GPU."""
    return to_device(array) if isinstance(array, np.ndarray) else here(array)


@kernel
def _mark_heads(col, low, high, mask):
    """Mark the edges whose heads are in a range. One thread per edge.

    Parameters
    ----------
    col : in, uint32 or uint64 (n,)
    low, high : uint64; the first vertex of the range, and the one behind it
    mask : out, bool (n,)
    """
    for edge in range(cuda.grid(1), col.size, cuda.gridsize(1)):
        head = np.uint64(col[edge])
        mask[edge] = head >= low and head < high


def _of_head(rows: Rows, low: int, high: int) -> Selection:
    """The edges whose heads are in a range."""
    mask = xp.empty(rows.col.size, np.bool_)
    launch(_mark_heads, rows.col.size, rows.col, np.uint64(low), np.uint64(high), mask)
    return select(mask)


class GroupPairing:
    """Pairs the edges of a graph whose rows are dealt out to ranks.

    Parameters
    ----------
    group : DeviceGroup
    rows : list of Rows
        Of each rank.
    n_edges, n_vertices : int
    """

    def __init__(self, group: DeviceGroup, rows: list[Rows], n_edges: int, n_vertices: int) -> None:
        self._group = group
        self._rows = rows
        self._n_edges = n_edges
        self._n_vertices = n_vertices
        self._is_slotted = False
        self._bounds = [*(part.first_vertex for part in rows), n_vertices]

    def pair(self) -> list[Pairing] | None:
        """Return the pairing on each rank; None if the graph is not balanced."""
        if packs(self._n_edges, self._n_vertices):
            received = [self._group.exchange(self._group.each(self._route_packed))]
        else:
            routed = self._group.each(self._route)
            received = [self._group.exchange([both[i] for both in routed]) for i in range(2)]
            del routed
        if any(array.size != part.col.size for array, part in zip(received[0], self._rows, strict=True)):
            return None  # as many edges lead into the rows of each rank as out of them
        self._is_slotted = len(received) == 1 and self._takes_slots()
        if not all(self._group.each(lambda rank: self._order(rank, received))):
            return None
        pairs = self._room()
        if not all(self._group.each(lambda rank: self._pair(rank, received, pairs[rank]))):
            return None
        if any(array is not pairs[0] for array in pairs):
            self._spread(pairs)
        return [Pairing.of(array) for array in pairs]

    @guarded
    def _route_packed(self, rank: int) -> list[Array]:
        """Packed heads and edges of a rank, by the rank of the head."""
        rows = self._rows[rank]
        packed = pack(rows, self._n_edges)
        return [selected_values(chosen, packed) for chosen in self._selections(rows)]

    @guarded
    def _route(self, rank: int) -> tuple[list[Array], list[Array]]:
        """Heads and edges of a rank, by the rank of the head."""
        rows = self._rows[rank]
        edges = counted(rows.col.size, id_dtype(self._n_edges), rows.first_edge)
        selections = self._selections(rows)
        return [selected_values(chosen, rows.col) for chosen in selections], [
            selected_values(chosen, edges) for chosen in selections
        ]

    def _selections(self, rows: Rows) -> list[Selection]:
        """The edges for each rank."""
        return [_of_head(rows, low, high) for low, high in pairwise(self._bounds)]

    def _takes_slots(self) -> bool:
        """Whether edges are many, and few for each vertex, so that they are paired without a sort."""

        @guarded
        def has_few(rank: int) -> bool:
            return has_few_edges_each(self._rows[rank])

        return self._n_edges >= tuning().slotted_edges * len(self._group) and all(self._group.each(has_few))

    @guarded
    def _order(self, rank: int, received: list[list[Array]]) -> bool:
        """Order what a rank has received by head, or range of heads; return whether the edges may be balanced."""
        if self._is_slotted:
            dealt = deal_out(received[0][rank], self._rows[rank], edge_bits(self._n_edges))
            if dealt is None:
                return False
            received[0][rank] = dealt
        elif len(received) == 1:
            received[0][rank].sort()
        else:
            received[0][rank], received[1][rank] = sort_pairs(received[0][rank], received[1][rank])
        return True

    def _room(self) -> list[Array]:
        """Room on each rank for the pairs of all edges; the same array, in the memories of all, where that is short."""
        n_edges, n_ranks, dtype = self._n_edges, len(self._group), id_dtype(self._n_edges)
        others = n_edges * dtype.itemsize // n_ranks + (n_edges >> splitter_shift(n_edges)) * _SUBLIST_BYTES
        left = min(self._group.each(lambda _rank: memory.left())) - others
        if n_edges * dtype.itemsize > tuning().copied_pairs_share * left:
            log.logger.info("  the pairs of all edges do not fit into each GPU: GPUs read them from each other")
            return [empty_across(n_edges, dtype, self._group.ranks)] * n_ranks

        @guarded
        def room(_rank: int) -> Array:
            return xp.empty(n_edges, dtype)

        return self._group.each(room)

    def _own(self, rank: int) -> slice:
        """The edges that leave the rows of a rank."""
        rows = self._rows[rank]
        return slice(rows.first_edge, rows.first_edge + rows.col.size)

    @guarded
    def _pair(self, rank: int, received: list[list[Array]], pairs: Array) -> bool:
        """Pair the edges that leave the rows of a rank; return whether they are balanced."""
        own, rows = pairs[self._own(rank)], self._rows[rank]
        if self._is_slotted:
            is_balanced = pair_in_slots(received[0][rank], rows, edge_bits(self._n_edges), own)
        elif len(received) == 1:
            is_balanced = pair_packed(received[0][rank], rows, self._n_edges, own)
        else:
            is_balanced = pair_sorted(received[0][rank], received[1][rank], rows, own)
        synchronize()  # others may read it
        for arrays in received:
            arrays[rank] = xp.empty(0, arrays[rank].dtype)
        return is_balanced

    @guarded
    def _spread(self, pairs: list[Array]) -> None:
        """Copy the pairs of each rank's rows to all others."""
        ranks = range(len(pairs))
        sends = [[pairs[i][self._own(i)][: None if i != to else 0] for to in ranks] for i in ranks]
        receives = [[pairs[to][self._own(i)][: None if i != to else 0] for i in ranks] for to in ranks]
        self._group.links.copy(sends, receives)


def pair_together(row_ptr: Array, col: Array, rows: list[Rows], group: DeviceGroup) -> list[Pairing] | None:
    """Return the pairing of a graph on each rank; None if it is not balanced.

    Parameters
    ----------
    row_ptr, col : ndarray, or arrays of the first GPU
    rows : list of Rows
        See `deal_rows`.
    group : DeviceGroup
    """
    n_edges, n_vertices = col.size, row_ptr.size - 1

    @guarded
    def is_part(rank: int) -> bool:
        return is_shift_graph(rows[rank], n_edges, n_vertices)

    may_shift = is_like_shift_graph(n_edges, n_vertices, lambda edge: int(col[edge]))
    if may_shift and all(group.each(is_part)):
        return group.each(lambda _rank: Pairing.of_shift_graph(n_edges, n_vertices))
    return GroupPairing(group, rows, n_edges, n_vertices).pair()
