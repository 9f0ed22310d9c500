"""Combine and compare sorted sets of k-mers by merging them; see `KmerOperations.combine_sets`."""

from __future__ import annotations

from functools import partial

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Codes, Counts, Longs
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import Kernel, inlined_kernel, kernel, strided_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import with_word
from debruijn_gpu.backends.core.cpu.scalars import less
from debruijn_gpu.backends.kmers import set_scalars
from debruijn_gpu.backends.kmers.cpu.buckets import load_kmer
from debruijn_gpu.backends.kmers.set_programs import ABSENT, MOST_COUNT, PairRules, SetProgram

_compiled = compile_module(kernel, set_scalars)
evaluate, by_rule = _compiled.evaluate, _compiled.by_rule

_lean_strided = partial(Kernel, is_strided=True, _nrt=False)
_ABSENT = ABSENT
_MOST = np.uint64(MOST_COUNT)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@inlined_kernel
def _load(codes, i, kmer):
    """k-mer i, as `load_kmer` loads it, without counting references to the array."""
    for word in range(len(kmer)):
        kmer = with_word(kmer, word, codes[np.uint64(word), i])
    return kmer


@inlined_kernel
def _is_less(one, other):
    """1 if k-mer ``one`` is before the other, else 0 (uint64), without a branch."""
    found = _ZERO
    for i in range(len(one) - 1, -1, -1):
        found = np.uint64(one[i] < other[i]) | (np.uint64(one[i] == other[i]) & found)
    return found


@_lean_strided
def _merge_pair(codes_1, counts_1, codes_2, counts_2, alone_1, alone_2, rule, low, high, codes, counts, zero):
    """Merge two sets without branches that depend on the k-mers; returns the number of k-mers kept.

    Parameters
    ----------
    codes_1, codes_2 : in, uint64 (words, n), ascending
    counts_1, counts_2 : in, uint32 (n,)
    alone_1, alone_2 : uint64; 1 to keep the k-mers of one set alone, else 0
    rule : int64; for the counts of k-mers of both sets, or ABSENT
    low, high : uint64; counts to keep
    codes, counts : out, uint64 (words, n_1 + n_2) and uint32
    """
    n_1, n_2 = np.uint64(counts_1.size), np.uint64(counts_2.size)
    i = j = n = _ZERO
    keeps_both = _ONE if rule != _ABSENT else _ZERO
    while (i < n_1) & (j < n_2):
        first = _load(codes_1, i, zero)
        second = _load(codes_2, j, zero)
        is_first = _ONE - _is_less(second, first)
        is_second = _ONE - _is_less(first, second)
        count_1, count_2 = np.uint64(counts_1[i]), np.uint64(counts_2[j])
        both = min(by_rule(rule, count_1, count_2), _MOST) * keeps_both
        one = is_first * alone_1 * count_1 + is_second * alone_2 * count_2
        is_both = is_first & is_second
        count = is_both * both + (_ONE - is_both) * one
        for word in range(len(zero)):
            codes[np.uint64(word), n] = second[word] ^ ((first[word] ^ second[word]) & (_ZERO - is_first))
        counts[n] = np.uint32(count)
        n += np.uint64(low <= count) & np.uint64(count <= high)
        i += is_first
        j += is_second
    if alone_1:
        n = _append(codes_1, counts_1, i, low, high, codes, counts, n)
    if alone_2:
        n = _append(codes_2, counts_2, j, low, high, codes, counts, n)
    return n


@_lean_strided
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
        n_found = _merge_pair(*parts[0], *parts[1], *_as_words(pair), *limits, codes, counts, zero)
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


def _as_words(pair: PairRules) -> tuple[np.uint64, np.uint64, int]:
    return np.uint64(pair.first_alone), np.uint64(pair.second_alone), pair.both


def _concatenated(parts: list[tuple[Codes, Counts]]) -> tuple[Codes, Counts, Longs, Longs]:
    """Codes and counts of all sets, and the first and the end of each."""
    sizes = [len(counts) for _, counts in parts]
    ends = np.cumsum(sizes, dtype=np.int64)
    codes = np.concatenate([codes for codes, _ in parts], axis=1)
    counts = np.concatenate([counts for _, counts in parts])
    return codes, counts, ends - np.array(sizes, np.int64), ends
