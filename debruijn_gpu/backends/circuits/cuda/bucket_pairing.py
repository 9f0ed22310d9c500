"""Pair edges of vertices of few edges without a sort.

Edges are dealt out to buckets of so few consecutive heads that a block pairs a bucket in shared memory: each edge takes
the next free slot of its head, and each vertex sorts the few edges in its slots. That is what a stable sort by head
gives, for a third of the memory traffic of a radix sort of 64-bit keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from debruijn_gpu.backends.circuits.cuda.buckets import AT_ONCE, MOST_ROWS, Buckets, Segments, multiples
from debruijn_gpu.backends.circuits.cuda.dealing import deal
from debruijn_gpu.backends.circuits.cuda.rows import Rows
from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    SIMULATED,
    cuda,
    device_function,
    kernel,
    launch,
    to_host,
    uint32,
    uint64,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import rotation

_MOST_EDGES = 64 if SIMULATED else 8192  # of a bucket
_ROW_ENDS = MOST_ROWS + 1
_FEW = 8  # edges of a vertex that are sorted in registers
_NO_EDGE = np.uint32(0xFFFFFFFF)
_PARTS_BITS = 3  # log2 of the parts in which several GPUs pair their edges
MOST_DEGREE = 32  # of vertices that sort by insertion


@kernel
def _check_rows(row_ptr, bits, most_degree, most_edges, is_other):
    """Check whether rows and buckets have few enough edges. One thread per row.

    Parameters
    ----------
    row_ptr : in, int64 (n_rows + 1,)
    bits : int64; log2 of the rows of a bucket
    most_degree, most_edges : int64; of a row and of a bucket
    is_other : in and out, uint32 (1,); 1 if there are more
    """
    n_rows = row_ptr.size - 1
    for row in range(cuda.grid(1), n_rows, cuda.gridsize(1)):
        if row_ptr[row + 1] - row_ptr[row] > most_degree:
            is_other[0] = 1
        if (row >> bits) << bits == row and row_ptr[min(row + (1 << bits), n_rows)] - row_ptr[row] > most_edges:
            is_other[0] = 1


@device_function
def _order_few(slots, start, degree, vertex):
    """Sort the up to 8 edges in the slots of a vertex, and rotate them: in registers, each goes behind the smaller."""
    own = cuda.local.array(_FEW, uint32)
    for i in range(_FEW):
        own[i] = slots[start + i] if i < degree else _NO_EDGE
    turn = np.int64(rotation(vertex, np.uint64(degree)))
    for i in range(_FEW):
        if i < degree:
            place = -turn
            for j in range(_FEW):
                place += 1 if own[j] < own[i] else 0
            slots[start + (place if place >= 0 else place + degree)] = own[i]


@device_function
def _order_many(slots, start, degree, vertex, edges):
    """Sort the edges in the slots of a vertex by insertion, and rotate them."""
    for i in range(degree):
        edge = slots[start + i]
        j = i
        while j > 0 and edges[j - 1] > edge:
            edges[j] = edges[j - 1]
            j -= 1
        edges[j] = edge
    at = np.int64(rotation(vertex, np.uint64(degree)))
    for i in range(degree):
        slots[start + i] = edges[at]
        at = at + 1 if at + 1 < degree else np.int64(0)


@device_function
def order_row(slots, start, degree, vertex, edges):
    """Sort the edges in the slots of a vertex, and rotate them.

    Parameters
    ----------
    slots : in and out, uint32
    start, degree : int64; first slot of the vertex, and edges, at most `MOST_DEGREE`
    vertex : uint64
    edges : uint32 (MOST_DEGREE,); local memory
    """
    if degree > _FEW:
        _order_many(slots, start, degree, vertex, edges)
    elif degree > 1:
        _order_few(slots, start, degree, vertex)


@device_function
def _take_slots(dealt, start, high, id_bits, first_vertex, starts, taken, slots, flags):
    """Put the edges of a thread, each a block of threads behind the other, into slots of their heads."""
    loaded = cuda.local.array(AT_ONCE, uint64)
    mask = (np.uint64(1) << id_bits) - np.uint64(1)
    for begin in range(start, high, AT_ONCE * BLOCK):
        for j in range(AT_ONCE):
            if begin + j * BLOCK < high:
                loaded[j] = dealt[begin + j * BLOCK]
        for j in range(AT_ONCE):
            if begin + j * BLOCK < high:
                own = np.int64((loaded[j] >> id_bits) - first_vertex)
                slot = starts[own] + cuda.atomic.add(taken, own, np.uint32(1))
                if slot < starts[own + 1]:
                    slots[slot] = loaded[j] & mask
                else:
                    flags[2] = 1


@kernel
def _pair(dealt, bounds, id_bits, bits, row_ptr, first_vertex, first_edge, predecessor, flags):
    """Pair the edges at the vertices of a bucket. One block per bucket.

    Parameters
    ----------
    dealt : in, uint64 (n,); heads over edge ids, by bucket
    bounds : in, int64 (buckets + 1,); where buckets begin
    id_bits, bits : uint64 and int64; bits of an id, and log2 of the rows of a bucket
    row_ptr : in, int64 (n_rows + 1,); see `Rows`
    first_vertex, first_edge : uint64 and int64; of the first row
    predecessor : out, uint32 (n,); the edge before each edge of the rows
    flags : in and out, uint32 (3,); with one of the first two, nothing is done; the third becomes 1 if a head has more
        edges than slots
    """
    slots = cuda.shared.array(_MOST_EDGES, uint32)
    starts = cuda.shared.array(_ROW_ENDS, uint32)
    taken = cuda.shared.array(_ROW_ENDS, uint32)
    edges = cuda.local.array(MOST_DEGREE, uint32)
    thread = cuda.threadIdx.x
    if flags[0] or flags[1]:
        return
    for bucket in range(cuda.blockIdx.x, bounds.size - 1, cuda.gridDim.x):
        low, high = bounds[bucket], bounds[bucket + 1]
        row = np.int64(bucket) << bits
        n_rows = min(row + (np.int64(1) << bits), row_ptr.size - 1) - row
        for i in range(thread, n_rows + 1, BLOCK):
            starts[i] = row_ptr[row + i] - first_edge - low
            taken[i] = 0
        cuda.syncthreads()
        first = first_vertex + np.uint64(row)
        _take_slots(dealt, low + thread, high, id_bits, first, starts, taken, slots, flags)
        cuda.syncthreads()
        for i in range(thread, n_rows, BLOCK):
            start = np.int64(starts[i])
            order_row(slots, start, np.int64(starts[i + 1]) - start, first_vertex + np.uint64(row + i), edges)
        cuda.syncthreads()
        for i in range(thread, high - low, BLOCK):
            predecessor[low + i] = slots[i]
        cuda.syncthreads()


@kernel
def _bound_buckets(row_ptr, first_edge, bits, bounds):
    """Compute where buckets of rows begin. One thread per bucket, and one behind them.

    Parameters
    ----------
    row_ptr : in, int64 (n_rows + 1,); see `Rows`
    first_edge, bits : int64; of the first row, and log2 of the rows of a bucket
    bounds : out, int64 (buckets + 1,)
    """
    n_rows = row_ptr.size - 1
    for bucket in range(cuda.grid(1), bounds.size, cuda.gridsize(1)):
        bounds[bucket] = row_ptr[min(np.int64(bucket) << bits, n_rows)] - first_edge


def check_buckets(rows: Rows, buckets: Buckets) -> Array:
    """Return flags (uint32, 3); the first is 1 if rows, or buckets of rows, have too many edges."""
    flags, most = xp.zeros(3, np.uint32), (np.int64(MOST_DEGREE), np.int64(_MOST_EDGES))
    launch(_check_rows, rows.row_ptr.size - 1, rows.row_ptr, np.int64(buckets.bits), *most, flags)
    return flags


def fits_buckets(rows: Rows, buckets: Buckets) -> bool:
    """Return whether rows, and buckets of rows, have few enough edges."""
    return not int(check_buckets(rows, buckets)[0])


def bucket_bounds(rows: Rows, bits: int) -> Array:
    """Where buckets of 2^bits rows begin, in the order of the edges that leave them."""
    bounds = xp.empty(-(-(rows.row_ptr.size - 1) >> bits) + 1, np.int64)
    launch(_bound_buckets, bounds.size, rows.row_ptr, np.int64(rows.first_edge), np.int64(bits), bounds)
    return bounds


def deal_first(col: Array, first_edge: int, buckets: Buckets, bounds: Array, flags: Array) -> Array:
    """Deal out edges in the first round; return them packed.

    Parameters
    ----------
    col : array, dtype=uint32 or uint64, shape=(n,)
        Heads of consecutive edges.
    first_edge : int
    buckets : Buckets
    bounds : array, dtype=int64, shape=(buckets + 1,)
        Where buckets, from that of vertex 0 on, begin in the result.
    flags : array, dtype=uint32, shape=(3,)
        See `_deal`.
    """
    edges = (xp.empty(0, np.uint64), col, first_edge)
    return deal(edges, Segments.whole(col.size), (0, buckets.top_bits), buckets.id_bits, bounds, flags)


def deal_again(packed: Array, segments: Segments, rows: Rows, buckets: Buckets, flags: Array) -> tuple[Array, Array]:
    """Deal out the edges into rows in the second round; return them packed, and where buckets begin.

    Parameters
    ----------
    packed : array, dtype=uint64, shape=(n,)
        Heads over edge ids, in segments.
    segments : Segments
    rows : Rows
    buckets : Buckets
    flags : array, dtype=uint32, shape=(3,)
        See `_deal`.
    """
    bounds, heads = bucket_bounds(rows, buckets.bits), (rows.first_vertex, buckets.bits)
    return deal((packed, rows.col[:0], 0), segments, heads, buckets.id_bits, bounds, flags), bounds


def pair_dealt(packed: Array, bounds: Array, rows: Rows, buckets: Buckets, predecessor: Array, flags: Array) -> None:
    """Pair the edges that leave rows with those into the same vertices, which are dealt out.

    Writes the edge before each edge of the rows; see `_pair` for the flags. Of some consecutive buckets, ``bounds`` and
    the row pointers begin with the first of them.
    """
    scalars = (np.uint64(buckets.id_bits), np.int64(buckets.bits))
    firsts = (np.uint64(rows.first_vertex), np.int64(rows.first_edge))
    launch(_pair, bounds.size - 1, packed, bounds, *scalars, rows.row_ptr, *firsts, predecessor, flags, per_block=1)


def pair_parts(
    packed: Array, bounds: Array, rows: Rows, buckets: Buckets, predecessor: Array, flags: Array
) -> Iterator[tuple[int, int]]:
    """Pair edges as `pair_dealt` does, in parts; yield the first and last place of the pairs of each."""
    n_buckets = bounds.size - 1
    bits = max(0, (n_buckets - 1).bit_length() - _PARTS_BITS)
    edges: list[int] = to_host(bucket_bounds(rows, buckets.bits + bits)).tolist()
    for part, (start, stop) in enumerate(pairwise(edges)):
        low = part << bits
        first_row = low << buckets.bits
        of_part = Rows(rows.first_vertex + first_row, rows.first_edge, rows.row_ptr[first_row:], rows.col)
        pair_dealt(packed, bounds[low : low + (1 << bits) + 1], of_part, buckets, predecessor, flags)
        yield start, stop


def pair_whole(rows: Rows, buckets: Buckets) -> tuple[bool, Array | None]:
    """Pair the edges of a whole graph, and wait once.

    Returns
    -------
    bool
        Whether rows, and buckets of rows, have few enough edges.
    array, dtype=uint32, shape=(n_edges,)
        The edge before each; None if the graph is not balanced.
    """
    flags, tops = check_buckets(rows, buckets), bucket_bounds(rows, buckets.top_bits)
    packed = deal_first(rows.col, 0, buckets, tops, flags)
    segments = Segments(tops, multiples(tops.size - 1, 1 << buckets.low_bits))
    packed, bounds = deal_again(packed, segments, rows, buckets, flags)
    predecessor = xp.empty(rows.col.size, id_dtype(rows.col.size))
    pair_dealt(packed, bounds, rows, buckets, predecessor, flags)
    is_other, *unbalanced = to_host(flags).tolist()
    return not is_other, None if any(unbalanced) else predecessor
