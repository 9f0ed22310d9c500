"""Pack super-k-mers for the way to another process, and count them there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from debruijn_gpu.backends.core.array_types import Codes, Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import bases_from
from debruijn_gpu.backends.kmers.containers import CountedKmers, PackedSuperKmers
from debruijn_gpu.backends.kmers.cpu.counting import count_buckets
from debruijn_gpu.backends.kmers.cpu.superkmers import find_super_kmers, offsets_of_new, records_of
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.run.options import RunOptions

_WORD_BASES = 32


@kernel
def _join_segments(bases, starts, sizes, k, words):
    """Copy the bases of super-k-mers one after another.

    Parameters
    ----------
    bases : in, as in `ReadBatch`
    starts, sizes : in, int64 and int16 (n,); first base and number of k-mers of each
    k : int64
    words : in and out, uint64; zeros, 32 bases each
    """
    at = 0
    for i in range(starts.size):
        n_bases = sizes[i] + k - 1
        done = 0
        while done < n_bases:
            n_taken = min(32, n_bases - done)
            unused = np.uint64(64 - 2 * n_taken)
            taken = (bases_from(bases, starts[i] + done) >> unused) << unused
            offset = np.uint64(2 * (at & 31))
            words[at >> 5] |= taken >> offset
            if (at & 31) + n_taken > 32:
                words[(at >> 5) + 1] |= taken << (np.uint64(64) - offset)
            at += n_taken
            done += n_taken


def pack_super_kmers(batch: ReadBatch, k: int, bucket_bits: int, bounds: Longs) -> list[PackedSuperKmers]:
    """See `HostKmerOperations.pack_super_kmers`."""
    reads = batch.bases, offsets_of_new(batch, k), batch.ambiguous_positions
    starts, sizes, buckets = find_super_kmers(*reads, k, bucket_bits, int(bounds[-1]))
    order = np.argsort(buckets, kind="stable")
    starts, sizes = starts[order], sizes[order]
    ptr = np.zeros(bounds[-1] + 1, np.int64)
    np.cumsum(np.bincount(buckets, minlength=int(bounds[-1])), out=ptr[1:])
    packed = []
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        some = slice(int(ptr[first]), int(ptr[last]))
        n_bases = int(sizes[some].sum(dtype=np.int64)) + (k - 1) * (some.stop - some.start)
        words = np.zeros(-(-n_bases // _WORD_BASES), np.uint64)
        _join_segments(batch.bases, starts[some], sizes[some], k, words)
        bucket_ptr = (ptr[first : last + 1] - ptr[first]).astype(np.uint32)
        packed.append(PackedSuperKmers(words, (sizes[some] - 1).astype(np.uint8), bucket_ptr))
    return packed


def count_super_kmers(
    pieces: list[PackedSuperKmers], k: int, canonical: bool, min_count: int, run: RunOptions
) -> Iterator[CountedKmers]:
    """See `KmerOperations.count_super_kmers`: all at once."""
    found = [_records(piece, k) for piece in pieces if piece.n_kmers]
    if not found:
        return
    ends = np.cumsum([0, *(len(words) for words, _ptr in found)])
    starts = np.stack([ptr + end for (_words, ptr), end in zip(found, ends[:-1], strict=True)])
    words = np.concatenate([words for words, _ptr in found])
    del found
    yield count_buckets(words, starts, k, canonical, min_count)


def _records(piece: PackedSuperKmers, k: int) -> tuple[Codes, Longs]:
    """Records of super-k-mers, and where those of each bucket begin."""
    words, starts = records_of(piece.bases, piece.sizes.astype(np.int16) + np.int16(1), k)
    return words, starts[piece.bucket_ptr.astype(np.int64)]
