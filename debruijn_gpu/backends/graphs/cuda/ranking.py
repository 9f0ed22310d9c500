"""Compute PageRank along the edges into each vertex; `power_iteration` has the arithmetic."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import as_bits, gather
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.blocks import block_sum
from debruijn_gpu.backends.core.cuda.fill import counted
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    contiguous,
    cuda,
    device_function,
    int64,
    kernel,
    launch,
    to_host,
    xp,
)
from debruijn_gpu.backends.graphs.cuda.csr import csr_from_edges, csr_reverse, csr_tails
from debruijn_gpu.backends.graphs.power_iteration import UNIT, iterate
from debruijn_gpu.run.tuning import tuning


@kernel
def _find_long_rows(row_ptr, long_row, long_rows, n_long):
    """Note long rows. One thread per row.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    long_row : int64; see `Tuning`
    long_rows : out, int64 (n_edges // long_row + 1,)
    n_long : in and out, int64 (1,); 0 on entry
    """
    for vertex in range(cuda.grid(1), row_ptr.size - 1, cuda.gridsize(1)):
        if row_ptr[vertex + 1] - row_ptr[vertex] > long_row:
            long_rows[cuda.atomic.add(n_long, 0, 1)] = vertex


@kernel
def _factors_by_degree(row_ptr, factors):
    """Factors of vertices whose edges weigh 1 each. One thread per vertex.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    factors : out, float64 (n_vertices,)
    """
    for vertex in range(cuda.grid(1), factors.size, cuda.gridsize(1)):
        degree = row_ptr[vertex + 1] - row_ptr[vertex]
        factors[vertex] = 1.0 / degree if degree > 0 else 0.0


@kernel
def _factors_by_weight(row_ptr, weights, factors, portions):
    """Factors of vertices, and weights over those of their rows. One thread per row, so that sums have one order.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    weights : in, float64 (n_edges,)
    factors : out, float64 (n_vertices,)
    portions : out, as weights; 0 where the row weighs nothing
    """
    for vertex in range(cuda.grid(1), factors.size, cuda.gridsize(1)):
        start = row_ptr[vertex]
        stop = row_ptr[vertex + 1]
        total = 0.0
        for edge in range(start, stop):
            total += weights[edge]
        factors[vertex] = 1.0 if total > 0.0 else 0.0
        for edge in range(start, stop):
            portions[edge] = weights[edge] / total if total > 0.0 else 0.0


@device_function
def _gift(col, portions, shares, edge):
    """Return the share that flows along an edge (int64)."""
    share = shares[col[edge]]
    if portions.size:
        return np.int64(np.float64(share) * portions[edge])
    return share


@kernel
def _sum_short_rows(row_ptr, col, portions, shares, long_row, sums):
    """Sum the shares that flow into each vertex with a short row. One thread per row.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,); of the reversed graph, as the others
    col : in, uint32 or uint64 (n_edges,)
    portions : in, float64 (n_edges,), or empty
    shares : in, int64 (n_vertices,)
    long_row : int64; see `Tuning`
    sums : out, int64 (n_vertices,)
    """
    for vertex in range(cuda.grid(1), sums.size, cuda.gridsize(1)):
        start = row_ptr[vertex]
        stop = row_ptr[vertex + 1]
        if stop - start <= long_row:
            total = np.int64(0)
            for edge in range(start, stop):
                total += _gift(col, portions, shares, edge)
            sums[vertex] = total


@kernel
def _sum_long_rows(row_ptr, col, portions, shares, long_rows, n_long, sums):
    """`_sum_short_rows` for long rows. One block per row; arrays as there and in `_find_long_rows`."""
    partial = cuda.shared.array(BLOCK, int64)
    thread = cuda.threadIdx.x
    for i in range(cuda.blockIdx.x, n_long[0], cuda.gridDim.x):
        vertex = long_rows[i]
        total = np.int64(0)
        for edge in range(row_ptr[vertex] + thread, row_ptr[vertex + 1], BLOCK):
            total += _gift(col, portions, shares, edge)
        total = block_sum(partial, thread, total)
        if thread == 0:
            sums[vertex] = total


@kernel
def _update(sums, base, damping, factors, ranks, shares, totals):
    """New ranks. One thread per vertex; each block adds its sums to the totals.

    Parameters
    ----------
    sums : in, int64 (n_vertices,); what each vertex is handed
    base : int64; what each vertex gets anyway
    damping : float64
    factors : in, float64 (n_vertices,)
    ranks : in and out, int64 (n_vertices,)
    shares : out, int64 (n_vertices,)
    totals : in and out, int64 (2,); changes of ranks, and ranks of vertices with factor 0
    """
    partial = cuda.shared.array(BLOCK, int64)
    thread = cuda.threadIdx.x
    change = np.int64(0)
    dangling = np.int64(0)
    for vertex in range(cuda.grid(1), ranks.size, cuda.gridsize(1)):
        rank = base + np.int64(damping * np.float64(sums[vertex]))
        change += abs(rank - ranks[vertex])
        ranks[vertex] = rank
        shares[vertex] = np.int64(np.float64(rank) * factors[vertex])
        if factors[vertex] == 0.0:
            dangling += rank
    change = block_sum(partial, thread, change)
    dangling = block_sum(partial, thread, dangling)
    if thread == 0:
        cuda.atomic.add(totals, 0, change)
        cuda.atomic.add(totals, 1, dangling)


@kernel
def _as_floats(ranks, unit, scores):
    """Ranks as floats. One thread per vertex.

    Parameters
    ----------
    ranks : in, int64 (n_vertices,)
    unit : float64; of the rank 1
    scores : out, float64 (n_vertices,)
    """
    for vertex in range(cuda.grid(1), ranks.size, cuda.gridsize(1)):
        scores[vertex] = np.float64(ranks[vertex]) / unit


def _factors(row_ptr: Array, weights: Array | None) -> tuple[Array, Array]:
    """Factors of the vertices, and the portions of their edges: none without weights."""
    factors = xp.empty(row_ptr.size - 1, np.float64)
    portions = xp.empty(0 if weights is None else weights.size, np.float64)
    if weights is None:
        launch(_factors_by_degree, factors.size, row_ptr, factors)
    else:
        launch(_factors_by_weight, factors.size, row_ptr, contiguous(weights), factors, portions)
    return factors, portions


def _reversed_with(portions: Array, row_ptr: Array, col: Array) -> tuple[Array, Array, Array]:
    """The reversed graph and the portions of its edges, if there are any."""
    if not portions.size:
        return *csr_reverse(row_ptr, col), portions
    in_ptr, edges = csr_from_edges(col, counted(col.size, np.int64), row_ptr.size - 1)
    return in_ptr, gather(csr_tails(row_ptr, col), edges), gather(portions, edges)


@guarded
def page_rank(
    row_ptr: Array, col: Array, weights: Array | None, damping: float, tolerance: float, max_iterations: int
) -> tuple[Array, int]:
    """See `GraphOperations.page_rank`."""
    n_vertices = row_ptr.size - 1
    if not n_vertices:
        return xp.empty(0, np.float64), 0
    row_ptr = contiguous(row_ptr)
    factors, portions = _factors(row_ptr, weights)
    graph = _reversed_with(portions, row_ptr, as_bits(col))
    long_row = np.int64(tuning().long_row)
    long_rows, n_long = xp.empty(col.size // int(long_row) + 1, np.int64), xp.zeros(1, np.int64)
    launch(_find_long_rows, n_vertices, graph[0], long_row, long_rows, n_long)
    ranks, shares, sums = xp.zeros(n_vertices, np.int64), xp.empty(n_vertices, np.int64), xp.zeros(n_vertices, np.int64)

    def update(base: int) -> tuple[int, int]:
        totals = xp.zeros(2, np.int64)
        launch(_update, n_vertices, sums, np.int64(base), np.float64(damping), factors, ranks, shares, totals)
        change, dangling = to_host(totals).tolist()
        return change, dangling

    def step(base: int) -> tuple[int, int]:
        launch(_sum_short_rows, n_vertices, *graph, shares, long_row, sums)
        launch(_sum_long_rows, long_rows.size, *graph, shares, long_rows, n_long, sums, per_block=1)
        return update(base)

    _, dangling = update(UNIT // n_vertices)  # nothing is handed on yet: the first ranks
    n_iterations = iterate(step, dangling, n_vertices, float(damping), tolerance, max_iterations)
    scores = xp.empty(n_vertices, np.float64)
    launch(_as_floats, n_vertices, ranks, np.float64(UNIT), scores)
    return scores, n_iterations
