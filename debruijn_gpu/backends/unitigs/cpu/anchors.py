"""Index the k-mers of any packed sequences, and place reads by those that occur once; see `unitigs.anchor_scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Array, Codes, Longs
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.intrinsics import compare_and_swap, prefetch, with_word
from debruijn_gpu.backends.core.cpu.scalars import base_at, bases_from
from debruijn_gpu.backends.core.cpu.threads import over_ranges
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs import anchor_scalars
from debruijn_gpu.backends.unitigs.sizes import ANCHOR_MARK_BITS, index_dtype, index_slots
from debruijn_gpu.run.hash_seed import hash_seed

_AHEAD = 16  # k-mers or reads from the one whose slot is loaded to the one that is looked at; a power of two


@lean_function
def _swap(slots, slot, expected, value):
    """Store a value in a slot that has an expected one, atomically; return what it had."""
    return compare_and_swap(slots, slot, slots.dtype.type(expected), slots.dtype.type(value))


_compiled = compile_module(
    lean_function, kmer_scalars, anchor_scalars, bases_from=bases_from, swap=_swap, with_word=with_word
)
_anchor_at = _compiled.anchor_at
_insert_anchor = _compiled.insert_anchor
_next_anchor = _compiled.next_anchor
_place_anchors_of = _compiled.place_anchors_of
_row_of = _compiled.row_of
_slot_of = _compiled.slot_of


@lean_function
def _insert_range(slots, seed, bases, first, stop, k, ahead):
    """Insert the k-mers first..stop of a sequence; ``ahead`` has room for those whose slots are being loaded."""
    top_bits = np.uint64(2 * k)
    forward, reverse = _anchor_at(bases, first, top_bits)
    for position in range(first, stop + _AHEAD):
        at = position & (_AHEAD - 1)
        if position >= first + _AHEAD:
            _insert_anchor(slots, seed, bases, (ahead[0, at],), (ahead[1, at],), position - _AHEAD, top_bits)
        if position < stop:
            if position > first:
                forward, reverse = _next_anchor(forward, reverse, base_at(bases, position + k - 1), top_bits)
            prefetch(slots, _slot_of(forward, reverse, slots.size, seed))
            ahead[0, at], ahead[1, at] = forward[0], reverse[0]


@kernel
def _index(offsets, bases, k, first, last, slots, seed):
    """Insert the k-mers that begin at the positions first..last into the hash table (in and out)."""
    ahead = np.empty((2, _AHEAD), np.uint64)
    sequence = _row_of(first, offsets)
    while first < last:
        end = offsets[sequence + 1]
        stop = min(last, end - k + 1)
        if first < stop:
            _insert_range(slots, seed, bases, first, stop, k, ahead)
        first = end
        sequence += 1


def index_anchors(offsets: Longs, bases: Codes, k: int, n_slots: int = 0) -> Array:
    """See `UnitigOperations.index_anchors`."""
    n_bases = int(offsets[-1])
    slots = np.zeros(n_slots or index_slots(n_bases), index_dtype(n_bases, ANCHOR_MARK_BITS))
    seed = np.uint64(hash_seed())
    over_ranges(n_bases, lambda first, last: _index(offsets, bases, k, first, last, slots, seed))
    return slots


@lean_function
def _load_ahead(bases, start, stop, k, slots, seed):
    """Have the slots of the first and of the last k-mer of a read come into the cache."""
    if stop - start >= k:
        top_bits = np.uint64(2 * k)
        for position in (start, stop - k):
            forward, reverse = _anchor_at(bases, position, top_bits)
            prefetch(slots, _slot_of(forward, reverse, slots.size, seed))


@kernel
def _place(bases, read_offsets, breaks, k, unitigs, placed):
    """Place the reads of a batch (out, int64 (4, n)); see `anchor_scalars.place_anchors_of`."""
    n, slots, seed = placed.shape[1], unitigs[2], unitigs[3]
    high = 0
    for row in range(-_AHEAD, n):
        if row + _AHEAD < n:
            _load_ahead(bases, read_offsets[row + _AHEAD], read_offsets[row + _AHEAD + 1], k, slots, seed)
        if row < 0:
            continue
        start, stop = read_offsets[row], read_offsets[row + 1]
        low = high
        while high < breaks.size and breaks[high] < stop:
            high += 1
        vertex, place, last_vertex, last_place = _place_anchors_of(bases, start, stop, breaks, low, high, k, unitigs)
        placed[0, row], placed[1, row] = vertex, place
        placed[2, row], placed[3, row] = last_vertex, last_place


def place_anchors(batch: ReadBatch, k: int, offsets: Longs, bases: Codes, slots: Array) -> Longs:
    """See `UnitigOperations.place_anchors`."""
    placed = np.empty((4, len(batch.offsets) - 1), np.int64)
    unitigs = offsets, bases, slots, np.uint64(hash_seed())
    _place(batch.bases, batch.offsets, batch.ambiguous_positions, k, unitigs, placed)
    return placed
