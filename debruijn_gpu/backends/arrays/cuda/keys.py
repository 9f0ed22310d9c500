"""Keys as integers in the same order, and their range.

Floats are sorted, semi-joined and made distinct as unsigned integers: NaN is the greatest, -0.0 is 0.0. Most kernels
take signed integers as the unsigned ones of the same bits and flip the sign bit (``sign``, 0 for unsigned ones), so
that they are compiled for 32 and 64 bits only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import copied
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    contiguous,
    cuda,
    device_function,
    kernel,
    launch,
    to_host,
    uint64,
    xp,
)

_PARTS = 1024  # partial results of a reduction
_PER_PART = 2048
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def unsigned_dtype(dtype: Any) -> Any:
    """Unsigned integers of the same size."""
    return np.dtype(_UNSIGNED[np.dtype(dtype).itemsize])


def check_dtype(array: Array) -> None:
    """TypeError if an array has none of the six dtypes of `ArrayOperations`."""
    if array.dtype.kind not in "iuf" or array.dtype.itemsize not in (4, 8):
        raise TypeError(f"32 or 64 bits a number are needed, not {array.dtype}")


def as_bits(array: Array) -> Array:
    """The same memory as unsigned integers, for kernels that only move values."""
    return contiguous(array).view(unsigned_dtype(array.dtype))


@device_function
def ordered_bits(bits, top, infinity):
    """Bits of a float (uint64) as an integer in the same order; ``top`` is its sign bit (uint64)."""
    full = top | (top - np.uint64(1))
    if (bits & (full ^ top)) > infinity:
        return full
    if bits == top:
        return top
    if bits & top:
        return bits ^ full
    return bits | top


@kernel
def _order_floats(bits, top, infinity, ordered):
    """Floats to integers in the same order, NaN the greatest, -0.0 as 0.0. One thread per element.

    Parameters
    ----------
    bits : in, uint32 or uint64 (n,), the floats
    top : uint64; the sign bit
    infinity : uint64; the bits of infinity
    ordered : out, as bits
    """
    for i in range(cuda.grid(1), bits.size, cuda.gridsize(1)):
        ordered[i] = ordered_bits(np.uint64(bits[i]), top, infinity)


@kernel
def _restore_floats(ordered, top, nan, bits):
    """The inverse of `_order_floats`. One thread per element.

    Parameters
    ----------
    ordered : in, uint32 or uint64 (n,)
    top : uint64; the sign bit
    nan : uint64; the bits of the NaN to write
    bits : out, as ordered, the floats
    """
    full = top | (top - np.uint64(1))
    for i in range(cuda.grid(1), bits.size, cuda.gridsize(1)):
        value = np.uint64(ordered[i])
        if value == full:
            bits[i] = nan
        elif value & top:
            bits[i] = value ^ top
        else:
            bits[i] = value ^ full


def float_bits(dtype: Any) -> tuple[Any, Any, Any]:
    """Sign bit, infinity and NaN of a float dtype as uint64; zeros for integers."""
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        return np.uint64(0), np.uint64(0), np.uint64(0)
    values = np.array([-0.0, np.inf, np.nan], dtype).view(unsigned_dtype(dtype)).astype(np.uint64)
    return values[0], values[1], values[2]


def ordered(values: Array) -> Array:
    """Integers in the order of the values: integers themselves, floats as unsigned integers."""
    check_dtype(values)
    values = contiguous(values)
    if values.dtype.kind != "f":
        return values
    top, infinity, _ = float_bits(values.dtype)
    out = xp.empty(values.size, unsigned_dtype(values.dtype))
    launch(_order_floats, values.size, as_bits(values), top, infinity, out)
    return out


def restored(keys: Array, dtype: Any) -> Array:
    """The values of a dtype that `ordered` made these keys of; overwrites keys that were floats."""
    if np.dtype(dtype).kind != "f":
        return keys
    top, _, nan = float_bits(dtype)
    launch(_restore_floats, keys.size, keys, top, nan, keys)
    return keys.view(dtype)


def sign_of(dtype: Any) -> Any:
    """The bit (uint64) that is flipped in signed integers, 0 for other dtypes."""
    dtype = np.dtype(dtype)
    return np.uint64(1 << (8 * dtype.itemsize - 1) if dtype.kind == "i" else 0)


@device_function
def _key_of(bits, top, infinity):
    """Key (uint64) of an integer or a float; see `_partial_ranges`."""
    if infinity:
        return ordered_bits(np.uint64(bits), top, infinity)
    return np.uint64(bits) ^ top


@kernel
def _partial_ranges(bits, top, infinity, lows, highs):
    """Least and greatest key of each part. One block per part, which takes the items part * BLOCK + thread + j * parts
    * BLOCK.

    Parameters
    ----------
    bits : in, uint32 or uint64 (n,), n at least the number of parts; integers or floats
    top : uint64; the sign bit, 0 for unsigned integers
    infinity : uint64; as in `_order_floats`, 0 for integers
    lows, highs : out, uint64 (parts,)
    """
    low_of = cuda.shared.array(BLOCK, uint64)
    high_of = cuda.shared.array(BLOCK, uint64)
    thread = cuda.threadIdx.x
    for part in range(cuda.blockIdx.x, lows.size, cuda.gridDim.x):
        low = _key_of(bits[part], top, infinity)
        high = low
        for i in range(part * BLOCK + thread, bits.size, lows.size * BLOCK):
            value = _key_of(bits[i], top, infinity)
            low = min(low, value)
            high = max(high, value)
        low_of[thread] = low
        high_of[thread] = high
        cuda.syncthreads()
        half = BLOCK // 2
        while half:
            if thread < half:
                low_of[thread] = min(low_of[thread], low_of[thread + half])
                high_of[thread] = max(high_of[thread], high_of[thread + half])
            cuda.syncthreads()
            half //= 2
        if thread == 0:
            lows[part] = low_of[0]
            highs[part] = high_of[0]
        cuda.syncthreads()


def n_parts(n: int) -> int:
    """Parts of a reduction of n items, the same on every device."""
    return max(1, min(_PARTS, n // _PER_PART))


def min_max(values: Array) -> tuple[int, int]:
    """Least and greatest of the keys of at least one value: of integers with the sign flipped, of ordered floats."""
    top, infinity, _ = float_bits(values.dtype)
    parts = n_parts(values.size)
    found = xp.empty((2, parts), np.uint64)
    top |= sign_of(values.dtype)
    launch(_partial_ranges, parts, as_bits(values), top, infinity, found[0], found[1], per_block=1)
    low, high = to_host(found)
    return int(low.min()), int(high.max())


@kernel
def _gather(values, positions, gathered):
    """Values at positions. One thread per element.

    Parameters
    ----------
    values : in, any (m,)
    positions : in, int64 (n,)
    gathered : out, as values (n,)
    """
    for i in range(cuda.grid(1), positions.size, cuda.gridsize(1)):
        gathered[i] = values[positions[i]]


def sorted_keys_of(values: Array) -> Array:
    """`ordered`, sorted."""
    keys = ordered(values)
    if values.dtype.kind != "f":
        keys = copied(contiguous(keys))
    keys.sort()
    return keys


def gather(values: Array, positions: Array) -> Array:
    """Values at positions (int64)."""
    out = xp.empty(positions.size, values.dtype)
    launch(_gather, out.size, as_bits(values), positions, as_bits(out))
    return out
