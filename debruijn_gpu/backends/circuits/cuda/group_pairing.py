"""Pair edges at vertices on several GPUs.

Each rank has a range of rows. Edges are sent to the rank of their head, which sorts them: in a balanced graph, they are
as many as those that leave its rows. Each rank then gets the pairs of all, so that no walk leaves the memory of a GPU:
a load from another GPU takes as long as five of its own. Where memory is too short for that, the pairs are one array
across all GPUs. Shift graphs are paired by arithmetic; nothing is exchanged.
"""

from __future__ import annotations

from bisect import bisect_left

from debruijn_gpu.backends.circuits.cuda.bucket_pairing import fits_buckets
from debruijn_gpu.backends.circuits.cuda.group_routing import ArraysRoute, BucketRoute, PackedRoute, Route
from debruijn_gpu.backends.circuits.cuda.pairing import buckets_of, moved, packs
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.rows import Rows
from debruijn_gpu.backends.circuits.cuda.sublists import splitter_shift
from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cuda import memory
from debruijn_gpu.backends.core.cuda.group import DeviceGroup
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import synchronize, xp
from debruijn_gpu.backends.core.cuda.shared_memory import empty_across
from debruijn_gpu.run import log
from debruijn_gpu.run.tuning import tuning

_SUBLIST_BYTES = 128  # of the first GPU, for each sublist, at most


def deal_rows(row_ptr: Array, col: Array, group: DeviceGroup, unit: int) -> list[Rows]:
    """Deal out the rows of a graph to ranks, about as many edges to each.

    Parameters
    ----------
    row_ptr, col : ndarray, or arrays of the first GPU
    group : DeviceGroup
    unit : int
        Ranks begin at multiples of so many vertices.
    """
    n_vertices, n_edges, n_ranks = row_ptr.size - 1, col.size, len(group)
    wanted = [n_edges * rank // n_ranks for rank in range(1, n_ranks)]
    bounds = [bisect_left(range(n_vertices), n, key=lambda vertex: int(row_ptr[vertex])) for n in wanted]
    bounds = [0, *(min(n_vertices, (vertex + unit // 2) // unit * unit) for vertex in bounds), n_vertices]
    edges = [0, *(int(row_ptr[vertex]) for vertex in bounds[1:-1]), n_edges]

    @guarded
    def own(rank: int) -> Rows:
        low, high = bounds[rank : rank + 2]
        of_rows, of_edges = slice(low, high + 1), slice(edges[rank], edges[rank + 1])
        return Rows(low, edges[rank], moved(row_ptr[of_rows]), moved(col[of_edges]))

    return group.each(own)


class RowPairing:
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
        self._bounds = [*(part.first_vertex for part in rows), n_vertices]

    def pair(self) -> list[Pairing] | None:
        """Return the pairing on each rank; None if the graph is not balanced."""
        route = self._route()
        if any(array.size != part.col.size for array, part in zip(route.send(), self._rows, strict=True)):
            return None  # as many edges lead into the rows of each rank as out of them
        if not all(self._group.each(route.order)):
            return None
        pairs = self._room()
        if not all(self._group.each(lambda rank: self._pair(rank, route, pairs[rank]))):
            return None
        if any(array is not pairs[0] for array in pairs):
            self._spread(pairs)
        return [Pairing.of(array) for array in pairs]

    def _route(self) -> Route:
        """The way in which edges are brought together by head."""
        n_edges, n_vertices = self._n_edges, self._n_vertices
        if not packs(n_edges, n_vertices):
            return ArraysRoute(self._group, self._rows, n_edges, self._bounds)
        buckets = buckets_of(n_edges, n_vertices)

        @guarded
        def fits(rank: int) -> bool:
            assert buckets is not None
            return fits_buckets(self._rows[rank], buckets)

        if buckets is not None and all(self._group.each(fits)):
            return BucketRoute(self._group, self._rows, buckets, self._bounds)
        return PackedRoute(self._group, self._rows, n_edges, self._bounds)

    def _room(self) -> list[Array]:
        """Allocate the pairs of all edges on each rank, or once across all ranks where memory is short."""
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
    def _pair(self, rank: int, route: Route, pairs: Array) -> bool:
        """Pair the edges that leave the rows of a rank; return whether they are balanced."""
        is_balanced = route.pair(rank, pairs[self._own(rank)])
        synchronize()  # others may read it
        return is_balanced

    @guarded
    def _spread(self, pairs: list[Array]) -> None:
        """Copy the pairs of each rank's rows to all others."""
        ranks = range(len(pairs))
        sends = [[pairs[i][self._own(i)][: None if i != to else 0] for to in ranks] for i in ranks]
        receives = [[pairs[to][self._own(i)][: None if i != to else 0] for i in ranks] for to in ranks]
        self._group.links.copy(sends, receives)
