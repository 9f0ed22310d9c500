"""Counting k-mers in an array in which equal ones are together: find the runs, keep those that are long enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.masks import select, selected_positions, selection_of
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import assign, assign_columns
from debruijn_gpu.backends.core.cuda.runtime import (
    SIMULATED,
    cuda,
    device_function,
    kernel,
    launch,
    to_host,
    uint32,
    xp,
)
from debruijn_gpu.backends.kmers.cuda.grouping import sorted_codes

DENSE = 1 << 16  # counts below this have a cell in the histogram
_SHARED_BINS = 4 if SIMULATED else 1024  # counts below this are first counted by each block
_MOST_COUNT = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)
_BIT, _NONE, _ALL = np.uint32(1), np.uint32(0), np.uint32(0xFFFFFFFF)


def counting_bytes(n_words: int) -> int:
    """Device memory that each k-mer of an array takes while they are counted, if all are different and are kept.

    One word: codes in order, and the positions, codes and counts that are kept, with bits and their sums (the sort
    takes less). More: codes, hashes, and what CuPy's argsort takes, a copy, positions, and a buffer of as much; or
    codes, codes in order, and what is kept.
    """
    return 30 if n_words == 1 else max(8 * n_words + 40, 24 * n_words + 14)


class Tally:
    """Histogram of k-mer counts.

    Attributes
    ----------
    bins : uint64 (65536,), on the device; number of k-mers by count
    large : uint32 (n_occurrences // 65536 + 1,), on the device; larger counts
    n_large : uint64 (1,), on the device; how many these are
    """

    def __init__(self, n_occurrences: int) -> None:
        self.bins = xp.zeros(DENSE, np.uint64)
        self.large = xp.empty(n_occurrences // DENSE + 1, np.uint32)
        self.n_large = xp.zeros(1, np.uint64)

    def on_host(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The bins as int64, and the larger counts in ascending order."""
        large: NDArray[np.uint32] = to_host(self.large[: int(to_host(self.n_large)[0])])
        large.sort()
        return to_host(self.bins.view(np.int64)), large


@dataclass(frozen=True)
class Counted:
    """Distinct k-mers.

    Attributes
    ----------
    codes : uint64 (words, n)
    counts : uint32 (n,)
    """

    codes: Array
    counts: Array

    @property
    def nbytes(self) -> int:
        return int(self.codes.nbytes + self.counts.nbytes)


@kernel
def _mark_heads(codes, mask):
    """Which k-mers differ from the one before; the first does. One thread per k-mer.

    Parameters
    ----------
    codes : in, uint64 (words, n)
    mask : out, bool (n,)
    """
    for i in range(cuda.grid(1), mask.size, cuda.gridsize(1)):
        is_head = i == 0
        if i > 0:
            difference = np.uint64(0)
            for w in range(codes.shape[0]):
                difference |= codes[w, i] ^ codes[w, i - 1]
            is_head = difference != np.uint64(0)
        mask[i] = is_head


@device_function
def _lowest(word):
    """Place of the lowest bit that is set."""
    return np.int64(cuda.popc(~word & (word - _BIT)))


@device_function
def _end_of_run(heads, ends, n, i):
    """Find the end of the run that k-mer i begins: the next head, or n.

    It is nearly always in the same chunk of 256 or the next; if not, sums tell which the next chunk with a head is, by
    steps of doubling and then of halving length: it costs no more for a billion of poly-A than 60 steps.
    """
    at = i + 1
    chunk = i >> 8
    if at >> 8 == chunk:
        w = at >> 5
        word = heads[w] & (_ALL << np.uint32(at & 31))
        while word == _NONE and (w + 1) >> 3 == chunk:
            w += 1
            word = heads[w]
        if word != _NONE:
            return min(n, (w << 5) + _lowest(word))
    n_before = ends[chunk]
    step = np.int64(1)
    while chunk + step < ends.size and ends[chunk + step] == n_before:
        chunk += step
        step *= 2
    while step > 0:
        if chunk + step < ends.size and ends[chunk + step] == n_before:
            chunk += step
        step //= 2
    chunk += 1
    if chunk >= ends.size:
        return n
    w = chunk << 3
    while heads[w] == _NONE:
        w += 1
    return min(n, (w << 5) + _lowest(heads[w]))


@device_function
def _count_of(heads, ends, weights, n, i):
    """How often (uint64, at most 2^32 - 1) the k-mer occurs whose run begins at i: its length, or the sum of the
    weights if there are any (then runs are short)."""
    end = _end_of_run(heads, ends, n, i)
    if weights.size == 0:
        return min(np.uint64(end - i), _MOST_COUNT)
    total = np.uint64(0)
    for j in range(i, end):
        total += np.uint64(weights[j])
    return min(total, _MOST_COUNT)


@device_function
def _add_to_tally(count, own, bins, large, n_large):
    """Count a count: in shared memory (own), in the bins, or with the large ones; see `Tally`."""
    if count < np.uint64(_SHARED_BINS):
        cuda.atomic.add(own, count, _BIT)
    elif count < np.uint64(DENSE):
        cuda.atomic.add(bins, count, _ONE)
    else:
        large[cuda.atomic.add(n_large, 0, _ONE)] = np.uint32(count)


@kernel
def _mark_runs(heads, ends, weights, n, min_count, is_tallied, kept, bins, large, n_large):
    """Set the bits of the first k-mers of runs that are long enough, and count runs by length. One thread per word of
    32 k-mers. Runs of one k-mer, the most by far, are counted in a register, other short ones in shared memory.

    Parameters
    ----------
    heads, ends : in, uint32 (8 * chunks,) and int64 (chunks,); a `Selection` of the first k-mers of runs
    weights : in, uint32 (n,) or (0,); see `_count_of`
    n : int64
    min_count : uint64
    is_tallied : int64; 0 leaves bins, large and n_large as they are
    kept : out, uint32 (8 * chunks,); bit b of word w is k-mer 32 w + b
    bins, large, n_large : in and out; see `Tally`
    """
    own = cuda.shared.array(_SHARED_BINS, uint32)
    for count in range(cuda.threadIdx.x, _SHARED_BINS, cuda.blockDim.x):
        own[count] = 0
    cuda.syncthreads()
    n_single = np.uint32(0)
    for w in range(cuda.grid(1), kept.size, cuda.gridsize(1)):
        left = heads[w]
        long_enough = _NONE
        while left != _NONE:
            bit = _lowest(left)
            left &= left - _BIT
            count = _count_of(heads, ends, weights, n, (np.int64(w) << 5) + bit)
            if count >= min_count:
                long_enough |= _BIT << np.uint32(bit)
            if count == _ONE:
                n_single += _BIT
            elif is_tallied:
                _add_to_tally(count, own, bins, large, n_large)
        kept[w] = long_enough
    if n_single and is_tallied:
        cuda.atomic.add(own, 1, n_single)
    cuda.syncthreads()
    for count in range(cuda.threadIdx.x, _SHARED_BINS, cuda.blockDim.x):
        if own[count]:
            cuda.atomic.add(bins, count, np.uint64(own[count]))


@kernel
def _write_runs(codes, heads, ends, weights, positions, kept_codes, kept_counts):
    """The first k-mers of some runs, and their counts. One thread per run.

    Parameters
    ----------
    codes : in, uint64 (words, n)
    heads, ends, weights : in, as in `_mark_runs`
    positions : in, int64 (m,); where the runs begin
    kept_codes : out, uint64 (words, m)
    kept_counts : out, uint32 (m,)
    """
    n = np.int64(codes.shape[1])
    for to in range(cuda.grid(1), positions.size, cuda.gridsize(1)):
        i = positions[to]
        for w in range(codes.shape[0]):
            kept_codes[w, to] = codes[w, i]
        kept_counts[to] = np.uint32(_count_of(heads, ends, weights, n, i))


def count_runs(codes: Array, weights: Array | None, min_count: int, tally: Tally | None) -> Counted:
    """The distinct k-mers that occur ``min_count`` times or more, in the order given.

    Parameters
    ----------
    codes : array, dtype=uint64, shape=(words, n)
        Equal ones next to each other.
    weights : array or None
        How often (uint32) each of them occurs; None: once.
    min_count : int
    tally : Tally or None
        Takes the counts of all, unless it is None.
    """
    n_words, n = codes.shape
    if weights is None:
        weights = xp.empty(0, np.uint32)
    mask = xp.empty(n, np.bool_)
    launch(_mark_heads, n, codes, mask)
    heads = select(mask)
    del mask
    kept = xp.empty(heads.words.size, np.uint32)
    into = Tally(0) if tally is None else tally
    numbers = (np.int64(n), np.uint64(min_count), np.int64(tally is not None))
    runs = (heads.words, heads.ends, weights)
    launch(_mark_runs, kept.size, *runs, *numbers, kept, into.bins, into.large, into.n_large)
    positions = selected_positions(selection_of(kept))
    found = Counted(xp.empty((n_words, positions.size), np.uint64), xp.empty(positions.size, np.uint32))
    launch(_write_runs, positions.size, codes, *runs, positions, found.codes, found.counts)
    return found


def merged(first: Counted, second: Counted) -> Counted:
    """The k-mers of both, in ascending order; the counts of those in both are added."""
    n = first.counts.size
    codes = xp.empty((first.codes.shape[0], n + second.counts.size), np.uint64)
    counts = xp.empty(codes.shape[1], np.uint32)
    for at, of_one in ((0, first), (n, second)):
        assign_columns(codes, at, of_one.codes)
        assign(counts[at : at + of_one.counts.size], of_one.counts)
    codes, counts = sorted_codes(codes, counts)
    return count_runs(codes, counts, 1, None)
