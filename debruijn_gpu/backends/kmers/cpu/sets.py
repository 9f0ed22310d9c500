"""Combine and compare sorted sets of k-mers by merging them; see `KmerOperations.combine_sets`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Codes, Counts, Longs
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_kernel, strided_kernel
from debruijn_gpu.backends.core.cpu.scalars import less
from debruijn_gpu.backends.kmers import set_scalars
from debruijn_gpu.backends.kmers.cpu.branchless import is_less, load
from debruijn_gpu.backends.kmers.cpu.buckets import load_kmer
from debruijn_gpu.backends.kmers.set_programs import ABSENT, MOST_COUNT, PairRules, SetProgram

evaluate = compile_module(kernel, set_scalars).evaluate

_MOST = np.uint64(MOST_COUNT)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FIRST_ALONE, _SECOND_ALONE, _BOTH = np.uint64(1 << 1), np.uint64(1 << 2), np.uint64(1 << 3)

_ALL = np.uint64((1 << 64) - 1)
#: By how much a count by a rule is less than the sum of both counts: masks for the first count, the second one, and the
#: smaller one; and `_ALL` if this last is subtracted from the others. `_merge_pair` needs no branch then.
_LESS_BY = {
    set_scalars.SUM: (_ZERO, _ZERO, _ZERO, _ZERO),
    set_scalars.MIN: (_ALL, _ALL, _ALL, _ALL),
    set_scalars.MAX: (_ZERO, _ZERO, _ALL, _ZERO),
    set_scalars.LEFT: (_ZERO, _ALL, _ZERO, _ZERO),
    set_scalars.RIGHT: (_ALL, _ZERO, _ZERO, _ZERO),
    set_scalars.DIFF: (_ZERO, _ALL, _ALL, _ZERO),
    ABSENT: (_ZERO, _ZERO, _ZERO, _ZERO),
}


@lean_kernel
def _merge_pair(codes_1, counts_1, codes_2, counts_2, kept, less_by, low, high, codes, counts, zero):
    """Merge two sets without branches that depend on the k-mers; returns the number of k-mers kept.

    Parameters
    ----------
    codes_1, codes_2 : in, uint64 (words, n), ascending
    counts_1, counts_2 : in, uint32 (n,)
    kept : uint64; bit 1 to keep k-mers of the first set alone, 2 of the second alone, 3 of both
    less_by : uint64 (4); see `_LESS_BY`
    low, high : uint64; counts to keep
    codes, counts : out, uint64 (words, n_1 + n_2) and uint32
    """
    n_1, n_2 = np.uint64(counts_1.size), np.uint64(counts_2.size)
    less_first, less_second, less_smaller, sign = less_by
    i = j = n = _ZERO
    while (i < n_1) & (j < n_2):
        first = load(codes_1, i, zero)
        second = load(codes_2, j, zero)
        is_first = _ONE - is_less(second, first)
        is_second = _ONE - is_less(first, second)
        count_1 = np.uint64(counts_1[i]) & (_ZERO - is_first)
        count_2 = np.uint64(counts_2[j]) & (_ZERO - is_second)
        less = (count_1 & less_first) + (count_2 & less_second)
        less += ((min(count_1, count_2) & less_smaller) ^ sign) - sign
        count = min(count_1 + count_2 - (less & (_ZERO - (is_first & is_second))), _MOST)
        for word in range(len(zero)):
            codes[np.uint64(word), n] = second[word] ^ ((first[word] ^ second[word]) & (_ZERO - is_first))
        counts[n] = np.uint32(count)
        n += np.uint64(low <= count) & np.uint64(count <= high) & (kept >> (is_first + is_second + is_second))
        i += is_first
        j += is_second
    if kept & _FIRST_ALONE:
        n = _append(codes_1, counts_1, i, low, high, codes, counts, n)
    if kept & _SECOND_ALONE:
        n = _append(codes_2, counts_2, j, low, high, codes, counts, n)
    return n


@lean_kernel
def _append(some_codes, some_counts, start, low, high, codes, counts, n):
    """Append the k-mers from ``start`` on whose count is in low..high; returns the number of k-mers now."""
    for i in range(start, some_counts.size):
        for word in range(codes.shape[0]):
            codes[np.uint64(word), n] = some_codes[word, i]
        count = np.uint64(some_counts[i])
        counts[n] = some_counts[i]
        n += np.uint64(low <= count) & np.uint64(count <= high)
    return n


@strided_kernel
def _take_smallest(codes, counts, at, ends, row, zero):
    """Find the smallest k-mer at the heads of the sets, step over it, and write its counts.

    Parameters
    ----------
    codes : in, uint64 (words, n), set after set
    counts : in, uint32 (n,)
    at : in and out, int64 (sets,); the head of each set
    ends : in, int64 (sets,)
    row : out, uint32 (sets, 1); 0 if absent

    Returns
    -------
    int64
        Position of the k-mer; -1 if all sets are at their ends.
    """
    best = np.int64(-1)
    smallest = zero
    for s in range(at.size):
        if at[s] < ends[s]:
            kmer = load_kmer(codes, at[s], zero)
            if best < 0 or less(kmer, smallest):
                smallest = kmer
                best = at[s]
    if best >= 0:
        for s in range(at.size):
            row[s, 0] = 0
            if at[s] < ends[s] and not less(smallest, load_kmer(codes, at[s], zero)):
                row[s, 0] = counts[at[s]]
                at[s] += 1
    return best


@strided_kernel
def _merge_all(codes, counts, at, ends, steps, low, high, row, stack, found_codes, found_counts, zero):
    """Merge any number of sets by a program; returns the number of k-mers kept. See `_take_smallest`.

    Parameters
    ----------
    steps : in, int64 (n_steps, 4)
    low, high : uint64; counts to keep
    stack : scratch, uint64 (depth, 1)
    found_codes, found_counts : out, uint64 (words, n) and uint32 (n,)
    """
    n = 0
    while True:
        best = _take_smallest(codes, counts, at, ends, row, zero)
        if best < 0:
            return n
        count = min(evaluate(steps, row, 0, stack), _MOST)
        if low <= count and count <= high:
            for word in range(codes.shape[0]):
                found_codes[word, n] = codes[word, best]
            found_counts[n] = np.uint32(count)
            n += 1


@strided_kernel
def _count_shared(codes, counts, at, ends, row, present, shared, zero):
    """Add the number of k-mers that each two sets share (in and out, int64 (sets, sets)). See `_take_smallest`.

    ``present`` (int64 (sets,)) is scratch.
    """
    while _take_smallest(codes, counts, at, ends, row, zero) >= 0:
        n = 0
        for s in range(at.size):
            present[n] = s
            n += np.int64(row[s, 0] > 0)
        for i in range(n):
            for j in range(n):
                shared[present[i], present[j]] += 1


def combine_sets(parts: list[tuple[Codes, Counts]], k: int, program: SetProgram) -> tuple[Codes, Counts]:
    """See `KmerOperations.combine_sets`."""
    n = sum(len(counts) for _, counts in parts)
    codes, counts = np.empty((words_per_kmer(k), n), np.uint64), np.empty(n, np.uint32)
    zero = (np.uint64(0),) * words_per_kmer(k)
    limits = np.uint64(program.min_count), np.uint64(program.max_count)
    pair = program.pair_rules()
    if pair is not None:
        # of known strides, an element is found without a multiplication: a third of the time
        one, other = ((np.ascontiguousarray(some), of) for some, of in (*parts, (codes[:, :0], counts[:0]))[:2])
        n_found = _merge_pair(*one, *other, _kept(pair), _LESS_BY[pair.both], *limits, codes, counts, zero)
    else:
        row, stack = np.zeros((len(parts), 1), np.uint32), np.empty((program.depth, 1), np.uint64)
        work = *_concatenated(parts), program.table, *limits, row, stack
        n_found = _merge_all(*work, codes, counts, zero)
    return codes[:, :n_found], counts[:n_found]


def count_shared(parts: list[tuple[Codes, Counts]], k: int) -> Longs:
    """See `KmerOperations.count_shared`."""
    n = len(parts)
    shared = np.zeros((n, n), np.int64)
    row, present = np.zeros((n, 1), np.uint32), np.zeros(n + 1, np.int64)
    _count_shared(*_concatenated(parts), row, present, shared, (np.uint64(0),) * words_per_kmer(k))
    return shared


def _kept(pair: PairRules) -> np.uint64:
    """Bits of the k-mers to keep; see `_merge_pair`."""
    kept = _FIRST_ALONE * pair.first_alone | _SECOND_ALONE * pair.second_alone | _BOTH * (pair.both != ABSENT)
    return np.uint64(kept)


def _concatenated(parts: list[tuple[Codes, Counts]]) -> tuple[Codes, Counts, Longs, Longs]:
    """Codes and counts of all sets, and the first and the end of each."""
    sizes = [len(counts) for _, counts in parts]
    ends = np.cumsum(sizes, dtype=np.int64)
    codes = np.concatenate([codes for codes, _ in parts], axis=1)
    counts = np.concatenate([counts for _, counts in parts])
    return codes, counts, ends - np.array(sizes, np.int64), ends
