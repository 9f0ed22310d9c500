"""Where the k-mers of packed reads begin, in bits, and which of them are wanted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.alphabet import BASES_PER_WORD, K_MAX
from debruijn_gpu.backends.arrays.cuda.masks import CHUNK
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import base_at, bucket_of, minimizer_hash
from debruijn_gpu.backends.kmers.minimizers import bucket_bits, minimizer_length, n_used_buckets
from debruijn_gpu.backends.reads.protocol import ReadBatch

_WORDS_PER_CHUNK = CHUNK // 64
_WORDS_BEYOND = (61 + K_MAX) // 64  # that a word of starts depends on
_ONE, _TWO, _THREE, _ALL = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(0xFFFFFFFFFFFFFFFF)
_BIT = np.uint32(1)


@dataclass(frozen=True)
class Sample:
    """The k-mers whose minimizer of m bases is in one of the first buckets; see `minimizers`."""

    m: int
    bits: int
    n_used_buckets: int

    @classmethod
    def of(cls, k: int, share: float, n_bases_expected: int) -> Sample | None:
        """That of a share of the distinct k-mers; None for all."""
        bits = bucket_bits(n_bases_expected)
        n_used = n_used_buckets(bits, share)
        return None if n_used >= 1 << bits else cls(minimizer_length(k), bits, n_used)


@kernel
def _mark_read_ends(offsets, stops):
    """Set the bit of the last base of each read. One thread per read.

    Parameters
    ----------
    offsets : in, int64 (n_reads + 1,)
    stops : in and out, uint32 (words,); bit b of word w is position 32 w + b
    """
    for read in range(cuda.grid(1), offsets.size - 1, cuda.gridsize(1)):
        last = offsets[read + 1] - 1
        if last >= 0:
            cuda.atomic.or_(stops, last >> 5, _BIT << np.uint32(last & 31))


@kernel
def _mark_ambiguous(ambiguous_positions, k, stops):
    """Set the bits of ambiguous bases and, unless k is 1, of those before them. One thread per ambiguous base.

    Parameters
    ----------
    ambiguous_positions : in, int64 (n,)
    k : int64
    stops : in and out, uint32 (words,)
    """
    for i in range(cuda.grid(1), ambiguous_positions.size, cuda.gridsize(1)):
        at = ambiguous_positions[i]
        cuda.atomic.or_(stops, at >> 5, _BIT << np.uint32(at & 31))
        if at > 0 and k > 1:
            at -= 1
            cuda.atomic.or_(stops, at >> 5, _BIT << np.uint32(at & 31))


@kernel
def _mark_starts(stops, n_bases, k, first_start, starts):
    """Mark where k-mers begin: at p if none of the bits p..p+k-2 is set. One thread per word of 64 positions.

    Each stop excludes the k - 1 positions up to it; stops are few.

    Parameters
    ----------
    stops : in, uint64 (4 * chunks + (61 + k) // 64,) or more
    n_bases, k : int64; k is 2 or more
    first_start : int64; k-mers before it are left out
    starts : out, uint64 (4 * chunks,)
    """
    for w in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        first = np.int64(w) << 6
        free = np.uint64(0)
        if first < n_bases:
            free = _ALL >> np.uint64(max(0, first + 64 - n_bases))
        if first < first_start:
            free = (free & (_ALL << np.uint64(first_start - first))) if first_start - first < 64 else np.uint64(0)
        for j in range((63 + k - 2) // 64 + 1):
            bits = stops[w + j]
            while bits != np.uint64(0) and free != np.uint64(0):
                at = 64 * j + np.int64(cuda.popc(~bits & (bits - _ONE)))  # from the word's first position on
                bits &= bits - _ONE
                low, high = max(0, at - k + 2), min(63, at)
                if low <= high:
                    free &= ~((_ALL << np.uint64(low)) & (_ALL >> np.uint64(63 - high)))
        starts[w] = free


@device_function
def _roll(bases, at, m, forward, reverse):
    """The m-mer (forward and reverse complement, uint64) whose last base is at a position, from the one before."""
    base = base_at(bases, at)
    forward = ((forward << _TWO) | base) & ((_ONE << np.uint64(2 * m)) - _ONE)
    return forward, (reverse >> _TWO) | ((_THREE - base) << np.uint64(2 * (m - 1)))


@device_function
def _minimizer(bases, position, k, m):
    """The minimizer of the k-mer at a position: its hash, where it begins, and the last m-mer; see `_roll`."""
    forward = np.uint64(0)
    reverse = np.uint64(0)
    least = _ALL
    least_at = position
    for i in range(k):
        forward, reverse = _roll(bases, position + np.uint64(i), m, forward, reverse)
        if i >= m - 1:
            hashed = minimizer_hash(forward, reverse)
            if hashed <= least:
                least = hashed
                least_at = position + np.uint64(i - m + 1)
    return least, least_at, forward, reverse


@kernel
def _keep_sampled(bases, k, m, shift, n_used_buckets, starts):
    """Clear the bits of k-mers that are not in a sample. One thread per word of 32 positions.

    The minimizer of a k-mer is that of the one before, or its last m-mer; it is looked for anew where the k-mer before
    is none, or began with its minimizer.

    Parameters
    ----------
    bases : in, uint64 (words,)
    k, m : int64
    shift : uint64; see `core.scalars.bucket_of`
    n_used_buckets : uint64
    starts : in and out, uint32 (8 * chunks,)
    """
    for w in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        bits = starts[w]
        kept = np.uint32(0)
        least, least_at, forward, reverse = _ALL, np.uint64(0), np.uint64(0), np.uint64(0)
        expected = _ALL  # where the k-mer behind the last one begins
        while bits != np.uint32(0):
            bit = np.uint32(cuda.ffs(bits) - 1)
            bits &= bits - _BIT
            position = (np.uint64(w) << np.uint64(5)) + np.uint64(bit)
            if position == expected and least_at >= position:
                last = position + np.uint64(k - 1)
                forward, reverse = _roll(bases, last, m, forward, reverse)
                hashed = minimizer_hash(forward, reverse)
                if hashed <= least:
                    least, least_at = hashed, last - np.uint64(m - 1)
            else:
                least, least_at, forward, reverse = _minimizer(bases, position, k, m)
            expected = position + _ONE
            if bucket_of(least, shift) < n_used_buckets:
                kept |= _BIT << bit
        starts[w] = kept


def kmer_starts(batch: ReadBatch, n_bases: int, k: int, sample: Sample | None = None) -> Array:
    """Where the k-mers of a batch, or those of a sample of them, begin: bits (uint64, four words a chunk)."""
    n_words = -(-n_bases // CHUNK) * _WORDS_PER_CHUNK
    stops = xp.zeros(n_words + _WORDS_BEYOND, np.uint64)
    starts = xp.empty(n_words, np.uint64)
    if not n_bases:
        return starts
    if k > 1:  # no k-mer of one base reaches beyond its read
        launch(_mark_read_ends, batch.offsets.size - 1, batch.offsets, stops.view(np.uint32))
    launch(
        _mark_ambiguous, batch.ambiguous_positions.size, batch.ambiguous_positions, np.int64(k), stops.view(np.uint32)
    )
    scalars = (np.int64(n_bases), np.int64(max(2, k)), np.int64(batch.first_new_kmer(k)))
    launch(_mark_starts, n_words, stops, *scalars, starts)
    if sample is not None:
        chosen = (np.int64(k), np.int64(sample.m), np.uint64(64 - sample.bits), np.uint64(sample.n_used_buckets))
        launch(_keep_sampled, 2 * n_words, batch.bases, *chosen, starts.view(np.uint32))
    return starts


def batch_bytes(batch: ReadBatch) -> int:
    """Device memory that extraction from a batch takes beside the batch: stops, starts, and the ends of chunks, once
    counted and once added up."""
    n_chunks = -(-int(batch.bases.size) * BASES_PER_WORD // CHUNK)
    return n_chunks * (2 * CHUNK // 8 + 16)
