"""Join sorted sets of k-mers to rows of (set, count) by one stable sort; see `KmerOperations.join_sets`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.arrays.cuda.masks import select, selected_positions, selected_values
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import assign, filled
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, xp
from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.backends.kmers.cuda.grouping import sorted_codes
from debruijn_gpu.backends.kmers.cuda.merging import mark_first

_SET_SHIFT = np.uint64(32)
_COUNT_MASK = np.uint64(0xFFFFFFFF)


@kernel
def _pack(counts, number, entries):
    """Pack a set (uint64) and its counts (in, uint32) into entries (out, uint64). One thread per k-mer."""
    for i in range(cuda.grid(1), counts.size, cuda.gridsize(1)):
        entries[i] = (number << _SET_SHIFT) | np.uint64(counts[i])


@kernel
def _unpack(entries, sets, counts):
    """Unpack entries (in, uint64) to sets and, unless they are empty, counts (out, uint32). One thread per entry."""
    for i in range(cuda.grid(1), entries.size, cuda.gridsize(1)):
        sets[i] = np.uint32(entries[i] >> _SET_SHIFT)
        if counts.size > 0:
            counts[i] = np.uint32(entries[i] & _COUNT_MASK)


@guarded
def join_sets(parts: list[tuple[Array, Array]], k: int, with_counts: bool = True) -> JointCounts:
    """See `KmerOperations.join_sets`."""
    n = sum(part[1].size for part in parts)
    codes, entries = xp.empty((words_per_kmer(k), n), np.uint64), xp.empty(n, np.uint64)
    at = 0
    for number, (some_codes, some_counts) in enumerate(parts):
        end = at + some_counts.size
        if at == end:
            continue
        for w in range(codes.shape[0]):
            assign(codes[w, at:end], contiguous(some_codes[w]))
        launch(_pack, end - at, some_counts, np.uint64(number), entries[at:end])
        at = end
    codes, in_order = sorted_codes(codes, entries)
    assert in_order is not None
    del entries
    is_first = xp.empty(n, np.bool_)
    launch(mark_first, n, codes, is_first)
    selection = select(is_first)
    row_ptr = filled(selection.total + 1, np.int64(n))
    assign(row_ptr[:-1], selected_positions(selection))
    distinct = xp.empty((codes.shape[0], selection.total), np.uint64)
    for w in range(codes.shape[0]):
        distinct[w] = selected_values(selection, codes[w])
    sets, counts = xp.empty(n, np.uint32), xp.empty(n if with_counts else 0, np.uint32)
    launch(_unpack, n, in_order, sets, counts)
    return JointCounts(distinct, row_ptr, sets, counts)
