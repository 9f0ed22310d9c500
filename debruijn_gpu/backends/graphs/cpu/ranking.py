"""Compute PageRank by propagation blocking.

Contributions of vertices are first written to bins of neighbouring heads, then added from each bin to its vertices, so
that memory is read and written along long runs (Beamer, Asanović and Patterson 2017).

`power_iteration` has the arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.graphs.power_iteration import UNIT, iterate

_BIN_BITS = 16  # ranks of so many vertices stay in the cache of a core
_MOST_BINS_BITS = 9  # more bins are written to more slowly


@kernel
def _count_edges(row_ptr, col, bin_bits, start, stop, counts):
    """Edges of the rows start..stop into each bin (counts: in and out, int64 (bins,))."""
    for edge in range(np.uint64(row_ptr[start]), np.uint64(row_ptr[stop])):
        counts[np.uint64(col[edge]) >> bin_bits] += 1


@kernel
def _factors_by_degree(row_ptr, start, stop, factors):
    """Factors (out, float64) of vertices start..stop, whose edges weigh 1 each."""
    for vertex in range(start, stop):
        degree = row_ptr[vertex + 1] - row_ptr[vertex]
        factors[vertex] = 1 / degree if degree else 0.0


@kernel
def _factors_by_weight(row_ptr, weights, start, stop, factors, portions):
    """Factors (out, float64 (n_vertices,)) of vertices start..stop, and the portion (out, float64 (n_edges,)) that the
    weight of each edge has of the sum over its row; both 0 where this is 0."""
    for vertex in range(start, stop):
        first, end = row_ptr[vertex], row_ptr[vertex + 1]
        total = 0.0
        for edge in range(first, end):
            total += weights[edge]
        factors[vertex] = 1.0 if total > 0 else 0.0
        for edge in range(first, end):
            portions[edge] = weights[edge] / total if total > 0 else 0.0


@kernel
def _bin_heads(row_ptr, col, bin_bits, start, stop, cursors, heads):
    """Put the heads of the edges of the rows start..stop into bins.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    col : in, uint32 or uint64 (n_edges,)
    bin_bits : uint64; a bin is for 2 ** bin_bits vertices
    start, stop : int64
    cursors : in and out, int64 (bins,); where the next one goes in each bin
    heads : out, as col (n_edges,)
    """
    for edge in range(np.uint64(row_ptr[start]), np.uint64(row_ptr[stop])):
        number = np.uint64(col[edge]) >> bin_bits
        heads[np.uint64(cursors[number])] = col[edge]
        cursors[number] += 1


@kernel
def _hand_out(row_ptr, col, portions, bin_bits, ranks, factors, start, stop, cursors, gifts):
    """Put what vertices start..stop hand out along their edges into bins.

    Parameters
    ----------
    portions : in, float64 (n_edges,), or empty; see `_factors_by_weight`
    ranks : in, int64 (n_vertices,)
    factors : in, float64 (n_vertices,)
    gifts : out, int64 (n_edges,)
    others : as in `_bin_heads`
    """
    for tail in range(start, stop):
        share = np.int64(ranks[tail] * factors[tail])
        for edge in range(np.uint64(row_ptr[tail]), np.uint64(row_ptr[tail + 1])):
            number = np.uint64(col[edge]) >> bin_bits
            gifts[np.uint64(cursors[number])] = np.int64(share * portions[edge]) if portions.size else share
            cursors[number] += 1


@kernel
def _collect(bins, gifts, base, damping, factors, start, stop, ranks, sums):
    """New ranks of the vertices of the bins start..stop.

    Parameters
    ----------
    bins : in; bin_ptr, heads and bin_bits as in `_Bins`: bin i is at ``bin_ptr[i]:bin_ptr[i + 1]``
    gifts : in, as in `_hand_out`
    base : int64; what each vertex gets anyway
    damping : float64
    factors : in, float64 (n_vertices,)
    ranks : in and out, int64 (n_vertices,)
    sums : out, int64 (bins, 2); changes of ranks, and ranks of vertices with factor 0, of each bin
    """
    bin_ptr, heads, bin_bits = bins
    received = np.empty(1 << bin_bits, np.int64)
    for number in range(start, stop):
        first = number << bin_bits
        received[:] = 0
        for i in range(np.uint64(bin_ptr[number]), np.uint64(bin_ptr[number + 1])):
            received[np.uint64(heads[i]) - np.uint64(first)] += gifts[i]
        change, dangling = 0, 0
        for vertex in range(first, min(first + received.size, ranks.size)):
            rank = base + np.int64(damping * received[vertex - first])
            change += abs(rank - ranks[vertex])
            ranks[vertex] = rank
            dangling += 0 if factors[vertex] > 0 else rank
        sums[number, 0], sums[number, 1] = change, dangling


@dataclass(frozen=True)
class _Bins:
    """Bins of the edges of a graph.

    Attributes
    ----------
    bits : 2 ** bits vertices to a bin
    intervals : ranges of vertices for the threads
    cursors : int64 (intervals, bins); where the edges of each range go
    bin_ptr : int64 (bins + 1,)
    heads : as col (n_edges,)
    """

    bits: np.uint64
    intervals: list[tuple[int, int]]
    cursors: Array
    bin_ptr: Array
    heads: Array


def _make_bins(row_ptr: Array, col: Array) -> _Bins:
    n_vertices = len(row_ptr) - 1
    bits = np.uint64(max(_BIN_BITS, n_vertices.bit_length() - _MOST_BINS_BITS))
    n_bins = ((n_vertices - 1) >> int(bits)) + 1
    intervals = threads.ranges(n_vertices, work=n_vertices + len(col))
    counts = np.zeros((len(intervals), n_bins), np.int64)
    numbered = list(enumerate(intervals))
    threads.over_items(numbered, lambda item: _count_edges(row_ptr, col, bits, *item[1], counts[item[0]]))
    ends = np.cumsum(counts.T).reshape(n_bins, len(intervals))
    cursors = np.ascontiguousarray(ends.T) - counts
    heads = np.empty_like(col)
    used = cursors.copy()
    threads.over_items(numbered, lambda item: _bin_heads(row_ptr, col, bits, *item[1], used[item[0]], heads))
    return _Bins(bits, intervals, cursors, np.append(cursors[0], len(col)), heads)


def _factors(row_ptr: Array, weights: Array | None) -> tuple[Array, Array]:
    """Factors of the vertices, and the portions of their edges: none without weights."""
    n_vertices = len(row_ptr) - 1
    factors, portions = np.empty(n_vertices), np.empty(0 if weights is None else len(weights))
    if weights is None:
        threads.over_ranges(n_vertices, lambda start, stop: _factors_by_degree(row_ptr, start, stop, factors))
    else:
        divide = partial(_factors_by_weight, row_ptr, weights)
        threads.over_ranges(n_vertices, lambda start, stop: divide(start, stop, factors, portions), 16, len(portions))
    return factors, portions


def page_rank(
    row_ptr: Array, col: Array, weights: Array | None, damping: float, tolerance: float, max_iterations: int
) -> tuple[Array, int]:
    """See `GraphOperations.page_rank`."""
    n_vertices = len(row_ptr) - 1
    if not n_vertices:
        return np.empty(0), 0
    bins = _make_bins(row_ptr, col)
    factors, portions = _factors(row_ptr, weights)
    ranks = np.full(n_vertices, UNIT // n_vertices)
    gifts, sums = np.empty(len(col), np.int64), np.empty((len(bins.bin_ptr) - 1, 2), np.int64)
    hand_out = partial(_hand_out, row_ptr, col, portions, bins.bits, ranks, factors)

    def step(base: int) -> tuple[int, int]:
        cursors = bins.cursors.copy()
        threads.over_items(list(enumerate(bins.intervals)), lambda item: hand_out(*item[1], cursors[item[0]], gifts))
        collect = partial(_collect, (bins.bin_ptr, bins.heads, bins.bits), gifts, base, damping, factors)
        threads.over_ranges(len(sums), lambda start, stop: collect(start, stop, ranks, sums), 16, len(gifts))
        change, dangling = sums.sum(axis=0).tolist()
        return change, dangling

    dangling = (n_vertices - np.count_nonzero(factors)) * (UNIT // n_vertices)
    n_iterations = iterate(step, int(dangling), n_vertices, float(damping), tolerance, max_iterations)
    return ranks / UNIT, n_iterations
