"""Hash reads, and copy some of them; see `ReadOperations`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Codes, Longs
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.scalars import bases_from, mix
from debruijn_gpu.backends.reads import segment_scalars
from debruijn_gpu.backends.reads.protocol import ReadBatch

_compiled = compile_module(lean_function, segment_scalars, bases_from=bases_from, mix=mix)
_hash_read = _compiled.hash_read
_packed_word = _compiled.packed_word


@kernel
def _hash(bases, offsets, ambiguous_positions, hashes):
    """Write the hash of each read (out, uint64 (n,))."""
    first = 0
    for read in range(hashes.size):
        start, stop = offsets[read], offsets[read + 1]
        while first < ambiguous_positions.size and ambiguous_positions[first] < start:
            first += 1
        hashes[read] = _hash_read(bases, start, stop, ambiguous_positions, first)


@kernel
def _pack(bases, starts, offsets, packed):
    """Write the bases of segments one after another (out, uint64)."""
    row = 0
    for word in range(packed.size):
        while offsets[row + 1] <= 32 * word:
            row += 1
        packed[word] = _packed_word(word, row, bases, starts, offsets)


def pack_segments(bases: Codes, starts: Longs, offsets: Longs) -> Codes:
    """Pack segments one after another: segment i begins at ``starts[i]`` and is bases ``offsets[i]:offsets[i + 1]``."""
    packed = np.empty(-(-int(offsets[-1]) // 32), np.uint64)
    _pack(bases, starts, offsets, packed)
    return packed


def hash_reads(batch: ReadBatch) -> NDArray[np.uint64]:
    """See `ReadOperations.hash_reads`."""
    hashes = np.empty(len(batch.offsets) - 1, np.uint64)
    _hash(batch.bases, batch.offsets, batch.ambiguous_positions, hashes)
    return hashes


def take_reads(batch: ReadBatch, rows: Longs, lengths: Longs) -> ReadBatch:
    """See `ReadOperations.take_reads`."""
    starts = batch.offsets[rows]
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    ambiguous = batch.ambiguous_positions
    if len(ambiguous):
        row = np.asarray(np.searchsorted(starts, ambiguous, side="right")) - 1
        within = ambiguous - starts[np.maximum(row, 0)] if len(rows) else ambiguous
        taken = (row >= 0) & (within < np.append(lengths, 0)[row])
        ambiguous = offsets[row[taken]] + within[taken]
    return replace(
        batch, bases=pack_segments(batch.bases, starts, offsets), offsets=offsets, ambiguous_positions=ambiguous
    )
