"""PageRank along the edges into each vertex, each sum in an order of its own that no thread changes."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cuda.csr import csr_from_edges, csr_reverse, csr_tails
from debruijn_gpu.backends.cuda.keys import gather, n_parts
from debruijn_gpu.backends.cuda.memory import guarded
from debruijn_gpu.backends.cuda.runtime import BLOCK, contiguous, cuda, float64, kernel, launch, to_host, xp
from debruijn_gpu.backends.power_iteration import iterate

_LONG = 64  # edges of a row that one thread does not add up alone


@kernel
def _find_long_rows(row_ptr, long_rows, n_long):
    """Note long rows. One thread a row.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    long_rows : out, int64 (n_edges // _LONG + 1,)
    n_long : in and out, int64 (1,); 0 on entry
    """
    for vertex in range(cuda.grid(1), row_ptr.size - 1, cuda.gridsize(1)):
        if row_ptr[vertex + 1] - row_ptr[vertex] > _LONG:
            long_rows[cuda.atomic.add(n_long, 0, 1)] = vertex


@kernel
def _sum_short_rows(row_ptr, col, weights, shares, sums):
    """Sum of the shares at the heads of each short row, times the weights of the edges. One thread a row.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    col : in, uint32 or uint64 (n_edges,)
    weights : in, float64 (n_edges,), or empty for 1 each
    shares : in, float64 (n_vertices,)
    sums : out, float64 (n_vertices,)
    """
    for vertex in range(cuda.grid(1), sums.size, cuda.gridsize(1)):
        start = row_ptr[vertex]
        stop = row_ptr[vertex + 1]
        if stop - start <= _LONG:
            total = 0.0
            for edge in range(start, stop):
                share = shares[col[edge]]
                total += share * weights[edge] if weights.size else share
            sums[vertex] = total


@kernel
def _sum_long_rows(row_ptr, col, weights, shares, long_rows, n_long, sums):
    """`_sum_short_rows` for long rows. One block a row: each thread adds up every BLOCK-th edge, then pairs of threads
    theirs. Arrays as there and in `_find_long_rows`."""
    partial = cuda.shared.array(BLOCK, float64)
    thread = cuda.threadIdx.x
    for i in range(cuda.blockIdx.x, n_long[0], cuda.gridDim.x):
        vertex = long_rows[i]
        total = 0.0
        for edge in range(row_ptr[vertex] + thread, row_ptr[vertex + 1], BLOCK):
            share = shares[col[edge]]
            total += share * weights[edge] if weights.size else share
        partial[thread] = total
        cuda.syncthreads()
        half = BLOCK // 2
        while half:
            if thread < half:
                partial[thread] += partial[thread + half]
            cuda.syncthreads()
            half //= 2
        if thread == 0:
            sums[vertex] = partial[0]
        cuda.syncthreads()


@kernel
def _update(sums, base, damping, out_weight, ranks, shares, changes, dangling):
    """New ranks. One block a part, which takes the vertices part * BLOCK + thread + j * parts * BLOCK.

    Parameters
    ----------
    sums : in, float64 (n_vertices,); what each vertex is handed
    base, damping : float64; what each vertex gets anyway, and the share of the sums that counts
    out_weight : in, float64 (n_vertices,); weight of all edges out
    ranks : in and out, float64 (n_vertices,)
    shares : out, float64 (n_vertices,); rank over weight, 0 without weight
    changes, dangling : out, float64 (parts,); sums of changes of ranks, and of ranks of vertices without weight
    """
    change_of = cuda.shared.array(BLOCK, float64)
    dangling_of = cuda.shared.array(BLOCK, float64)
    thread = cuda.threadIdx.x
    for part in range(cuda.blockIdx.x, changes.size, cuda.gridDim.x):
        change = 0.0
        without = 0.0
        for vertex in range(part * BLOCK + thread, ranks.size, changes.size * BLOCK):
            rank = base + damping * sums[vertex]
            change += abs(rank - ranks[vertex])
            ranks[vertex] = rank
            if out_weight[vertex] > 0.0:
                shares[vertex] = rank / out_weight[vertex]
            else:
                shares[vertex] = 0.0
                without += rank
        change_of[thread] = change
        dangling_of[thread] = without
        cuda.syncthreads()
        half = BLOCK // 2
        while half:
            if thread < half:
                change_of[thread] += change_of[thread + half]
                dangling_of[thread] += dangling_of[thread + half]
            cuda.syncthreads()
            half //= 2
        if thread == 0:
            changes[part] = change_of[0]
            dangling[part] = dangling_of[0]
        cuda.syncthreads()


class _RowSums:
    """Sums along the rows of one graph, again and again."""

    def __init__(self, row_ptr: Array, col: Array, weights: Array) -> None:
        self._graph = contiguous(row_ptr), contiguous(col), contiguous(weights)
        self._long = xp.empty(col.size // _LONG + 1, np.int64), xp.zeros(1, np.int64)
        launch(_find_long_rows, row_ptr.size - 1, self._graph[0], *self._long)

    def write(self, shares: Array, sums: Array) -> None:
        """Write (out, float64 (n_vertices,)) the sums of the shares of the heads of each vertex."""
        launch(_sum_short_rows, sums.size, *self._graph, shares, sums)
        launch(_sum_long_rows, self._long[0].size, *self._graph, shares, *self._long, sums, per_block=1)


def _reversed_with_weights(row_ptr: Array, col: Array, weights: Array) -> tuple[Array, Array, Array]:
    """The reversed graph and the weights of its edges, if there are any."""
    if not weights.size:
        return *csr_reverse(row_ptr, col), weights
    in_ptr, edges = csr_from_edges(col, xp.arange(col.size, dtype=np.int64), row_ptr.size - 1)
    return in_ptr, gather(csr_tails(row_ptr, col), edges), gather(weights, edges)


@guarded
def page_rank(
    row_ptr: Array, col: Array, weights: Array | None, damping: float, tolerance: float, max_iterations: int
) -> tuple[Array, int]:
    """See `ComponentBackend.page_rank`."""
    n_vertices = row_ptr.size - 1
    ranks, shares, sums, out_weight = (xp.empty(n_vertices, np.float64) for _ in range(4))
    if not n_vertices:
        return ranks, 0
    weights = xp.empty(0, np.float64) if weights is None else weights
    ranks.fill(1 / n_vertices)
    shares.fill(1.0)
    _RowSums(row_ptr, col, weights).write(shares, out_weight)
    rows_in = _RowSums(*_reversed_with_weights(row_ptr, col, weights))
    partial = xp.empty((2, n_parts(n_vertices)), np.float64)
    sums.fill(0.0)

    def update(base: float, damping: float) -> tuple[float, float]:
        scalars = np.float64(base), np.float64(damping)
        launch(_update, partial.shape[1], sums, *scalars, out_weight, ranks, shares, *partial, per_block=1)
        change, dangling = to_host(partial).sum(axis=1)
        return float(change), float(dangling)

    def step(base: float) -> tuple[float, float]:
        rows_in.write(shares, sums)
        return update(base, damping)

    _, dangling = update(1 / n_vertices, 0.0)  # the first shares
    return ranks, iterate(step, dangling, n_vertices, damping, tolerance, max_iterations)
