"""Find what is no part of the genome at the ends of reads; see `ReadOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Codes, Longs
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.intrinsics import count_ones
from debruijn_gpu.backends.core.cpu.scalars import base_at, bases_from, reverse_complement_word
from debruijn_gpu.backends.core.cpu.threads import over_ranges
from debruijn_gpu.backends.reads import trim_scalars
from debruijn_gpu.backends.reads.protocol import ReadBatch

_compiled = compile_module(
    lean_function,
    trim_scalars,
    base_at=base_at,
    bases_from=bases_from,
    count_ones=count_ones,
    reverse_complement_word=reverse_complement_word,
)
_length_without_adapter = _compiled.length_without_adapter
_short_insert = _compiled.short_insert
_trailing_run = _compiled.trailing_run


@kernel
def _measure_inserts(first, first_offsets, first_rows, second, second_offsets, second_rows, begin, end, inserts):
    """Write the short inserts of pairs begin..end (out, int64 (n,))."""
    for i in range(begin, end):
        a, b = first_rows[i], second_rows[i]
        start, stop = first_offsets[a], first_offsets[a + 1]
        inserts[i] = _short_insert(first, start, stop, second, second_offsets[b], second_offsets[b + 1])


@kernel
def _find_adapter(bases, offsets, adapter, n_adapter, least, begin, end, lengths):
    """Write the bases of reads begin..end before an adapter (out, int64 (n,))."""
    for i in range(begin, end):
        lengths[i] = _length_without_adapter(bases, offsets[i], offsets[i + 1], adapter, n_adapter, least)


@kernel
def _find_runs(bases, offsets, runs):
    """Write the run at the end of each read (out, int64 (n,))."""
    for i in range(runs.size):
        runs[i] = _trailing_run(bases, offsets[i], offsets[i + 1])


@kernel
def _load(bases, positions, words):
    """Write the 32 bases from each position on (out, uint64 (n,))."""
    for i in range(words.size):
        words[i] = bases_from(bases, positions[i])


def short_inserts(first: ReadBatch, first_rows: Longs, second: ReadBatch, second_rows: Longs) -> Longs:
    """See `ReadOperations.short_inserts`."""
    inserts = np.empty(len(first_rows), np.int64)
    one, other = (first.bases, first.offsets, first_rows), (second.bases, second.offsets, second_rows)
    over_ranges(
        len(inserts), lambda begin, end: _measure_inserts(*one, *other, begin, end, inserts), work=first.n_bases
    )
    return inserts


def adapter_starts(batch: ReadBatch, adapter: int, n_adapter: int, least: int) -> Longs:
    """See `ReadOperations.adapter_starts`."""
    lengths = np.empty(len(batch.offsets) - 1, np.int64)
    word = np.uint64(adapter)
    over_ranges(
        len(lengths),
        lambda begin, end: _find_adapter(batch.bases, batch.offsets, word, n_adapter, least, begin, end, lengths),
        work=batch.n_bases,
    )
    return lengths


def trailing_runs(batch: ReadBatch) -> Longs:
    """See `ReadOperations.trailing_runs`."""
    runs = np.empty(len(batch.offsets) - 1, np.int64)
    _find_runs(batch.bases, batch.offsets, runs)
    return runs


def words_at(batch: ReadBatch, positions: Longs) -> Codes:
    """See `ReadOperations.words_at`."""
    words = np.empty(len(positions), np.uint64)
    _load(batch.bases, positions, words)
    return words
