"""Join sorted sets of k-mers to rows of (set, count) by merging them pairwise; see `KmerOperations.join_sets`."""

from __future__ import annotations

from functools import partial

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Codes, Counts, Longs
from debruijn_gpu.backends.core.cpu.decorators import Kernel
from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.backends.kmers.cpu.branchless import is_less, load

_lean_strided = partial(Kernel, is_strided=True, _nrt=False)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_SET_SHIFT = np.uint64(32)
_COUNT_MASK = np.uint64(0xFFFFFFFF)


@_lean_strided
def _merge_runs(codes, entries, edges, merged, merged_entries, zero):
    """Merge each two neighbouring runs into one; of equal k-mers, those of the left run come first.

    Parameters
    ----------
    codes : in, uint64 (words, n), ascending in each run
    entries : in, uint64 (n,)
    edges : in, uint64 (2 * pairs + 1,); first k-mer of each run, and the end of the last one
    merged, merged_entries : out, as codes and entries
    """
    for pair in range((edges.size - 1) // 2):
        i, j, end = edges[2 * pair], edges[2 * pair + 1], edges[2 * pair + 2]
        middle, at = j, i
        while (i < middle) & (j < end):
            first = load(codes, i, zero)
            second = load(codes, j, zero)
            is_second = is_less(second, first)
            entry = entries[i]
            entry ^= (entry ^ entries[j]) & (_ZERO - is_second)
            for word in range(len(zero)):
                merged[np.uint64(word), at] = first[word] ^ ((first[word] ^ second[word]) & (_ZERO - is_second))
            merged_entries[at] = entry
            at += _ONE
            i += _ONE - is_second
            j += is_second
        while i < middle:
            for word in range(len(zero)):
                merged[np.uint64(word), at] = codes[np.uint64(word), i]
            merged_entries[at] = entries[i]
            at += _ONE
            i += _ONE
        while j < end:
            for word in range(len(zero)):
                merged[np.uint64(word), at] = codes[np.uint64(word), j]
            merged_entries[at] = entries[j]
            at += _ONE
            j += _ONE


@_lean_strided
def _split_rows(codes, entries, row_ptr, sets, counts, zero):
    """Move distinct k-mers to the front, and unpack their entries; returns the number of distinct k-mers.

    Parameters
    ----------
    codes : in and out, uint64 (words, n), ascending
    entries : in, uint64 (n,); set in the high half, count in the low one
    row_ptr : out, int64 (n + 1,); first entry of each distinct k-mer
    sets, counts : out, uint32 (n,); counts may be empty
    """
    n = _ZERO
    before = zero
    for i in range(entries.size):
        at = np.uint64(i)
        kmer = load(codes, at, zero)
        differs = is_less(before, kmer) | np.uint64(i == 0)
        n += differs
        for word in range(len(zero)):
            codes[np.uint64(word), n - _ONE] = kmer[word]
        if differs:
            row_ptr[n - _ONE] = i
        sets[at] = np.uint32(entries[at] >> _SET_SHIFT)
        if counts.size > 0:
            counts[at] = np.uint32(entries[at] & _COUNT_MASK)
        before = kmer
    row_ptr[n] = entries.size
    return n


def join_sets(parts: list[tuple[Codes, Counts]], k: int, with_counts: bool = True) -> JointCounts:
    """See `KmerOperations.join_sets`."""
    zero = (np.uint64(0),) * words_per_kmer(k)
    codes, entries, edges = _concatenated(parts, k)
    merged, merged_entries = np.empty_like(codes), np.empty_like(entries)
    while len(edges) > 2:
        if len(edges) % 2 == 0:
            edges = np.append(edges, edges[-1])
        _merge_runs(codes, entries, edges, merged, merged_entries, zero)
        codes, entries, merged, merged_entries = merged, merged_entries, codes, entries
        edges = edges[::2].copy()
    n = len(entries)
    row_ptr, sets = np.empty(n + 1, np.int64), np.empty(n, np.uint32)
    counts = np.empty(n if with_counts else 0, np.uint32)
    n_rows = int(_split_rows(codes, entries, row_ptr, sets, counts, zero))
    return JointCounts(codes[:, :n_rows].copy(), row_ptr[: n_rows + 1].copy(), sets, counts)


def _concatenated(parts: list[tuple[Codes, Counts]], k: int) -> tuple[Codes, Codes, Codes]:
    """Codes of all sets that are not empty, their entries, and the edges of the sets (uint64)."""
    kept = [(s, part) for s, part in enumerate(parts) if len(part[1])]
    sizes = [len(counts) for _, (_, counts) in kept]
    edges: Longs = np.cumsum([0, *sizes], dtype=np.int64)
    codes = np.empty((words_per_kmer(k), int(edges[-1])), np.uint64)
    entries = np.empty(int(edges[-1]), np.uint64)
    for (s, (some, counts)), start, end in zip(kept, edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        codes[:, start:end] = some
        entries[start:end] = counts
        entries[start:end] |= np.uint64(s << 32)
    return codes, entries, edges.astype(np.uint64)
