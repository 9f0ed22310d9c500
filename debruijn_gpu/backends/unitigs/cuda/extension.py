"""Extend unitigs along unique links; see `unitigs.extension_scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, to_device, xp
from debruijn_gpu.backends.core.cuda.scalars import bases_from, reverse_complement_word
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.reads.segment_scalars import row_of
from debruijn_gpu.backends.unitigs import extension_scalars, packed_scalars

_compiled = compile_module(
    device_function,
    packed_scalars,
    extension_scalars,
    bases_from=bases_from,
    reverse_complement_word=reverse_complement_word,
)
_measure_extension = _compiled.measure_extension
_extended_word = _compiled.extended_word
_row_of = device_function(row_of)


@kernel
def _measure(row_ptr, col, offsets, sizes, lefts, starts, lengths):
    """Measure the segments of extended unitigs; ``sizes`` is k and the longer k. One thread per unitig."""
    for u in range(cuda.grid(1), lefts.size, cuda.gridsize(1)):
        _measure_extension(row_ptr, col, offsets, sizes[0], sizes[1], u, lefts, starts, lengths)


@kernel
def _write(row_ptr, col, offsets, bases, overlap, lefts, starts, segment_offsets, packed):
    """Write the segments (out, uint64). One thread per word."""
    for word in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        graph = (row_ptr, col, offsets, bases)
        row = _row_of(32 * word, segment_offsets)
        packed[word] = _extended_word(word, row, graph, overlap, lefts, starts, segment_offsets)


@guarded
def unique_extensions(row_ptr: Array, col: Array, offsets: Array, bases: Array, k: int, longer: int) -> ReadBatch:
    """See `UnitigOperations.unique_extensions`."""
    row_ptr, col, offsets, bases = map(contiguous, (row_ptr, col, offsets, bases))
    n = len(offsets) - 1
    lefts, starts, lengths = xp.empty(n, np.int64), xp.empty(2 * n, np.int64), xp.empty(2 * n, np.int64)
    launch(_measure, n, row_ptr, col, offsets, to_device(np.array([k, longer], np.int64)), lefts, starts, lengths)
    segment_offsets = exclusive_scan(lengths)
    packed = xp.empty(-(-int(segment_offsets[-1]) // 32), np.uint64)
    launch(_write, packed.size, row_ptr, col, offsets, bases, np.int64(k - 1), lefts, starts, segment_offsets, packed)
    return ReadBatch(packed, segment_offsets, xp.empty(0, np.int64))
