"""Combine and compare sorted sets of k-mers: merge them, look each set's counts up, and evaluate a program.

There is no merge of many heads: the distinct k-mers of all sets are sorted once, and each set is a column.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.masks import select, selected_values
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.fill import assign, clear
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, to_device, to_host, xp
from debruijn_gpu.backends.kmers import set_scalars
from debruijn_gpu.backends.kmers.cuda.lookups import look_up_counts
from debruijn_gpu.backends.kmers.cuda.merging import merge_kmers
from debruijn_gpu.backends.kmers.set_programs import MOST_COUNT, SetProgram

evaluate = compile_module(device_function, set_scalars).evaluate

_MOST = np.uint64(MOST_COUNT)


@kernel
def _evaluate_all(steps, table, stack, low, high, counts, is_kept):
    """Evaluate a program on the counts of each k-mer. One thread per k-mer.

    Parameters
    ----------
    steps : in, int64 (n_steps, 4)
    table : in, uint32 (sets, n)
    stack : scratch, uint64 (depth, n)
    low, high : uint64; counts to keep
    counts : out, uint32 (n,)
    is_kept : out, bool (n,)
    """
    for i in range(cuda.grid(1), counts.size, cuda.gridsize(1)):
        count = min(evaluate(steps, table, i, stack), _MOST)
        counts[i] = np.uint32(count)
        is_kept[i] = low <= count and count <= high


@kernel
def _count_pairs(table, shared):
    """Count the k-mers that each two sets share. One thread per pair of sets.

    Parameters
    ----------
    table : in, uint32 (sets, n)
    shared : out, int64 (sets * sets,)
    """
    n_sets = table.shape[0]
    for pair in range(cuda.grid(1), shared.size, cuda.gridsize(1)):
        n = 0
        for i in range(table.shape[1]):
            if table[pair // n_sets, i] > 0 and table[pair % n_sets, i] > 0:
                n += 1
        shared[pair] = n


@guarded
def combine_sets(parts: list[tuple[Array, Array]], k: int, program: SetProgram) -> tuple[Array, Array]:
    """See `KmerOperations.combine_sets`."""
    codes, table = _table_of(parts, k)
    n = codes.shape[1]
    counts, is_kept = xp.empty(n, np.uint32), xp.empty(n, np.bool_)
    stack = xp.empty((program.depth, n), np.uint64)
    limits = np.uint64(program.min_count), np.uint64(program.max_count)
    launch(_evaluate_all, n, to_device(program.table), table, stack, *limits, counts, is_kept)
    selection = select(is_kept)
    kept = xp.empty((codes.shape[0], selection.total), np.uint64)
    for word in range(codes.shape[0]):
        assign(kept[word], selected_values(selection, codes[word]))
    return kept, selected_values(selection, counts)


@guarded
def count_shared(parts: list[tuple[Array, Array]], k: int) -> NDArray[np.int64]:
    """See `KmerOperations.count_shared`."""
    _, table = _table_of(parts, k)
    n_sets = len(parts)
    shared = xp.empty(n_sets * n_sets, np.int64)
    launch(_count_pairs, shared.size, table, shared)
    found: NDArray[np.int64] = to_host(shared).reshape(n_sets, n_sets)
    return found


def _table_of(parts: list[tuple[Array, Array]], k: int) -> tuple[Array, Array]:
    """Distinct k-mers of all sets, and their counts in each: uint32 (sets, n)."""
    codes, _ = merge_kmers(list(parts), k)
    table = xp.empty((len(parts), codes.shape[1]), np.uint32)
    for s, (some_codes, some_counts) in enumerate(parts):
        if some_counts.size:
            assign(table[s], look_up_counts(some_codes, some_counts, k, codes))
        else:
            clear(table[s])
    return codes, table
