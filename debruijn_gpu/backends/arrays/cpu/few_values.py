"""Count the values of arrays with few distinct ones, without sorting.

Values are counted by value if their range is small, otherwise in a hash table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cpu.keys import Form, bits_of, form_of, from_key, to_key
from debruijn_gpu.backends.arrays.cpu.radix import range_of
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import mix
from debruijn_gpu.run.hash_seed import hash_seed

_SMALL_RANGE = 1 << 17  # as many int64 fit the cache of a core
_SAMPLE = 4096
_FEW = 1500  # different values in a sample, at most, for a hash table
_SLOT_BITS = 15
_MOST_KEYS = 1 << 12  # in a table: fuller, it would be slower than sorting


@kernel
def _count_keys(bits, form, low, first, counts):
    """Count (in, out, int64) each ``key - low``; ``first`` is not used, as `_first_of_keys` has it."""
    for i in range(bits.size):
        counts[to_key(bits[i], form) - low] += 1


@kernel
def _first_of_keys(bits, form, low, first, positions):
    """First position, counted from ``first``, of each key; positions (in, out, int64) is large where there is none."""
    for i in range(bits.size):
        key = to_key(bits[i], form) - low
        positions[key] = min(positions[key], first + i)


@kernel
def _tabulate(bits, form, first, seed, keys, counts, positions):
    """Collect keys in an open-addressed table.

    Gives False as soon as there are more than ``_MOST_KEYS``.

    Parameters
    ----------
    seed : uint64, odd; of the hash, see `run.hash_seed`
    keys : out, uint64 (2^_SLOT_BITS,)
    counts : in, out, int64; how often each key occurs, 0 for a free slot
    positions : out, int64; where it occurs first, counted from ``first``
    """
    mask = np.uint64(keys.size - 1)
    n_keys = 0
    for i in range(bits.size):
        key = to_key(bits[i], form)
        at = mix(key * seed) & mask
        while counts[at] and keys[at] != key:
            at = (at + np.uint64(1)) & mask
        if counts[at] == 0:
            keys[at] = key
            positions[at] = first + i
            n_keys += 1
            if n_keys > _MOST_KEYS:
                return False
        counts[at] += 1
    return True


@kernel
def _numbers_of(keys, form, values):
    """Numbers (out, as bits) of keys (in, uint64)."""
    for i in range(keys.size):
        values[i] = from_key(keys[i], form)


def _numbers(keys: NDArray[np.uint64], like: Array) -> Array:
    result = np.empty(len(keys), like.dtype)
    _numbers_of(keys, form_of(like), bits_of(result))
    return result


def _small_range(bits: NDArray[Any], form: Form) -> tuple[int, int] | None:
    """Least key and size of the range, if that is small for itself and for the array."""
    most = min(_SMALL_RANGE, max(1000, len(bits) // 4))
    for part in (bits[:1000], bits):  # the first values mostly tell
        if len(part) == 0:
            return None
        low, high = range_of(part, form)
        if high - low >= most:
            return None
    return low, high - low + 1


def _of_range(
    bits: NDArray[Any], form: Form, low: int, size: int, collect: Callable[..., None], empty: int
) -> NDArray[Any]:
    """Collect a number per key of a range in each thread: shape (threads, size)."""

    def run(interval: tuple[int, int]) -> NDArray[np.int64]:
        numbers = np.full(size, empty, np.int64)
        collect(bits[slice(*interval)], form, np.uint64(low), interval[0], numbers)
        return numbers

    return np.array(threads.over_items(threads.ranges(len(bits), 1) or [(0, 0)], run))


def _by_table(bits: NDArray[Any], form: Form) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None:
    """Keys, counts and first positions from the table of each thread, if a sample promises few keys and it holds."""
    sample = np.sort(bits[:: max(1, len(bits) // _SAMPLE)])
    if len(bits) < _SAMPLE or np.count_nonzero(sample[1:] != sample[:-1]) >= _FEW:
        return None

    seed = np.uint64(hash_seed())

    def run(interval: tuple[int, int]) -> tuple[NDArray[Any], ...] | None:
        keys = np.empty(1 << _SLOT_BITS, np.uint64)
        counts, positions = np.zeros((2, len(keys)), np.int64)
        if not _tabulate(bits[slice(*interval)], form, interval[0], seed, keys, counts, positions):
            return None
        used = counts > 0
        return keys[used], counts[used], positions[used]

    tables = threads.over_items(threads.ranges(len(bits), 1), run)
    if any(table is None for table in tables):
        return None
    keys, counts, positions = (np.concatenate(part) for part in zip(*filter(None, tables), strict=True))
    keys, inverse = np.unique(keys, return_inverse=True)
    totals, firsts = np.zeros(len(keys), np.int64), np.full(len(keys), len(bits))
    np.add.at(totals, inverse, counts)
    np.minimum.at(firsts, inverse, positions)
    return keys, totals, firsts


def count_few(values: Array) -> tuple[Array, Array] | None:
    """Distinct values and their counts, if there are few."""
    bits, form = bits_of(values), form_of(values)
    found = _small_range(bits, form)
    if found is None:
        table = _by_table(bits, form)
        return None if table is None else (_numbers(table[0], values), table[1])
    counts = _of_range(bits, form, *found, _count_keys, 0).sum(axis=0)
    present = np.flatnonzero(counts)
    return _numbers(present.astype(np.uint64) + np.uint64(found[0]), values), counts[present]


def first_of_few(values: Array) -> tuple[Array, Array] | None:
    """Distinct values and their first positions, if there are few."""
    bits, form = bits_of(values), form_of(values)
    found = _small_range(bits, form)
    if found is None:
        table = _by_table(bits, form)
        return None if table is None else (_numbers(table[0], values), table[2])
    positions = _of_range(bits, form, *found, _first_of_keys, len(bits)).min(axis=0)
    present = np.flatnonzero(positions < len(bits))
    return _numbers(present.astype(np.uint64) + np.uint64(found[0]), values), positions[present]
