"""Match the k-mers of reads against indexed sequences; see `screens.scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.cpu.index import compiled
from debruijn_gpu.backends.screens.protocol import KmerIndex

_MATCHES_PER_READ = 4  # room for the first try
_match_read = compiled.match_read


@kernel
def _match(bases, offsets, breaks, k, s, zero, index, matches):
    """Write the matches (out, int64 (3, room)) of all reads, and return their number; see `scalars.match_read`."""
    n = 0
    high = 0
    for row in range(offsets.size - 1):
        start, stop = offsets[row], offsets[row + 1]
        low = high
        while high < breaks.size and breaks[high] < stop:
            high += 1
        n = _match_read(bases, start, stop, breaks, low, high, k, s, zero, index, matches, n)
    return n


def match_reads(batch: ReadBatch, index: KmerIndex) -> Longs:
    """See `ScreenOperations.match_reads`."""
    zero = (np.uint64(0),) * words_per_kmer(index.k)
    tables = index.starts, index.stops, index.bases, index.slots, index.filter_words
    n, room = 0, _MATCHES_PER_READ * (len(batch.offsets) - 1)
    while True:
        matches = np.empty((3, room), np.int64)
        n = _match(
            batch.bases, batch.offsets, batch.ambiguous_positions, index.k, index.filter_bp, zero, tables, matches
        )
        if n <= room:
            return matches[:, :n].copy()
        room = n
