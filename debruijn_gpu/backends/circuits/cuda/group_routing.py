"""Send edges to the ranks of their heads, in three ways: to be sorted in one word or in two arrays, or in buckets."""

from __future__ import annotations

from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.masks import Selection, select, selected_values
from debruijn_gpu.backends.arrays.cuda.sorting import sort_pairs
from debruijn_gpu.backends.circuits.cuda.bucket_pairing import Dealt, deal_again, pair_dealt
from debruijn_gpu.backends.circuits.cuda.dealing import LEVEL_BITS, Buckets, Segments, count_tops, deal
from debruijn_gpu.backends.circuits.cuda.pairing import pack, pair_packed, pair_sorted
from debruijn_gpu.backends.circuits.cuda.rows import Rows
from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cuda.fill import counted
from debruijn_gpu.backends.core.cuda.group import DeviceGroup
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, xp


class Route(Protocol):
    """A way to bring edges together by head."""

    def send(self) -> list[Array]:
        """Send the edges of all ranks; return an array per rank, as long as it has received edges."""

    def order(self, rank: int) -> bool:
        """Order what a rank has received by head; return False if its rows are surely not balanced."""

    def pair(self, rank: int, predecessor: Array) -> bool:
        """Write the edge before each edge of a rank's rows, and forget the others; return whether they are balanced."""


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


def _selections(rows: Rows, bounds: list[int]) -> list[Selection]:
    """The edges of rows whose heads are in each range."""
    found = []
    for low, high in pairwise(bounds):
        mask = xp.empty(rows.col.size, np.bool_)
        launch(_mark_heads, rows.col.size, rows.col, np.uint64(low), np.uint64(high), mask)
        found.append(select(mask))
    return found


class _OfGroup:
    """Ranks of a route.

    Parameters
    ----------
    group : DeviceGroup
    rows : list of Rows
        Of each rank.
    bounds : list of int
        First vertex of each rank, and the number of vertices.
    """

    def __init__(self, group: DeviceGroup, rows: list[Rows], bounds: list[int]) -> None:
        self._group = group
        self._rows = rows
        self._bounds = bounds


class _InOneArray(_OfGroup):
    """Send one array from each rank to each other one."""

    def __init__(self, group: DeviceGroup, rows: list[Rows], bounds: list[int]) -> None:
        super().__init__(group, rows, bounds)
        self._received: list[Array] = []

    def send(self) -> list[Array]:
        """See `Route.send`."""
        self._received = self._group.exchange(self._group.each(self._route))
        return self._received

    def _route(self, rank: int) -> list[Array]:
        """Return what a rank sends to each rank."""
        raise NotImplementedError

    def _take(self, rank: int) -> Array:
        """Return what a rank has received, and forget it."""
        packed, self._received[rank] = self._received[rank], xp.empty(0, np.uint64)
        return packed


class PackedRoute(_InOneArray):
    """Sort words of head and edge id."""

    def __init__(self, group: DeviceGroup, rows: list[Rows], n_edges: int, bounds: list[int]) -> None:
        super().__init__(group, rows, bounds)
        self._n_edges = n_edges

    @guarded
    def _route(self, rank: int) -> list[Array]:
        rows = self._rows[rank]
        packed = pack(rows, self._n_edges)
        return [selected_values(chosen, packed) for chosen in _selections(rows, self._bounds)]

    @guarded
    def order(self, rank: int) -> bool:
        """See `Route.order`."""
        self._received[rank].sort()
        return True

    @guarded
    def pair(self, rank: int, predecessor: Array) -> bool:
        """See `Route.pair`."""
        return pair_packed(self._take(rank), self._rows[rank], self._n_edges, predecessor)


class ArraysRoute(_OfGroup):
    """Sort heads, with the ids of their edges in another array."""

    def __init__(self, group: DeviceGroup, rows: list[Rows], n_edges: int, bounds: list[int]) -> None:
        super().__init__(group, rows, bounds)
        self._dtype = id_dtype(n_edges)
        self._both: list[list[Array]] = []  # heads, and ids of edges, of each rank

    def send(self) -> list[Array]:
        """See `Route.send`."""
        routed = self._group.each(self._route_both)
        self._both = [self._group.exchange([both[i] for both in routed]) for i in range(2)]
        return self._both[0]

    @guarded
    def _route_both(self, rank: int) -> tuple[list[Array], list[Array]]:
        """Heads and edges of a rank, by the rank of the head."""
        rows = self._rows[rank]
        edges = counted(rows.col.size, self._dtype, rows.first_edge)
        selections = _selections(rows, self._bounds)
        heads = [selected_values(chosen, rows.col) for chosen in selections]
        return heads, [selected_values(chosen, edges) for chosen in selections]

    @guarded
    def order(self, rank: int) -> bool:
        """See `Route.order`."""
        heads, edges = self._both
        heads[rank], edges[rank] = sort_pairs(heads[rank], edges[rank])
        return True

    @guarded
    def pair(self, rank: int, predecessor: Array) -> bool:
        """See `Route.pair`."""
        heads, edges = (arrays[rank] for arrays in self._both)
        for arrays in self._both:
            arrays[rank] = xp.empty(0, arrays[rank].dtype)
        return pair_sorted(heads, edges, self._rows[rank], predecessor)


class BucketRoute(_InOneArray):
    """Edges are dealt out to buckets of heads: each rank does the first round, and receives whole buckets for another.

    The first vertices of ranks are multiples of the vertices of a bucket of the first round.
    """

    def __init__(self, group: DeviceGroup, rows: list[Rows], buckets: Buckets, bounds: list[int]) -> None:
        super().__init__(group, rows, bounds)
        self._buckets = buckets
        self._tops = [-(-vertex >> buckets.top_bits) for vertex in bounds]
        self._counts: list[NDArray[np.int64]] = []
        self._dealt: dict[int, Dealt] = {}

    def send(self) -> list[Array]:
        """See `Route.send`."""
        self._counts = self._group.each(self._count)
        return super().send()

    @guarded
    def _count(self, rank: int) -> NDArray[np.int64]:
        return count_tops(self._rows[rank].col, self._buckets)

    @guarded
    def _route(self, rank: int) -> list[Array]:
        """Packed edges of a rank, by the rank of the head."""
        rows, is_other = self._rows[rank], xp.zeros(1, np.uint32)
        bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(self._counts[rank])))
        whole = Segments(np.array([0, rows.col.size]), np.zeros(1, np.int64))
        edges = (xp.empty(0, np.uint64), rows.col, rows.first_edge)
        dealt = deal(edges, whole, (0, self._buckets.top_bits), self._buckets.id_bits, bounds, is_other)
        return [dealt[start:stop] for start, stop in pairwise(bounds[self._tops].tolist())]

    @guarded
    def order(self, rank: int) -> bool:
        """See `Route.order`."""
        low, high = self._tops[rank : rank + 2]
        sizes = np.concatenate([counts[low:high] for counts in self._counts])
        bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
        segments = Segments(bounds, np.tile(np.arange(high - low) << LEVEL_BITS, len(self._counts)))
        dealt = deal_again(self._take(rank), segments, self._rows[rank], self._buckets)
        if dealt is not None:
            self._dealt[rank] = dealt
        return dealt is not None

    @guarded
    def pair(self, rank: int, predecessor: Array) -> bool:
        """See `Route.pair`."""
        return pair_dealt(self._dealt.pop(rank), self._rows[rank], self._buckets, predecessor)
