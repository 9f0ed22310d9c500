"""Compute Euler walks of a graph in compressed sparse rows."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import kernel


@kernel
def hierholzer(row_ptr, col, starts, offsets, steps):
    """One Euler walk from each start; see `HostCircuitOperations.hierholzer`.

    The stack of edges not yet closed grows from the left end of the walk's own room in ``steps``, the walk
    from its right end; together they never hold more than the component's edges.
    """
    next_edge = row_ptr[:-1].copy()
    for walk in range(len(starts)):
        first, closed = offsets[walk], offsets[walk + 1]
        top = first
        v = np.int64(starts[walk])
        while True:
            edge = next_edge[v]
            if edge < row_ptr[v + 1]:
                next_edge[v] += 1
                steps[top] = edge
                top += 1
                v = np.int64(col[edge])
                continue
            if top == first:
                break
            top -= 1
            closed -= 1
            steps[closed] = steps[top]
            v = np.int64(col[steps[top - 1]]) if top > first else np.int64(starts[walk])
