"""Pair edges of vertices of few edges without a sort.

Edges are dealt out to buckets of consecutive heads, each small enough for the cache. Then, bucket by bucket, each edge
takes the next free slot of its head, and each vertex sorts the few edges in its slots: what a stable sort by head
gives, for less than half the memory traffic of a radix sort of 64-bit keys.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import gather
from debruijn_gpu.backends.circuits.cuda.rows import Rows
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
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
from debruijn_gpu.backends.core.cuda.scalars import rotation

_BUCKET_BITS = 8
_BUCKETS = 1 << _BUCKET_BITS
_PER_THREAD = _BUCKETS // BLOCK
_EACH = 16  # edges of a thread that are dealt out at once
_TILE = _EACH * BLOCK
_MOST_DEGREE = 32  # of vertices that sort by insertion


@kernel
def _find_long_rows(row_ptr, most, is_long):
    """Whether a row has more than so many edges. One thread per row.

    Parameters
    ----------
    row_ptr : in, int64 (n_rows + 1,)
    most : int64
    is_long : in and out, uint32 (1,)
    """
    for row in range(cuda.grid(1), row_ptr.size - 1, cuda.gridsize(1)):
        if row_ptr[row + 1] - row_ptr[row] > most:
            is_long[0] = 1


@device_function
def _bucket_of(item, shift, first_vertex, bucket_shift):
    """The bucket of a packed edge; a number beyond all if its head is before the first vertex."""
    return ((item >> shift) - first_vertex) >> bucket_shift


@device_function
def _reserve(counts, starts, sums, bases, places, thread):
    """Reserve room for the counted edges of each bucket; return their number. All threads of a block must come here.

    Parameters
    ----------
    counts : shared, uint32 (256,)
    starts : shared, uint32 (256,); written: edges of the buckets before each
    sums : shared, uint32 (BLOCK,); for this alone
    bases : shared, int64 (256,); written: where the edges of each bucket go
    places : in and out, int64 (256,)
    thread : int
    """
    total = np.uint32(0)
    for bucket in range(thread * _PER_THREAD, (thread + 1) * _PER_THREAD):
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
    for bucket in range(thread * _PER_THREAD, (thread + 1) * _PER_THREAD):
        starts[bucket] = start
        start += counts[bucket]
        if counts[bucket]:
            bases[bucket] = cuda.atomic.add(places, bucket, np.int64(counts[bucket]))
    cuda.syncthreads()
    return np.int64(sums[BLOCK - 1])


@kernel
def _deal(packed, col, first, shift, first_vertex, bucket_shift, bounds, places, dealt, is_unbalanced):
    """Deal out edges to buckets by head. A block takes a tile of edges, brings it into order, and writes it.

    Parameters
    ----------
    packed : in, uint64 (n,) or (0,); heads over edge ids
    col : in, uint32 or uint64 (n,); heads, if there are no packed ones
    first, shift : uint64; id of the first edge of ``col``, and bits of an id
    first_vertex, bucket_shift : uint64; the first head, and log2 of the heads of a bucket
    bounds : in, int64 (257,); where buckets begin
    places : in and out, int64 (256,); where the next edge of each bucket goes
    dealt : out, uint64 (n,); packed, by bucket
    is_unbalanced : in and out, uint32 (1,); 1 if there are more edges for a bucket than slots in it
    """
    counts = cuda.shared.array(_BUCKETS, uint32)
    starts = cuda.shared.array(_BUCKETS, uint32)
    sums = cuda.shared.array(BLOCK, uint32)
    bases = cuda.shared.array(_BUCKETS, int64)
    items = cuda.shared.array(_TILE, uint64)
    own = cuda.local.array(_EACH, uint64)
    ranks = cuda.local.array(_EACH, uint32)
    thread = cuda.threadIdx.x
    for begin in range(cuda.blockIdx.x * _TILE, dealt.size, cuda.gridDim.x * _TILE):
        for bucket in range(thread, _BUCKETS, BLOCK):
            counts[bucket] = 0
        cuda.syncthreads()
        n_own = np.int64(0)
        for i in range(begin + thread, min(begin + _TILE, dealt.size), BLOCK):
            item = packed[i] if packed.size else (np.uint64(col[i]) << shift) | (first + np.uint64(i))
            bucket = _bucket_of(item, shift, first_vertex, bucket_shift)
            if bucket < np.uint64(_BUCKETS):
                own[n_own] = item
                ranks[n_own] = cuda.atomic.add(counts, bucket, np.uint32(1))
                n_own += 1
            else:
                is_unbalanced[0] = 1
        cuda.syncthreads()
        n_items = _reserve(counts, starts, sums, bases, places, thread)
        for j in range(n_own):
            items[starts[_bucket_of(own[j], shift, first_vertex, bucket_shift)] + ranks[j]] = own[j]
        cuda.syncthreads()
        for i in range(thread, n_items, BLOCK):
            bucket = _bucket_of(items[i], shift, first_vertex, bucket_shift)
            at = bases[bucket] + (i - np.int64(starts[bucket]))
            if at < bounds[bucket + np.uint64(1)]:
                dealt[at] = items[i]
            else:
                is_unbalanced[0] = 1
        cuda.syncthreads()


@kernel
def _take_slots(dealt, shift, row_ptr, first_vertex, first_edge, taken, slots, is_unbalanced):
    """Give each edge the next free slot of its head. One thread per edge.

    Parameters
    ----------
    dealt : in, uint64 (n,); heads over edge ids, by bucket
    shift : uint64; bits of an id
    row_ptr : in, int64 (n_rows + 1,); see `Rows`
    first_vertex, first_edge : uint64 and int64; of the first row
    taken : in and out, uint32 (n_rows,); slots that are taken
    slots : out, uint32 or uint64 (n,); edges by head, those of each head in no order
    is_unbalanced : in and out, uint32 (1,); 1 if a head has more edges than slots
    """
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for i in range(cuda.grid(1), dealt.size, cuda.gridsize(1)):
        row = (dealt[i] >> shift) - first_vertex
        slot = row_ptr[row] - first_edge + np.int64(cuda.atomic.add(taken, row, np.uint32(1)))
        if slot < row_ptr[row + np.uint64(1)] - first_edge:
            slots[slot] = dealt[i] & mask
        else:
            is_unbalanced[0] = 1


@kernel
def _order_slots(row_ptr, first_vertex, first_edge, slots):
    """Sort the edges of each head, and rotate them. One thread per row.

    Parameters
    ----------
    row_ptr : in, int64 (n_rows + 1,); see `Rows`
    first_vertex, first_edge : uint64 and int64; of the first row
    slots : in and out, uint32 or uint64 (n,); edges by head, then the edge before each
    """
    edges = cuda.local.array(_MOST_DEGREE, uint64)
    for row in range(cuda.grid(1), row_ptr.size - 1, cuda.gridsize(1)):
        start = row_ptr[row] - first_edge
        degree = row_ptr[row + 1] - first_edge - start
        for i in range(degree):
            edge = np.uint64(slots[start + i])
            j = i
            while j > 0 and edges[j - 1] > edge:
                edges[j] = edges[j - 1]
                j -= 1
            edges[j] = edge
        if degree > 0:
            at = np.int64(rotation(first_vertex + np.uint64(row), np.uint64(degree)))
            for i in range(degree):
                slots[start + i] = edges[at]
                at = at + 1 if at + 1 < degree else np.int64(0)


def has_few_edges_each(rows: Rows) -> bool:
    """Return whether the vertices of rows have few enough edges to be paired without a sort."""
    is_long = xp.zeros(1, np.uint32)
    launch(_find_long_rows, rows.row_ptr.size - 1, rows.row_ptr, np.int64(_MOST_DEGREE), is_long)
    return not int(is_long[0])


def deal_out(packed: Array, rows: Rows, shift: int) -> Array | None:
    """Deal out the edges into rows to buckets of heads; None if there are more than leave the rows of a bucket.

    Parameters
    ----------
    packed : array, dtype=uint64, shape=(n,) or (0,)
        Heads over edge ids; without them, the edges of the rows themselves are dealt out.
    rows : Rows
    shift : int
        Bits of an edge id.
    """
    n_rows, n = rows.row_ptr.size - 1, rows.col.size
    bucket_shift = max(0, (max(1, n_rows) - 1).bit_length() - _BUCKET_BITS)
    dealt, is_unbalanced = xp.empty(n, np.uint64), xp.zeros(1, np.uint32)
    starts = np.minimum(np.arange(_BUCKETS + 1) << bucket_shift, n_rows)
    bounds = to_host(gather(rows.row_ptr, to_device(starts))) - rows.first_edge
    scalars = (np.uint64(rows.first_edge), np.uint64(shift), np.uint64(rows.first_vertex), np.uint64(bucket_shift))
    arrays = (to_device(bounds), to_device(bounds[:-1]), dealt, is_unbalanced)
    launch(_deal, n, packed, rows.col, *scalars, *arrays, per_block=_TILE)
    return None if int(is_unbalanced[0]) else dealt


def pair_in_slots(dealt: Array, rows: Rows, shift: int, predecessor: Array) -> bool:
    """Pair the edges that leave rows with those into the same vertices, which are dealt out.

    Writes the edge before each edge of the rows; returns whether the rows are balanced.
    """
    is_unbalanced, taken = xp.zeros(1, np.uint32), xp.zeros(rows.row_ptr.size - 1, np.uint32)
    firsts = (np.uint64(rows.first_vertex), np.int64(rows.first_edge))
    launch(_take_slots, dealt.size, dealt, np.uint64(shift), rows.row_ptr, *firsts, taken, predecessor, is_unbalanced)
    if int(is_unbalanced[0]):
        return False
    launch(_order_slots, rows.row_ptr.size - 1, rows.row_ptr, *firsts, predecessor)
    return True
