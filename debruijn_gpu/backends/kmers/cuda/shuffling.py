"""Count super-k-mers that another process packed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np

from debruijn_gpu.backends.core.cuda.runtime import to_device
from debruijn_gpu.backends.kmers.containers import CountedKmers, PackedSuperKmers
from debruijn_gpu.backends.kmers.cuda.stores import kmer_store
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.run.options import RunOptions


def count_super_kmers(
    pieces: list[PackedSuperKmers], k: int, canonical: bool, min_count: int, run: RunOptions
) -> Iterator[CountedKmers]:
    """See `KmerOperations.count_super_kmers`: each super-k-mer is a read."""
    with closing(kmer_store(k, canonical, run)) as store:
        store.fill(_as_reads(piece, k) for piece in _taken(pieces) if piece.n_kmers)
        if store.n_kmers:
            yield from store.counted(min_count)


def _taken(pieces: list[PackedSuperKmers]) -> Iterator[PackedSuperKmers]:
    """Take pieces out of a list, the last one first: counts do not depend on their order."""
    while pieces:
        yield pieces.pop()


def _as_reads(piece: PackedSuperKmers, k: int) -> ReadBatch:
    """Make a read of each super-k-mer."""
    offsets = np.zeros(len(piece.sizes) + 1, np.int64)
    np.cumsum(piece.sizes.astype(np.int64) + k, out=offsets[1:])
    return ReadBatch(piece.bases, offsets, np.zeros(0, np.int64)).moved(to_device)
