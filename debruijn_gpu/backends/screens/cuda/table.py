"""Look up the k-mers of reads in a sorted table, by an index of their leading bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import assign, assign_columns
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, to_device, xp
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.backends.kmers.cuda.lookups import find_kmer, index_of
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.containers import ABSENT, KmerParts, KmerValues
from debruijn_gpu.backends.screens.cuda.index import compiled

_MOST_INDEX_BYTES = 8  # of the index of leading bits, for each k-mer
_ABSENT = np.uint32(ABSENT)
_first_at_or_after = compiled.first_at_or_after
_kmer_at = compiled.kmer_at
_reverse_complement = compiled.reverse_complement
_row_of = compiled.row_of
_smaller = compiled.smaller


def table_bytes(n_kmers: int, largest: int, k: int) -> int:
    """See `ScreenOperations.table_bytes`. Codes, values, and the index of leading bits."""
    return (8 * words_per_kmer(k) + 4 + _MOST_INDEX_BYTES) * n_kmers


@guarded
def index_table(parts: KmerParts, k: int, canonical: bool) -> KmerValues:
    """See `ScreenOperations.index_table`. The sorted table itself, and an index of its leading bits."""
    codes, values = xp.empty((words_per_kmer(k), len(parts)), np.uint64), xp.empty(len(parts), np.uint32)
    start = 0
    for some_codes, some_values in parts.read(2 * k):
        stop = start + len(some_values)
        assign_columns(codes, start, to_device(some_codes))
        assign(values[start:stop], to_device(some_values))
        start = stop
    return KmerValues(k, canonical, (codes, values, *index_of(codes, k)))


@Family
def _look_up(n_words: int) -> Any:
    """Make the kernel for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def look_up(reads, read_offsets, breaks, sizes, codes, values, starts, n_bits, top_bits, found):
        """Write the value of the k-mer that begins at each position of a batch. One thread per base.

        Parameters
        ----------
        reads, read_offsets, breaks : in; packed bases, offsets and ambiguous positions of the batch
        sizes : in, int64 (2,); k, and 1 for canonical k-mers
        codes : in, uint64 (words, n); ascending and distinct
        values : in, uint32 (n,)
        starts, n_bits, top_bits : in; see `kmers.cuda.lookups.index_of`
        found : out, uint32 (n_bases,)
        """
        k = sizes[0]
        for position in range(cuda.grid(1), found.size, cuda.gridsize(1)):
            found[position] = _ABSENT
            if position + k > read_offsets[_row_of(position, read_offsets) + 1]:
                continue
            at = _first_at_or_after(position, breaks)
            if at < breaks.size and breaks[at] < position + k:
                continue
            kmer = _kmer_at(reads, np.uint64(position), top_bits, zero)
            if sizes[1]:
                kmer = _smaller(kmer, _reverse_complement(kmer, top_bits))
            row = find_kmer(codes, starts, n_bits, top_bits, kmer)
            if row >= 0:
                found[position] = values[row]

    return look_up


@guarded
def look_up_reads(batch: ReadBatch, table: KmerValues) -> Array:
    """See `ScreenOperations.look_up_reads`."""
    found = xp.empty(int(batch.offsets[-1]), np.uint32)
    reads = contiguous(batch.bases), contiguous(batch.offsets), contiguous(batch.ambiguous_positions)
    sizes = to_device(np.array([table.k, table.canonical], np.int64))
    if found.size:
        launch(_look_up(words_per_kmer(table.k)), found.size, *reads, sizes, *table.tables, found)
    return found
