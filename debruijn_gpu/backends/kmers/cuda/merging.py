"""Merge sets of k-mers; see `KmerOperations.merge_kmers`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.arrays.cuda.masks import select, selected_values
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import assign, assign_columns
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, xp
from debruijn_gpu.backends.kmers.cuda.grouping import sorted_codes

_MOST_COUNT = (1 << 32) - 1


@kernel
def mark_first(codes, is_first):
    """Compute which k-mers (words, n), ascending, differ from the one before (out, bool). One thread per k-mer."""
    for i in range(cuda.grid(1), is_first.size, cuda.gridsize(1)):
        differs = i == 0
        for w in range(codes.shape[0]):
            differs = differs or codes[w, i] != codes[w, i - 1]
        is_first[i] = differs


@kernel
def _sum_equal(before, total, sums):
    """Sum the counts of equal k-mers (out, uint32). One thread per distinct k-mer.

    Parameters
    ----------
    before : in, uint64 (n,); sum of the counts before the first of each
    total : in, uint64 (1,); sum of all counts
    """
    for i in range(cuda.grid(1), sums.size, cuda.gridsize(1)):
        end = before[i + 1] if i + 1 < sums.size else total[0]
        sums[i] = min(np.uint64(_MOST_COUNT), end - before[i])


def merge_bytes(n: int, k: int) -> int:
    """See `KmerOperations.merge_bytes`."""
    return 0


@guarded
def merge_kmers(parts: list[tuple[Array, Array]], k: int) -> tuple[Array, Array]:
    """See `KmerOperations.merge_kmers`."""
    n = sum(part[1].size for part in parts)
    codes, counts = xp.empty((words_per_kmer(k), n), np.uint64), xp.empty(n, np.uint32)
    at = 0
    while parts:
        some_codes, some_counts = parts.pop(0)
        assign_columns(codes, at, some_codes)
        assign(counts[at : at + some_counts.size], some_counts)
        at += some_counts.size
    codes, sorted_counts = sorted_codes(codes, counts)
    assert sorted_counts is not None
    is_first = xp.empty(n, np.bool_)
    launch(mark_first, n, codes, is_first)
    selection = select(is_first)
    before = exclusive_scan(sorted_counts)
    sums = xp.empty(selection.total, np.uint32)
    launch(_sum_equal, sums.size, selected_values(selection, before[:n]), before[n:], sums)
    if selection.total == n:
        return codes, sums
    distinct = xp.empty((codes.shape[0], selection.total), np.uint64)
    for w in range(codes.shape[0]):
        assign(distinct[w], selected_values(selection, codes[w]))
    return distinct, sums
