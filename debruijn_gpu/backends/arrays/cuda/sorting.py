"""Sort values and records, in packed keys where they fit; see `ArrayOperations`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import as_bits, gather, min_max, ordered, restored, sign_of, sorted_keys_of
from debruijn_gpu.backends.arrays.cuda.masks import select
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, stable_argsort, xp


@dataclass(frozen=True)
class Packed:
    """Keys and their positions in one unsigned integer each: (key - low) << index_bits | position.

    Keys of signed integers have their sign flipped.
    """

    array: Array
    index_bits: int
    low: int


@kernel
def _pack(bits, sign, low, shift, packed):
    """Put keys over positions. One thread per element.

    Parameters
    ----------
    bits : in, uint32 or uint64 (n,)
    sign, low : uint64; key = bits ^ sign, and the least key
    shift : uint64; bits of a position
    packed : out, uint32 or uint64 (n,)
    """
    for i in range(cuda.grid(1), bits.size, cuda.gridsize(1)):
        packed[i] = (((np.uint64(bits[i]) ^ sign) - low) << shift) | np.uint64(i)


@kernel
def _add_column(column, sign, low, shift, packed):
    """Put a column into bits of the packed keys that are 0 so far. One thread per element.

    Parameters
    ----------
    column : in, uint32 or uint64 (n,)
    sign, low : uint64; key = bits ^ sign, and the least key
    shift : uint64; the lowest of these bits
    packed : in and out, uint64 (n,)
    """
    for i in range(cuda.grid(1), column.size, cuda.gridsize(1)):
        packed[i] |= ((np.uint64(column[i]) ^ sign) - low) << shift


@kernel
def _unpack_positions(packed, mask, positions):
    """The low bits of packed keys. One thread per element.

    Parameters
    ----------
    packed : in, uint32 or uint64 (n,)
    mask : uint64; the bits to take
    positions : out, unsigned (n,)
    """
    for i in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        positions[i] = np.uint64(packed[i]) & mask


@kernel
def _unpack_keys(packed, sign, low, shift, bits):
    """The keys of packed keys. One thread per element.

    Parameters
    ----------
    packed : in, uint32 or uint64 (n,)
    sign, low : uint64; key = bits ^ sign, and the least key
    shift : uint64; bits of a position
    bits : out, uint32 or uint64 (n,)
    """
    for i in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        bits[i] = ((np.uint64(packed[i]) >> shift) + low) ^ sign


def sorted_packed(keys: Array) -> Packed | None:
    """Integer keys sorted with their positions, or None where these do not fit in 64 bits together."""
    low, high = min_max(keys) if keys.size else (0, 0)
    index_bits = max(0, keys.size - 1).bit_length()
    bits = (high - low).bit_length() + index_bits
    if bits > 64:
        return None
    packed = Packed(xp.empty(keys.size, np.uint32 if bits <= 32 else np.uint64), index_bits, low)
    shift = np.uint64(index_bits)
    launch(_pack, keys.size, as_bits(keys), sign_of(keys.dtype), np.uint64(low), shift, packed.array)
    packed.array.sort()
    return packed


def low_bits(packed: Array, bits: int, dtype: Any) -> Array:
    """The lowest bits of packed integers."""
    out = xp.empty(packed.size, dtype)
    launch(_unpack_positions, packed.size, packed, np.uint64((1 << bits) - 1), as_bits(out))
    return out


def unpacked_keys(packed: Packed, dtype: Any) -> Array:
    """The keys of packed keys."""
    out = xp.empty(packed.array.size, dtype)
    scalars = (sign_of(dtype), np.uint64(packed.low), np.uint64(packed.index_bits))
    launch(_unpack_keys, out.size, packed.array, *scalars, as_bits(out))
    return out


def order_of(keys: Array) -> Array:
    """Positions (int64) that sort integer keys, equal ones in order."""
    packed = sorted_packed(keys)
    return stable_argsort(keys) if packed is None else low_bits(packed.array, packed.index_bits, np.int64)


def pack_columns(columns: list[Array]) -> tuple[Array, int] | None:
    """Columns of integers, the first the most significant, over positions: uint64 and the bits of a position; or None
    where they do not fit."""
    n = columns[0].size
    ranges = [min_max(column) for column in columns]
    index_bits = (n - 1).bit_length()
    if index_bits + sum((high - low).bit_length() for low, high in ranges) > 64:
        return None
    packed = xp.empty(n, np.uint64)
    shift = index_bits
    for at, (column, (low, high)) in reversed(list(enumerate(zip(columns, ranges, strict=True)))):
        write = _pack if at == len(columns) - 1 else _add_column
        launch(write, n, as_bits(column), sign_of(column.dtype), np.uint64(low), np.uint64(shift), packed)
        shift += (high - low).bit_length()
    return packed, index_bits


@kernel
def _unpack_pairs(packed, sign, low, shift, values, sorted_keys, sorted_values):
    """Keys and values from packed keys and positions. One thread per element.

    Parameters
    ----------
    packed : in, uint32 or uint64 (n,), sorted
    sign, low : uint64; key = bits ^ sign, and the least key
    shift : uint64; bits of a position
    values : in, unsigned (n,)
    sorted_keys : out, uint32 or uint64 (n,), bits
    sorted_values : out, as values
    """
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for i in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        both = np.uint64(packed[i])
        sorted_keys[i] = ((both >> shift) + low) ^ sign
        sorted_values[i] = values[both & mask]


@kernel
def _split(words, ends, keys, n_first, parts):
    """Stable partition by a selection: selected keys first. 32 threads per chunk of 256; see `arrays.cuda.masks`.

    Parameters
    ----------
    words : in, uint32 (8 * chunks,), a bit for each key
    ends : in, int64 (chunks,), selected up to the end of each chunk
    keys : in, unsigned (n,)
    n_first : int64; how many are selected
    parts : out, as keys (n,)
    """
    for slot in range(cuda.grid(1), ends.size * 32, cuda.gridsize(1)):
        chunk = slot >> 5
        lane = slot & 31
        selected = ends[chunk - 1] if chunk else 0
        for j in range(8):
            word = words[chunk * 8 + j]
            i = chunk * 256 + j * 32 + lane
            rank = selected + cuda.popc(word & ((np.uint32(1) << np.uint32(lane)) - np.uint32(1)))
            if i < keys.size:
                if (word >> np.uint32(lane)) & np.uint32(1):
                    parts[rank] = keys[i]
                else:
                    parts[n_first + i - rank] = keys[i]
            selected += cuda.popc(word)


@kernel
def _mark_zero_bits(keys, bit, mask):
    """Which keys have a bit that is 0. One thread per element.

    Parameters
    ----------
    keys : in, unsigned (n,)
    bit : uint64
    mask : out, bool (n,)
    """
    for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
        mask[i] = ((np.uint64(keys[i]) >> bit) & np.uint64(1)) == np.uint64(0)


@guarded
def sort(keys: Array) -> Array:
    """See `ArrayOperations.sort`: CuPy's radix sort."""
    return restored(sorted_keys_of(keys), keys.dtype)


@guarded
def sort_pairs(keys: Array, values: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.sort_pairs`: keys over positions in 64 bits where these suffice, else CuPy's argsort."""
    if keys.size != values.size:
        raise ValueError(f"{keys.size} keys with {values.size} values")
    integers = ordered(keys)
    packed = sorted_packed(integers)
    if packed is None:
        order = stable_argsort(integers)
        return restored(gather(integers, order), keys.dtype), gather(values, order)
    sorted_keys = xp.empty(keys.size, integers.dtype)
    sorted_values = xp.empty(keys.size, values.dtype)
    scalars = (sign_of(integers.dtype), np.uint64(packed.low), np.uint64(packed.index_bits))
    arrays = (as_bits(values), as_bits(sorted_keys), as_bits(sorted_values))
    launch(_unpack_pairs, keys.size, packed.array, *scalars, *arrays)
    return restored(sorted_keys, keys.dtype), sorted_values


@guarded
def order_by(columns: Sequence[Array]) -> Array:
    """See `ArrayOperations.order_by`: one sort where all columns and the position fit in 64 bits, else one per
    column."""
    if not columns or any(column.size != columns[0].size for column in columns):
        raise ValueError("columns of one length are needed")
    integers = [ordered(column) for column in columns]
    if not integers[0].size:
        return xp.empty(0, np.int64)
    packed = pack_columns(integers)
    if packed is not None:
        array, index_bits = packed
        array.sort()
        return low_bits(array, index_bits, np.int64)
    order: Any = order_of(integers.pop())
    while integers:
        order = gather(order, order_of(gather(integers.pop(), order)))
    return order


@guarded
def split_by_bit(keys: Array, bit: int) -> tuple[Array, int]:
    """See `ArrayOperations.split_by_bit`."""
    if keys.dtype.kind not in "iu":
        raise TypeError(f"integers are needed, not {keys.dtype}")
    if not 0 <= bit < 8 * keys.dtype.itemsize:
        raise ValueError(f"{keys.dtype} has no bit {bit}")
    bits = as_bits(contiguous(keys))
    mask = xp.empty(keys.size, np.bool_)
    launch(_mark_zero_bits, keys.size, bits, np.uint64(bit), mask)
    selection = select(mask)
    parts = xp.empty(keys.size, keys.dtype)
    n_chunks = selection.ends.size
    launch(_split, n_chunks * 32, selection.words, selection.ends, bits, np.int64(selection.total), as_bits(parts))
    return parts, selection.total
