"""Pack super-k-mers for the way to another process, and count them there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from debruijn_gpu.backends.core.array_types import Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import bases_from
from debruijn_gpu.backends.kmers.containers import CountedKmers, PackedSuperKmers
from debruijn_gpu.backends.kmers.cpu.counting import count_buckets
from debruijn_gpu.backends.kmers.cpu.superkmers import HEADER_BASES, find_super_kmers, offsets_of_new, record_words
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.run.options import RunOptions

_WORD_BASES = 32
_HEADER_BITS = np.uint64(8)


@kernel
def _count_of_buckets(sizes, buckets, k, bucket_ptr, base_ptr):
    """Count the super-k-mers and the bases of each bucket.

    Parameters
    ----------
    sizes, buckets : in, int16 and uint16 (n,); number of k-mers and bucket of each super-k-mer
    k : int64
    bucket_ptr, base_ptr : in and out, int64 (n_buckets + 1,); zeros, then 0 and the sums up to each bucket
    """
    for i in range(sizes.size):
        after = np.int64(buckets[i]) + 1
        bucket_ptr[after] += 1
        base_ptr[after] += sizes[i] + k - 1
    for b in range(1, bucket_ptr.size):
        bucket_ptr[b] += bucket_ptr[b - 1]
        base_ptr[b] += base_ptr[b - 1]


@kernel
def _scatter_super_kmers(bases, starts, sizes, buckets, k, cursors, base_cursors, less_sizes, words):
    """Copy the bases of super-k-mers to their buckets, one after another.

    Parameters
    ----------
    bases : in, as in `ReadBatch`
    starts, sizes, buckets : in, int64, int16 and uint16 (n,); first base, number of k-mers and bucket of each
    k : int64
    cursors, base_cursors : in and out, int64 (n_buckets,); where the next super-k-mer of a bucket, and its bases, go
    less_sizes : out, uint8 (n,); number of k-mers less 1, by bucket
    words : in and out, uint64; zeros, 32 bases each
    """
    for i in range(starts.size):
        bucket = buckets[i]
        less_sizes[cursors[bucket]] = sizes[i] - 1
        cursors[bucket] += 1
        n_bases = np.int64(sizes[i]) + k - 1
        at = base_cursors[bucket]
        base_cursors[bucket] = at + n_bases
        offset = np.uint64(2 * (at & 31))
        at >>= 5
        done = 0
        while done < n_bases:
            n_taken = min(32, n_bases - done)
            unused = np.uint64(64 - 2 * n_taken)
            taken = (bases_from(bases, starts[i] + done) >> unused) << unused
            words[at] |= taken >> offset
            if offset + np.uint64(2 * n_taken) > np.uint64(64):
                words[at + 1] |= taken << (np.uint64(64) - offset)
            at += 1
            done += 32


def pack_super_kmers(batch: ReadBatch, k: int, bucket_bits: int, bounds: Longs) -> list[PackedSuperKmers]:
    """See `HostKmerOperations.pack_super_kmers`."""
    reads = batch.bases, offsets_of_new(batch, k), batch.ambiguous_positions
    starts, sizes, buckets = find_super_kmers(*reads, k, bucket_bits, int(bounds[-1]))
    ptr, base_ptr = np.zeros((2, bounds[-1] + 1), np.int64)
    _count_of_buckets(sizes, buckets, k, ptr, base_ptr)
    word_bounds = np.zeros(len(bounds), np.int64)  # each range begins with a word of its own
    np.cumsum(-(-np.diff(base_ptr[bounds]) // _WORD_BASES), out=word_bounds[1:])
    moved = np.repeat(_WORD_BASES * word_bounds[:-1] - base_ptr[bounds[:-1]], np.diff(bounds))
    less_sizes, words = np.empty(len(sizes), np.uint8), np.zeros(word_bounds[-1], np.uint64)
    cursors = ptr[:-1].copy(), base_ptr[:-1] + moved
    _scatter_super_kmers(batch.bases, starts, sizes, buckets, k, *cursors, less_sizes, words)
    packed = []
    for i, (first, last) in enumerate(pairwise(bounds.tolist())):
        bases = words[word_bounds[i] : word_bounds[i + 1]].copy()  # arrays of their own, to be freed one by one
        bucket_ptr = (ptr[first : last + 1] - ptr[first]).astype(np.uint32)
        packed.append(PackedSuperKmers(bases, less_sizes[ptr[first] : ptr[last]].copy(), bucket_ptr))
    return packed


@kernel
def _record_words_of(less_sizes, k):
    """Words that the records of super-k-mers take, of ``less_sizes`` (uint8 (n,)) k-mers and one more."""
    n = 0
    for i in range(less_sizes.size):
        n += record_words(np.int64(less_sizes[i]) + k)
    return n


@kernel
def _write_records(bases, less_sizes, bucket_ptr, k, start, words, starts):
    """Write the records of packed super-k-mers; see `SuperKmers`.

    Parameters
    ----------
    bases, less_sizes, bucket_ptr : in, as `PackedSuperKmers` has them
    k, start : int64; the latter is where the first record goes
    words : out, uint64
    starts : out, int64 (n_buckets + 1,); where the records of each bucket begin, and those of the last one end
    """
    at = start
    position = 0
    i = 0
    for b in range(bucket_ptr.size - 1):
        starts[b] = at
        while i < np.int64(bucket_ptr[b + 1]):
            n_bases = np.int64(less_sizes[i]) + k
            head = bases_from(bases, position)
            if n_bases < HEADER_BASES:
                head = (head >> np.uint64(64 - 2 * n_bases)) << np.uint64(64 - 2 * n_bases)
            words[at] = (np.uint64(less_sizes[i]) << np.uint64(56)) | (head >> _HEADER_BITS)
            at += 1
            done = HEADER_BASES
            while done < n_bases:
                words[at] = bases_from(bases, position + done)
                at += 1
                done += 32
            position += n_bases
            i += 1
    starts[bucket_ptr.size - 1] = at


def count_super_kmers(
    pieces: list[PackedSuperKmers], k: int, canonical: bool, min_count: int, run: RunOptions
) -> Iterator[CountedKmers]:
    """See `KmerOperations.count_super_kmers`: all at once."""
    found = [piece for piece in pieces if len(piece.sizes)]
    pieces.clear()
    if not found:
        return
    n_kmers = sum(piece.n_kmers for piece in found)
    ends = np.cumsum([0, *(_record_words_of(piece.sizes, k) for piece in found)]).tolist()
    words = np.empty(ends[-1], np.uint64)
    starts = np.empty((len(found), len(found[0].bucket_ptr)), np.int64)
    for i in reversed(range(len(found))):
        piece = found.pop()
        _write_records(piece.bases, piece.sizes, piece.bucket_ptr, k, ends[i], words, starts[i])
    yield count_buckets(words, starts, k, canonical, min_count, n_kmers)
