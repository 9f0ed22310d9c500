"""Find keys in a set or in a sorted table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cpu.keys import Form, bits_of, form_of, to_key
from debruijn_gpu.backends.arrays.cpu.radix import range_of
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.scalars import MIX_1

_BITMAP_BITS = 64  # of a bitmap for each key of the set, at most: as much memory as a hash table of uint32
_SMALL_BITMAP = 1 << 22  # bits that fit the cache of a core anyway
_CACHED_BITS = 16  # places for 2^16 keys fit the cache of a core


@kernel
def _mark(bits, form, low, bitmap):
    """Set bit ``key - low`` of the bitmap (out, uint64) for each key."""
    for i in range(bits.size):
        at = to_key(bits[i], form) - low
        bitmap[at >> np.uint64(6)] |= np.uint64(1) << (at & np.uint64(63))


@kernel
def _in_bitmap(bits, form, low, size, bitmap, found):
    """Whether (out, bool) bit ``key - low`` is set; keys that are ``size`` or more above low are not there."""
    for i in range(bits.size):
        at = to_key(bits[i], form) - low  # keys below low wrap around
        inside = at < size
        at = at if inside else np.uint64(0)
        found[i] = inside & (((bitmap[at >> np.uint64(6)] >> (at & np.uint64(63))) & np.uint64(1)) != np.uint64(0))


@kernel
def _fill_slots(bits, form, shift, slots):
    """Put keys into an open-addressed table (in, out, as bits, 2^n slots). Its free slots hold the first of the keys:
    a search ends at what it looks for or at that one, and looking for that one is right wherever it ends."""
    mask = np.uint64(slots.size - 1)
    free = to_key(bits[0], form)
    for i in range(bits.size):
        key = to_key(bits[i], form)
        at = (key * MIX_1) >> shift
        while slots[at] != key and slots[at] != free:
            at = (at + np.uint64(1)) & mask
        slots[at] = key


@kernel
def _in_slots(bits, form, shift, slots, free, found):
    """Whether (out, bool) keys are in a table of `_fill_slots`."""
    mask = np.uint64(slots.size - 1)
    for i in range(bits.size):
        key = to_key(bits[i], form)
        at = (key * MIX_1) >> shift
        while slots[at] != key and slots[at] != free:
            at = (at + np.uint64(1)) & mask
        found[i] = slots[at] == key


def _roomy_bits(n: int) -> int:
    """Bits that number places for n keys, at least two for each, and up to 32 where that costs nothing: the emptier,
    the fewer searches take a second step, which the processor cannot foresee."""
    n_bits = (2 * n - 1).bit_length()
    return max(n_bits, min(n_bits + 4, _CACHED_BITS))


def semi_join(keys: Array, wanted: Array) -> Array:
    """See `ArrayOperations.semi_join`."""
    if keys.dtype != wanted.dtype:
        raise TypeError(f"{keys.dtype} keys cannot be among {wanted.dtype}")
    found = np.zeros(len(keys), np.bool_)
    if len(wanted) == 0 or len(keys) == 0:
        return found
    form, bits, wanted_bits = form_of(keys), bits_of(keys), bits_of(wanted)
    low, high = range_of(wanted_bits, form)
    if high - low < max(_SMALL_BITMAP, _BITMAP_BITS * len(wanted)):
        bitmap = np.zeros((high - low) // 64 + 1, np.uint64)
        _mark(wanted_bits, form, np.uint64(low), bitmap)
        words = np.uint64(low), np.uint64(high - low + 1)
        threads.over_ranges(len(keys), lambda a, b: _in_bitmap(bits[a:b], form, *words, bitmap, found[a:b]))
        return found
    n_bits = _roomy_bits(len(wanted))
    shift = np.uint64(64 - n_bits)
    free = np.uint64(range_of(wanted_bits[:1], form)[0])
    slots = np.full(1 << n_bits, free, bits.dtype)
    _fill_slots(wanted_bits, form, shift, slots)
    threads.over_ranges(len(keys), lambda a, b: _in_slots(bits[a:b], form, shift, slots, free, found[a:b]))
    return found


@kernel
def _index_table(bits, form, low, shift, cells):
    """Where (out, int64) the keys of each cell, which have ``(key - low) >> shift`` in common, begin in a table."""
    cell = np.uint64(0)
    for i in range(bits.size):
        own = (to_key(bits[i], form) - low) >> shift
        while cell <= own and cell < np.uint64(cells.size):  # the second only if the table is not sorted after all
            cells[cell] = i
            cell += np.uint64(1)
    while cell < np.uint64(cells.size):
        cells[cell] = bits.size
        cell += np.uint64(1)


@kernel
def _look_up(bits, form, table, cells, low, high, shift, positions):
    """First position (out, int64) of each key in a table, or -1: its cell, then a binary search."""
    for i in range(bits.size):
        key = to_key(bits[i], form)
        positions[i] = -1
        if not low <= key <= high:
            continue
        cell = (key - low) >> shift
        at = np.uint64(cells[cell])
        size = np.uint64(cells[cell + np.uint64(1)]) - at
        while size > np.uint64(0):
            half = size >> np.uint64(1)
            right = to_key(table[at + half], form) < key
            at = at + half + np.uint64(1) if right else at
            size = size - half - np.uint64(1) if right else half
        if at < np.uint64(table.size) and to_key(table[at], form) == key:
            positions[i] = at


def _index(table: NDArray[Any], form: Form, low: int, high: int) -> tuple[NDArray[np.int64], int]:
    """Cells of a table, and the shift that leads to them."""
    shift = max(0, (high - low).bit_length() - _roomy_bits(len(table)))
    cells = np.empty(((high - low) >> shift) + 2, np.int64)
    _index_table(table, form, np.uint64(low), np.uint64(shift), cells)
    return cells, shift


def lookup(table: Array, keys: Array) -> Array:
    """See `ArrayOperations.lookup`."""
    if keys.dtype != table.dtype:
        raise TypeError(f"{keys.dtype} keys cannot be in a table of {table.dtype}")
    positions = np.full(len(keys), -1, np.int64)
    if len(table) == 0 or len(keys) == 0:
        return positions
    form, bits, table_bits = form_of(keys), bits_of(keys), bits_of(table)
    low, high = (range_of(table_bits[i:][:1], form)[0] for i in (0, len(table) - 1))
    cells, shift = _index(table_bits, form, low, high)
    words = np.uint64(low), np.uint64(high), np.uint64(shift)
    threads.over_ranges(len(keys), lambda a, b: _look_up(bits[a:b], form, table_bits, cells, *words, positions[a:b]))
    return positions
