"""Keys packed with their positions into one integer where both fit: sorting that is much faster than sorting pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import as_bits, min_max, sign_of
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, stable_argsort, xp


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
