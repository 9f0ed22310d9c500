"""Match the k-mers of reads against indexed sequences; see `screens.scalars`."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, to_device, xp
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.cuda.index import compiled
from debruijn_gpu.backends.screens.protocol import KmerIndex

_first_at_or_after = compiled.first_at_or_after
_match_read = compiled.match_read


@Family
def _match(n_words: int) -> Any:
    """Make the kernel for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def match(
        reads, read_offsets, breaks, lengths, starts, stops, bases, slots, words, seed, first_match, matches, counts
    ):
        """Count the matches of reads, and write them where there is room. One thread per read.

        Parameters
        ----------
        reads, read_offsets, breaks : in; packed bases, offsets and ambiguous positions of a batch
        lengths : in, int64 (2,); k and s
        starts, stops, bases, slots, words, seed : in; see `KmerIndex`
        first_match : in, int64 (n + 1,); column of the first match of each read
        matches : out, int64 (3, room); see `scalars.match_interval`
        counts : out, int64 (n,); matches of each read
        """
        k, s = lengths[0], lengths[1]
        for row in range(cuda.grid(1), counts.size, cuda.gridsize(1)):
            start, stop = read_offsets[row], read_offsets[row + 1]
            low, high = _first_at_or_after(start, breaks), _first_at_or_after(stop, breaks)
            index = (starts, stops, bases, slots, words, seed)
            first = first_match[row]
            n = _match_read(reads, start, stop, breaks, low, high, k, s, zero, index, matches, first)
            counts[row] = n - first

    return match


@guarded
def match_reads(batch: ReadBatch, index: KmerIndex) -> Array:
    """See `ScreenOperations.match_reads`. Reads are matched twice: to count the matches, and to write them."""
    n = len(batch.offsets) - 1
    reads = contiguous(batch.bases), contiguous(batch.offsets), contiguous(batch.ambiguous_positions)
    lengths = to_device(np.array([index.k, index.filter_bp], np.int64))
    counts, first_match = xp.empty(n, np.int64), xp.zeros(n + 1, np.int64)
    match = _match(words_per_kmer(index.k))
    launch(match, n, *reads, lengths, *index.tables, first_match, xp.empty((3, 0), np.int64), counts)
    first_match = exclusive_scan(counts)
    matches = xp.empty((3, int(first_match[-1])), np.int64)
    launch(match, n, *reads, lengths, *index.tables, first_match, matches, counts)
    return matches
