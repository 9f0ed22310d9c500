"""Look up the k-mers of reads in a hash table that is built from sorted k-mers.

K-mers with equal leading bits share a region of buckets, in which they are hashed. Where a bucket is full, the next one
takes the k-mer. Sorted k-mers fill region after region, so the table is built within the cache. A look-up loads one
cache line in most cases, which is a bucket: a slot holds the k-mer without the leading bits, which its region implies,
and the value (quotienting; Knuth, TAOCP 3, 6.4). K-mers are looked up in blocks whose memory accesses overlap.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Codes, Counts
from debruijn_gpu.backends.core.cpu.decorators import lean_function, strided_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import match_eight, prefetch, with_word
from debruijn_gpu.backends.core.cpu.scalars import (
    append_base,
    base_at,
    hash_kmer,
    kmer_at,
    leading_bits,
    prepend_base,
    reverse_complement,
    smaller,
)
from debruijn_gpu.backends.kmers.cpu.buckets import load_kmer
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens import sizes as table_sizes
from debruijn_gpu.backends.screens.containers import ABSENT, KmerParts, KmerValues
from debruijn_gpu.backends.screens.sizes import LINE_WORDS
from debruijn_gpu.run.buffers import aligned_array
from debruijn_gpu.run.hash_seed import hash_seed

_QUEUED = 128  # k-mers that are looked up at once: each step loads what the next one needs
_ABSENT = np.uint32(ABSENT)
_U0, _U1, _THREE, _HALF = (np.uint64(n) for n in (0, 1, 3, 32))


@lean_function
def _slot_words(kmer, n_value_bits, masks):
    """Words of the slot of a k-mer, without a value: the k-mer shifted, and without its leading bits."""
    last = len(masks) - 1
    words = kmer
    for i in range(last):
        shifted = (kmer[i] << n_value_bits) | (kmer[i + 1] >> (np.uint64(64) - n_value_bits))
        words = with_word(words, i, shifted & masks[i])
    return with_word(words, last, (kmer[last] << n_value_bits) & masks[last])


@lean_function
def _first_bucket(starts, region, kmer, seed):
    """First bucket (uint64) to search for a k-mer in its region."""
    start = np.uint64(starts[region])
    n_buckets = np.uint64(starts[region + _U1]) - start
    return start + (((hash_kmer(kmer, seed) >> _HALF) * n_buckets) >> _HALF)


@lean_function
def _compare(slots, slot, n_slots, words, value_mask):
    """Find a k-mer in some slots, without branches; return its value plus 1, or 0, and whether all are taken."""
    n_words = np.uint64(len(words))
    value = last = _U0
    for i in range(n_slots):
        at = (slot + i) * n_words
        last = slots[at + (n_words - _U1)]
        difference = last ^ words[len(words) - 1]
        is_equal = np.uint64(difference & ~value_mask == _U0)  # `<=` takes more instructions
        for word in range(len(words) - 1):
            is_equal &= np.uint64(slots[at + np.uint64(word)] == words[word])
        value |= difference & (_U0 - is_equal)  # 0 of a free slot, too
    return value, last != _U0  # they are taken from the first one on


@lean_function
def _look_into(slots, bucket, n_slots, words, value_mask):
    """Find a k-mer in a bucket; see `_compare`."""
    n_most = np.uint64(LINE_WORDS // len(words))
    if n_slots < n_most:
        return _compare(slots, bucket * n_slots, n_slots, words, value_mask)
    if len(words) == 1:
        at = bucket * n_most
        return match_eight(slots, at, words[0], ~value_mask), slots[at + (n_most - _U1)] != _U0
    return _compare(slots, bucket * n_most, n_most, words, value_mask)


@lean_function
def _next_bucket(starts, region, bucket):
    """Bucket behind another one of a region; the first one behind the last."""
    bucket += _U1
    return bucket if bucket < np.uint64(starts[region + _U1]) else np.uint64(starts[region])


@lean_function
def _search(slots, starts, region, bucket, n_slots, words, value_mask):
    """Find a k-mer from a bucket on; return its value plus 1, or 0 if absent."""
    while True:
        value, is_full = _look_into(slots, bucket, n_slots, words, value_mask)
        if value or not is_full:
            return value
        bucket = _next_bucket(starts, region, bucket)


@lean_function
def _free_slot(slots, starts, region, bucket, n_slots, n_words):
    """Find the first free slot from a bucket on; in each, slots are taken from the first one on."""
    while slots[(bucket + _U1) * n_slots * np.uint64(n_words) - _U1]:
        bucket = _next_bucket(starts, region, bucket)
    n_taken = _U0
    for i in range(n_slots):
        n_taken += np.uint64(slots[(bucket * n_slots + i + _U1) * np.uint64(n_words) - _U1] != _U0)
    return bucket * n_slots + n_taken


@lean_function
def _open_regions(slots, starts, region, last, row, n_slots, n_words):
    """Begin the regions from one to the last one with a row of the table, and clear the slots before; return the next.

    A region of n k-mers has at least n + 1 slots, so that each search meets a free one.
    """
    n_slots = np.int64(n_slots)
    while region <= last:
        starts[region] = (row + (row >> 1)) // n_slots + region
        if region:
            for i in range(n_slots * n_words * starts[region - 1], n_slots * n_words * starts[region]):
                slots[i] = _U0
        region += 1
    return region


@strided_kernel
def _insert(codes, values, row, region, sizes, masks, seed, starts, slots):
    """Insert sorted k-mers, from a row of the table on, whose regions hold no others; return the next region.

    Parameters
    ----------
    codes : in, uint64 (words, n)
    values : in, uint32 (n,)
    row, region : int64; k-mers inserted before, and regions begun
    sizes : tuple of n_bits, top_bits, value bits and slots of a bucket (uint64)
    masks : tuple of uint64; bits of the words of a slot that a k-mer uses
    seed : uint64
    starts : out, uint32 (2^n_bits + 1,); first bucket of each region
    slots : out, uint64 (words * slots,)
    """
    n_bits, top_bits, n_value_bits, n_slots = sizes
    first, n = 0, codes.shape[1]
    while first < n:
        own = np.int64(leading_bits(load_kmer(codes, first, masks), top_bits, n_bits))
        behind = first + 1
        while behind < n and np.int64(leading_bits(load_kmer(codes, behind, masks), top_bits, n_bits)) == own:
            behind += 1
        region = _open_regions(slots, starts, region, own, row + first, n_slots, len(masks))
        region = _open_regions(slots, starts, region, own + 1, row + behind, n_slots, len(masks))
        for i in range(first, behind):
            kmer = load_kmer(codes, i, masks)
            words = _slot_words(kmer, n_value_bits, masks)
            bucket = _first_bucket(starts, np.uint64(own), kmer, seed)
            slot = _free_slot(slots, starts, np.uint64(own), bucket, n_slots, len(masks))
            words = with_word(words, len(masks) - 1, words[len(masks) - 1] | (np.uint64(values[i]) + _U1))
            for word in range(len(masks)):
                slots[slot * np.uint64(len(masks)) + np.uint64(word)] = words[word]
        first = behind
    return region


@strided_kernel
def _finish(row, region, n_slots, masks, starts, slots):
    """Begin the regions behind the last k-mer; see `_insert`."""
    _open_regions(slots, starts, region, starts.size - 1, row, n_slots, len(masks))


def table_bytes(n_kmers: int, largest: int, k: int) -> int:
    """See `ScreenOperations.table_bytes`."""
    return table_sizes.slot_layout(n_kmers, largest, k).n_bytes


def index_table(parts: KmerParts, k: int, canonical: bool) -> KmerValues:
    """See `ScreenOperations.index_table`."""
    layout = table_sizes.slot_layout(len(parts), parts.largest, k)
    starts: Counts = np.empty((1 << layout.n_bits) + 1, np.uint32)
    slots: Codes = aligned_array(layout.n_slot_words, np.uint64)
    sizes = tuple(map(np.uint64, (layout.n_bits, layout.top_bits, layout.n_value_bits, layout.n_slots)))
    masks, seed = tuple(map(np.uint64, layout.masks)), np.uint64(hash_seed())
    row = region = 0
    for codes, values in parts.read(layout.n_bits):
        region = _insert(codes, values, row, region, sizes, masks, seed, starts, slots)
        row += len(values)
    _finish(row, region, sizes[3], masks, starts, slots)
    return KmerValues(k, canonical, (starts, slots, sizes, masks, seed))


@lean_function
def _resolve(table, queue, n, zero, found):
    """Write the values (out, uint32) of the first n queued k-mers to their positions, where they are in the table.

    Those whose first bucket is full of others wait until the next one is loaded: branches would wait for memory.
    """
    starts, slots, sizes, masks, seed = table
    kmers, regions, buckets, positions, waiting = queue
    n_value_bits, n_slots = sizes[2], sizes[3]
    value_mask = (_U1 << n_value_bits) - _U1
    bucket_words = n_slots * np.uint64(len(masks))
    for i in range(np.uint64(n)):
        buckets[i] = _first_bucket(starts, regions[i], load_kmer(kmers, i, zero), seed)
        prefetch(slots, bucket_words * buckets[i])
        if LINE_WORDS % len(masks):  # buckets are in two lines
            prefetch(slots, bucket_words * buckets[i] + (bucket_words - _U1))
    n_waiting = _U0
    for i in range(np.uint64(n)):
        words = _slot_words(load_kmer(kmers, i, zero), n_value_bits, masks)
        value, is_full = _look_into(slots, buckets[i], n_slots, words, value_mask)
        found[positions[i]] = np.uint32(value - _U1)  # `ABSENT` of 0
        waiting[n_waiting] = i
        n_waiting += np.uint64(is_full & (value == _U0))
    for at in range(n_waiting):
        prefetch(slots, bucket_words * (buckets[waiting[at]] + _U1))
    for at in range(n_waiting):
        i = waiting[at]
        words = _slot_words(load_kmer(kmers, i, zero), n_value_bits, masks)
        value = _search(slots, starts, regions[i], buckets[i], n_slots, words, value_mask)
        found[positions[i]] = np.uint32(value - _U1)


@lean_function
def _queue_interval(bases, start, stop, sizes, table, queue, n, zero, found):
    """Queue the k-mers of the bases start..stop, none of them ambiguous, and look full queues up; return the length."""
    k, canonical = sizes
    n_bits, top_bits = table[2][0], table[2][1]
    kmers, regions, _buckets, positions, _waiting = queue
    if stop - start < k:
        return n
    top_mask = ~np.uint64(0) >> (np.uint64(64) - top_bits)
    top_shift = top_bits - np.uint64(2)
    forward = kmer_at(bases, np.uint64(start), top_bits, zero)
    reverse = reverse_complement(forward, top_bits)
    for position in range(start, stop - k + 1):
        kmer = smaller(forward, reverse) if canonical else forward
        for word in range(len(zero)):
            kmers[np.uint64(word), np.uint64(n)] = kmer[word]
        region = leading_bits(kmer, top_bits, n_bits)
        regions[np.uint64(n)] = region
        positions[np.uint64(n)] = np.uint64(position)
        prefetch(table[0], region)
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
    sizes : tuple of k and canonical
    table : in, tuple of starts, slots, sizes, masks and seed; see `_insert`
    queue : tuple of k-mers, uint64 (words, m); and their regions, first buckets and positions, and places in the queue
        of k-mers that wait, uint64 (m,); overwritten
    zero : tuple of uint64; as many words as a k-mer has
    found : out, uint32 (n_bases,); what is there stays where no k-mer begins
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
    queue = np.empty((n_words, _QUEUED), np.uint64), *np.empty((4, _QUEUED), np.uint64)
    zero = (np.uint64(0),) * n_words
    sizes = table.k, table.canonical
    _look_up(batch.bases, batch.offsets, batch.ambiguous_positions, sizes, table.tables, queue, zero, found)
    return found
