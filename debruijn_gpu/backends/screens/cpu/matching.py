"""Match the k-mers of reads against indexed sequences; see `screens.scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.intrinsics import prefetch
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.cpu.index import compiled
from debruijn_gpu.backends.screens.protocol import KmerIndex

_MATCHES_PER_READ = 4  # room for the first try
_AHEAD = 8  # reads from the one whose slot or s-mers are loaded to the one that is matched
_filter_bit = compiled.filter_bit
_is_excluded = compiled.is_excluded
_match_read = compiled.match_read
_slot_of = compiled.slot_of
_WORD_SHIFT = np.uint64(5)


@lean_function
def _load_first(bases, start, stop, k, s, words):
    """Have the filter's word of the first s-mer that is looked at come into the cache."""
    if stop - start >= k:
        prefetch(words, _filter_bit(bases, start + k - s, s, words.size) >> _WORD_SHIFT)


@lean_function
def _load_next(bases, start, stop, k, s, zero, slots, words, seed):
    """Have what comes after the first s-mer of a read come into the cache: the other ones, or the slot of a k-mer."""
    if stop - start < k:
        return
    at = start + k - s
    if not _is_excluded(words, _filter_bit(bases, at, s, words.size)):
        prefetch(slots, _slot_of(bases, start, k, zero, slots.size, seed))
        return
    at += k - s + 1
    while at <= stop - s:
        prefetch(words, _filter_bit(bases, at, s, words.size) >> _WORD_SHIFT)
        at += k - s + 1


@kernel
def _match(bases, offsets, breaks, k, s, zero, index, matches):
    """Write the matches (out, int64 (3, room)) of all reads, and return their number; see `scalars.match_read`."""
    slots, words, seed = index[3], index[4], index[5]
    n = 0
    high = 0
    n_rows = offsets.size - 1
    for row in range(-2 * _AHEAD, n_rows):
        if row + 2 * _AHEAD < n_rows:
            _load_first(bases, offsets[row + 2 * _AHEAD], offsets[row + 2 * _AHEAD + 1], k, s, words)
        if 0 <= row + _AHEAD < n_rows:
            _load_next(bases, offsets[row + _AHEAD], offsets[row + _AHEAD + 1], k, s, zero, slots, words, seed)
        if row < 0:
            continue
        start, stop = offsets[row], offsets[row + 1]
        low = high
        while high < breaks.size and breaks[high] < stop:
            high += 1
        n = _match_read(bases, start, stop, breaks, low, high, k, s, zero, index, matches, n)
    return n


def match_reads(batch: ReadBatch, index: KmerIndex) -> Longs:
    """See `ScreenOperations.match_reads`."""
    zero = (np.uint64(0),) * words_per_kmer(index.k)
    tables = index.tables
    n, room = 0, _MATCHES_PER_READ * (len(batch.offsets) - 1)
    while True:
        matches = np.empty((3, room), np.int64)
        n = _match(
            batch.bases, batch.offsets, batch.ambiguous_positions, index.k, index.filter_bp, zero, tables, matches
        )
        if n <= room:
            return matches[:, :n].copy()
        room = n
