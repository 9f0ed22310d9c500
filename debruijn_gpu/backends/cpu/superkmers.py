"""k-mers of reads in buckets: runs of k-mers that share their minimizer (super-k-mers), packed.

A k-mer and its reverse complement have the same minimizer, so all occurrences of a canonical k-mer meet in one
bucket, and a bucket can be counted alone (Li et al. 2013, MSPKmerCounter; Deorowicz et al. 2015, KMC 2). Packed
super-k-mers take a quarter of the memory of the k-mers at k = 31 and less for longer ones.

Record of a super-k-mer: word 0 holds in its high 8 bits the number of k-mers less 1 and then 28 bases, each further
word 32 bases, first base highest, unused low bits 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.cpu.compiled import base_at, mix
from debruijn_gpu.backends.cpu.jit import kernel

MAX_KMERS = 256
HEADER_BASES = 28
_RING = 128  # power of two, at least the longest window of m-mers
_NO_HASH = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class SuperKmers:
    """Packed super-k-mers of one batch, ordered by bucket.

    Attributes
    ----------
    words : ndarray, dtype=uint64
        Records one after another.
    bucket_ptr : ndarray, dtype=int64, shape=(n_buckets + 1,)
        Bucket b is ``words[bucket_ptr[b]:bucket_ptr[b + 1]]``.
    n_kmers : int
        k-mers in all records.
    """

    words: NDArray[np.uint64]
    bucket_ptr: NDArray[np.int64]
    n_kmers: int


def minimizer_length(k: int) -> int:
    """Length of the minimizer: long enough to fill thousands of buckets evenly, short enough for long runs."""
    if k < 17:
        return (k + 1) // 2
    return 11 if k < 40 else 15


@kernel
def record_words(n_bases):
    """Words of a record that holds ``n_bases`` bases."""
    return 1 + max(0, n_bases - HEADER_BASES + 31) // 32


@kernel
def _find_super_kmers(bases, offsets, breaks, k, m, bucket_bits, starts, sizes, buckets, bucket_words):
    """Cut reads into super-k-mers.

    Parameters
    ----------
    bases, offsets, breaks : in, as in `ReadBatch`
    k, m, bucket_bits : int64
    starts : out, int64 (capacity,); first base of each super-k-mer
    sizes : out, int16 (capacity,); its number of k-mers
    buckets : out, uint16 (capacity,)
    bucket_words : out, int64 (n_buckets,); words that the records of a bucket take

    Returns
    -------
    int64, int64
        Number of super-k-mers, number of k-mers.
    """
    ring = np.empty(_RING, np.uint64)
    window = k - m + 1
    mask = (np.uint64(1) << np.uint64(2 * m)) - np.uint64(1)
    top = np.uint64(2 * (m - 1))
    bucket_shift = np.uint64(64 - bucket_bits)
    n = 0
    n_kmers = 0
    i_break = 0
    n_breaks = breaks.size
    for read in range(offsets.size - 1):
        position = offsets[read]
        read_end = offsets[read + 1]
        while position < read_end:
            end = read_end
            while i_break < n_breaks and breaks[i_break] < position:
                i_break += 1
            if i_break < n_breaks and breaks[i_break] < end:
                end = breaks[i_break]
            if end - position >= k:
                forward = np.uint64(0)
                reverse = np.uint64(0)
                minimum = _NO_HASH
                minimum_at = position  # m-mer that is the minimizer, by its last base
                run_start = position
                run_size = 0
                first_kmer = position + k - 1
                first_mmer = position + m - 1
                for p in range(position, end):
                    base = base_at(bases, p)
                    forward = ((forward << np.uint64(2)) | base) & mask
                    reverse = (reverse >> np.uint64(2)) | ((np.uint64(3) - base) << top)
                    if p < first_mmer:
                        continue
                    h = mix(min(forward, reverse))
                    ring[np.uint64(p) & np.uint64(_RING - 1)] = h
                    if p < first_kmer:
                        if h <= minimum:
                            minimum = h
                            minimum_at = p
                        continue
                    previous = minimum
                    if h <= minimum:
                        minimum = h
                        minimum_at = p
                    elif minimum_at <= p - window:
                        minimum = _NO_HASH
                        for q in range(p - window + 1, p + 1):
                            if ring[np.uint64(q) & np.uint64(_RING - 1)] <= minimum:
                                minimum = ring[np.uint64(q) & np.uint64(_RING - 1)]
                                minimum_at = q
                    if run_size > 0 and (minimum != previous or run_size == MAX_KMERS):
                        bucket = (previous * np.uint64(0x9E3779B97F4A7C15)) >> bucket_shift
                        starts[n] = run_start
                        sizes[n] = run_size
                        buckets[n] = bucket
                        bucket_words[bucket] += record_words(run_size + k - 1)
                        n += 1
                        n_kmers += run_size
                        run_start = p - k + 1
                        run_size = 0
                    run_size += 1
                bucket = (minimum * np.uint64(0x9E3779B97F4A7C15)) >> bucket_shift
                starts[n] = run_start
                sizes[n] = run_size
                buckets[n] = bucket
                bucket_words[bucket] += record_words(run_size + k - 1)
                n += 1
                n_kmers += run_size
            position = end + 1
    return n, n_kmers


@kernel
def _bases_from(bases, position):
    """The 32 bases from a position on, those beyond the end as A."""
    word = position >> 5
    shift = np.uint64((position & 31) << 1)
    value = bases[word] << shift
    if shift and word + 1 < bases.size:
        value |= bases[word + 1] >> (np.uint64(64) - shift)
    return value


@kernel
def _write_super_kmers(bases, starts, sizes, buckets, k, cursors, words):
    """Write the records to their buckets.

    Parameters
    ----------
    bases : in, as in `ReadBatch`
    starts, sizes, buckets : in, shape (n,), as `_find_super_kmers` gives them
    k : int64
    cursors : in and out, int64 (n_buckets,); where the next record of a bucket goes
    words : out, uint64
    """
    for i in range(starts.size):
        n_bases = sizes[i] + k - 1
        position = starts[i]
        at = cursors[buckets[i]]
        head = _bases_from(bases, position)
        if n_bases < HEADER_BASES:
            head = (head >> np.uint64(64 - 2 * n_bases)) << np.uint64(64 - 2 * n_bases)
        words[at] = (np.uint64(sizes[i] - 1) << np.uint64(56)) | (head >> np.uint64(8))
        at += 1
        done = HEADER_BASES
        while done < n_bases:
            words[at] = _bases_from(bases, position + done)
            at += 1
            done += 32
        cursors[buckets[i]] = at


def super_kmers(bases, offsets, breaks, k: int, bucket_bits: int) -> SuperKmers:
    """See `Backend.super_kmers`."""
    n_bases = int(offsets[-1])
    starts = np.empty(n_bases, np.int64)  # untouched pages cost nothing
    sizes = np.empty(n_bases, np.int16)
    buckets = np.empty(n_bases, np.uint16)
    bucket_ptr = np.zeros((1 << bucket_bits) + 1, np.int64)
    n, n_kmers = _find_super_kmers(
        bases, offsets, breaks, k, minimizer_length(k), bucket_bits, starts, sizes, buckets, bucket_ptr[1:]
    )
    np.cumsum(bucket_ptr, out=bucket_ptr)
    words = np.empty(bucket_ptr[-1], np.uint64)
    _write_super_kmers(bases, starts[:n], sizes[:n], buckets[:n], k, bucket_ptr[:-1].copy(), words)
    return SuperKmers(words, bucket_ptr, n_kmers)
