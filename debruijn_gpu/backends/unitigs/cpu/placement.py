"""Place reads on unitigs, and extract the longer k-mers of both; see `unitigs.placement_scalars`."""

from __future__ import annotations

import threading

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.arithmetic.distinct import sorted_distinct
from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Array, Codes, Counts, Flags, Longs
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.intrinsics import compare_and_swap, with_word
from debruijn_gpu.backends.core.cpu.scalars import (
    append_base,
    base_at,
    bases_from,
    equal,
    hash_kmer,
    prepend_base,
    reverse_complement,
    reverse_complement_word,
    smaller,
)
from debruijn_gpu.backends.core.cpu.threads import over_ranges
from debruijn_gpu.backends.reads.cpu.segments import pack_segments
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs import packed_scalars, placement_scalars
from debruijn_gpu.backends.unitigs.sizes import index_dtype, index_slots
from debruijn_gpu.run.hash_seed import hash_seed

_ABSENT = placement_scalars.ABSENT
_MOST_COUNT = (1 << 32) - 1
_adding = threading.Lock()


@lean_function
def _claim(slots, slot, value):
    """Store a value in a slot if that is free; return whether it was."""
    free = slots[slot]
    return free == 0 and compare_and_swap(slots, slot, free, slots.dtype.type(value)) == 0


@lean_function
def _add_windows(windows, n_windows, unitig, n):
    """Note a number of longer k-mers of a unitig."""
    at = n_windows[0]
    windows[0, at] = unitig
    windows[1, at] = n
    n_windows[0] = at + 1


@lean_function
def _add_segment(segments, n_segments, start, n_bases):
    """Note a segment of a read."""
    at = n_segments[0]
    segments[0, at] = start
    segments[1, at] = n_bases
    n_segments[0] = at + 1


_compiled = compile_module(
    lean_function,
    kmer_scalars,
    packed_scalars,
    placement_scalars,
    add_segment=_add_segment,
    add_windows=_add_windows,
    bases_from=bases_from,
    claim=_claim,
    equal=equal,
    hash_kmer=hash_kmer,
    reverse_complement=reverse_complement,
    reverse_complement_word=reverse_complement_word,
    smaller=smaller,
    with_word=with_word,
)
_bridge_segment = _compiled.bridge_segment
_find_kmer = _compiled.find_kmer
_insert_kmer = _compiled.insert_kmer
_kmer_at = _compiled.kmer_at
_place_segment = _compiled.place_segment
_row_of = _compiled.row_of
_share_of = _compiled.share_of
_top_bits_of = _compiled.top_bits_of


@kernel
def _index(offsets, bases, k, first, last, slots, seed, zero):
    """Insert the k-mers of unitigs first..last into the hash table (in and out)."""
    top_bits = _top_bits_of(k, zero)
    top_mask = np.uint64(0xFFFFFFFFFFFFFFFF) >> (np.uint64(64) - top_bits)
    for unitig in range(first, last):
        begin, end = offsets[unitig], offsets[unitig + 1]
        forward = _kmer_at(bases, np.uint64(begin), top_bits, zero)
        reverse = reverse_complement(forward, top_bits)
        for position in range(begin, end - k + 1):
            _insert_kmer(slots, seed, forward, reverse, position)
            if position + k < end:
                base = base_at(bases, position + k)
                forward = append_base(forward, base, top_mask)
                reverse = prepend_base(reverse, np.uint64(3) - base, top_bits - np.uint64(2))


def index_kmers(offsets: Longs, bases: Codes, k: int, n_slots: int = 0) -> Array:
    """See `UnitigOperations.index_kmers`."""
    n_bases = int(offsets[-1])
    slots = np.zeros(n_slots or index_slots(n_bases), index_dtype(n_bases))
    zero = (np.uint64(0),) * words_per_kmer(k)
    n = len(offsets) - 1
    seed = np.uint64(hash_seed())
    over_ranges(n, lambda first, last: _index(offsets, bases, k, first, last, slots, seed, zero), work=n_bases)
    return slots


def _unambiguous(batch: ReadBatch, k: int) -> tuple[Longs, Longs]:
    """Compute where runs of unambiguous bases of reads start and stop, without k-mers of the batch before."""
    starts, stops = batch.offsets[:-1], batch.offsets[1:]
    if len(batch.ambiguous_positions):
        starts = np.sort(np.concatenate((starts, batch.ambiguous_positions + 1)))
        stops = np.sort(np.concatenate((stops, batch.ambiguous_positions)))
    first = batch.first_new_kmer(k)
    return np.maximum(first, starts), np.maximum(first, stops)


@kernel
def _place(bases, starts, stops, k, longer, zero, unitigs, found):
    """Place segments of reads; see `placement_scalars.place_segment`."""
    for i in range(starts.size):
        if stops[i] - starts[i] >= longer:
            _place_segment(bases, starts[i], stops[i], k, longer, zero, unitigs, found)


@kernel
def _add_all(windows, sums):
    """Add numbers of longer k-mers to those of their unitigs (in and out)."""
    for i in range(windows.shape[1]):
        sums[windows[0, i]] += windows[1, i]


def spanning_segments(
    batch: ReadBatch, k: int, longer: int, offsets: Longs, bases: Codes, slots: Array, sums: Longs
) -> ReadBatch:
    """See `UnitigOperations.spanning_segments`."""
    zero = (np.uint64(0),) * words_per_kmer(k)
    starts, stops = _unambiguous(batch, longer)
    n_windows, n_segments = np.zeros(1, np.int64), np.zeros(1, np.int64)
    room = batch.n_bases + 1  # untouched pages cost nothing
    windows, segments = np.empty((2, room), np.int64), np.empty((2, room), np.int64)
    found = (windows, n_windows, segments, n_segments)
    unitigs = offsets, bases, slots, np.uint64(hash_seed())
    _place(batch.bases, starts, stops, k, longer, zero, unitigs, found)
    with _adding:
        _add_all(windows[:, : n_windows[0]], sums)
    return _segments_of(batch, segments[:, : n_segments[0]])


def _segments_of(batch: ReadBatch, segments: Longs) -> ReadBatch:
    """Cut segments out of reads: first bases and numbers of bases (2, n)."""
    starts, lengths = segments
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    return ReadBatch(pack_segments(batch.bases, starts, offsets), offsets, np.empty(0, np.int64))


@kernel
def _bridge(bases, starts, stops, k, zero, unitigs, links, segments, n_segments):
    """Find gaps that segments of reads bridge; see `placement_scalars.bridge_segment`."""
    for i in range(starts.size):
        if stops[i] - starts[i] > k:
            _bridge_segment(bases, starts[i], stops[i], k, zero, unitigs, links, segments, n_segments)


@kernel
def _index_ends(bases, k, positions, slots, seed, zero):
    """Insert the k-mers at some positions of the unitigs into a hash table (in and out)."""
    top_bits = _top_bits_of(k, zero)
    for i in range(positions.size):
        forward = _kmer_at(bases, np.uint64(positions[i]), top_bits, zero)
        _insert_kmer(slots, seed, forward, reverse_complement(forward, top_bits), positions[i])


@kernel
def _find_bridging(bases, starts, stops, k, zero, ends, is_extended, found):
    """Find the segments of reads (out: uint8) that have several dead ends, or one of an extended unitig."""
    offsets = ends[0]
    top_bits = _top_bits_of(k, zero)
    top_mask = np.uint64(0xFFFFFFFFFFFFFFFF) >> (np.uint64(64) - top_bits)
    for i in range(starts.size):
        found[i] = 0
        if stops[i] - starts[i] > k:
            n = 0
            kmer = _kmer_at(bases, np.uint64(starts[i]), top_bits, zero)
            for at in range(starts[i] + k, stops[i] + 1):
                position = _find_kmer(ends, kmer, top_bits)
                if position != _ABSENT:
                    position = -1 - position if position < 0 else position
                    n += 2 if is_extended[_row_of(position, offsets)] else 1
                if at == stops[i] or n >= 2:
                    break
                kmer = append_base(kmer, base_at(bases, at), top_mask)
            found[i] = n >= 2


def _ends(offsets: Longs, row_ptr: Longs, circular: Flags, k: int) -> Longs:
    """Compute where the k-mers at the dead ends of unitigs are, each once."""
    is_dead = (np.diff(row_ptr) == 0) & ~np.repeat(circular, 2)
    return sorted_distinct(np.concatenate((offsets[1:][is_dead[0::2]] - k, offsets[:-1][is_dead[1::2]])))


def index_dead_ends(offsets: Longs, bases: Codes, k: int, row_ptr: Longs, circular: Flags) -> Array:
    """See `UnitigOperations.index_dead_ends`."""
    positions = _ends(offsets, row_ptr, circular, k)
    ends = np.zeros(index_slots(2 * len(positions)), index_dtype(int(offsets[-1])))
    _index_ends(bases, k, positions, ends, np.uint64(hash_seed()), (np.uint64(0),) * words_per_kmer(k))
    return ends


def bridging_segments(
    batch: ReadBatch,
    k: int,
    offsets: Longs,
    bases: Codes,
    slots: Array,
    ends: Array,
    row_ptr: Longs,
    circular: Flags,
    is_extended: Flags,
) -> ReadBatch:
    """See `UnitigOperations.bridging_segments`.

    A read that bridges a gap has the k-mers of two dead ends, and one that extends a unitig has that of its end. These
    reads are few, and followed along the unitigs: in a graph with errors, a unitig has few bases.
    """
    zero = (np.uint64(0),) * words_per_kmer(k)
    starts, stops = _unambiguous(batch, k)
    seed = np.uint64(hash_seed())
    found = np.zeros(len(starts), np.uint8)
    _find_bridging(batch.bases, starts, stops, k, zero, (offsets, bases, ends, seed), is_extended, found)
    chosen = np.flatnonzero(found)
    starts, stops = starts[chosen], stops[chosen]
    segments, n_segments = np.empty((2, batch.n_bases + 1), np.int64), np.zeros(1, np.int64)
    unitigs, links = (offsets, bases, slots, seed), (row_ptr, circular, is_extended)
    _bridge(batch.bases, starts, stops, k, zero, unitigs, links, segments, n_segments)
    return _segments_of(batch, segments[:, : n_segments[0]])


@kernel
def _extract(offsets, bases, k, sums, window_offsets, start, first, last, codes, counts, zero):
    """Write the k-mers first..last behind k-mer ``start``, and their counts; see `UnitigOperations.sequence_kmers`."""
    top_bits = _top_bits_of(k, zero)
    top_mask = np.uint64(0xFFFFFFFFFFFFFFFF) >> (np.uint64(64) - top_bits)
    unitig = np.searchsorted(window_offsets, start + first, side="right") - 1
    at = first
    while at < last:
        i, n = start + at - window_offsets[unitig], window_offsets[unitig + 1] - window_offsets[unitig]
        stop = min(n, i + last - at)
        position = offsets[unitig]
        if i < stop:
            forward = _kmer_at(bases, np.uint64(position + i), top_bits, zero)
            reverse = reverse_complement(forward, top_bits)
        while i < stop:
            kmer = smaller(forward, reverse)
            for word in range(len(zero)):
                codes[word, at] = kmer[word]
            counts[at] = min(_MOST_COUNT, _share_of(sums[unitig], n, i))
            at += 1
            i += 1
            if i < stop:
                base = base_at(bases, position + i + k - 1)
                forward = append_base(forward, base, top_mask)
                reverse = prepend_base(reverse, np.uint64(3) - base, top_bits - np.uint64(2))
        unitig += 1


def sequence_kmers(
    offsets: Longs, bases: Codes, k: int, sums: Longs, start: int = 0, stop: int | None = None
) -> tuple[Codes, Counts]:
    """See `UnitigOperations.sequence_kmers`."""
    zero = (np.uint64(0),) * words_per_kmer(k)
    window_offsets = np.concatenate(([0], np.cumsum(np.maximum(0, np.diff(offsets) - k + 1))))
    n = int(window_offsets[-1] if stop is None else min(stop, window_offsets[-1])) - start
    codes, counts = np.empty((len(zero), n), np.uint64), np.empty(n, np.uint32)
    along = offsets, bases, k, sums, window_offsets, start
    over_ranges(n, lambda first, last: _extract(*along, first, last, codes, counts, zero))
    return codes, counts
