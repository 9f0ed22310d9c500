"""Compute histograms, and count integers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import as_bits, sign_of
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    SHARED_BYTES,
    SIMULATED,
    contiguous,
    cuda,
    device_function,
    kernel,
    launch,
    to_device,
    to_host,
    uint32,
    xp,
)
from debruijn_gpu.run.tuning import tuning

_MOST_COPIES = 8
_BLOCK = 8 if SIMULATED else 512
_EXACT_IN_FLOAT = 1 << 53


@kernel
def _count_in_shared(bits, sign, low, n, n_copies, counts):
    """Count integers in counters of the block, then add these to all. One thread per element, four at once; threads of
    different lanes use different copies, so that equal neighbours do not wait for each other.

    Parameters
    ----------
    bits : in, uint32 or uint64 (m,)
    sign, low : uint64; key = bits ^ sign, and the key that counter 0 counts
    n : int64; counters, without the last one, which counts the other values
    n_copies : int64, a power of two
    counts : in and out, uint64 (n + 1,)

    Dynamic shared memory: uint32 (n_copies * (n + 1),).
    """
    own = cuda.shared.array(0, uint32)
    thread = cuda.threadIdx.x
    for c in range(thread, n_copies * (n + 1), cuda.blockDim.x):
        own[c] = 0
    cuda.syncthreads()
    others = np.uint64(n)
    copy = np.uint64((thread & (n_copies - 1)) * (n + 1))
    stride = cuda.gridsize(1)
    i = cuda.grid(1)
    while i + 3 * stride < bits.size:
        v0 = (np.uint64(bits[i]) ^ sign) - low
        v1 = (np.uint64(bits[i + stride]) ^ sign) - low
        v2 = (np.uint64(bits[i + 2 * stride]) ^ sign) - low
        v3 = (np.uint64(bits[i + 3 * stride]) ^ sign) - low
        cuda.atomic.add(own, copy + min(v0, others), np.uint32(1))
        cuda.atomic.add(own, copy + min(v1, others), np.uint32(1))
        cuda.atomic.add(own, copy + min(v2, others), np.uint32(1))
        cuda.atomic.add(own, copy + min(v3, others), np.uint32(1))
        i += 4 * stride
    while i < bits.size:
        cuda.atomic.add(own, copy + min((np.uint64(bits[i]) ^ sign) - low, others), np.uint32(1))
        i += stride
    cuda.syncthreads()
    for c in range(thread, n + 1, cuda.blockDim.x):
        total = np.uint64(0)
        for k in range(n_copies):
            total += np.uint64(own[k * (n + 1) + c])
        if total:
            cuda.atomic.add(counts, c, total)


@kernel
def _count_in_global(bits, sign, low, n, counts):
    """Count integers. One thread per element.

    Parameters
    ----------
    bits : in, uint32 or uint64 (m,)
    sign, low : uint64; key = bits ^ sign, and the key that counter 0 counts
    n : uint64; counters, without the last one, which counts the other values
    counts : in and out, uint64 (n + 1,)
    """
    for i in range(cuda.grid(1), bits.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, min((np.uint64(bits[i]) ^ sign) - low, n), np.uint64(1))


def count_keys(values: Array, low: int, n: int) -> Array:
    """How often (int64) each of n keys (see `keys.min_max`) from low on occurs in integers, and at the end how many
    other values there are."""
    bits = as_bits(values)
    counts = xp.zeros(n + 1, np.uint64)
    scalars = (sign_of(values.dtype), np.uint64(low % (1 << 64)))
    if n <= tuning().shared_counts:
        copies = _MOST_COPIES
        while copies > 1 and copies * (n + 1) * 4 > SHARED_BYTES:
            copies //= 2
        size = copies * (n + 1) * 4
        arguments = (bits, *scalars, np.int64(n), np.int64(copies), counts)
        launch(_count_in_shared, bits.size, *arguments, per_block=4 * _BLOCK, block=_BLOCK, shared=size)
    else:
        launch(_count_in_global, bits.size, bits, *scalars, np.uint64(n), counts)
    return counts.view(np.int64)


def _count_range(values: Array, first: int, n: int) -> Array:
    """`count_keys` of integers from ``first`` on."""
    return count_keys(values, first + int(sign_of(values.dtype)), n)


@guarded
def count_integers(values: Array, n: int) -> Array:
    """See `ArrayOperations.count_integers`."""
    if values.dtype.kind not in "iu":
        raise TypeError(f"integers are needed, not {values.dtype}")
    counts = _count_range(values, 0, n)
    n_outside = int(counts[-1])
    if n_outside:
        raise ValueError(f"{n_outside} values are not in 0..{n - 1}")
    return counts[:-1]


@device_function
def _bin(value, edges, n_bins, scale):
    """Bin of a value, ``n_bins`` if it is in none: by division, then by the edges next to it, as numpy.histogram."""
    low = edges[0]
    if not (value >= low and value <= edges[n_bins]):
        return n_bins
    at = min(np.int64((value - low) * scale), n_bins - 1)
    if value < edges[at]:
        at -= 1
    elif value >= edges[at + 1] and at != n_bins - 1:
        at += 1
    return at


@kernel
def _count_bins(values, edges, scale, counts):
    """Count values in bins. One thread per element.

    Parameters
    ----------
    values : in, any (m,)
    edges : in, float64 (n_bins + 1,), ascending
    scale : float64; bins for each unit
    counts : in and out, uint64 (n_bins + 1,); the last counts values in no bin
    """
    n_bins = edges.size - 1
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, _bin(np.float64(values[i]), edges, n_bins, scale), np.uint64(1))


@kernel
def _count_bins_in_shared(values, edges, scale, counts):
    """As `_count_bins`, with counters of the block that are added to all in the end.

    Dynamic shared memory: uint32 (n_bins + 1,).
    """
    own = cuda.shared.array(0, uint32)
    n_bins = edges.size - 1
    for c in range(cuda.threadIdx.x, n_bins + 1, cuda.blockDim.x):
        own[c] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(own, _bin(np.float64(values[i]), edges, n_bins, scale), np.uint32(1))
    cuda.syncthreads()
    for c in range(cuda.threadIdx.x, n_bins + 1, cuda.blockDim.x):
        if own[c]:
            cuda.atomic.add(counts, c, np.uint64(own[c]))


def _histogram_of_counts(values: Array, edges: Any, first: int, n: int) -> Array:
    """Histogram of integers by way of how often each of first..first + n - 1 occurs."""
    counts = to_host(_count_range(values, first, n))[:-1]
    bins = np.searchsorted(edges, np.arange(first, first + n), side="right") - 1
    binned = np.zeros(edges.size - 1, np.int64)
    np.add.at(binned, np.minimum(bins, binned.size - 1), counts)
    return to_device(binned)


@guarded
def histogram(values: Array, low: float, high: float, n_bins: int) -> Array:
    """See `ArrayOperations.histogram`: integers in a small range are counted one by one, others by their bins."""
    edges = np.histogram_bin_edges(np.empty(0, values.dtype), bins=n_bins, range=(low, high)).astype(np.float64)
    if values.dtype.kind in "iu":
        limits = np.iinfo(values.dtype)
        first, last = max(math.ceil(edges[0]), limits.min), min(math.floor(edges[-1]), limits.max)
        if last - first < tuning().shared_counts and max(abs(first), abs(last)) < _EXACT_IN_FLOAT:
            return _histogram_of_counts(values, edges, first, max(0, last - first + 1))
    counts = xp.zeros(n_bins + 1, np.uint64)
    arguments = (contiguous(values), to_device(edges), np.float64(n_bins / (edges[-1] - edges[0])), counts)
    if n_bins <= tuning().shared_counts:
        size = (n_bins + 1) * 4
        launch(_count_bins_in_shared, values.size, *arguments, per_block=4 * _BLOCK, block=_BLOCK, shared=size)
    else:
        launch(_count_bins, values.size, *arguments)
    return counts.view(np.int64)[:-1]
