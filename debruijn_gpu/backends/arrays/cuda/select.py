"""Compare and compact values; find distinct values and runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.arrays.comparisons import exact_comparison
from debruijn_gpu.backends.arrays.cuda.histograms import count_keys
from debruijn_gpu.backends.arrays.cuda.keys import (
    as_bits,
    check_dtype,
    gather,
    min_max,
    ordered,
    restored,
    sign_of,
    sorted_keys_of,
)
from debruijn_gpu.backends.arrays.cuda.masks import Selection, select, selected_positions, selected_values
from debruijn_gpu.backends.arrays.cuda.sorting import Packed, low_bits, sorted_packed, unpacked_keys
from debruijn_gpu.backends.arrays.protocol import Comparison
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import filled
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, stable_argsort, xp
from debruijn_gpu.run.tuning import tuning

_FLAGGED_RANGE = 1 << 26  # values in a smaller range are flagged, not sorted, if there are enough of them
_OPERATIONS = {">": 0, "<": 1, ">=": 2, "<=": 3, "==": 4, "!=": 5}


@kernel
def _compare(values, operation, threshold, mask):
    """Which values compare so with a threshold. One thread per element.

    Parameters
    ----------
    values : in, any (n,)
    operation : int64; see `_OPERATIONS`
    threshold : dtype of values
    mask : out, bool (n,)
    """
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        value = values[i]
        if operation == 0:
            matching = value > threshold
        elif operation == 1:
            matching = value < threshold
        elif operation == 2:
            matching = value >= threshold
        elif operation == 3:
            matching = value <= threshold
        elif operation == 4:
            matching = value == threshold
        else:
            matching = value != threshold
        mask[i] = matching


@guarded
def matches(values: Array, comparison: Comparison, threshold: float) -> Array:
    """See `ArrayOperations.matches`."""
    sign, against = ("!=", 0) if comparison == "nonzero" else (comparison, threshold)
    exact = exact_comparison(values.dtype, sign, against)
    if isinstance(exact, bool):
        return filled(values.size, np.uint8(exact)).view(np.bool_)
    mask = xp.empty(values.size, np.bool_)
    operation = np.int64(_OPERATIONS[exact[0]])
    launch(_compare, values.size, contiguous(values), operation, values.dtype.type(exact[1]), mask)
    return mask


@guarded
def compact(values: Array, mask: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.compact`."""
    if values.size != mask.size:
        raise ValueError(f"{values.size} values with a mask of {mask.size}")
    selection = select(mask)
    return selected_values(selection, values), selected_positions(selection)


@kernel
def _mark_heads(keys, shift, mask):
    """Which keys differ from the one before; the first does. One thread per element.

    Parameters
    ----------
    keys : in, uint32 or uint64 (n,)
    shift : uint64; bits at the low end that do not count
    mask : out, bool (n,)
    """
    for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
        mask[i] = i == 0 or (np.uint64(keys[i]) >> shift) != (np.uint64(keys[i - 1]) >> shift)


def _heads(keys: Array, shift: int = 0) -> Selection:
    mask = xp.empty(keys.size, np.bool_)
    launch(_mark_heads, keys.size, as_bits(keys), np.uint64(shift), mask)
    return select(mask)


@kernel
def _flag(bits, sign, low, flags):
    """Flag the keys that occur. One thread per element; the stores race, but all of them store 1.

    Parameters
    ----------
    bits : in, uint32 or uint64 (n,)
    sign, low : uint64; key = bits ^ sign, and the least key
    flags : out, bool (range,), False
    """
    for i in range(cuda.grid(1), bits.size, cuda.gridsize(1)):
        at = (np.uint64(bits[i]) ^ sign) - low
        if not flags[at]:
            flags[at] = True


@kernel
def _write_lengths(starts, n, lengths):
    """From each start to the next one, or to the end. One thread per start.

    Parameters
    ----------
    starts : in, int64 (m,), ascending
    n : int64; the end
    lengths : out, int64 (m,)
    """
    for i in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        end = starts[i + 1] if i + 1 < starts.size else n
        lengths[i] = end - starts[i]


def _small_range(keys: Array, most: int) -> tuple[int, int] | None:
    """Least key and how many values there are from it to the greatest, if these are at most ``most``."""
    if not keys.size:
        return None
    low, high = min_max(keys)
    return (low, high - low + 1) if high - low < most else None


def _flagged(flags: Array, low: int, dtype: Any) -> tuple[Array, Array]:
    """The keys whose flags are set, and their positions among the flags."""
    positions = selected_positions(select(flags))
    return unpacked_keys(Packed(positions, 0, low), dtype), positions


@guarded
def distinct(values: Array) -> Array:
    """See `ArrayOperations.distinct`: flags where the values are in a small range, else sorting."""
    check_dtype(values)
    if values.dtype.kind != "f":
        small = _small_range(values, max(1 << 16, min(values.size, _FLAGGED_RANGE)))
        if small is not None:
            low, n = small
            flags = xp.zeros(n, np.bool_)
            launch(_flag, values.size, as_bits(values), sign_of(values.dtype), np.uint64(low), flags)
            return _flagged(flags, low, values.dtype)[0]
    keys = sorted_keys_of(values)
    return restored(selected_values(_heads(keys), keys), values.dtype)


@guarded
def distinct_counts(values: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.distinct_counts`: counters where the values are in a small range, else sorting."""
    check_dtype(values)
    small = None if values.dtype.kind == "f" else _small_range(values, tuning().shared_counts)
    if small is None:
        return _runs(sorted_keys_of(values), values.dtype)
    counts = count_keys(values, *small)[:-1]
    found, positions = _flagged(matches(counts, "nonzero", 0), small[0], values.dtype)
    return found, gather(counts, positions)


def _runs(keys: Array, dtype: Any) -> tuple[Array, Array]:
    """Value, of a dtype, and length of each run of equal keys."""
    heads = _heads(keys)
    starts = selected_positions(heads)
    lengths = xp.empty(starts.size, np.int64)
    launch(_write_lengths, starts.size, starts, np.int64(keys.size), lengths)
    return restored(selected_values(heads, keys), dtype), lengths


@guarded
def distinct_first(values: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.distinct_first`."""
    keys = ordered(values)
    packed = sorted_packed(keys)
    if packed is None:
        order = stable_argsort(keys)
        in_order = gather(keys, order)
        heads = _heads(in_order)
        return restored(selected_values(heads, in_order), values.dtype), selected_values(heads, order)
    firsts = selected_values(_heads(packed.array, packed.index_bits), packed.array)
    found = unpacked_keys(Packed(firsts, packed.index_bits, packed.low), keys.dtype)
    return restored(found, values.dtype), low_bits(firsts, packed.index_bits, np.int64)


@guarded
def run_lengths(values: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.run_lengths`."""
    return _runs(ordered(values), values.dtype)
