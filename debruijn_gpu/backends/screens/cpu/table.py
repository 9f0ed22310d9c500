"""Look up the k-mers of reads in a sorted table, in blocks whose memory accesses overlap."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Codes, Counts
from debruijn_gpu.backends.core.cpu.decorators import lean_function, strided_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import prefetch
from debruijn_gpu.backends.core.cpu.scalars import (
    append_base,
    base_at,
    kmer_at,
    leading_bits,
    less,
    prepend_base,
    reverse_complement,
    smaller,
)
from debruijn_gpu.backends.kmers.cpu.buckets import load_kmer
from debruijn_gpu.backends.kmers.cpu.lookups import index_of
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.containers import ABSENT, KmerValues

_MOST_INDEX_BITS = 28
_KMERS_PER_SLOT_BITS = 2  # four k-mers of one word are half a cache line
_QUEUED = 128  # k-mers that are looked up at once: each step loads what the next one needs
_ABSENT = np.uint32(ABSENT)
_THREE = np.uint64(3)


def index_table(codes: Codes, values: Counts, k: int, canonical: bool) -> KmerValues:
    """See `ScreenOperations.index_table`."""
    wanted = len(values).bit_length() - _KMERS_PER_SLOT_BITS
    return KmerValues(k, canonical, codes, values, *index_of(codes, k, max(1, min(_MOST_INDEX_BITS, 2 * k, wanted))))


@lean_function
def _find(codes, low, high, kmer):
    """Find the first of the k-mers low..high that is not less than a k-mer; high if there is none."""
    while low < high:
        middle = (low + high) >> 1
        if less(load_kmer(codes, middle, kmer), kmer):
            low = middle + 1
        else:
            high = middle
    return low


@lean_function
def _resolve(table, queue, n, zero, found):
    """Write the values (out, uint32) of the first n queued k-mers to their positions, where they are in the table."""
    codes, first_words, values, starts = table
    kmers, slots, rows, positions = queue
    for i in range(n):
        rows[i] = starts[slots[i]]
        prefetch(first_words, np.uint64(rows[i]))
    for i in range(n):
        stop = starts[slots[i] + 1]
        kmer = load_kmer(kmers, i, zero)
        row = _find(codes, rows[i], stop, kmer)
        is_found = row < stop and not less(kmer, load_kmer(codes, row, zero))
        rows[i] = row if is_found else -1
        if is_found:
            prefetch(values, np.uint64(row))
    for i in range(n):
        if rows[i] >= 0:
            found[positions[i]] = values[rows[i]]


@lean_function
def _queue_interval(bases, start, stop, sizes, table, queue, n, zero, found):
    """Queue the k-mers of the bases start..stop, none of them ambiguous, and look full queues up; return the length."""
    k, canonical, n_bits, top_bits = sizes
    kmers, slots, _rows, positions = queue
    if stop - start < k:
        return n
    top_mask = ~np.uint64(0) >> (np.uint64(64) - top_bits)
    top_shift = top_bits - np.uint64(2)
    forward = kmer_at(bases, np.uint64(start), top_bits, zero)
    reverse = reverse_complement(forward, top_bits)
    for position in range(start, stop - k + 1):
        kmer = smaller(forward, reverse) if canonical else forward
        for word in range(len(zero)):
            kmers[word, n] = kmer[word]
        slots[n] = np.int64(leading_bits(kmer, top_bits, n_bits))
        positions[n] = position
        prefetch(table[3], np.uint64(slots[n]))
        n += 1
        if n == positions.size:
            _resolve(table, queue, n, zero, found)
            n = 0
        if position + k < stop:
            base = base_at(bases, position + k)
            forward = append_base(forward, base, top_mask)
            reverse = prepend_base(reverse, _THREE - base, top_shift)
    return n


@strided_kernel
def _look_up(bases, offsets, breaks, sizes, table, queue, zero, found):
    """Write the value of the k-mer that begins at each position of a batch.

    Parameters
    ----------
    bases, offsets, breaks : in; packed bases, offsets and ambiguous positions of the batch
    sizes : tuple of k, canonical, n_bits and top_bits of `KmerValues`
    table : in, tuple of codes, their first words, values and starts
    queue : tuple of k-mers uint64 (words, m), and their slots, rows and positions, int64 (m,); overwritten
    zero : tuple of uint64; as many words as a k-mer has
    found : out, uint32 (n_bases,); what is there stays where there is no such k-mer
    """
    n = 0
    high = 0
    for row in range(offsets.size - 1):
        start, stop = offsets[row], offsets[row + 1]
        while high < breaks.size and breaks[high] < stop:
            n = _queue_interval(bases, start, breaks[high], sizes, table, queue, n, zero, found)
            start = breaks[high] + 1
            high += 1
        n = _queue_interval(bases, start, stop, sizes, table, queue, n, zero, found)
    _resolve(table, queue, n, zero, found)


def look_up_reads(batch: ReadBatch, table: KmerValues) -> Counts:
    """See `ScreenOperations.look_up_reads`."""
    found = np.full(int(batch.offsets[-1]), _ABSENT, np.uint32)
    n_words = words_per_kmer(table.k)
    queue = np.empty((n_words, _QUEUED), np.uint64), *np.empty((3, _QUEUED), np.int64)
    sizes = table.k, table.canonical, table.n_bits, table.top_bits
    arrays = table.codes, table.codes[0], table.values, table.starts
    zero = (np.uint64(0),) * n_words
    _look_up(batch.bases, batch.offsets, batch.ambiguous_positions, sizes, arrays, queue, zero, found)
    return found
