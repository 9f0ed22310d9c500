"""Count the k-mers of buckets in hash tables that fit the cache."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Codes, Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.intrinsics import with_word
from debruijn_gpu.backends.core.cpu.scalars import (
    append_base,
    equal,
    hash_kmer,
    prepend_base,
    reverse_complement,
    smaller,
)
from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.backends.kmers.cpu.superkmers import record_words
from debruijn_gpu.run.hash_seed import hash_seed
from debruijn_gpu.run.tuning import tuning

_FIRST_BITS = 9  # of a table that grows; all slots are looked at for each bucket
_LARGE_BITS = 16  # of a table that one bucket alone needs: the next begins with a small one
_DENSE = 1 << 16  # counts below this have a cell in the histogram
_MAX_COUNT = np.uint64(0xFFFFFFFF)
_NONE = 1 << 62  # a minimum count that no k-mer has


@kernel
def _load_slot(table, at, kmer):
    for i in range(len(kmer)):
        kmer = with_word(kmer, i, table[np.uint64(at) + np.uint64(i)])
    return kmer


@kernel
def _grow(table, bits, seed, zero):
    """A table of twice the slots with the same content."""
    width = len(zero) + 1
    shift = np.uint64(63 - bits)
    mask = (1 << (bits + 1)) - 1
    larger = np.zeros(width << (bits + 1), np.uint64)
    for slot in range(1 << bits):
        if table[slot * width + width - 1]:
            key = _load_slot(table, slot * width, zero)
            target = np.int64(hash_kmer(key, seed) >> shift)
            while larger[target * width + width - 1]:
                target = (target + 1) & mask
            for i in range(width):
                larger[target * width + i] = table[slot * width + i]
    return larger


@kernel
def _first_kmer(words, at, k, top_mask, zero):
    """The first k-mer of the record at ``at``: its bits after the header, moved to the right end of the words."""
    n_bits = 8 + 2 * k  # header and k-mer
    last = at + (n_bits - 1) // 64
    right = np.uint64(-n_bits % 64)
    kmer = zero
    for i in range(len(zero)):
        word = words[last - i] >> right
        if last - i > at and right > np.uint64(0):
            word |= words[last - i - 1] << (np.uint64(64) - right)
        kmer = with_word(kmer, len(zero) - 1 - i, word)
    return with_word(kmer, 0, kmer[0] & top_mask)


@kernel
def _add_kmer(table, bits, seed, key):
    """Count a k-mer; returns whether it is new. The table holds a k-mer's words and its count side by side."""
    width = np.uint64(len(key) + 1)
    counter = np.uint64(len(key))
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    slot = hash_kmer(key, seed) >> np.uint64(64 - bits)
    while True:
        cell = slot * width
        count = table[cell + counter]
        if equal(_load_slot(table, cell, key), key) and count != np.uint64(0):
            table[cell + counter] = count + np.uint64(1)
            return 0
        if count == np.uint64(0):
            for j in range(len(key)):
                table[cell + np.uint64(j)] = key[j]
            table[cell + counter] = np.uint64(1)
            return 1
        slot = (slot + np.uint64(1)) & mask


@kernel
def _add_record(words, at, k, canonical, zero, table, bits, seed):
    """Count the k-mers of one record; returns the place of the next record and the number of new k-mers."""
    top_bits = np.uint64(2 * k - 64 * (len(zero) - 1))
    top_mask = np.uint64(0xFFFFFFFFFFFFFFFF) >> (np.uint64(64) - top_bits)
    top_shift = top_bits - np.uint64(2)
    n_kmers = np.int64(words[at] >> np.uint64(56)) + 1
    forward = _first_kmer(words, at, k, top_mask, zero)
    reverse = reverse_complement(forward, top_bits)
    n_new = _add_kmer(table, bits, seed, smaller(forward, reverse) if canonical else forward)
    cursor = at + (7 + 2 * k) // 64  # the word with the last base of the first k-mer
    current = words[cursor] << np.uint64((8 + 2 * k) % 64)
    left = -(4 + k) % 32  # bases behind that one
    for _ in range(n_kmers - 1):
        if left == 0:
            cursor += 1
            current = words[cursor]
            left = 32
        base = current >> np.uint64(62)
        current <<= np.uint64(2)
        left -= 1
        forward = append_base(forward, base, top_mask)
        reverse = prepend_base(reverse, np.uint64(3) - base, top_shift)
        n_new += _add_kmer(table, bits, seed, smaller(forward, reverse) if canonical else forward)
    return at + record_words(n_kmers + k - 1), n_new


@kernel
def _count_buckets(words, starts, k, canonical, min_count, seed, zero, codes, counts, histogram, large_counts):
    """Count the k-mers of adjacent buckets, one bucket after another.

    Parameters
    ----------
    words : in, uint64; the buckets' records as gathered from several batches
    starts : in, int64 (n_batches, n_buckets + 1); bucket b of batch i is ``words[starts[i, b]:starts[i, b + 1]]``
    k : int64
    canonical : bool
    min_count : int64; rarer k-mers are not put out
    seed : uint64; of the hash, see `hash_kmer`
    zero : tuple of uint64; as many zeros as a k-mer has words
    codes : out, uint64 (words, capacity)
    counts : out, uint32 (capacity,)
    histogram : in and out, int64; 65536, or more than there are k-mers
    large_counts : out, uint32 (capacity,)

    Returns
    -------
    int64, int64
        Number of k-mers put out, number of large counts.
    """
    width = len(zero) + 1
    bits = _FIRST_BITS
    table = np.zeros(width << bits, np.uint64)
    n_out = 0
    n_large = 0
    for bucket in range(starts.shape[1] - 1):
        n_distinct = 0
        for batch in range(starts.shape[0]):
            at = starts[batch, bucket]
            end = starts[batch, bucket + 1]
            while at < end:
                # a record adds at most 256 k-mers, so a table that is less than 3/8 full has room for it
                if 8 * n_distinct > 3 * (1 << bits):
                    table = _grow(table, bits, seed, zero)
                    bits += 1
                at, n_new = _add_record(words, at, k, canonical, zero, table, bits, seed)
                n_distinct += n_new
        if n_distinct:
            for slot in range(1 << bits):
                cell = slot * width
                count = min(table[cell + width - 1], _MAX_COUNT)
                if count == np.uint64(0):
                    continue
                table[cell + width - 1] = np.uint64(0)
                if count < np.uint64(_DENSE):
                    histogram[count] += 1
                else:
                    large_counts[n_large] = count
                    n_large += 1
                if count >= np.uint64(min_count):
                    for j in range(len(zero)):
                        codes[j, n_out] = table[cell + j]
                    counts[n_out] = count
                    n_out += 1
        if bits > _LARGE_BITS:
            bits = _FIRST_BITS
            table = np.zeros(width << bits, np.uint64)
    return n_out, n_large


@kernel
def _count_occurrences(words, starts, k):
    """k-mers in all records; gives the upper bound of the distinct ones."""
    n = 0
    for batch in range(starts.shape[0]):
        at = starts[batch, 0]
        while at < starts[batch, starts.shape[1] - 1]:
            n_kmers = np.int64(words[at] >> np.uint64(56)) + 1
            n += n_kmers
            at += record_words(n_kmers + k - 1)
    return n


def count_buckets(
    words: Codes, starts: Longs, k: int, canonical: bool, min_count: int, n_kmers: int | None = None
) -> CountedKmers:
    """Count the k-mers of adjacent buckets. Bucket b of batch i is ``words[starts[i, b]:starts[i, b + 1]]``; starts has
    shape (n_batches, n_buckets + 1). k-mers rarer than ``min_count`` are only in the histogram. ``n_kmers`` is the
    number of all occurrences, if it is known."""
    if n_kmers is None:
        n_kmers = _count_occurrences(words, starts, k)
    most = n_kmers // max(1, min_count)  # untouched pages cost nothing, within what the system promises
    if most > tuning().promised_kmers:
        rest = _count_at_most(0, n_kmers, words, starts, k, canonical, _NONE)
        large = int(np.count_nonzero(rest.large_counts >= min_count))
        most = int(rest.histogram[min(min_count, len(rest.histogram)) :].sum()) + large
    return _count_at_most(most, n_kmers, words, starts, k, canonical, min_count)


def _count_at_most(
    most: int, n_kmers: int, words: Codes, starts: Longs, k: int, canonical: bool, min_count: int
) -> CountedKmers:
    """Count ``n_kmers`` k-mers as `count_buckets`; at most ``most`` distinct ones are put out."""
    n_words = words_per_kmer(k)
    codes, counts = np.empty((n_words, most), np.uint64), np.empty(most, np.uint32)
    histogram = np.zeros(min(_DENSE, n_kmers + 1), np.int64)
    large_counts = np.empty(n_kmers // _DENSE + 1, np.uint32)
    zero = (np.uint64(0),) * n_words
    n, n_large = _count_buckets(
        words, starts, k, canonical, min_count, np.uint64(hash_seed()), zero, codes, counts, histogram, large_counts
    )
    return CountedKmers(codes[:, :n].copy(), counts[:n].copy(), histogram, large_counts[:n_large].copy())
