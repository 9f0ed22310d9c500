"""Pair edges at vertices on several GPUs.

Each rank has a range of rows. Edges are sent to the rank of their head, which sorts them: in a balanced graph, they are
as many as those that leave its rows. Each rank then gets the pairs of all, so that no walk leaves the memory of a GPU:
a load from another GPU takes as long as five of its own. Where memory is too short for that, the pairs are one array
across all GPUs. Shift graphs are paired by arithmetic; nothing is exchanged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.circuits.cuda.bucket_pairing import fits_buckets
from debruijn_gpu.backends.circuits.cuda.buckets import Buckets
from debruijn_gpu.backends.circuits.cuda.group_routing import ArraysRoute, BucketRoute, PackedRoute, Route
from debruijn_gpu.backends.circuits.cuda.pairing import buckets_of, moved, packs
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.rows import Rows, bounds_of_parts
from debruijn_gpu.backends.circuits.cuda.sublists import splitter_shift
from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cuda import memory
from debruijn_gpu.backends.core.cuda.group import DeviceGroup
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, synchronize, to_host, xp
from debruijn_gpu.backends.core.cuda.scalars import lower_bound
from debruijn_gpu.backends.core.cuda.shared_memory import empty_across
from debruijn_gpu.run import log
from debruijn_gpu.run.tuning import tuning

_SUBLIST_BYTES = 128  # of the first GPU, for each sublist, at most


@kernel
def _bound_ranks(row_ptr, unit, bounds):
    """Compute where the rows of ranks begin. One thread per rank, and one behind them.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    unit : int64; ranks begin at multiples of so many vertices
    bounds : out, int64 (2, n_ranks + 1); vertices and edges
    """
    n_vertices, n_ranks = row_ptr.size - 1, bounds.shape[1] - 1
    for rank in range(cuda.grid(1), n_ranks + 1, cuda.gridsize(1)):
        vertex = lower_bound(row_ptr, row_ptr[n_vertices] * rank // n_ranks, np.int64(0), np.int64(n_vertices))
        vertex = min((vertex + unit // 2) // unit * unit, n_vertices) if rank < n_ranks else n_vertices
        bounds[0, rank] = vertex
        bounds[1, rank] = row_ptr[vertex]


def bounds_on_gpu(row_ptr: Array, n_ranks: int, unit: int) -> tuple[list[int], list[int]]:
    """First vertices and edges of the rows of ranks, and what is behind the last, of a graph on the current GPU."""
    bounds = xp.empty((2, n_ranks + 1), np.int64)
    launch(_bound_ranks, n_ranks + 1, row_ptr, np.int64(unit), bounds)
    vertices, edges = to_host(bounds).tolist()
    return vertices, edges


def bounds_on_host(row_ptr: NDArray[np.int64], n_ranks: int, unit: int) -> tuple[list[int], list[int]]:
    """First vertices and edges of the rows of ranks, and what is behind the last, of a graph in NumPy arrays."""
    n_vertices, n_edges = len(row_ptr) - 1, int(row_ptr[-1])
    found = np.searchsorted(row_ptr[:-1], [n_edges * rank // n_ranks for rank in range(n_ranks)])
    vertices = np.append(np.minimum((found + unit // 2) // unit * unit, n_vertices), n_vertices)
    return vertices.tolist(), row_ptr[vertices].tolist()


def deal_rows(row_ptr: Array, col: Array, group: DeviceGroup, unit: int) -> list[Rows]:
    """Deal out the rows of a graph to ranks, about as many edges to each.

    Parameters
    ----------
    row_ptr, col : ndarray, or arrays of the first GPU
    group : DeviceGroup
    unit : int
        Ranks begin at multiples of so many vertices.
    """
    find = bounds_on_host if isinstance(row_ptr, np.ndarray) else bounds_on_gpu
    bounds, edges = find(row_ptr, len(group), unit)
    is_on_gpu = not isinstance(col, np.ndarray)
    if is_on_gpu:
        synchronize()  # others copy it

    @guarded
    def own(rank: int) -> Rows:
        low, high = bounds[rank : rank + 2]
        first, stop = edges[rank : rank + 2]
        rows = Rows(low, first, row_ptr[low : high + 1], col[first:stop])
        if rank and is_on_gpu:
            return _arriving(rows, rank, group)
        return Rows(low, first, moved(rows.row_ptr), moved(rows.col))

    return group.each(own)


def _arriving(rows: Rows, rank: int, group: DeviceGroup) -> Rows:
    """Rows of the first GPU on that of a rank, to which they are copied while it works."""
    row_ptr, col = (xp.empty(array.shape, array.dtype) for array in (rows.row_ptr, rows.col))
    synchronize()
    pull, parts = group.pushes.pull, bounds_of_parts(col.size)
    arrivals = [pull(rank, rows.col[start:stop], col[start:stop]) for start, stop in parts]
    return Rows(rows.first_vertex, rows.first_edge, row_ptr, col, (*arrivals, pull(rank, rows.row_ptr, row_ptr)))


class RowPairing:
    """Pairs the edges of a graph whose rows are dealt out to ranks.

    Parameters
    ----------
    group : DeviceGroup
    rows : list of Rows
        Of each rank.
    n_edges, n_vertices : int
    whole : Rows, optional
        All rows, if the first GPU has them.
    """

    def __init__(self, group: DeviceGroup, rows: list[Rows], n_edges: int, n_vertices: int, whole: Rows | None) -> None:
        self._group = group
        self._rows = rows
        self._n_edges = n_edges
        self._n_vertices = n_vertices
        self._whole = whole
        self._bounds = [*(part.first_vertex for part in rows), n_vertices]

    def pair(self) -> list[Pairing] | None:
        """Return the pairing on each rank; None if the graph is not balanced."""
        try:
            return self._paired()
        finally:
            if any(part.arrivals for part in self._rows):  # nothing may be copied to memory that is given back
                self._group.each(lambda _rank: synchronize())

    def _paired(self) -> list[Pairing] | None:
        route = self._route()
        if not route.send() or not all(self._group.each(route.order)):
            return None
        pairs = self._room()
        if not all(self._group.each(lambda rank: self._pair(rank, route, pairs))):
            return None
        return [Pairing.of(array) for array in pairs]

    def _route(self) -> Route:
        """The way in which edges are brought together by head."""
        n_edges, n_vertices = self._n_edges, self._n_vertices
        if not packs(n_edges, n_vertices):
            return ArraysRoute(self._group, self._rows, n_edges, self._bounds)
        buckets = buckets_of(n_edges, n_vertices)

        if buckets is not None and self._fits(buckets):
            return BucketRoute(self._group, self._rows, buckets, self._bounds, self._whole)
        return PackedRoute(self._group, self._rows, n_edges, self._bounds)

    @guarded
    def _fits(self, buckets: Buckets) -> bool:
        """Whether rows, and buckets of rows, have few enough edges."""
        if self._whole is not None:
            return fits_buckets(self._whole, buckets)
        return all(self._group.each(guarded(lambda rank: fits_buckets(self._rows[rank], buckets))))

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
            array = xp.empty(n_edges, dtype)
            synchronize()  # others write to it
            return array

        return self._group.each(room)

    def _own(self, rank: int) -> slice:
        """The edges that leave the rows of a rank."""
        rows = self._rows[rank]
        return slice(rows.first_edge, rows.first_edge + rows.col.size)

    @guarded
    def _pair(self, rank: int, route: Route, pairs: list[Array]) -> bool:
        """Pair the edges that leave the rows of a rank, and copy the pairs to all others while the next are made.

        Returns whether they are balanced.
        """
        own, first = pairs[rank][self._own(rank)], self._rows[rank].first_edge
        others = [array for to, array in enumerate(pairs) if to != rank and array is not pairs[rank]]

        def spread(start: int, stop: int) -> None:
            targets = [array[first + start : first + stop] for array in others]
            self._group.pushes.push(rank, own[start:stop], targets)

        is_balanced = route.pair(rank, own, spread)
        self._group.pushes.finish(rank)
        synchronize()  # others may read it
        return is_balanced
