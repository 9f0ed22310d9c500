"""Build CSR arrays, and find loops; see `GraphOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cpu.histograms import count_integers
from debruijn_gpu.backends.arrays.cpu.keys import bits_of
from debruijn_gpu.backends.arrays.cpu.sorting import sort_pairs
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel


@kernel
def _find_rows(tails, start, stop, row_ptr):
    """Write where rows begin that do so at edges start..stop of sorted tails (uint32 or uint64)."""
    row = np.uint64(tails[start - 1]) + np.uint64(1) if start else np.uint64(0)
    for i in range(start, stop):
        while row <= np.uint64(tails[i]):
            row_ptr[row] = i
            row += np.uint64(1)


def csr_from_edges(tails: Array, heads: Array, n_vertices: int) -> tuple[Array, Array]:
    """See `GraphOperations.csr_from_edges`."""
    sorted_tails, col = sort_pairs(tails, heads)
    n_edges = len(col)
    row_ptr = np.full(n_vertices + 1, n_edges, np.int64)
    if n_edges:
        if int(sorted_tails[0]) < 0 or int(sorted_tails[-1]) >= n_vertices:
            raise ValueError(f"a tail is not in 0..{n_vertices - 1}")
        bits = bits_of(sorted_tails)
        threads.over_ranges(n_edges, lambda start, stop: _find_rows(bits, start, stop, row_ptr))
    return row_ptr, col


@kernel
def _fill_rows(row_ptr, start, stop, tails):
    """Write the numbers of rows start..stop to their edges (out, uint32 or uint64)."""
    for row in range(start, stop):
        for i in range(np.uint64(row_ptr[row]), np.uint64(row_ptr[row + 1])):
            tails[i] = row


def csr_tails(row_ptr: Array, col: Array) -> Array:
    """See `GraphOperations.csr_tails`."""
    tails = np.empty(len(col), col.dtype)
    bits = bits_of(tails)
    n_rows = len(row_ptr) - 1
    fill = lambda start, stop: _fill_rows(row_ptr, start, stop, bits)  # noqa: E731
    threads.over_ranges(n_rows, fill, 16, work=n_rows + len(bits))
    return tails


def csr_reverse(row_ptr: Array, col: Array) -> tuple[Array, Array]:
    """See `GraphOperations.csr_reverse`."""
    return csr_from_edges(col, csr_tails(row_ptr, col), len(row_ptr) - 1)


def out_degrees(row_ptr: Array) -> Array:
    """See `GraphOperations.out_degrees`."""
    return np.diff(row_ptr)


def in_degrees(col: Array, n_vertices: int) -> Array:
    """See `GraphOperations.in_degrees`."""
    return count_integers(col, n_vertices)


@kernel
def _count(row_ptr, col, start, stop):
    """Loops in the rows start..stop, and edges with the head of the edge before them."""
    n_loops, n_repeats = 0, 0
    for tail in range(start, stop):
        first = row_ptr[tail]
        for edge in range(first, row_ptr[tail + 1]):
            n_loops += np.int64(col[edge]) == tail
            n_repeats += edge > first and col[edge] == col[edge - 1]
    return n_loops, n_repeats


def count_loops_and_repeats(row_ptr: Array, col: Array) -> tuple[int, int]:
    """See `GraphOperations.count_loops_and_repeats`."""
    work = len(row_ptr) + len(col)
    counts = threads.over_ranges(len(row_ptr) - 1, lambda start, stop: _count(row_ptr, col, start, stop), 16, work)
    return sum(loops for loops, _ in counts), sum(repeats for _, repeats in counts)
