"""Send edges to the ranks of their heads, in three ways: to be sorted in one word or in two arrays, or in buckets."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.masks import Selection, select, selected_values
from debruijn_gpu.backends.arrays.cuda.sorting import sort_pairs
from debruijn_gpu.backends.circuits.cuda.bucket_pairing import deal_again, deal_first, pair_parts
from debruijn_gpu.backends.circuits.cuda.buckets import Buckets, Segments
from debruijn_gpu.backends.circuits.cuda.dealing import count_tops
from debruijn_gpu.backends.circuits.cuda.pairing import pack, pair_packed, pair_sorted
from debruijn_gpu.backends.circuits.cuda.rows import PARTS, Rows, bounds_of_parts
from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cuda.fill import counted
from debruijn_gpu.backends.core.cuda.group import DeviceGroup
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, synchronize, to_device, to_host, xp


class Route(Protocol):
    """A way to bring edges together by head."""

    def send(self) -> bool:
        """Send the edges of all ranks; return whether as many lead into the rows of each as out of them."""

    def order(self, rank: int) -> bool:
        """Order what a rank has received by head; return False if its rows are surely not balanced."""

    def pair(self, rank: int, predecessor: Array, asked: Callable[[int, int], None]) -> bool:
        """Write the edge before each edge of a rank's rows, and forget the others; return whether they are balanced.

        Calls ``asked`` when the GPU is asked for some of them, with the first and the one behind the last.
        """


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

    def _is_even(self, n_received: list[int]) -> bool:
        """Whether each rank receives as many edges as leave its rows."""
        return n_received == [rows.col.size for rows in self._rows]


class _InOneArray(_OfGroup):
    """Receive one array of words on each rank."""

    def __init__(self, group: DeviceGroup, rows: list[Rows], bounds: list[int]) -> None:
        super().__init__(group, rows, bounds)
        self._received: list[Array] = []

    def _take(self, rank: int) -> Array:
        """Return what a rank has received, and forget it."""
        packed, self._received[rank] = self._received[rank], xp.empty(0, np.uint64)
        return packed


class PackedRoute(_InOneArray):
    """Sort words of head and edge id."""

    def __init__(self, group: DeviceGroup, rows: list[Rows], n_edges: int, bounds: list[int]) -> None:
        super().__init__(group, rows, bounds)
        self._n_edges = n_edges

    def send(self) -> bool:
        """See `Route.send`."""
        self._received = self._group.exchange(self._group.each(self._route))
        return self._is_even([array.size for array in self._received])

    @guarded
    def _route(self, rank: int) -> list[Array]:
        """Return the words of a rank, by the rank of the head."""
        rows = self._rows[rank]
        rows.await_all()
        packed = pack(rows, self._n_edges)
        return [selected_values(chosen, packed) for chosen in _selections(rows, self._bounds)]

    @guarded
    def order(self, rank: int) -> bool:
        """See `Route.order`."""
        self._received[rank].sort()
        return True

    @guarded
    def pair(self, rank: int, predecessor: Array, asked: Callable[[int, int], None]) -> bool:
        """See `Route.pair`."""
        is_balanced = pair_packed(self._take(rank), self._rows[rank], self._n_edges, predecessor)
        asked(0, predecessor.size)
        return is_balanced


class ArraysRoute(_OfGroup):
    """Sort heads, with the ids of their edges in another array."""

    def __init__(self, group: DeviceGroup, rows: list[Rows], n_edges: int, bounds: list[int]) -> None:
        super().__init__(group, rows, bounds)
        self._dtype = id_dtype(n_edges)
        self._both: list[list[Array]] = []  # heads, and ids of edges, of each rank

    def send(self) -> bool:
        """See `Route.send`."""
        routed = self._group.each(self._route_both)
        self._both = [self._group.exchange([both[i] for both in routed]) for i in range(2)]
        return self._is_even([array.size for array in self._both[0]])

    @guarded
    def _route_both(self, rank: int) -> tuple[list[Array], list[Array]]:
        """Heads and edges of a rank, by the rank of the head."""
        rows = self._rows[rank]
        rows.await_all()
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
    def pair(self, rank: int, predecessor: Array, asked: Callable[[int, int], None]) -> bool:
        """See `Route.pair`."""
        heads, edges = (arrays[rank] for arrays in self._both)
        for arrays in self._both:
            arrays[rank] = xp.empty(0, arrays[rank].dtype)
        is_balanced = pair_sorted(heads, edges, self._rows[rank], predecessor)
        asked(0, predecessor.size)
        return is_balanced


class BucketRoute(_InOneArray):
    """Edges are dealt out to buckets of heads: each rank does the first round, and receives whole buckets for another.

    Ranks deal out their edges in parts, and send each part while they deal out the next. The first vertices of ranks
    are multiples of the vertices of a bucket of the first round.

    Parameters
    ----------
    group, rows, bounds : as of all routes
    buckets : Buckets
    whole : Rows, optional
        All rows, if the first GPU has them: it counts, while others get theirs.
    """

    def __init__(
        self, group: DeviceGroup, rows: list[Rows], buckets: Buckets, bounds: list[int], whole: Rows | None
    ) -> None:
        super().__init__(group, rows, bounds)
        self._whole = whole
        self._buckets = buckets
        self._tops = [-(-vertex >> buckets.top_bits) for vertex in bounds]
        self._counts = np.zeros((0, 0, 0), np.int64)  # edges by rank, part and bucket
        self._places = np.zeros((0, 0, 0), np.int64)  # where those of a rank and part go, by the rank that gets them
        self._dealt: dict[int, tuple[Array, Array, Array]] = {}  # packed edges, bounds of buckets, and flags

    def send(self) -> bool:
        """See `Route.send`."""
        self._counts = np.array(self._group.each(self._count)) if self._whole is None else self._count_all(self._whole)
        sizes = np.add.reduceat(np.pad(self._counts, ((0, 0), (0, 0), (0, 1))), self._tops[:-1], axis=2)
        sizes[:, :, [low == high for low, high in pairwise(self._tops)]] = 0
        ends = np.cumsum(sizes.reshape(-1, len(self._group)), axis=0)
        if not self._is_even(ends[-1].tolist()):
            return False
        self._places = ends.reshape(sizes.shape) - sizes
        self._received = self._group.each(self._empty)
        self._group.each(self._send_own)
        return True

    @guarded
    def _count(self, rank: int) -> NDArray[np.int64]:
        """Edges of a rank, by part and bucket."""
        col = self._rows[rank].col
        return count_tops([col[start:stop] for start, stop in bounds_of_parts(col.size)], self._buckets)

    @guarded
    def _count_all(self, whole: Rows) -> NDArray[np.int64]:
        """Edges by rank, part and bucket, on the first GPU."""
        parts = [
            whole.col[rows.first_edge + start : rows.first_edge + stop]
            for rows in self._rows
            for start, stop in bounds_of_parts(rows.col.size)
        ]
        return count_tops(parts, self._buckets).reshape(len(self._rows), PARTS, -1)

    @guarded
    def _empty(self, rank: int) -> Array:
        """Room for what a rank receives, which nothing that it was asked for before uses."""
        room = xp.empty(self._rows[rank].col.size, np.uint64)
        synchronize()
        return room

    @guarded
    def _send_own(self, rank: int) -> None:
        """Deal out the edges of a rank, and send them to the ranks of their heads."""
        rows, flags, kept = self._rows[rank], xp.zeros(3, np.uint32), []
        for part, (start, stop) in enumerate(bounds_of_parts(rows.col.size)):
            rows.await_part(part)
            bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(self._counts[rank, part])))
            col = rows.col[start:stop]
            dealt = deal_first(col, rows.first_edge + start, self._buckets, to_device(bounds), flags)
            kept.append(dealt)
            for to, (low, high) in enumerate(pairwise(bounds[self._tops].tolist())):
                place = int(self._places[rank, part, to])
                room = self._received[to][place : place + high - low]
                self._group.pushes.push(rank, dealt[low:high], [room])
        self._group.pushes.finish(rank)

    @guarded
    def order(self, rank: int) -> bool:
        """See `Route.order`: whether rows are balanced shows when they are paired."""
        self._rows[rank].await_all()
        low, high = self._tops[rank : rank + 2]
        sizes = self._counts[:, :, low:high].ravel()
        bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
        firsts = np.tile(np.arange(high - low) << self._buckets.low_bits, len(self._group) * PARTS)
        flags = xp.zeros(3, np.uint32)
        segments = Segments(to_device(bounds), to_device(firsts))
        self._dealt[rank] = (*deal_again(self._take(rank), segments, self._rows[rank], self._buckets, flags), flags)
        return True

    @guarded
    def pair(self, rank: int, predecessor: Array, asked: Callable[[int, int], None]) -> bool:
        """See `Route.pair`."""
        packed, bounds, flags = self._dealt.pop(rank)
        for start, stop in pair_parts(packed, bounds, self._rows[rank], self._buckets, predecessor, flags):
            asked(start, stop)
        return not to_host(flags).any()
