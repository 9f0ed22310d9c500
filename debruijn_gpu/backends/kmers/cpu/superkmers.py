"""Split reads into super-k-mers: runs of k-mers that share their minimizer, packed.

A k-mer and its reverse complement have the same minimizer, so all occurrences of a canonical k-mer meet in one
bucket, and a bucket can be counted alone (Li et al. 2013, MSPKmerCounter; Deorowicz et al. 2015, KMC 2). Packed
super-k-mers take a quarter of the memory of the k-mers at k = 31 and less for longer ones.

The records are described in `SuperKmers`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Codes, Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import base_at, bases_from, bucket_of, minimizer_hash
from debruijn_gpu.backends.kmers.minimizers import minimizer_length
from debruijn_gpu.backends.reads.protocol import ReadBatch

MAX_KMERS = 256
HEADER_BASES = 28
_NO_HASH = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class SuperKmers:
    """Packed super-k-mers (runs of k-mers with one minimizer) of one batch, ordered by bucket.

    Attributes
    ----------
    words : ndarray, dtype=uint64
        Records one after another. Word 0 of a record holds in its high 8 bits the number of k-mers less 1 and then 28
        bases, each further word 32 bases, first base highest, unused low bits 0.
    bucket_ptr : ndarray, dtype=int64, shape=(n_buckets + 1,)
        Bucket b is ``words[bucket_ptr[b]:bucket_ptr[b + 1]]``.
    n_kmers : int
        k-mers in all records.
    """

    words: Codes
    bucket_ptr: Longs
    n_kmers: int


@kernel
def record_words(n_bases):
    """Words of a record that holds ``n_bases`` bases."""
    return 1 + max(0, n_bases - HEADER_BASES + 31) // 32


@kernel
def _note(super_kmers, bucket_words, shift, n, start, size, minimizer, k):
    """Note a super-k-mer if its bucket is in use; returns their new number."""
    starts, sizes, buckets = super_kmers
    bucket = np.int64(bucket_of(minimizer, shift))
    if bucket >= bucket_words.size:
        return n
    starts[n] = start
    sizes[n] = size
    buckets[n] = bucket
    bucket_words[bucket] += record_words(size + k - 1)
    return n + 1


@kernel
def _cut_segment(bases, start, stop, k, m, minima, shift, super_kmers, bucket_words, n):
    """Cut the bases start..stop, all of them A, C, G or T, where the minimizer changes.

    The least hash in a window of m-mers is that of a suffix of one block of a window's length and of a prefix of the
    next (van Herk 1992; Gil and Werman 1993): no branch depends on the hashes. ``minima`` (uint64, window + 1) holds
    the hashes of the block at hand and, from there on, the suffix minima of the one before.
    """
    window = k - m + 1
    mask = (np.uint64(1) << np.uint64(2 * m)) - np.uint64(1)
    top = np.uint64(2 * (m - 1))
    forward = np.uint64(0)
    reverse = np.uint64(0)
    for p in range(start, start + m - 1):
        base = base_at(bases, p)
        forward = (forward << np.uint64(2)) | base
        reverse = (reverse >> np.uint64(2)) | ((np.uint64(3) - base) << top)
    minima[:] = _NO_HASH
    prefix = _NO_HASH
    place = np.uint64(0)
    previous = _NO_HASH
    run_start = start
    run_size = 0
    for p in range(start + m - 1, stop):
        base = base_at(bases, p)
        forward = ((forward << np.uint64(2)) | base) & mask
        reverse = (reverse >> np.uint64(2)) | ((np.uint64(3) - base) << top)
        h = minimizer_hash(forward, reverse)
        minima[place] = h
        prefix = min(prefix, h)
        place += np.uint64(1)
        minimum = min(prefix, minima[place])
        if place == np.uint64(window):
            for i in range(window - 1, 0, -1):
                minima[i - 1] = min(minima[i - 1], minima[i])
            prefix = _NO_HASH
            place = np.uint64(0)
        if p < start + k - 1:
            continue
        if minimum != previous or run_size == MAX_KMERS:
            if run_size:
                n = _note(super_kmers, bucket_words, shift, n, run_start, run_size, previous, k)
            run_start += run_size
            run_size = 0
            previous = minimum
        run_size += 1
    return _note(super_kmers, bucket_words, shift, n, run_start, run_size, previous, k)


@kernel
def _find_super_kmers(bases, offsets, ambiguous_positions, k, m, bucket_bits, super_kmers, bucket_words):
    """Cut reads into super-k-mers.

    Parameters
    ----------
    bases, offsets, ambiguous_positions : in, as in `ReadBatch`
    k, m, bucket_bits : int64
    super_kmers : out, tuple of int64, int16 and uint16 (capacity,); first base, number of k-mers and bucket of each
    bucket_words : out, int64 (n_used_buckets,); words that the records of a bucket take

    Returns
    -------
    int64
        Number of super-k-mers.
    """
    minima = np.empty(k - m + 2, np.uint64)
    shift = np.uint64(64 - bucket_bits)
    n = 0
    i_ambiguous = 0
    for read in range(offsets.size - 1):
        start = offsets[read]
        while start < offsets[read + 1]:
            stop = offsets[read + 1]
            while i_ambiguous < ambiguous_positions.size and ambiguous_positions[i_ambiguous] < start:
                i_ambiguous += 1
            if i_ambiguous < ambiguous_positions.size:
                stop = min(stop, ambiguous_positions[i_ambiguous])
            if stop - start >= k:
                n = _cut_segment(bases, start, stop, k, m, minima, shift, super_kmers, bucket_words, n)
            start = stop + 1
    return n


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
        head = bases_from(bases, position)
        if n_bases < HEADER_BASES:
            head = (head >> np.uint64(64 - 2 * n_bases)) << np.uint64(64 - 2 * n_bases)
        words[at] = (np.uint64(sizes[i] - 1) << np.uint64(56)) | (head >> np.uint64(8))
        at += 1
        done = HEADER_BASES
        while done < n_bases:
            words[at] = bases_from(bases, position + done)
            at += 1
            done += 32
        cursors[buckets[i]] = at


def super_kmers(
    bases: Codes, offsets: Longs, ambiguous_positions: Longs, k: int, bucket_bits: int, n_used_buckets: int
) -> SuperKmers:
    """Cut the reads of a batch (see `ReadBatch`) into super-k-mers and sort them into ``2 ** bucket_bits`` buckets by
    minimizer; only the first ``n_used_buckets`` are filled. All occurrences of a k-mer and of its reverse complement
    come to the same bucket."""
    bucket_ptr = np.zeros(n_used_buckets + 1, np.int64)
    found = _found(bases, offsets, ambiguous_positions, k, bucket_bits, bucket_ptr[1:])
    np.cumsum(bucket_ptr, out=bucket_ptr)
    words = np.empty(bucket_ptr[-1], np.uint64)
    _write_super_kmers(bases, *found, k, bucket_ptr[:-1].copy(), words)
    return SuperKmers(words, bucket_ptr, int(found[1].sum(dtype=np.int64)))


def find_super_kmers(
    bases: Codes, offsets: Longs, ambiguous_positions: Longs, k: int, bucket_bits: int, n_used_buckets: int
) -> tuple[Longs, NDArray[np.int16], NDArray[np.uint16]]:
    """Find the super-k-mers that `super_kmers` packs, in the order of the reads: first base (int64), number of k-mers
    (int16) and bucket (uint16) of each."""
    bucket_words = np.zeros(n_used_buckets, np.int64)
    return _found(bases, offsets, ambiguous_positions, k, bucket_bits, bucket_words)


def _found(
    bases: Codes, offsets: Longs, ambiguous_positions: Longs, k: int, bucket_bits: int, bucket_words: Longs
) -> tuple[Longs, NDArray[np.int16], NDArray[np.uint16]]:
    n_bases = int(offsets[-1])
    found = (  # untouched pages cost nothing
        np.empty(n_bases + 1, np.int64),
        np.empty(n_bases + 1, np.int16),
        np.empty(n_bases + 1, np.uint16),
    )
    m = minimizer_length(k)
    n = _find_super_kmers(bases, offsets, ambiguous_positions, k, m, bucket_bits, found, bucket_words)
    starts, sizes, buckets = found
    return starts[:n], sizes[:n], buckets[:n]


def offsets_of_new(batch: ReadBatch, k: int) -> Longs:
    """Return the offsets of the reads of a batch, the first without the k-mers that it repeats."""
    offsets: Longs = batch.offsets
    if batch.n_repeated:
        offsets = offsets.copy()
        offsets[0] = batch.first_new_kmer(k)
    return offsets
