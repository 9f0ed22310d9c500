"""Deal out edges to buckets of consecutive heads, in two rounds of up to 512 buckets each.

A block takes a tile of edges, brings it into the order of buckets in shared memory, and writes runs of edges to them,
as a round of a radix sort from the most significant digit does. (After Merrill and Grimshaw 2011.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.circuits.cuda.buckets import AT_ONCE, EACH, LEVEL_BITS, TILE, Buckets, Segments
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import copied
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    cuda,
    device_function,
    int64,
    kernel,
    kernel_of,
    launch,
    to_host,
    uint16,
    uint32,
    uint64,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import row_of

_BUCKETS = 1 << LEVEL_BITS
_PER_THREAD = -(-_BUCKETS // BLOCK)
_NO_RANK = np.uint16(0xFFFF)


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
def _reserve(counts, starts, sums, bases, bounds, places, first, thread, flags):
    """Reserve room for the counted edges of each bucket; return their number. All threads of a block must come here.

    Parameters
    ----------
    counts : shared, uint32 (512,)
    starts : shared, uint32 (512,); written: edges of the buckets before each
    sums : shared, uint32 (BLOCK,); for this alone
    bases : shared, int64 (512,); written: where the edges of each bucket go; -1 if it has no room for them
    bounds, places : as in `_deal`
    first : int64; the bucket that the first counter is for
    thread : int
    flags : as in `_deal`
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
            base = cuda.atomic.add(places, first + bucket, np.int64(counts[bucket]))
            if base + np.int64(counts[bucket]) > bounds[first + bucket + 1]:
                flags[1] = 1
                base = np.int64(-1)
            bases[bucket] = base
    cuda.syncthreads()
    return np.int64(sums[BLOCK - 1])


@device_function
def _bucket_of(item, id_bits, first_vertex, bits, first):
    """The bucket (int64) of a packed edge, from the first one on."""
    return np.int64(((item >> id_bits) - first_vertex) >> bits) - first


@device_function
def _load(loaded, start, end, packed, col, first_edge, id_bits):
    """Load the packed edges at ``start`` and each a block of threads further, before any is looked at."""
    for j in range(AT_ONCE):
        i = start + j * BLOCK
        if i < end:
            loaded[j] = packed[i] if packed.size else (np.uint64(col[i]) << id_bits) | (first_edge + np.uint64(i))


@device_function
def _store(items, n_items, starts, bases, thread, heads, first, dealt):
    """Store the edges of a tile, which are in order; ``heads`` as `_bucket_of` takes them."""
    id_bits, first_vertex, bits = heads
    for i in range(thread, n_items, BLOCK):
        bucket = _bucket_of(items[i], id_bits, first_vertex, bits, first)
        if bases[bucket] >= 0:
            dealt[bases[bucket] + (i - np.int64(starts[bucket]))] = items[i]


@kernel_of(max_registers=64)
def _deal(packed, col, first_edge, id_bits, first_vertex, bits, begins, tiles, firsts, bounds, places, dealt, flags):
    """Deal out edges to buckets by head. A block takes a tile of edges, brings it into order, and writes it.

    Edges are loaded twice, the second time from the cache, instead of being kept in local memory.

    Parameters
    ----------
    packed : in, uint64 (n,) or (0,); heads over edge ids
    col : in, uint32 or uint64 (n,); heads, if there are no packed ones
    first_edge, id_bits : uint64; id of the first edge of ``col``, and bits of an id
    first_vertex, bits : uint64; the first head, and log2 of the heads of a bucket
    begins, tiles, firsts : in, int64; see `Segments`
    bounds : in, int64 (buckets + 1,); where the room of each bucket begins
    places : in and out, int64 (buckets,); where the next edge of each bucket goes
    dealt : out, uint64 (n,); packed, by bucket
    flags : in and out, uint32 (3,); with the first, nothing is done; the second becomes 1 if there are more edges for a
        bucket than room
    """
    counts = cuda.shared.array(_BUCKETS, uint32)
    starts = cuda.shared.array(_BUCKETS, uint32)
    sums = cuda.shared.array(BLOCK, uint32)
    bases = cuda.shared.array(_BUCKETS, int64)
    items = cuda.shared.array(TILE, uint64)
    ranks = cuda.local.array(EACH, uint16)
    loaded = cuda.local.array(AT_ONCE, uint64)
    thread = cuda.threadIdx.x
    if flags[0]:
        return
    for tile in range(cuda.blockIdx.x, tiles[firsts.size], cuda.gridDim.x):
        segment = row_of(tile, tiles, 0, firsts.size - 1)
        first, begin = firsts[segment], begins[segment] + (tile - tiles[segment]) * TILE
        end = min(begin + TILE, begins[segment + 1])
        for bucket in range(thread, _BUCKETS, BLOCK):
            counts[bucket] = 0
        cuda.syncthreads()
        for own in range(0, EACH, AT_ONCE):
            _load(loaded, begin + thread + own * BLOCK, end, packed, col, first_edge, id_bits)
            for j in range(AT_ONCE):
                if begin + thread + (own + j) * BLOCK < end:
                    bucket = _bucket_of(loaded[j], id_bits, first_vertex, bits, first)
                    if bucket >= 0 and bucket < _BUCKETS and first + bucket < places.size:
                        ranks[own + j] = cuda.atomic.add(counts, bucket, np.uint32(1))
                    else:
                        ranks[own + j] = _NO_RANK
                        flags[1] = 1
        cuda.syncthreads()
        n_items = _reserve(counts, starts, sums, bases, bounds, places, first, thread, flags)
        for own in range(0, EACH, AT_ONCE):
            _load(loaded, begin + thread + own * BLOCK, end, packed, col, first_edge, id_bits)
            for j in range(AT_ONCE):
                if begin + thread + (own + j) * BLOCK < end and ranks[own + j] != _NO_RANK:
                    bucket = _bucket_of(loaded[j], id_bits, first_vertex, bits, first)
                    items[starts[bucket] + ranks[own + j]] = loaded[j]
        cuda.syncthreads()
        _store(items, n_items, starts, bases, thread, (id_bits, first_vertex, bits), first, dealt)
        cuda.syncthreads()


def count_tops(parts: list[Array], buckets: Buckets) -> NDArray[np.int64]:
    """Count the edges of each bucket of the first round, of all vertices: int64 (parts, 512)."""
    counts = xp.zeros((len(parts), _BUCKETS), np.uint64)
    for part, own in zip(parts, counts, strict=True):
        launch(_count, part.size, part, np.uint64(0), np.uint64(buckets.top_bits), own)
    found: NDArray[np.int64] = to_host(counts).astype(np.int64)
    return found


def deal(
    edges: tuple[Array, Array, int],
    segments: Segments,
    heads: tuple[int, int],
    id_bits: int,
    bounds: Array,
    flags: Array,
) -> Array:
    """Deal out edges to buckets; return heads over edge ids, by bucket.

    Parameters
    ----------
    edges : (array, array, int)
        Packed edges, or none, and then heads and the id of the first edge.
    segments : Segments
        All edges are in one.
    heads : (int, int)
        The first head, and log2 of the heads of a bucket.
    id_bits : int
        Bits of an edge id.
    bounds : array, dtype=int64, shape=(buckets + 1,)
        Where buckets begin in the result.
    flags : array, dtype=uint32, shape=(3,)
        See `_deal`.
    """
    packed, col, first_edge = edges
    n = packed.size or col.size
    dealt, places = xp.empty(n, np.uint64), copied(bounds[:-1])
    tables = (segments.bounds, segments.tiles(), segments.firsts, bounds, places)
    scalars = map(np.uint64, (first_edge, id_bits, *heads))
    most_tiles = n // TILE + segments.firsts.size if n else 0
    launch(_deal, most_tiles, packed, col, *scalars, *tables, dealt, flags, per_block=1)
    return dealt
