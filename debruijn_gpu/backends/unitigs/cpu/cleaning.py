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
def _look(coverage, n_kmers, alive, x, u):
    """See `cleaning.look`: in order, whatever is later is still there."""
    return YES if alive[x] else NO


_compiled = compile_module(lean_function, scalars, look=_look)
_tip_stays = _compiled.tip_stays
_connection_stays = _compiled.connection_stays
_bubble_stays = _compiled.bubble_stays
_isolated_stays = _compiled.isolated_stays


@kernel
def _remove_tips(graph, order, alive, short, long, ratio):
    row_ptr, col, coverage, n_kmers = graph
    for u in order:
        if n_kmers[u] <= long:
            alive[u] = _tip_stays(row_ptr, col, coverage, n_kmers, alive, u, short, ratio) == YES


@kernel
def _remove_erroneous_connections(graph, order, alive, longest, ratio):
    row_ptr, col, coverage, n_kmers = graph
    for u in order:
        if n_kmers[u] <= longest:
            alive[u] = _connection_stays(row_ptr, col, coverage, n_kmers, alive, u, ratio) == YES


@kernel
def _pop_bubbles(graph, kmer_counts, order, alive, longest, ratio, slack, indel):
    row_ptr, col, coverage, n_kmers = graph
    scratch = np.empty(SCRATCH_SHAPE, np.int64)
    for u in order:
        if n_kmers[u] <= longest:
            stays = _bubble_stays(row_ptr, col, coverage, n_kmers, kmer_counts, alive, u, ratio, slack, indel, scratch)
            alive[u] = stays == YES


@kernel
def _remove_isolated(row_ptr, n_kmers, kmer_counts, alive, longest, threshold):
    for u in range(alive.size):
        alive[u] = _isolated_stays(row_ptr, n_kmers, kmer_counts, u, longest, threshold)


def _prepare(n_kmers: Longs, kmer_counts: Longs) -> tuple[NDArray[np.float64], Longs, Flags]:
    """Coverage, unitigs by rising coverage (then by length, then by number), all of them kept."""
    coverage = kmer_counts / n_kmers
    return coverage, order_by([coverage, n_kmers]), np.ones(len(n_kmers), np.bool_)


def remove_tips(
    row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, short: int, long: int, ratio: float
) -> Flags:
    """See `UnitigOperations.remove_tips`."""
    coverage, order, alive = _prepare(n_kmers, kmer_counts)
    _remove_tips((row_ptr, col, coverage, n_kmers), order, alive, short, long, ratio)
    return alive


def remove_erroneous_connections(
    row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, longest: int, ratio: float
) -> Flags:
    """See `UnitigOperations.remove_erroneous_connections`."""
    coverage, order, alive = _prepare(n_kmers, kmer_counts)
    _remove_erroneous_connections((row_ptr, col, coverage, n_kmers), order, alive, longest, ratio)
    return alive


def pop_bubbles(
    row_ptr: Longs,
    col: Vertices,
    n_kmers: Longs,
    kmer_counts: Longs,
    longest: int,
    ratio: float,
    slack: int,
    indel: float,
) -> Flags:
    """See `UnitigOperations.pop_bubbles`."""
    coverage, order, alive = _prepare(n_kmers, kmer_counts)
    _pop_bubbles((row_ptr, col, coverage, n_kmers), kmer_counts, order, alive, longest, ratio, slack, indel)
    return alive


def remove_isolated(
    row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, longest: int, threshold: float
) -> Flags:
    """See `UnitigOperations.remove_isolated`."""
    alive = np.empty(len(n_kmers), np.bool_)
    _remove_isolated(row_ptr, n_kmers, kmer_counts, alive, longest, threshold)
    return alive
