"""Hash reads, and copy some of them; see `ReadOperations`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.masks import select, selected_values
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, to_device, to_host, xp
from debruijn_gpu.backends.core.cuda.scalars import bases_from, mix
from debruijn_gpu.backends.reads import segment_scalars
from debruijn_gpu.backends.reads.protocol import ReadBatch

_compiled = compile_module(device_function, segment_scalars, bases_from=bases_from, mix=mix)
_first_at_or_after = _compiled.first_at_or_after
_hash_read = _compiled.hash_read
_packed_word = _compiled.packed_word
_row_of = _compiled.row_of


@kernel
def _hash(bases, offsets, ambiguous_positions, hashes):
    """Write the hash of each read (out, uint64 (n,)). One thread per read."""
    for read in range(cuda.grid(1), hashes.size, cuda.gridsize(1)):
        start, stop = offsets[read], offsets[read + 1]
        first = _first_at_or_after(start, ambiguous_positions)
        hashes[read] = _hash_read(bases, start, stop, ambiguous_positions, first)


@kernel
def _pack(bases, starts, offsets, packed):
    """Write the bases of segments one after another (out, uint64). One thread per word."""
    for word in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        packed[word] = _packed_word(word, _row_of(32 * word, offsets), bases, starts, offsets)


@kernel
def _start(offsets, rows, starts):
    """Write where each chosen read begins (out, int64 (n,)). One thread per read."""
    for i in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        starts[i] = offsets[rows[i]]


@kernel
def _move(ambiguous_positions, starts, offsets, moved, taken):
    """Write where each ambiguous position is in the segments (out, int64), and whether it is in one (out, bool).

    One thread per position.
    """
    for i in range(cuda.grid(1), moved.size, cuda.gridsize(1)):
        position = ambiguous_positions[i]
        row = _first_at_or_after(position + 1, starts) - 1
        moved[i], taken[i] = 0, False
        if row >= 0:
            moved[i] = offsets[row] + position - starts[row]
            taken[i] = moved[i] < offsets[row + 1]


def pack_segments(bases: Array, starts: Array, offsets: Array) -> Array:
    """Pack segments one after another: segment i begins at ``starts[i]`` and is bases ``offsets[i]:offsets[i + 1]``."""
    packed = xp.empty(-(-int(offsets[-1]) // 32), np.uint64)
    launch(_pack, packed.size, bases, starts, offsets, packed)
    return packed


@guarded
def hash_reads(batch: ReadBatch) -> NDArray[np.uint64]:
    """See `ReadOperations.hash_reads`."""
    hashes = xp.empty(len(batch.offsets) - 1, np.uint64)
    launch(_hash, len(hashes), batch.bases, batch.offsets, batch.ambiguous_positions, hashes)
    found: NDArray[np.uint64] = to_host(hashes)
    return found


@guarded
def take_reads(batch: ReadBatch, rows: NDArray[np.int64], lengths: NDArray[np.int64]) -> ReadBatch:
    """See `ReadOperations.take_reads`."""
    starts = xp.empty(len(rows), np.int64)
    launch(_start, len(rows), batch.offsets, to_device(rows), starts)
    offsets = exclusive_scan(to_device(lengths))
    n_ambiguous = len(batch.ambiguous_positions)
    ambiguous, taken = xp.empty(n_ambiguous, np.int64), xp.empty(n_ambiguous, np.bool_)
    if n_ambiguous:
        launch(_move, n_ambiguous, batch.ambiguous_positions, starts, offsets, ambiguous, taken)
        ambiguous = selected_values(select(taken), ambiguous)
    return replace(
        batch, bases=pack_segments(batch.bases, starts, offsets), offsets=offsets, ambiguous_positions=ambiguous
    )
