"""Sort by radix: scatter in parallel by leading bits, then sort buckets in cache.

A bucket of n keys is sorted by as many of its leading bits as tell n keys apart if they are evenly spread, lowest
digit first; what is not told apart then is put right by insertion, and if that takes long, by the other digits.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cpu.keys import PLAIN, Form, ascends, convert, key_range, to_key
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.intrinsics import copy_items

_SMALL = 32  # insertion sort up to here
_DIGIT = 11  # most bits that one pass sorts by
_SPARE_BITS = 5  # one key in 2^5 may share its leading bits with another
_MOVES = 8  # per key, before insertion is given up
_BUCKET = 1 << 15  # keys aimed at in a bucket
_MOST_BUCKET_BITS = 9  # more streams than 2^9 do not fit the cache


@kernel
def _insert(keys, payload, budget):
    """Insertion sort; False, and keys as they are by then, if it takes more moves than the budget."""
    for before in range(keys.size - 1):
        i = before + 1
        key = keys[i]
        if keys[before] <= key:
            continue
        if payload is not None:
            item = payload[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            if payload is not None:
                payload[j] = payload[j - 1]
            j -= 1
        keys[j] = key
        if payload is not None:
            payload[j] = item
        budget -= i - j
        if budget < 0:
            return False
    return True


@kernel
def _pass(keys, payload, low, shift, mask, counts, to_keys, to_payload):
    """Stable scatter by one digit of ``key - low``; counts is room for ``mask + 1`` int64."""
    counts[:] = 0
    for i in range(keys.size):
        counts[((np.uint64(keys[i]) - low) >> shift) & mask] += 1
    total = 0
    for digit in range(mask + np.uint64(1)):
        count = counts[digit]
        counts[digit] = total
        total += count
    for i in range(keys.size):
        digit = ((np.uint64(keys[i]) - low) >> shift) & mask
        at = counts[digit]
        counts[digit] = at + 1
        to_keys[at] = keys[i]
        if payload is not None:
            to_payload[at] = payload[i]


@kernel
def _bit_length(x):
    n = 0
    while x:
        x >>= np.uint64(1)
        n += 1
    return n


@kernel
def _by_digits(keys, payload, low, first_bit, n_bits, spare_keys, spare_payload):
    """Sort by bits first_bit.. of ``key - low``, ``n_bits`` at least, lowest digit first."""
    n_passes = (n_bits + _DIGIT - 1) // _DIGIT
    digit = (n_bits + n_passes - 1) // n_passes
    counts = np.empty(1 << digit, np.int64)
    mask = np.uint64((1 << digit) - 1)
    for i in range(n_passes):
        shift = np.uint64(first_bit + i * digit)
        if i % 2 == 0:
            _pass(keys, payload, low, shift, mask, counts, spare_keys, spare_payload)
        else:
            _pass(spare_keys, spare_payload, low, shift, mask, counts, keys, payload)
    if n_passes % 2:
        copy_items(spare_keys, keys)
        if payload is not None:
            copy_items(spare_payload, payload)


@kernel
def sort_bucket(keys, payload, spare_keys, spare_payload):
    """Sort keys (in, out; uint32 or uint64) with their payload (or None), stable; the spare arrays are as long."""
    n = keys.size
    if n <= _SMALL:
        _insert(keys, payload, n * n)
        return
    low, high = key_range(keys, PLAIN)
    if ascends(keys, PLAIN):
        return
    n_bits = _bit_length(high - low)
    leading = min(n_bits, _bit_length(np.uint64(n)) + _SPARE_BITS)
    _by_digits(keys, payload, low, n_bits - leading, leading, spare_keys, spare_payload)
    if leading < n_bits and not _insert(keys, payload, n * _MOVES):
        _by_digits(keys, payload, low, 0, n_bits, spare_keys, spare_payload)


@kernel
def _sort_buckets(keys, payload, edges, first, last, back):
    """Sort buckets first..last, and write keys as bits of form ``back``; bucket b is ``edges[b]:edges[b + 1]``."""
    largest = 0
    for b in range(first, last):
        largest = max(largest, edges[b + 1] - edges[b])
    spare_keys = np.empty(largest, keys.dtype)
    if payload is not None:
        spare_payload = np.empty(largest, payload.dtype)
    for b in range(first, last):
        start, stop = edges[b], edges[b + 1]
        size = stop - start
        if payload is not None:
            sort_bucket(keys[start:stop], payload[start:stop], spare_keys[:size], spare_payload[:size])
        else:
            sort_bucket(keys[start:stop], None, spare_keys[:size], None)
        convert(keys[start:stop], PLAIN, back, keys[start:stop])


@kernel
def _count_buckets(bits, form, low, shift, n_buckets):
    counts = np.zeros(n_buckets, np.int64)
    for i in range(bits.size):
        counts[(to_key(bits[i], form) - low) >> shift] += 1
    return counts


@kernel
def _scatter(bits, payload, form, low, shift, cursors, keys, to_payload):
    """Move keys and their payload to the buckets; cursors (in, out, int64) is the next place of each bucket."""
    for i in range(bits.size):
        key = to_key(bits[i], form)
        bucket = (key - low) >> shift
        at = cursors[bucket]
        cursors[bucket] = at + 1
        keys[at] = key
        if payload is not None:
            to_payload[at] = payload[i]


def range_of(bits: NDArray[Any], form: Form) -> tuple[int, int]:
    """Least and greatest key of an array that is not empty."""
    ends = threads.over_ranges(len(bits), lambda start, stop: key_range(bits[start:stop], form))
    return min(int(low) for low, _ in ends), max(int(high) for _, high in ends)


def is_sorted(bits: NDArray[Any], form: Form) -> bool:
    """Whether the keys ascend; finds soon that they do not if they are in no order."""
    return ascends(bits[:1000], form) and all(
        threads.over_ranges(len(bits), lambda start, stop: ascends(bits[max(start - 1, 0) : stop], form))
    )


def _partition(
    bits: NDArray[Any], payload: Any, form: Form, low: int, high: int, keys: NDArray[Any], to_payload: Any
) -> NDArray[np.int64]:
    """Scatter to buckets by the leading bits, stable; gives where each begins, and the end."""
    n_bits = (high - low).bit_length()
    shift = n_bits - min(n_bits, _MOST_BUCKET_BITS, max(1, (len(bits) // _BUCKET).bit_length()))
    n_buckets = ((high - low) >> shift) + 1
    words = np.uint64(low), np.uint64(shift)
    intervals = [slice(*interval) for interval in threads.ranges(len(bits))]
    counts = np.array(
        threads.over_items(intervals, lambda interval: _count_buckets(bits[interval], form, *words, n_buckets))
    )
    ends = np.cumsum(counts.T).reshape(n_buckets, len(intervals))  # by bucket, then by segment: stable
    cursors = np.ascontiguousarray(ends.T) - counts

    def scatter(i: int) -> None:
        part = None if payload is None else payload[intervals[i]]
        _scatter(bits[intervals[i]], part, form, *words, cursors[i], keys, to_payload)

    threads.over_items(range(len(intervals)), scatter)
    return np.concatenate(([0], ends[:, -1]))


def sort_into(bits: NDArray[Any], payload: Any, form: Form, back: Form, keys: NDArray[Any], to_payload: Any) -> None:
    """Sort numbers and their payload (or None) by key, stable.

    Parameters
    ----------
    bits : in, uint32 or uint64 (n,); numbers of form ``form``
    payload : in, uint32 or uint64 (n,), or None
    keys : out, as bits; numbers of form ``back``
    to_payload : out, as payload
    """
    n = len(bits)
    if n == 0 or is_sorted(bits, form):
        threads.over_ranges(n, lambda start, stop: convert(bits[start:stop], form, back, keys[start:stop]))
        if payload is not None:
            to_payload[:] = payload
        return
    edges = _partition(bits, payload, form, *range_of(bits, form), keys, to_payload)
    sizes = np.diff(edges)
    # a bucket that would keep one thread busy when the others are done is divided further
    bound = max(_BUCKET, n // (2 * threads.n_threads())) if threads.n_threads() > 1 else n
    large = np.flatnonzero(sizes > bound).tolist()
    for b in large:
        part = slice(edges[b], edges[b + 1])
        part_payload = None if payload is None else to_payload[part].copy()
        out_payload = None if payload is None else to_payload[part]
        sort_into(keys[part].copy(), part_payload, PLAIN, back, keys[part], out_payload)
    _sort_others(keys, to_payload, edges, large, back)


def _sort_others(keys: NDArray[Any], payload: Any, edges: NDArray[np.int64], large: list[int], back: Form) -> None:
    """Sort all buckets but the large ones, in tasks of several."""
    for before, end in pairwise([-1, *large, len(edges) - 1]):
        part = edges[before + 1 : end + 1]

        def sort(first: int, last: int, part: NDArray[np.int64] = part) -> None:
            _sort_buckets(keys, payload, part, first, last, back)

        threads.over_ranges(len(part) - 1, sort, 16, work=threads.SORT_STEPS * int(part[-1] - part[0]))
