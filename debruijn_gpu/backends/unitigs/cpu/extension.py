"""Extend unitigs along unique links; see `unitigs.extension_scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Codes, Longs, Vertices
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.scalars import bases_from, reverse_complement_word
from debruijn_gpu.backends.core.cpu.threads import over_ranges
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs import extension_scalars, packed_scalars

_compiled = compile_module(
    lean_function,
    packed_scalars,
    extension_scalars,
    bases_from=bases_from,
    reverse_complement_word=reverse_complement_word,
)
_measure_extension = _compiled.measure_extension
_extended_word = _compiled.extended_word


@kernel
def _measure(row_ptr, col, offsets, k, longer, first, last, lefts, starts, lengths):
    """Measure the segments of extended unitigs first..last."""
    for u in range(first, last):
        _measure_extension(row_ptr, col, offsets, k, longer, u, lefts, starts, lengths)


@kernel
def _write(graph, overlap, lefts, starts, segment_offsets, first, last, packed):
    """Write words first..last of the segments (out, uint64)."""
    row = np.searchsorted(segment_offsets, 32 * first, side="right") - 1
    for word in range(first, last):
        while segment_offsets[row + 1] <= 32 * word:
            row += 1
        packed[word] = _extended_word(word, row, graph, overlap, lefts, starts, segment_offsets)


def unique_extensions(row_ptr: Longs, col: Vertices, offsets: Longs, bases: Codes, k: int, longer: int) -> ReadBatch:
    """See `UnitigOperations.unique_extensions`."""
    n = len(offsets) - 1
    lefts, starts, lengths = np.empty(n, np.int64), np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)
    over_ranges(n, lambda first, last: _measure(row_ptr, col, offsets, k, longer, first, last, lefts, starts, lengths))
    segment_offsets = np.concatenate(([0], np.cumsum(lengths)))
    packed = np.empty(-(-int(segment_offsets[-1]) // 32), np.uint64)
    graph = row_ptr, col, offsets, bases
    over_ranges(
        len(packed),
        lambda first, last: _write(graph, k - 1, lefts, starts, segment_offsets, first, last, packed),
        work=32 * len(packed),
    )
    return ReadBatch(packed, segment_offsets, np.empty(0, np.int64))
