"""Place reads on unitigs, and extract the longer k-mers of both; see `unitigs.placement_scalars`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.fill import first_columns
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    contiguous,
    cuda,
    device_function,
    kernel,
    launch,
    to_device,
    with_word,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import (
    bases_from,
    equal,
    hash_kmer,
    kmer_at,
    reverse_complement,
    reverse_complement_word,
    smaller,
)
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.backends.reads.cuda.segments import pack_segments
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs import packed_scalars, placement_scalars
from debruijn_gpu.backends.unitigs.sizes import index_dtype, index_slots
from debruijn_gpu.run.hash_seed import hash_seed

_MOST_COUNT = (1 << 32) - 1
_SEGMENTS_PER_READ = 2  # as many fit at first


@device_function
def _claim(slots, slot, value):
    """Store a value in a slot if that is free; return whether it was."""
    free = slots.dtype.type(0)
    return slots[slot] == free and cuda.atomic.cas(slots, slot, free, slots.dtype.type(value)) == free


@device_function
def _add_windows(sums, wanted, unitig, n):
    """Add a number of longer k-mers to that of their unitig, if ``wanted[0]``."""
    if wanted[0]:
        cuda.atomic.add(sums, unitig, n)


@device_function
def _add_segment(segments, n_segments, start, n_bases):
    """Count a segment of a read, and note it if there is room."""
    at = cuda.atomic.add(n_segments, 0, 1)
    if at < segments.shape[1]:
        segments[0, at] = start
        segments[1, at] = n_bases


_compiled = compile_module(
    device_function,
    kmer_scalars,
    packed_scalars,
    placement_scalars,
    add_segment=_add_segment,
    add_windows=_add_windows,
    bases_from=bases_from,
    claim=_claim,
    equal=equal,
    hash_kmer=hash_kmer,
    kmer_at=kmer_at,
    reverse_complement=reverse_complement,
    reverse_complement_word=reverse_complement_word,
    smaller=smaller,
    with_word=with_word,
)
_bridge_segment = _compiled.bridge_segment
_insert_kmer = _compiled.insert_kmer
_place_segment = _compiled.place_segment
_row_of = _compiled.row_of
_share_of = _compiled.share_of
_top_bits_of = _compiled.top_bits_of


@Family
def _index(n_words: int) -> Any:
    """Make the kernel for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def index(offsets, bases, k, slots, seed):
        """Insert the k-mers of unitigs into a hash table (in and out). One thread per base."""
        top_bits = _top_bits_of(k, zero)
        for position in range(cuda.grid(1), offsets[offsets.size - 1], cuda.gridsize(1)):
            if position + k <= offsets[_row_of(position, offsets) + 1]:
                forward = kmer_at(bases, np.uint64(position), top_bits, zero)
                _insert_kmer(slots, seed, forward, reverse_complement(forward, top_bits), position)

    return index


@Family
def _place(n_words: int) -> Any:
    """Make the kernel for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def place(reads, bounds, lengths, offsets, bases, slots, seed, sums, wanted, segments, n_segments):
        """Place segments of reads; see `placement_scalars.place_segment`. One thread per segment.

        Parameters
        ----------
        reads : in, packed bases
        bounds : in, int64 (2, n); where segments of reads start and stop
        lengths : in, int64 (2,); k, and the length of longer k-mers
        offsets, bases, slots, seed : in; unitigs, their hash table and the seed of the hash
        sums, wanted, segments, n_segments : out; see `_add_windows` and `_add_segment`
        """
        k, longer = lengths[0], lengths[1]
        for i in range(cuda.grid(1), bounds.shape[1], cuda.gridsize(1)):
            start, stop = bounds[0, i], bounds[1, i]
            if stop - start >= longer:
                unitigs = (offsets, bases, slots, seed)
                found = (sums, wanted, segments, n_segments)
                _place_segment(reads, start, stop, k, longer, zero, unitigs, found)

    return place


@Family
def _extract(n_words: int) -> Any:
    """Make the kernel for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def extract(offsets, bases, k, sums, window_offsets, start, codes, counts):
        """Write k-mers of unitigs from number ``start`` on, and their counts; see `UnitigOperations.sequence_kmers`.

        One thread per k-mer.
        """
        top_bits = _top_bits_of(k, zero)
        for at in range(cuda.grid(1), counts.size, cuda.gridsize(1)):
            unitig = _row_of(start + at, window_offsets)
            i = start + at - window_offsets[unitig]
            n = window_offsets[unitig + 1] - window_offsets[unitig]
            forward = kmer_at(bases, np.uint64(offsets[unitig] + i), top_bits, zero)
            kmer = smaller(forward, reverse_complement(forward, top_bits))
            for word in range(len(zero)):
                codes[word, at] = kmer[word]
            counts[at] = min(_MOST_COUNT, _share_of(sums[unitig], n, i))

    return extract


def _seed() -> np.uint64:
    return np.uint64(hash_seed())


@guarded
def index_kmers(offsets: Array, bases: Array, k: int, n_slots: int = 0) -> Array:
    """See `UnitigOperations.index_kmers`."""
    n_bases = int(offsets[-1])
    slots = xp.zeros(n_slots or index_slots(n_bases), index_dtype(n_bases))
    launch(_index(words_per_kmer(k)), n_bases, contiguous(offsets), contiguous(bases), np.int64(k), slots, _seed())
    return slots


@kernel
def _bound(offsets, breaks, first, starts, stops):
    """Write where runs of unambiguous bases start and stop (out, int64 (n,)), each in any order, from ``first`` on. One
    thread per run."""
    n_reads = offsets.size - 1
    for i in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        start, stop = (offsets[i], offsets[i + 1]) if i < n_reads else (breaks[i - n_reads] + 1, breaks[i - n_reads])
        starts[i], stops[i] = max(first, start), max(first, stop)


def _unambiguous(batch: ReadBatch, k: int) -> Array:
    """Compute where runs of unambiguous bases of reads start and stop (2, n), without k-mers of the batch before."""
    n = len(batch.offsets) - 1 + len(batch.ambiguous_positions)
    bounds = xp.empty((2, n), np.int64)
    first = np.int64(batch.first_new_kmer(k))
    launch(_bound, n, batch.offsets, batch.ambiguous_positions, first, bounds[0], bounds[1])
    if len(batch.ambiguous_positions):
        bounds[0].sort()
        bounds[1].sort()
    return bounds


@guarded
def spanning_segments(
    batch: ReadBatch, k: int, longer: int, offsets: Array, bases: Array, slots: Array, sums: Array
) -> ReadBatch:
    """See `UnitigOperations.spanning_segments`."""
    bounds = _unambiguous(batch, longer)
    lengths = to_device(np.array([k, longer], np.int64))
    unitigs = contiguous(offsets), contiguous(bases), slots, _seed()

    def place(segments: Array, n_segments: Array, is_first: bool) -> None:
        found = sums, to_device(np.array([is_first], np.int64)), segments, n_segments
        launch(_place(words_per_kmer(k)), bounds.shape[1], batch.bases, bounds, lengths, *unitigs, *found)

    return _segments_of(batch, place, _SEGMENTS_PER_READ * bounds.shape[1])


def _segments_of(batch: ReadBatch, find: Callable[[Array, Array, bool], None], room: int) -> ReadBatch:
    """Cut segments out of reads. They are found once more if there is too little room.

    `find` writes first bases and numbers of bases (2, room) and how many there are, and learns if it is its first run.
    """
    n_found = -1
    while n_found < 0 or n_found > room:
        is_first, room = n_found < 0, max(room, n_found)
        segments, n_segments = xp.empty((2, room), np.int64), xp.zeros(1, np.int64)
        find(segments, n_segments, is_first)
        n_found = int(n_segments[0])
    starts, n_bases = first_columns(segments, n_found)
    offsets = exclusive_scan(n_bases)
    return ReadBatch(pack_segments(batch.bases, starts, offsets), offsets, xp.empty(0, np.int64))


@Family
def _bridge(n_words: int) -> Any:
    """Make the kernel for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def bridge(reads, bounds, k, offsets, bases, slots, seed, row_ptr, circular, is_extended, segments, n_segments):
        """Find gaps that segments of reads bridge; see `placement_scalars.bridge_segment`. One thread per segment."""
        for i in range(cuda.grid(1), bounds.shape[1], cuda.gridsize(1)):
            start, stop = bounds[0, i], bounds[1, i]
            if stop - start > k:
                unitigs, links = (offsets, bases, slots, seed), (row_ptr, circular, is_extended)
                _bridge_segment(reads, start, stop, k, zero, unitigs, links, segments, n_segments)

    return bridge


def index_dead_ends(offsets: Array, bases: Array, k: int, row_ptr: Array, circular: Array) -> Array:
    """See `UnitigOperations.index_dead_ends`."""
    return xp.empty(0, index_dtype(int(offsets[-1])))


@guarded
def bridging_segments(
    batch: ReadBatch,
    k: int,
    offsets: Array,
    bases: Array,
    slots: Array,
    ends: Array,
    row_ptr: Array,
    circular: Array,
    is_extended: Array,
) -> ReadBatch:
    """See `UnitigOperations.bridging_segments`."""
    bounds = _unambiguous(batch, k)
    unitigs = contiguous(offsets), contiguous(bases), slots, _seed()
    graph = *unitigs, contiguous(row_ptr), contiguous(circular), contiguous(is_extended)

    def bridge(segments: Array, n_segments: Array, _is_first: bool) -> None:
        found = segments, n_segments
        launch(_bridge(words_per_kmer(k)), bounds.shape[1], batch.bases, bounds, np.int64(k), *graph, *found)

    return _segments_of(batch, bridge, bounds.shape[1])


@kernel
def _count_windows(offsets, k, n_windows):
    """Count the k-mers of each sequence (out, int64 (n,)). One thread per sequence."""
    for i in range(cuda.grid(1), n_windows.size, cuda.gridsize(1)):
        n_windows[i] = max(0, offsets[i + 1] - offsets[i] - k + 1)


@guarded
def sequence_kmers(
    offsets: Array, bases: Array, k: int, sums: Array, start: int = 0, stop: int | None = None
) -> tuple[Array, Array]:
    """See `UnitigOperations.sequence_kmers`."""
    offsets = contiguous(offsets)
    n_windows = xp.empty(len(offsets) - 1, np.int64)
    launch(_count_windows, len(n_windows), offsets, np.int64(k), n_windows)
    window_offsets = exclusive_scan(n_windows)
    n_all, n_words = int(window_offsets[-1]), words_per_kmer(k)
    n = (n_all if stop is None else min(stop, n_all)) - start
    codes, counts = xp.empty((n_words, n), np.uint64), xp.empty(n, np.uint32)
    along = offsets, contiguous(bases), np.int64(k), contiguous(sums), window_offsets, np.int64(start)
    launch(_extract(n_words), n, *along, codes, counts)
    return codes, counts
