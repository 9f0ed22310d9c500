"""Look up the k-mers of reads in a sorted table, by an index of their leading bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, to_device, xp
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.backends.kmers.cuda.lookups import find_kmer, index_of
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.containers import ABSENT, KmerValues
from debruijn_gpu.backends.screens.cuda.index import compiled

_ABSENT = np.uint32(ABSENT)
_first_at_or_after = compiled.first_at_or_after
_kmer_at = compiled.kmer_at
_reverse_complement = compiled.reverse_complement
_row_of = compiled.row_of
_smaller = compiled.smaller


@guarded
def index_table(codes: Array, values: Array, k: int, canonical: bool) -> KmerValues:
    """See `ScreenOperations.index_table`."""
    codes = contiguous(codes)
    return KmerValues(k, canonical, codes, contiguous(values), *index_of(codes, k))


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
        codes, values, starts, n_bits, top_bits : in; see `KmerValues`
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
    arrays = table.codes, table.values, table.starts, table.n_bits, table.top_bits
    if found.size:
        launch(_look_up(words_per_kmer(table.k)), found.size, *reads, sizes, *arrays, found)
    return found
