"""Deal out edges to buckets of consecutive heads, in two rounds of up to 512 buckets each.

A block takes a tile of edges, brings it into the order of buckets in shared memory, and writes runs of edges to them,
as a round of a radix sort from the most significant digit does. (After Merrill and Grimshaw 2011.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    SIMULATED,
    cuda,
    device_function,
    int64,
    kernel,
    launch,
    to_device,
    to_host,
    uint32,
    uint64,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import row_of

#: Log2 of the buckets of a round
LEVEL_BITS = 2 if SIMULATED else 9
#: Rows of a bucket, and edges on average, at most
MOST_ROWS, _MEAN_EDGES = (8, 32) if SIMULATED else (1024, 4096)
_BUCKETS = 1 << LEVEL_BITS
_PER_THREAD = -(-_BUCKETS // BLOCK)
_EACH = 16  # edges of a thread in a tile
_TILE = _EACH * BLOCK


@dataclass(frozen=True)
class Buckets:
    """Buckets of consecutive vertices.

    Attributes
    ----------
    bits : int
        Log2 of the vertices of a bucket of the second round.
    id_bits : int
        Bits of an edge id below the head, in packed edges.
    """

    bits: int
    id_bits: int

    @property
    def top_bits(self) -> int:
        """Log2 of the vertices of a bucket of the first round."""
        return self.bits + LEVEL_BITS

    @classmethod
    def of(cls, n_edges: int, n_vertices: int, id_bits: int) -> Buckets | None:
        """The buckets of a graph; None if two rounds do not make them small enough."""
        rows = min(MOST_ROWS, _MEAN_EDGES * n_vertices // max(1, n_edges))
        if not rows or n_edges > 1 << 32:
            return None
        bits = rows.bit_length() - 1
        return cls(bits, id_bits) if n_vertices <= 1 << (bits + 2 * LEVEL_BITS) else None


@dataclass(frozen=True)
class Segments:
    """Intervals of packed edges, each in one bucket of the round before.

    Attributes
    ----------
    bounds : ndarray, dtype=int64, shape=(m + 1,)
        Where they begin.
    firsts : ndarray, dtype=int64, shape=(m,)
        The first bucket of this round that edges of each may go to.
    """

    bounds: NDArray[np.int64]
    firsts: NDArray[np.int64]

    @property
    def tiles(self) -> NDArray[np.int64]:
        """Tiles before each, and all, shape=(m + 1,)."""
        counts = -(-np.diff(self.bounds) // _TILE)
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))


@kernel
def _count(col, first_vertex, bits, counts):
    """Count the edges of each bucket of the first round. One thread per edge, with counters for each block.

    Parameters
    ----------
    col : in, uint32 or uint64 (n,); heads
    first_vertex, bits : uint64; the first head, and log2 of the heads of a bucket
    counts : in and out, uint64 (512,)
    """
    own = cuda.shared.array(_BUCKETS, uint32)
    for bucket in range(cuda.threadIdx.x, _BUCKETS, cuda.blockDim.x):
        own[bucket] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), col.size, cuda.gridsize(1)):
        cuda.atomic.add(own, (np.uint64(col[i]) - first_vertex) >> bits, np.uint32(1))
    cuda.syncthreads()
    for bucket in range(cuda.threadIdx.x, _BUCKETS, cuda.blockDim.x):
        if own[bucket]:
            cuda.atomic.add(counts, bucket, np.uint64(own[bucket]))


@device_function
def _reserve(counts, starts, sums, bases, places, first, thread):
    """Reserve room for the counted edges of each bucket; return their number. All threads of a block must come here.

    Parameters
    ----------
    counts : shared, uint32 (512,)
    starts : shared, uint32 (512,); written: edges of the buckets before each
    sums : shared, uint32 (BLOCK,); for this alone
    bases : shared, int64 (512,); written: where the edges of each bucket go
    places : in and out, int64 (buckets,)
    first : int64; the bucket that the first counter is for
    thread : int
    """
    low = min(thread * _PER_THREAD, _BUCKETS)
    high = min(low + _PER_THREAD, _BUCKETS)
    total = np.uint32(0)
    for bucket in range(low, high):
        total += counts[bucket]
    sums[thread] = total
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        before = sums[thread - step] if thread >= step else np.uint32(0)
        cuda.syncthreads()
        sums[thread] += before
        cuda.syncthreads()
        step *= 2
    start = sums[thread] - total
    for bucket in range(low, high):
        starts[bucket] = start
        start += counts[bucket]
        if counts[bucket]:
            bases[bucket] = cuda.atomic.add(places, first + bucket, np.int64(counts[bucket]))
    cuda.syncthreads()
    return np.int64(sums[BLOCK - 1])


@device_function
def _bucket_of(item, id_bits, first_vertex, bits, first):
    """The bucket (int64) of a packed edge, from the first one on."""
    return np.int64(((item >> id_bits) - first_vertex) >> bits) - first


@kernel
def _deal(
    packed, col, first_edge, id_bits, first_vertex, bits, bounds, tiles, firsts, ends, places, dealt, is_unbalanced
):
    """Deal out edges to buckets by head. A block takes a tile of edges, brings it into order, and writes it.

    Parameters
    ----------
    packed : in, uint64 (n,) or (0,); heads over edge ids
    col : in, uint32 or uint64 (n,); heads, if there are no packed ones
    first_edge, id_bits : uint64; id of the first edge of ``col``, and bits of an id
    first_vertex, bits : uint64; the first head, and log2 of the heads of a bucket
    bounds, tiles, firsts : in, int64; see `Segments`
    ends : in, int64 (buckets,); where the room of each bucket ends
    places : in and out, int64 (buckets,); where the next edge of each bucket goes
    dealt : out, uint64 (n,); packed, by bucket
    is_unbalanced : in and out, uint32 (1,); 1 if there are more edges for a bucket than room
    """
    counts = cuda.shared.array(_BUCKETS, uint32)
    starts = cuda.shared.array(_BUCKETS, uint32)
    sums = cuda.shared.array(BLOCK, uint32)
    bases = cuda.shared.array(_BUCKETS, int64)
    items = cuda.shared.array(_TILE, uint64)
    own = cuda.local.array(_EACH, uint64)
    ranks = cuda.local.array(_EACH, uint32)
    thread = cuda.threadIdx.x
    for tile in range(cuda.blockIdx.x, tiles[firsts.size], cuda.gridDim.x):
        segment = row_of(tile, tiles, 0, firsts.size - 1)
        first, begin = firsts[segment], bounds[segment] + (tile - tiles[segment]) * _TILE
        for bucket in range(thread, _BUCKETS, BLOCK):
            counts[bucket] = 0
        cuda.syncthreads()
        n_own = np.int64(0)
        for i in range(begin + thread, min(begin + _TILE, bounds[segment + 1]), BLOCK):
            item = packed[i] if packed.size else (np.uint64(col[i]) << id_bits) | (first_edge + np.uint64(i))
            bucket = _bucket_of(item, id_bits, first_vertex, bits, first)
            if bucket >= 0 and bucket < _BUCKETS and first + bucket < places.size:
                own[n_own] = item
                ranks[n_own] = cuda.atomic.add(counts, bucket, np.uint32(1))
                n_own += 1
            else:
                is_unbalanced[0] = 1
        cuda.syncthreads()
        n_items = _reserve(counts, starts, sums, bases, places, first, thread)
        for j in range(n_own):
            items[starts[_bucket_of(own[j], id_bits, first_vertex, bits, first)] + ranks[j]] = own[j]
        cuda.syncthreads()
        for i in range(thread, n_items, BLOCK):
            bucket = _bucket_of(items[i], id_bits, first_vertex, bits, first)
            at = bases[bucket] + (i - np.int64(starts[bucket]))
            if at < ends[first + bucket]:
                dealt[at] = items[i]
            else:
                is_unbalanced[0] = 1
        cuda.syncthreads()


def count_tops(col: Array, buckets: Buckets) -> NDArray[np.int64]:
    """Count the edges of each bucket of the first round, of all vertices."""
    counts = xp.zeros(_BUCKETS, np.uint64)
    launch(_count, col.size, col, np.uint64(0), np.uint64(buckets.top_bits), counts)
    found: NDArray[np.int64] = to_host(counts).astype(np.int64)
    return found


def deal(
    edges: tuple[Array, Array, int],
    segments: Segments,
    heads: tuple[int, int],
    id_bits: int,
    bounds: NDArray[np.int64],
    is_unbalanced: Array,
) -> Array:
    """Deal out edges to buckets; return heads over edge ids, by bucket.

    Parameters
    ----------
    edges : (array, array, int)
        Packed edges, or none, and then heads and the id of the first edge.
    segments : Segments
    heads : (int, int)
        The first head, and log2 of the heads of a bucket.
    id_bits : int
        Bits of an edge id.
    bounds : ndarray, dtype=int64, shape=(buckets + 1,)
        Where buckets begin in the result.
    is_unbalanced : array, dtype=uint32, shape=(1,)
        Becomes 1 if there are more edges for a bucket than room.
    """
    packed, col, first_edge = edges
    dealt = xp.empty(int(segments.bounds[-1]), np.uint64)
    numbers: tuple[Any, ...] = (first_edge, id_bits, *heads)
    tiles = segments.tiles
    tables = [to_device(table) for table in (segments.bounds, tiles, segments.firsts, bounds[1:], bounds[:-1])]
    scalars = map(np.uint64, numbers)
    launch(_deal, int(tiles[-1]), packed, col, *scalars, *tables, dealt, is_unbalanced, per_block=1)
    return dealt
