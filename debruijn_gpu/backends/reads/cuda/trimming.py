"""Find what is no part of the genome at the ends of reads; see `ReadOperations`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, to_device, to_host, xp
from debruijn_gpu.backends.core.cuda.scalars import base_at, bases_from, reverse_complement_word
from debruijn_gpu.backends.reads import trim_scalars
from debruijn_gpu.backends.reads.protocol import ReadBatch


@device_function
def _count_ones(word):
    """Count the bits that are set."""
    return cuda.popc(word)


_compiled = compile_module(
    device_function,
    trim_scalars,
    base_at=base_at,
    bases_from=bases_from,
    count_ones=_count_ones,
    reverse_complement_word=reverse_complement_word,
)
_length_without_adapter = _compiled.length_without_adapter
_short_insert = _compiled.short_insert
_trailing_run = _compiled.trailing_run


@kernel
def _measure_inserts(first, first_offsets, first_rows, second, second_offsets, second_rows, inserts):
    """Write the short inserts of pairs (out, int64 (n,)). One thread per pair."""
    for i in range(cuda.grid(1), inserts.size, cuda.gridsize(1)):
        a, b = first_rows[i], second_rows[i]
        start, stop = first_offsets[a], first_offsets[a + 1]
        inserts[i] = _short_insert(first, start, stop, second, second_offsets[b], second_offsets[b + 1])


@kernel
def _find_adapter(bases, offsets, adapter, n_adapter, least, lengths):
    """Write the bases of reads before an adapter (out, int64 (n,)). One thread per read."""
    for i in range(cuda.grid(1), lengths.size, cuda.gridsize(1)):
        lengths[i] = _length_without_adapter(bases, offsets[i], offsets[i + 1], adapter, n_adapter, least)


@kernel
def _find_runs(bases, offsets, runs):
    """Write the run at the end of each read (out, int64 (n,)). One thread per read."""
    for i in range(cuda.grid(1), runs.size, cuda.gridsize(1)):
        runs[i] = _trailing_run(bases, offsets[i], offsets[i + 1])


@kernel
def _load(bases, positions, words):
    """Write the 32 bases from each position on (out, uint64 (n,)). One thread per position."""
    for i in range(cuda.grid(1), words.size, cuda.gridsize(1)):
        words[i] = bases_from(bases, positions[i])


def _on_host(array: Array) -> NDArray[np.int64]:
    found: NDArray[np.int64] = to_host(array)
    return found


@guarded
def short_inserts(
    first: ReadBatch, first_rows: NDArray[np.int64], second: ReadBatch, second_rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """See `ReadOperations.short_inserts`."""
    inserts = xp.empty(len(first_rows), np.int64)
    one = first.bases, first.offsets, to_device(first_rows)
    other = second.bases, second.offsets, to_device(second_rows)
    launch(_measure_inserts, len(first_rows), *one, *other, inserts)
    return _on_host(inserts)


@guarded
def adapter_starts(batch: ReadBatch, adapter: int, n_adapter: int, least: int) -> NDArray[np.int64]:
    """See `ReadOperations.adapter_starts`."""
    lengths = xp.empty(len(batch.offsets) - 1, np.int64)
    wanted = np.uint64(adapter), np.int64(n_adapter), np.int64(least)
    launch(_find_adapter, len(lengths), batch.bases, batch.offsets, *wanted, lengths)
    return _on_host(lengths)


@guarded
def trailing_runs(batch: ReadBatch) -> NDArray[np.int64]:
    """See `ReadOperations.trailing_runs`."""
    runs = xp.empty(len(batch.offsets) - 1, np.int64)
    launch(_find_runs, len(runs), batch.bases, batch.offsets, runs)
    return _on_host(runs)


@guarded
def words_at(batch: ReadBatch, positions: NDArray[np.int64]) -> NDArray[np.uint64]:
    """See `ReadOperations.words_at`."""
    words = xp.empty(len(positions), np.uint64)
    launch(_load, len(words), batch.bases, to_device(positions), words)
    found: NDArray[np.uint64] = to_host(words)
    return found
