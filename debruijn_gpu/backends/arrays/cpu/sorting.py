"""Sort values and records, and find distinct values; see `ArrayOperations`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from debruijn_gpu.backends.arrays.cpu.few_values import count_few, first_of_few
from debruijn_gpu.backends.arrays.cpu.keys import bits_of, form_of, to_key
from debruijn_gpu.backends.arrays.cpu.radix import range_of, sort_into
from debruijn_gpu.backends.arrays.cpu.select import run_lengths, run_starts
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel


def distinct(values: Array) -> Array:
    """See `ArrayOperations.distinct`."""
    few = count_few(values)
    return run_starts(sort_many(values), with_positions=False)[0] if few is None else few[0]


def distinct_counts(values: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.distinct_counts`."""
    few = count_few(values)
    return run_lengths(sort_many(values)) if few is None else few


def distinct_first(values: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.distinct_first`."""
    few = first_of_few(values)
    if few is not None:
        return few
    n = len(values)
    keys, positions = sort_pairs(values, np.arange(n, dtype=np.uint32 if n < 1 << 32 else np.uint64))
    runs, starts = run_starts(keys)
    return runs, positions[starts].astype(np.int64)


def sort_many(keys: Array) -> Array:
    """The keys in ascending order; for arrays of few values `sort` has a shorter way."""
    form = form_of(keys)
    result = np.empty(len(keys), keys.dtype)
    sort_into(bits_of(keys), None, form, form, bits_of(result), None)
    return result


def sort(keys: Array) -> Array:
    """See `ArrayOperations.sort`."""
    few = count_few(keys)
    return sort_many(keys) if few is None else np.repeat(*few)


def sort_pairs(keys: Array, values: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.sort_pairs`."""
    if len(keys) != len(values):
        raise ValueError(f"{len(keys)} keys with {len(values)} values")
    form = form_of(keys)
    sorted_keys = np.empty(len(keys), keys.dtype)
    sorted_values = np.empty(len(keys), values.dtype)
    sort_into(bits_of(keys), bits_of(values), form, form, bits_of(sorted_keys), bits_of(sorted_values))
    return sorted_keys, sorted_values


@kernel
def _pack(bits, form, low, shift, packed):
    """Add ``key - low`` to packed (in, out, uint64 (n,)) above the lowest ``shift`` bits."""
    for i in range(bits.size):
        packed[i] |= (to_key(bits[i], form) - low) << shift


def _packed_columns(columns: Sequence[Array]) -> list[Array]:
    """The same order by fewer columns: neighbours whose ranges fit into 64 bits become one."""
    packed: list[Array] = []
    room = 0
    for column in reversed(columns):
        bits, form = bits_of(column), form_of(column)
        low, high = range_of(bits, form)
        n_bits = (high - low).bit_length()
        if n_bits > room:
            packed.append(np.zeros(len(column), np.uint64))
            room = 64
        words = np.uint64(low), np.uint64(64 - room)
        if n_bits:
            to = packed[-1]
            for start, stop in threads.ranges(len(bits)):
                _pack(bits[start:stop], form, *words, to[start:stop])
        room -= n_bits
    return packed[::-1]


def order_by(columns: Sequence[Array]) -> Array:
    """See `ArrayOperations.order_by`."""
    if len({len(column) for column in columns}) != 1:
        raise ValueError("columns of one length are needed")
    n = len(columns[0])
    order = np.arange(n, dtype=np.uint32 if n < 1 << 32 else np.uint64)
    if n == 0:
        return order.astype(np.int64)
    keys = _packed_columns(columns) if len(columns) > 1 else columns
    for i, column in enumerate(reversed(keys)):
        order = sort_pairs(column[order] if i else column, order)[1]
    return order.astype(np.int64)


@kernel
def _count_clear(bits, bit):
    """Count the keys in which a bit is clear."""
    n_set = np.uint64(0)
    for i in range(bits.size):
        n_set += (bits[i] >> bit) & np.uint64(1)
    return bits.size - np.int64(n_set)


@kernel
def _split(bits, bit, clear_at, set_at, result):
    """Write those with the bit clear from ``clear_at`` on and the others from ``set_at`` on."""
    for i in range(bits.size):
        side = np.int64((bits[i] >> bit) & np.uint64(1))
        result[np.uint64(set_at if side else clear_at)] = bits[i]
        clear_at += 1 - side
        set_at += side


def split_by_bit(keys: Array, bit: int) -> tuple[Array, int]:
    """See `ArrayOperations.split_by_bit`."""
    if keys.dtype.kind not in "ui":
        raise TypeError(f"integers are needed, not {keys.dtype}")
    if not 0 <= bit < 8 * keys.dtype.itemsize:
        raise ValueError(f"{keys.dtype} has no bit {bit}")
    bits, result = bits_of(keys), np.empty(len(keys), keys.dtype)
    intervals = threads.ranges(len(keys))
    clear = threads.over_items(intervals, lambda interval: _count_clear(bits[slice(*interval)], np.uint64(bit)))
    before = np.concatenate(([0], np.cumsum(clear, dtype=np.int64)))
    n_clear = int(before[-1])
    out = bits_of(result)

    def split(i: int) -> None:
        start, stop = intervals[i]
        _split(bits[start:stop], np.uint64(bit), before[i], n_clear + start - before[i], out)

    threads.over_items(range(len(intervals)), split)
    return result, n_clear
