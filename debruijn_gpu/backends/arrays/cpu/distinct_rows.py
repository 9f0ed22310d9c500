"""Number distinct ragged rows by a hash table; see `ArrayOperations.distinct_rows`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Counts, Longs
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel
from debruijn_gpu.backends.core.cpu.scalars import mix
from debruijn_gpu.run.tuning import tuning

_FREE = np.uint32(0xFFFFFFFF)
_ONE, _TWO = np.uint64(1), np.uint64(2)
_HALF = np.uint64(32)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@inlined_kernel
def _hash_of(offsets, items, row):
    """Hash of a row: two chains of multiplications, which a processor interleaves, mixed in the end."""
    even = odd = _ONE
    start, stop = np.uint64(offsets[row]), np.uint64(offsets[row + 1])
    for at in range(start, stop - ((stop - start) & _ONE), _TWO):
        even = (even ^ np.uint64(items[np.uint64(at)])) * _FACTOR
        odd = (odd ^ np.uint64(items[np.uint64(at) + _ONE])) * _FACTOR
        even ^= even >> _HALF
        odd ^= odd >> _HALF
    if (stop - start) & _ONE:
        even = (even ^ np.uint64(items[stop - _ONE])) * _FACTOR
    return mix(mix(even) + odd + (stop - start))


@inlined_kernel
def _are_equal(offsets, items, row, other):
    """Whether two rows have the same items."""
    n = offsets[row + 1] - offsets[row]
    if offsets[other + 1] - offsets[other] != n:
        return False
    for j in range(n):  # noqa: SIM110 - numba compiles no generators
        if items[offsets[row] + j] != items[offsets[other] + j]:
            return False
    return True


@kernel
def _number_rows(offsets, items, mask, slots, hashes, ids, firsts):
    """Number rows in order of their first occurrence; returns the number of distinct rows.

    Parameters
    ----------
    offsets : in, int64 (n + 1,)
    items : in, uint32
    mask : uint64; bits of the hash to use
    slots : in and out, uint32 (2^b,), all free; number of a row, open-addressed
    hashes : out, uint64 (n,), of the distinct rows
    ids : out, uint32 (n,)
    firsts : out, int64 (n,)
    """
    n_distinct = 0
    last = np.uint64(slots.size - 1)
    for row in range(ids.size):
        own = _hash_of(offsets, items, row) & mask
        at = own & last
        while True:
            number = slots[at]
            if number == _FREE:
                slots[at] = np.uint32(n_distinct)
                hashes[n_distinct] = own
                firsts[n_distinct] = row
                ids[row] = np.uint32(n_distinct)
                n_distinct += 1
                break
            if hashes[number] == own and _are_equal(offsets, items, row, firsts[number]):
                ids[row] = number
                break
            at = (at + _ONE) & last
    return n_distinct


def distinct_rows(offsets: Longs, items: Counts) -> tuple[Counts, Longs]:
    """See `ArrayOperations.distinct_rows`."""
    n = len(offsets) - 1
    slots = np.full(1 << max(1, (2 * n).bit_length()), _FREE, np.uint32)
    ids, firsts, hashes = np.empty(n, np.uint32), np.empty(n, np.int64), np.empty(n, np.uint64)
    n_distinct = _number_rows(offsets, items, np.uint64(tuning().hash_mask), slots, hashes, ids, firsts)
    return ids, firsts[:n_distinct].copy()
