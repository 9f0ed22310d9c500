"""Pair edges of vertices of few edges by one launch, where the slots of all vertices fit into the cache of the device.

As in `bucket_pairing`, each edge takes the next free slot of its head, and each vertex sorts the edges in its slots;
but slots are in device memory. That takes less time than a sort, for which the host waits.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.circuits.cuda.bucket_pairing import MOST_DEGREE, order_row
from debruijn_gpu.backends.circuits.cuda.rows import Rows
from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch_waiting, to_host, uint32, xp
from debruijn_gpu.backends.core.cuda.waiting import wait_for_grid

_IS_OTHER, _IS_UNBALANCED = range(2)  # what the kernel finds


@kernel
def _pair(col, row_ptr, taken, predecessor, found, arrived):
    """Pair the edges at each vertex. One thread per edge, then per vertex. Blocks wait for each other.

    Parameters
    ----------
    col : in, uint32 (n_edges,)
    row_ptr : in, int64 (n_vertices + 1,)
    taken : in and out, uint32 (n_vertices,); slots that are taken, 0 on entry
    predecessor : out, uint32 (n_edges,); the edge before each
    found : in and out, uint32 (2,); the first is 1 if a vertex has more than `MOST_DEGREE` edges, for which nothing is
        done, the second if the graph is not balanced
    arrived : in and out, int64 (1,); see `wait_for_grid`
    """
    edges = cuda.local.array(MOST_DEGREE, uint32)
    for vertex in range(cuda.grid(1), taken.size, cuda.gridsize(1)):
        if row_ptr[vertex + 1] - row_ptr[vertex] > MOST_DEGREE:
            found[_IS_OTHER] = 1
    wait_for_grid(arrived, np.int64(1))
    if found[_IS_OTHER]:
        return
    for edge in range(cuda.grid(1), col.size, cuda.gridsize(1)):
        head = np.int64(col[edge])
        if head >= taken.size:
            found[_IS_UNBALANCED] = 1
            continue
        slot = row_ptr[head] + np.int64(cuda.atomic.add(taken, head, np.uint32(1)))
        if slot < row_ptr[head + 1]:
            predecessor[slot] = edge
        else:
            found[_IS_UNBALANCED] = 1
    wait_for_grid(arrived, np.int64(2))
    if found[_IS_UNBALANCED]:
        return
    for vertex in range(cuda.grid(1), taken.size, cuda.gridsize(1)):
        start = row_ptr[vertex]
        order_row(predecessor, start, row_ptr[vertex + 1] - start, np.uint64(vertex), edges)


def pair_rows(rows: Rows) -> tuple[bool, Array | None]:
    """Pair the edges of a whole graph of less than 2^32 edges, and wait once.

    Returns
    -------
    bool
        Whether vertices have few enough edges.
    array, dtype=uint32, shape=(n_edges,)
        The edge before each; None if the graph is not balanced.
    """
    n_edges, n_vertices = rows.col.size, rows.row_ptr.size - 1
    predecessor, taken = xp.empty(n_edges, id_dtype(n_edges)), xp.zeros(n_vertices, np.uint32)
    flags = xp.zeros(2, np.int64)
    found, arrived = flags[:1].view(np.uint32), flags[1:]
    launch_waiting(_pair, max(n_edges, n_vertices), rows.col, rows.row_ptr, taken, predecessor, found, arrived)
    is_other, is_unbalanced = to_host(found).tolist()
    return not is_other, None if is_unbalanced else predecessor
