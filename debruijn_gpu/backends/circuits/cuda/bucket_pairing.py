"""Pair edges of vertices of few edges without a sort.

Edges are dealt out to buckets of so few consecutive heads that a block pairs a bucket in shared memory: each edge takes
the next free slot of its head, and each vertex sorts the few edges in its slots. That is what a stable sort by head
gives, for a third of the memory traffic of a radix sort of 64-bit keys.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.keys import gather
from debruijn_gpu.backends.circuits.cuda.dealing import LEVEL_BITS, MOST_ROWS, Buckets, Segments, deal
from debruijn_gpu.backends.circuits.cuda.rows import Rows
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    SIMULATED,
    cuda,
    device_function,
    kernel,
    launch,
    to_device,
    to_host,
    uint32,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import rotation

_MOST_EDGES = 64 if SIMULATED else 8192  # of a bucket
_ROW_ENDS = MOST_ROWS + 1
_MOST_DEGREE = 32  # of vertices that sort by insertion


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
def _order_row(slots, start, degree, vertex, edges):
    """Sort the edges in the slots of a vertex (``edges``: local memory), and rotate them."""
    for i in range(degree):
        edge = slots[start + i]
        j = i
        while j > 0 and edges[j - 1] > edge:
            edges[j] = edges[j - 1]
            j -= 1
        edges[j] = edge
    at = np.int64(rotation(vertex, np.uint64(degree))) if degree > 0 else np.int64(0)
    for i in range(degree):
        slots[start + i] = edges[at]
        at = at + 1 if at + 1 < degree else np.int64(0)


@kernel
def _pair(dealt, bounds, id_bits, bits, row_ptr, first_vertex, first_edge, predecessor, is_unbalanced):
    """Pair the edges at the vertices of a bucket. One block per bucket.

    Parameters
    ----------
    dealt : in, uint64 (n,); heads over edge ids, by bucket
    bounds : in, int64 (buckets + 1,); where buckets begin
    id_bits, bits : uint64 and int64; bits of an id, and log2 of the rows of a bucket
    row_ptr : in, int64 (n_rows + 1,); see `Rows`
    first_vertex, first_edge : uint64 and int64; of the first row
    predecessor : out, uint32 (n,); the edge before each edge of the rows
    is_unbalanced : in and out, uint32 (1,); 1 if a head has more edges than slots
    """
    slots = cuda.shared.array(_MOST_EDGES, uint32)
    starts = cuda.shared.array(_ROW_ENDS, uint32)
    taken = cuda.shared.array(_ROW_ENDS, uint32)
    edges = cuda.local.array(_MOST_DEGREE, uint32)
    thread = cuda.threadIdx.x
    mask = (np.uint64(1) << id_bits) - np.uint64(1)
    for bucket in range(cuda.blockIdx.x, bounds.size - 1, cuda.gridDim.x):
        low, high = bounds[bucket], bounds[bucket + 1]
        row = np.int64(bucket) << bits
        n_rows = min(row + (np.int64(1) << bits), row_ptr.size - 1) - row
        for i in range(thread, n_rows + 1, BLOCK):
            starts[i] = row_ptr[row + i] - first_edge - low
            taken[i] = 0
        cuda.syncthreads()
        for i in range(low + thread, high, BLOCK):
            own = np.int64((dealt[i] >> id_bits) - first_vertex) - row
            slot = starts[own] + cuda.atomic.add(taken, own, np.uint32(1))
            if slot < starts[own + 1]:
                slots[slot] = dealt[i] & mask
            else:
                is_unbalanced[0] = 1
        cuda.syncthreads()
        for i in range(thread, n_rows, BLOCK):
            degree = np.int64(starts[i + 1]) - np.int64(starts[i])
            _order_row(slots, np.int64(starts[i]), degree, first_vertex + np.uint64(row + i), edges)
        cuda.syncthreads()
        for i in range(thread, high - low, BLOCK):
            predecessor[low + i] = slots[i]
        cuda.syncthreads()


def fits_buckets(rows: Rows, buckets: Buckets) -> bool:
    """Return whether rows, and buckets of rows, have few enough edges."""
    is_other = xp.zeros(1, np.uint32)
    most = (np.int64(_MOST_DEGREE), np.int64(_MOST_EDGES))
    launch(_check_rows, rows.row_ptr.size - 1, rows.row_ptr, np.int64(buckets.bits), *most, is_other)
    return not int(is_other[0])


def bucket_bounds(rows: Rows, bits: int) -> NDArray[np.int64]:
    """Where buckets of 2^bits rows begin, in the order of the edges that leave them."""
    n_rows = rows.row_ptr.size - 1
    starts = np.minimum(np.arange(-(-n_rows >> bits) + 1) << bits, n_rows)
    bounds: NDArray[np.int64] = to_host(gather(rows.row_ptr, to_device(starts))) - rows.first_edge
    return bounds


@dataclass(frozen=True)
class Dealt:
    """Edges that are dealt out to buckets.

    Attributes
    ----------
    packed : array, dtype=uint64, shape=(n,)
        Heads over edge ids, by bucket.
    bounds : ndarray, dtype=int64, shape=(buckets + 1,)
        Where buckets begin.
    """

    packed: Array
    bounds: NDArray[np.int64]

    @property
    def segments(self) -> Segments:
        """What a second round deals out."""
        return Segments(self.bounds, np.arange(self.bounds.size - 1) << LEVEL_BITS)


def deal_first(rows: Rows, buckets: Buckets) -> Dealt | None:
    """Deal out the edges of a whole graph in the first round; None if it is not balanced."""
    bounds, is_unbalanced = bucket_bounds(rows, buckets.top_bits), xp.zeros(1, np.uint32)
    whole = Segments(np.array([0, rows.col.size]), np.zeros(1, np.int64))
    edges = (xp.empty(0, np.uint64), rows.col, rows.first_edge)
    packed = deal(edges, whole, (rows.first_vertex, buckets.top_bits), buckets.id_bits, bounds, is_unbalanced)
    return None if int(is_unbalanced[0]) else Dealt(packed, bounds)


def deal_again(packed: Array, segments: Segments, rows: Rows, buckets: Buckets) -> Dealt | None:
    """Deal out the edges into rows in the second round; None if the rows are not balanced.

    Parameters
    ----------
    packed : array, dtype=uint64, shape=(n,)
        Heads over edge ids, in segments.
    segments : Segments
    rows : Rows
    buckets : Buckets
    """
    bounds, is_unbalanced = bucket_bounds(rows, buckets.bits), xp.zeros(1, np.uint32)
    heads = (rows.first_vertex, buckets.bits)
    dealt = deal((packed, rows.col[:0], 0), segments, heads, buckets.id_bits, bounds, is_unbalanced)
    return None if int(is_unbalanced[0]) else Dealt(dealt, bounds)


def pair_dealt(dealt: Dealt, rows: Rows, buckets: Buckets, predecessor: Array) -> bool:
    """Pair the edges that leave rows with those into the same vertices, which are dealt out.

    Writes the edge before each edge of the rows; returns whether the rows are balanced.
    """
    is_unbalanced = xp.zeros(1, np.uint32)
    scalars = (np.uint64(buckets.id_bits), np.int64(buckets.bits))
    firsts = (np.uint64(rows.first_vertex), np.int64(rows.first_edge))
    arrays = (rows.row_ptr, *firsts, predecessor, is_unbalanced)
    launch(_pair, dealt.bounds.size - 1, dealt.packed, to_device(dealt.bounds), *scalars, *arrays, per_block=1)
    return not int(is_unbalanced[0])
