"""Sort k-mers with their counts: scatter by leading bits, then by the next ones in the cache."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Codes, Counts
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel, strided_kernel
from debruijn_gpu.backends.core.cpu.scalars import less
from debruijn_gpu.backends.kmers.cpu.buckets import load_kmer

_SMALL = 16  # insertion sort below
_BUCKET = 256  # k-mers aimed at in a bucket
_CELL_BITS = 8  # by which the k-mers of a bucket are split once more
_FEW, _MANY = 48, 1 << 16  # k-mers of a bucket that are: less cost more than they save, more leave the cache


@kernel
def _leading_bits(codes, i, shift):
    """The bits of k-mer i above ``shift``, counted from the lowest bit of word 1 (or 0, if it is the only one)."""
    if codes.shape[0] == 1:
        return codes[0, i] >> shift
    if shift >= np.uint64(64):
        return codes[0, i] >> (shift - np.uint64(64))
    return (codes[0, i] << (np.uint64(64) - shift)) | (codes[1, i] >> shift)


@strided_kernel
def _scatter_by_leading_bits(codes, counts, shift, cursors, sorted_codes, sorted_counts):
    """Move k-mers to their buckets.

    Parameters
    ----------
    codes : in, uint64 (words, n)
    counts : in, uint32 (n,)
    shift : uint64; see `_leading_bits`
    cursors : out, int64 (n_buckets + 1,), zeros; ends as the end of each bucket, after a leading 0
    sorted_codes, sorted_counts : out, as codes and counts
    """
    n = counts.size
    for i in range(n):
        cursors[_leading_bits(codes, i, shift) + np.uint64(1)] += 1
    for b in range(1, cursors.size):
        cursors[b] += cursors[b - 1]
    for i in range(n):
        b = _leading_bits(codes, i, shift)
        at = cursors[b]
        cursors[b] = at + 1
        for word in range(codes.shape[0]):
            sorted_codes[word, at] = codes[word, i]
        sorted_counts[at] = counts[i]
    for b in range(cursors.size - 1, 0, -1):
        cursors[b] = cursors[b - 1]
    cursors[0] = 0


@kernel
def _store(codes, counts, i, kmer, count):
    for word in range(len(kmer)):
        codes[word, i] = kmer[word]
    counts[i] = count


@kernel
def _insertion_sort(codes, counts, start, stop, zero):
    for i in range(start + 1, stop):
        kmer = load_kmer(codes, i, zero)
        count = counts[i]
        j = i - 1
        while j >= start and less(kmer, load_kmer(codes, j, zero)):
            _store(codes, counts, j + 1, load_kmer(codes, j, zero), counts[j])
            j -= 1
        _store(codes, counts, j + 1, kmer, count)


@kernel
def _median(codes, start, stop, zero):
    """Median of the first, the middle and the last k-mer."""
    a = load_kmer(codes, start, zero)
    b = load_kmer(codes, (start + stop) // 2, zero)
    c = load_kmer(codes, stop - 1, zero)
    if less(b, a):
        a, b = b, a
    if less(c, b):
        b = a if less(c, a) else c
    return b


@kernel
def _sort_range(codes, counts, start, stop, zero):
    """Quicksort of distinct k-mers (Hoare 1962), the smaller part first put off: the stack stays below 64."""
    stack = np.empty((64, 2), np.int64)
    depth = 0
    while True:
        if stop - start <= _SMALL:
            _insertion_sort(codes, counts, start, stop, zero)
            if depth == 0:
                return
            depth -= 1
            start, stop = stack[depth, 0], stack[depth, 1]
            continue
        pivot = _median(codes, start, stop, zero)
        i = start
        j = stop - 1
        while i <= j:
            while less(load_kmer(codes, i, zero), pivot):
                i += 1
            while less(pivot, load_kmer(codes, j, zero)):
                j -= 1
            if i <= j:
                kmer, count = load_kmer(codes, i, zero), counts[i]
                _store(codes, counts, i, load_kmer(codes, j, zero), counts[j])
                _store(codes, counts, j, kmer, count)
                i += 1
                j -= 1
        # left: start..j, right: i..stop - 1; the larger one waits
        if j + 1 - start < stop - i:
            stack[depth, 0], stack[depth, 1] = i, stop
            stop = j + 1
        else:
            stack[depth, 0], stack[depth, 1] = start, j + 1
            start = i
        depth += 1


@strided_kernel
def _split_bucket(codes, counts, start, stop, shift, cells, some_codes, some_counts, zero):
    """Sort the k-mers of a bucket by their `_CELL_BITS` bits above ``shift``, and then each cell.

    Parameters
    ----------
    codes, counts : in and out, uint64 (words, n) and uint32 (n,)
    start, stop : int64; the bucket
    shift : uint64; see `_leading_bits`
    cells : scratch, int64 (2 ** _CELL_BITS + 1,)
    some_codes, some_counts : scratch, as codes and counts, of at least stop - start k-mers
    """
    mask = np.uint64((1 << _CELL_BITS) - 1)
    for cell in range(cells.size):
        cells[cell] = 0
    for i in range(start, stop):
        cells[(_leading_bits(codes, i, shift) & mask) + np.uint64(1)] += 1
    for cell in range(1, cells.size):
        cells[cell] += cells[cell - 1]
    for i in range(start, stop):
        cell = _leading_bits(codes, i, shift) & mask
        _store(some_codes, some_counts, cells[cell], load_kmer(codes, i, zero), counts[i])
        cells[cell] += 1
    for i in range(stop - start):
        _store(codes, counts, start + i, load_kmer(some_codes, i, zero), some_counts[i])
    first = start
    for cell in range(cells.size - 1):
        end = start + cells[cell]
        if end - first > _SMALL:
            _sort_range(codes, counts, first, end, zero)
        elif end - first > 1:
            _insertion_sort(codes, counts, first, end, zero)
        first = end


@strided_kernel
def _sort_buckets(codes, counts, bucket_ptr, first, last, shift, zero):
    """Sort the k-mers of buckets ``first:last``; ``shift`` is that of `_split_bucket`."""
    largest = 0
    for b in range(first, last):
        largest = max(largest, min(bucket_ptr[b + 1] - bucket_ptr[b], _MANY))
    some_codes, some_counts = np.empty((codes.shape[0], largest), np.uint64), np.empty(largest, np.uint32)
    cells = np.empty((1 << _CELL_BITS) + 1, np.int64)
    for b in range(first, last):
        n = bucket_ptr[b + 1] - bucket_ptr[b]
        if _FEW < n <= _MANY:
            stop = bucket_ptr[b + 1]
            _split_bucket(codes, counts, bucket_ptr[b], stop, shift, cells, some_codes, some_counts, zero)
        elif n > 1:
            _sort_range(codes, counts, bucket_ptr[b], bucket_ptr[b + 1], zero)


def sort_kmers(codes: Codes, counts: Counts, k: int) -> tuple[Codes, Counts]:
    """Distinct k-mers and their counts in ascending order of the k-mers."""
    n = len(counts)
    bits = min(2 * k, 16, max(1, int(n // _BUCKET).bit_length()))  # not 0: no shift is by a whole word
    # up to 64 leading bits are reachable: word 0 alone holds few when k % 32 is small
    shift = 2 * k - bits - 64 * max(0, words_per_kmer(k) - 2)
    sorted_codes = np.empty_like(codes)
    sorted_counts = np.empty_like(counts)
    bucket_ptr = np.zeros((1 << bits) + 1, np.int64)
    _scatter_by_leading_bits(codes, counts, np.uint64(shift), bucket_ptr, sorted_codes, sorted_counts)
    zero = (np.uint64(0),) * len(codes)
    below = np.uint64(max(0, shift - _CELL_BITS))
    threads.over_ranges(
        1 << bits,
        lambda first, last: _sort_buckets(sorted_codes, sorted_counts, bucket_ptr, first, last, below, zero),
        work=threads.SORT_STEPS * n,
    )
    return sorted_codes, sorted_counts
