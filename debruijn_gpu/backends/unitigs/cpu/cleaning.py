"""Find tips, erroneous connections, bubbles and isolated unitigs of a unitig graph; see `unitigs.scalars`.

All kernels take unitigs in the order in which they are judged, so that of two that excuse each other only the weaker
one goes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cpu.sorting import order_by
from debruijn_gpu.backends.core.array_types import Flags, Longs, Vertices
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.unitigs import scalars
from debruijn_gpu.backends.unitigs.scalars import NO, SCRATCH_SHAPE, YES


@lean_function
def _look(coverage, n_kmers, is_kept, x, u):
    """See `cleaning.look`: in order, whatever is later is still there."""
    return YES if is_kept[x] else NO


_compiled = compile_module(lean_function, scalars, look=_look)
_tip_is_kept = _compiled.tip_is_kept
_connection_is_kept = _compiled.connection_is_kept
_bubble_is_kept = _compiled.bubble_is_kept
_isolated_is_kept = _compiled.isolated_is_kept


@kernel
def _remove_tips(graph, order, is_kept, short, long, ratio):
    row_ptr, col, coverage, n_kmers = graph
    for u in order:
        if n_kmers[u] <= long:
            is_kept[u] = _tip_is_kept(row_ptr, col, coverage, n_kmers, is_kept, u, short, ratio) == YES


@kernel
def _remove_erroneous_connections(graph, order, is_kept, longest, ratio):
    row_ptr, col, coverage, n_kmers = graph
    for u in order:
        if n_kmers[u] <= longest:
            is_kept[u] = _connection_is_kept(row_ptr, col, coverage, n_kmers, is_kept, u, ratio) == YES


@kernel
def _pop_bubbles(graph, kmer_counts, order, is_kept, longest, ratio, slack, indel, rare):
    row_ptr, col, coverage, n_kmers = graph
    scratch = np.empty(SCRATCH_SHAPE, np.int64)
    for u in order:
        if n_kmers[u] <= longest:
            decision = _bubble_is_kept(
                row_ptr, col, coverage, n_kmers, kmer_counts, is_kept, u, ratio, slack, indel, rare, scratch
            )
            is_kept[u] = decision == YES


@kernel
def _remove_isolated(row_ptr, n_kmers, kmer_counts, is_kept, longest, threshold):
    for u in range(is_kept.size):
        is_kept[u] = _isolated_is_kept(row_ptr, n_kmers, kmer_counts, u, longest, threshold)


def _prepare(n_kmers: Longs, kmer_counts: Longs) -> tuple[NDArray[np.float64], Longs, Flags]:
    """Coverage, unitigs by rising coverage (then by length, then by number), all of them kept."""
    coverage = kmer_counts / n_kmers
    return coverage, order_by([coverage, n_kmers]), np.ones(len(n_kmers), np.bool_)


def remove_tips(
    row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, short: int, long: int, ratio: float
) -> Flags:
    """See `UnitigOperations.remove_tips`."""
    coverage, order, is_kept = _prepare(n_kmers, kmer_counts)
    _remove_tips((row_ptr, col, coverage, n_kmers), order, is_kept, short, long, ratio)
    return is_kept


def remove_erroneous_connections(
    row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, longest: int, ratio: float
) -> Flags:
    """See `UnitigOperations.remove_erroneous_connections`."""
    coverage, order, is_kept = _prepare(n_kmers, kmer_counts)
    _remove_erroneous_connections((row_ptr, col, coverage, n_kmers), order, is_kept, longest, ratio)
    return is_kept


def pop_bubbles(
    row_ptr: Longs,
    col: Vertices,
    n_kmers: Longs,
    kmer_counts: Longs,
    longest: int,
    ratio: float,
    slack: int,
    indel: float,
    rare: float = 0.0,
) -> Flags:
    """See `UnitigOperations.pop_bubbles`."""
    coverage, order, is_kept = _prepare(n_kmers, kmer_counts)
    _pop_bubbles((row_ptr, col, coverage, n_kmers), kmer_counts, order, is_kept, longest, ratio, slack, indel, rare)
    return is_kept


def remove_isolated(
    row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, longest: int, threshold: float
) -> Flags:
    """See `UnitigOperations.remove_isolated`."""
    is_kept = np.empty(len(n_kmers), np.bool_)
    _remove_isolated(row_ptr, n_kmers, kmer_counts, is_kept, longest, threshold)
    return is_kept
