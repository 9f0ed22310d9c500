"""Find tips, erroneous connections, bubbles and isolated unitigs of a unitig graph; see `unitigs.scalars`.

All unitigs that are open are judged at once, again and again until none is. States change while they are read; each
changes once, from `OPEN` to what it stays, and whoever reads it before that has a valid answer as well, if only that
it has to wait. In graphs of reads with errors, two rounds suffice for tips and for erroneous connections, and 17 for
bubbles; each round leaves at most about half of them open. A chain of unitigs, each waiting for the one before, takes
one round per unitig; this case is not optimised.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    contiguous,
    cuda,
    device_function,
    int64,
    kernel,
    launch,
    xp,
)
from debruijn_gpu.backends.unitigs import scalars
from debruijn_gpu.backends.unitigs.scalars import OPEN, SCRATCH_SHAPE, YES

_compiled = compile_module(device_function, scalars)
_tip_is_kept = _compiled.tip_is_kept
_connection_is_kept = _compiled.connection_is_kept
_bubble_is_kept = _compiled.bubble_is_kept
_isolated_is_kept = _compiled.isolated_is_kept

_ROUNDS_AT_ONCE = 3  # before the host asks how many unitigs are open
_FEW = 4 * BLOCK  # open unitigs with which one block stays until all are judged


@kernel
def _start(n_kmers, kmer_counts, longest, coverage, state):
    """Mark unitigs that may be removed as open, the others as kept. One thread per unitig.

    Parameters
    ----------
    n_kmers, kmer_counts : in, int64 (n,)
    longest : int64; k-mers of those that may go
    coverage : out, float64 (n,)
    state : out, uint8 (n,)
    """
    for u in range(cuda.grid(1), state.size, cuda.gridsize(1)):
        coverage[u] = kmer_counts[u] / n_kmers[u]
        state[u] = OPEN if n_kmers[u] <= longest else YES


@kernel
def _list_open(state, listed, n_listed):
    """Open unitigs, in any order. One thread per unitig; a block finds room for its own ones by one atomic addition.

    Parameters
    ----------
    state : in, uint8 (n,)
    listed : out, int64 (n,); the first ``n_listed`` are the open unitigs
    n_listed : in and out, int64 (1,); 0 before
    """
    room = cuda.shared.array(2, int64)  # open unitigs of the block, and where its first one is listed
    thread = cuda.threadIdx.x
    for first in range(cuda.blockIdx.x * BLOCK, state.size, cuda.gridDim.x * BLOCK):
        if thread == 0:
            room[0] = 0
        cuda.syncthreads()
        u = first + thread
        place = -1
        if u < state.size and state[u] == OPEN:
            place = cuda.atomic.add(room, 0, 1)
        cuda.syncthreads()
        if thread == 0 and room[0] > 0:
            room[1] = cuda.atomic.add(n_listed, 0, room[0])
        cuda.syncthreads()
        if place >= 0:
            listed[room[1] + place] = u


@kernel
def _judge_tips(row_ptr, col, coverage, n_kmers, state, listed, short, ratio):
    """Judge the listed unitigs that are open, in rounds. One thread per unitig.

    Many blocks do one round, as they do not see at once what others write.

    Parameters
    ----------
    row_ptr : in, int64 (2 n + 1,)
    col : in, uint32 or uint64 (n_edges,)
    coverage : in, float64 (n,)
    n_kmers : in, int64 (n,)
    state : in and out, uint8 (n,)
    listed : in, int64 (n_listed,)
    short, ratio : int64, float64; see `UnitigOperations.remove_tips`
    """
    n_rounds = 1 if cuda.gridDim.x > 1 else listed.size
    for _ in range(n_rounds):
        n_open = 0
        for i in range(cuda.grid(1), listed.size, cuda.gridsize(1)):
            u = listed[i]
            if state[u] == OPEN:
                decision = _tip_is_kept(row_ptr, col, coverage, n_kmers, state, u, short, ratio)
                state[u] = decision
                n_open += decision == OPEN
        if not cuda.syncthreads_or(n_open):
            return


@kernel
def _judge_connections(row_ptr, col, coverage, n_kmers, state, listed, ratio):
    """As `_judge_tips`.

    Parameters
    ----------
    row_ptr, col, coverage, n_kmers, state, listed : as in `_judge_tips`
    ratio : float64; see `UnitigOperations.remove_erroneous_connections`
    """
    n_rounds = 1 if cuda.gridDim.x > 1 else listed.size
    for _ in range(n_rounds):
        n_open = 0
        for i in range(cuda.grid(1), listed.size, cuda.gridsize(1)):
            u = listed[i]
            if state[u] == OPEN:
                decision = _connection_is_kept(row_ptr, col, coverage, n_kmers, state, u, ratio)
                state[u] = decision
                n_open += decision == OPEN
        if not cuda.syncthreads_or(n_open):
            return


@kernel
def _judge_bubbles(row_ptr, col, coverage, n_kmers, state, listed, kmer_counts, ratio, slack, indel, rare):
    """As `_judge_tips`.

    Parameters
    ----------
    row_ptr, col, coverage, n_kmers, state, listed : as in `_judge_tips`
    kmer_counts : in, int64 (n,)
    ratio, slack, indel, rare : float64, int64, float64, float64; see `UnitigOperations.pop_bubbles`
    """
    scratch = cuda.local.array(SCRATCH_SHAPE, int64)
    n_rounds = 1 if cuda.gridDim.x > 1 else listed.size
    for _ in range(n_rounds):
        n_open = 0
        for i in range(cuda.grid(1), listed.size, cuda.gridsize(1)):
            u = listed[i]
            if state[u] == OPEN:
                decision = _bubble_is_kept(
                    row_ptr, col, coverage, n_kmers, kmer_counts, state, u, ratio, slack, indel, rare, scratch
                )
                state[u] = decision
                n_open += decision == OPEN
        if not cuda.syncthreads_or(n_open):
            return


@kernel
def _judge_isolated(row_ptr, n_kmers, kmer_counts, longest, threshold, is_kept):
    """Compute which unitigs are not isolated ones of low coverage. One thread per unitig.

    Parameters
    ----------
    row_ptr : in, int64 (2 n + 1,)
    n_kmers, kmer_counts : in, int64 (n,)
    longest, threshold : int64, float64; see `UnitigOperations.remove_isolated`
    is_kept : out, bool (n,)
    """
    for u in range(cuda.grid(1), is_kept.size, cuda.gridsize(1)):
        is_kept[u] = _isolated_is_kept(row_ptr, n_kmers, kmer_counts, u, longest, threshold)


def _list(state: Array, room: Array) -> Array:
    """List the open unitigs in a room (int64) for all."""
    n_listed = xp.zeros(1, np.int64)
    launch(_list_open, state.size, state, room, n_listed)
    return room[: int(n_listed[0])]


def _judge(
    judge: Any, row_ptr: Array, col: Array, n_kmers: Array, kmer_counts: Array, longest: int, *how: Any
) -> Array:
    """Compute which unitigs are kept, in rounds of one of the kernels, with its last parameters."""
    row_ptr, col, n_kmers, kmer_counts = map(contiguous, (row_ptr, col, n_kmers, kmer_counts))
    n = n_kmers.size
    coverage, state, room = xp.empty(n, np.float64), xp.empty(n, np.uint8), xp.empty(n, np.int64)
    launch(_start, n, n_kmers, kmer_counts, np.int64(longest), coverage, state)
    graph = (row_ptr, col, coverage, n_kmers, state)
    listed = _list(state, room)
    while listed.size > _FEW:
        for _ in range(_ROUNDS_AT_ONCE):
            launch(judge, listed.size, *graph, listed, *how)
        listed = _list(state, room)
    # One block, whose threads see what each other write. Each round judges one unitig at least.
    launch(judge, min(listed.size, BLOCK), *graph, listed, *how)
    return state.view(np.bool_)


@guarded
def remove_tips(
    row_ptr: Array, col: Array, n_kmers: Array, kmer_counts: Array, short: int, long: int, ratio: float
) -> Array:
    """See `UnitigOperations.remove_tips`."""
    return _judge(_judge_tips, row_ptr, col, n_kmers, kmer_counts, long, np.int64(short), np.float64(ratio))


@guarded
def remove_erroneous_connections(
    row_ptr: Array, col: Array, n_kmers: Array, kmer_counts: Array, longest: int, ratio: float
) -> Array:
    """See `UnitigOperations.remove_erroneous_connections`."""
    return _judge(_judge_connections, row_ptr, col, n_kmers, kmer_counts, longest, np.float64(ratio))


@guarded
def pop_bubbles(
    row_ptr: Array,
    col: Array,
    n_kmers: Array,
    kmer_counts: Array,
    longest: int,
    ratio: float,
    slack: int,
    indel: float,
    rare: float = 0.0,
) -> Array:
    """See `UnitigOperations.pop_bubbles`."""
    how = (contiguous(kmer_counts), np.float64(ratio), np.int64(slack), np.float64(indel), np.float64(rare))
    return _judge(_judge_bubbles, row_ptr, col, n_kmers, kmer_counts, longest, *how)


@guarded
def remove_isolated(
    row_ptr: Array, col: Array, n_kmers: Array, kmer_counts: Array, longest: int, threshold: float
) -> Array:
    """See `UnitigOperations.remove_isolated`."""
    row_ptr, n_kmers, kmer_counts = map(contiguous, (row_ptr, n_kmers, kmer_counts))
    is_kept = xp.empty(n_kmers.size, np.bool_)
    limits = np.int64(longest), np.float64(threshold)
    launch(_judge_isolated, is_kept.size, row_ptr, n_kmers, kmer_counts, *limits, is_kept)
    return is_kept
