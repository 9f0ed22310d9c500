"""Count loops and repeated edges."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel


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
