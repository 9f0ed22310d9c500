"""Count loops and repeated edges."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import as_bits
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, to_host, xp
from debruijn_gpu.backends.graphs.cuda.csr import csr_tails


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
