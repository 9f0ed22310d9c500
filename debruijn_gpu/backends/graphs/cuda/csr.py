"""Build CSR arrays, and find loops; see `GraphOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.histograms import count_integers
from debruijn_gpu.backends.arrays.cuda.keys import as_bits
from debruijn_gpu.backends.arrays.cuda.sorting import low_bits, sort_pairs
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, to_host, xp
from debruijn_gpu.backends.core.cuda.scalars import row_of

_LONG = 64  # edges of a row that one thread does not write alone
_TILE = 2048  # edges for which the search of their rows starts from the same two


@kernel
def _tile_rows(row_ptr, n_edges, rows):
    """The row of the first edge of each tile, and of the last edge at the end. One thread per tile.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    n_edges : int64, at least 1
    rows : out, int64 (tiles + 1,)
    """
    for tile in range(cuda.grid(1), rows.size, cuda.gridsize(1)):
        rows[tile] = row_of(min(tile * _TILE, n_edges - 1), row_ptr, 0, row_ptr.size - 2)


@kernel
def _write_short_rows(row_ptr, tails, long_rows, n_long):
    """The vertex to each edge of its row; long rows are noted for `_write_long_rows`. One thread per vertex.

    Neighbouring threads write neighbouring rows, so that the cache gathers their writes.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    tails : out, unsigned (n_edges,)
    long_rows : out, int64 (n_edges // _LONG + 1,)
    n_long : in and out, int64 (1,); 0 on entry
    """
    for vertex in range(cuda.grid(1), row_ptr.size - 1, cuda.gridsize(1)):
        start = row_ptr[vertex]
        stop = row_ptr[vertex + 1]
        if stop - start > _LONG:
            long_rows[cuda.atomic.add(n_long, 0, 1)] = vertex
        else:
            for edge in range(start, stop):
                tails[edge] = vertex


@kernel
def _write_long_rows(row_ptr, tails, long_rows, n_long):
    """The vertex to each edge of a long row. One block per row; arrays as in `_write_short_rows`."""
    for i in range(cuda.blockIdx.x, n_long[0], cuda.gridDim.x):
        vertex = long_rows[i]
        start = row_ptr[vertex] + cuda.threadIdx.x
        for edge in range(start, row_ptr[vertex + 1], cuda.blockDim.x):
            tails[edge] = vertex


@kernel
def _pack_edges(row_ptr, rows, col, shift, packed):
    """Head over tail of each edge. One thread per edge.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    rows : in, int64 (tiles + 1,); see `_tile_rows`
    col : in, unsigned (n_edges,)
    shift : uint64; bits of a vertex
    packed : out, uint32 or uint64 (n_edges,)
    """
    for edge in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        tile = edge // _TILE
        tail = row_of(edge, row_ptr, rows[tile], rows[tile + 1])
        packed[edge] = (np.uint64(col[edge]) << shift) | np.uint64(tail)


@kernel
def _find_rows(tails, shift, row_ptr):
    """Where the rows of a sorted edge list start. One thread per vertex; neighbours search along the same path.

    Parameters
    ----------
    tails : in, uint32 or uint64 (n_edges,), ascending
    shift : uint64; bits at the low end that are no part of the tail
    row_ptr : out, int64 (n_vertices + 1,)
    """
    for vertex in range(cuda.grid(1), row_ptr.size, cuda.gridsize(1)):
        low = 0
        high = tails.size
        while low < high:
            middle = (low + high) >> 1
            if (np.uint64(tails[middle]) >> shift) < np.uint64(vertex):
                low = middle + 1
            else:
                high = middle
        row_ptr[vertex] = low


def _rows_of_tiles(row_ptr: Array, n_edges: int) -> Array:
    rows = xp.empty(-(-n_edges // _TILE) + 1, np.int64)
    launch(_tile_rows, rows.size, row_ptr, np.int64(n_edges), rows)
    return rows


def _row_ptr_of(sorted_tails: Array, shift: int, n_vertices: int) -> Array:
    row_ptr = xp.empty(n_vertices + 1, np.int64)
    launch(_find_rows, row_ptr.size, as_bits(sorted_tails), np.uint64(shift), row_ptr)
    return row_ptr


@guarded
def csr_from_edges(tails: Array, heads: Array, n_vertices: int) -> tuple[Array, Array]:
    """See `GraphOperations.csr_from_edges`."""
    sorted_tails, col = sort_pairs(tails, heads)
    if tails.size and not 0 <= int(sorted_tails[0]) <= int(sorted_tails[-1]) < n_vertices:
        raise ValueError(f"a tail is not in 0..{n_vertices - 1}")
    return _row_ptr_of(sorted_tails, 0, n_vertices), col


@guarded
def csr_tails(row_ptr: Array, col: Array) -> Array:
    """See `GraphOperations.csr_tails`."""
    tails = xp.empty(col.size, col.dtype)
    if tails.size:
        row_ptr = contiguous(row_ptr)
        long_rows, n_long = xp.empty(tails.size // _LONG + 1, np.int64), xp.zeros(1, np.int64)
        launch(_write_short_rows, row_ptr.size - 1, row_ptr, as_bits(tails), long_rows, n_long)
        launch(_write_long_rows, long_rows.size, row_ptr, as_bits(tails), long_rows, n_long, per_block=1)
    return tails


@guarded
def csr_reverse(row_ptr: Array, col: Array) -> tuple[Array, Array]:
    """See `GraphOperations.csr_reverse`: a sort of the edges by head and tail in one integer."""
    n_vertices = row_ptr.size - 1
    bits = max(1, (n_vertices - 1).bit_length())
    if not col.size:
        return xp.zeros(n_vertices + 1, np.int64), xp.empty(0, col.dtype)
    if 2 * bits > 64:
        heads, tails = sort_pairs(col, csr_tails(row_ptr, col))
        return _row_ptr_of(heads, 0, n_vertices), tails
    row_ptr = contiguous(row_ptr)
    packed = xp.empty(col.size, np.uint32 if 2 * bits <= 32 else np.uint64)
    rows = _rows_of_tiles(row_ptr, col.size)
    launch(_pack_edges, col.size, row_ptr, rows, as_bits(col), np.uint64(bits), packed)
    packed.sort()
    return _row_ptr_of(packed, bits, n_vertices), low_bits(packed, bits, col.dtype)


@kernel
def _differences(row_ptr, degrees):
    """Edges of each row. One thread per row.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    degrees : out, int64 (n_vertices,)
    """
    for vertex in range(cuda.grid(1), degrees.size, cuda.gridsize(1)):
        degrees[vertex] = row_ptr[vertex + 1] - row_ptr[vertex]


@guarded
def out_degrees(row_ptr: Array) -> Array:
    """See `GraphOperations.out_degrees`."""
    degrees = xp.empty(row_ptr.size - 1, np.int64)
    launch(_differences, degrees.size, contiguous(row_ptr), degrees)
    return degrees


@guarded
def in_degrees(col: Array, n_vertices: int) -> Array:
    """See `GraphOperations.in_degrees`."""
    return count_integers(col, n_vertices)


@kernel
def _count(tails, heads, counts):
    """Count loops, and edges with both ends of the edge before them. One thread per edge, one addition per thread.

    Parameters
    ----------
    tails, heads : in, uint32 or uint64 (n_edges,)
    counts : in and out, int64 (2,)
    """
    n_loops = 0
    n_repeats = 0
    for edge in range(cuda.grid(1), heads.size, cuda.gridsize(1)):
        if tails[edge] == heads[edge]:
            n_loops += 1
        if edge > 0 and tails[edge] == tails[edge - 1] and heads[edge] == heads[edge - 1]:
            n_repeats += 1
    if n_loops:
        cuda.atomic.add(counts, 0, n_loops)
    if n_repeats:
        cuda.atomic.add(counts, 1, n_repeats)


@guarded
def count_loops_and_repeats(row_ptr: Array, col: Array) -> tuple[int, int]:
    """See `GraphOperations.count_loops_and_repeats`."""
    counts = xp.zeros(2, np.int64)
    launch(_count, col.size, as_bits(csr_tails(contiguous(row_ptr), col)), as_bits(col), counts)
    n_loops, n_repeats = to_host(counts)
    return int(n_loops), int(n_repeats)
