"""Compute masses of subpeptides; see `SpectrumOperations`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.arrays.cuda.select import compact, matches, run_lengths
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.blocks import block_sum
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    SHARED_BYTES,
    SIMULATED,
    cuda,
    kernel,
    launch,
    to_device,
    to_host,
    uint32,
    uint64,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import lower_bound
from debruijn_gpu.backends.spectra.protocol import Ladder

_COUNTERS = 32 if SIMULATED else SHARED_BYTES // 4  # of a block
_COUNT_BLOCK = 4 if SIMULATED else 512  # threads of it: four blocks fill a multiprocessor
_PARTS = 4 if SIMULATED else 4096  # blocks that are wanted at least
_PER_START = 8  # masses that a block counts for each prefix sum, below which counters in memory are better


@kernel
def _count_below(positions, n_starts, edges, counts):
    """Subpeptides that weigh less than each edge. One block per edge.

    Parameters
    ----------
    positions : in, int64 (m,)
    n_starts : int64; see `Ladder`
    edges : in, int64 (e,)
    counts : out, uint64 (e,)
    """
    partial = cuda.shared.array(BLOCK, uint64)
    thread = cuda.threadIdx.x
    for e in range(cuda.blockIdx.x, edges.size, cuda.gridDim.x):
        n_below = np.uint64(0)
        for i in range(thread, n_starts, BLOCK):
            n_below += np.uint64(
                lower_bound(positions, positions[i] + edges[e], np.int64(i), np.int64(positions.size)) - i - 1
            )
        n_below = block_sum(partial, thread, n_below)
        if thread == 0:
            counts[e] = n_below


@guarded
def count_below(ladder: Ladder, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """See `SpectrumOperations.count_below`."""
    counts = xp.empty(edges.size, np.uint64)
    launch(
        _count_below,
        edges.size,
        ladder.positions,
        np.int64(ladder.n_starts),
        to_device(edges),
        counts,
        per_block=1,
    )
    found: NDArray[np.int64] = to_host(counts).view(np.int64)
    return found


@kernel
def _count_in_shared(positions, n_starts, low, n_chunks, counts):
    """Count subpeptides in counters of the block, then add these to all. One block for a range of ``_COUNTERS`` masses
    and a chunk of the starts, one thread per start: neighbours read neighbouring prefix sums.

    Parameters
    ----------
    positions : in, int64 (m,)
    n_starts : int64; see `Ladder`
    low : int64; the mass that is counted first
    n_chunks : int64
    counts : in and out, uint64 (n,)
    """
    own = cuda.shared.array(_COUNTERS, uint32)
    thread = cuda.threadIdx.x
    n_ranges = (counts.size + _COUNTERS - 1) // _COUNTERS
    per_chunk = (n_starts + n_chunks - 1) // n_chunks
    for part in range(cuda.blockIdx.x, n_ranges * n_chunks, cuda.gridDim.x):
        begin = part // n_chunks * _COUNTERS
        chunk = part % n_chunks
        for c in range(thread, _COUNTERS, cuda.blockDim.x):
            own[c] = np.uint32(0)
        cuda.syncthreads()
        width = min(_COUNTERS, counts.size - begin)
        for i in range(chunk * per_chunk + thread, min(n_starts, (chunk + 1) * per_chunk), cuda.blockDim.x):
            least = positions[i] + low + begin
            end = least + width
            j = lower_bound(positions, least, np.int64(i), np.int64(positions.size))
            while j < positions.size and positions[j] < end:
                cuda.atomic.add(own, positions[j] - least, np.uint32(1))
                j += np.int64(1)
        cuda.syncthreads()
        for c in range(thread, width, cuda.blockDim.x):
            if own[c]:
                cuda.atomic.add(counts, begin + c, np.uint64(own[c]))
        cuda.syncthreads()


@kernel
def _count_in_memory(positions, n_starts, low, counts):
    """Count subpeptides. 32 threads per start; arrays as in `_count_in_shared`."""
    for slot in range(cuda.grid(1), n_starts * 32, cuda.gridsize(1)):
        i = slot >> 5
        least = positions[i] + low
        end = least + counts.size
        j = lower_bound(positions, least, np.int64(i), np.int64(positions.size)) + np.int64(slot & 31)
        while j < positions.size and positions[j] < end:
            cuda.atomic.add(counts, positions[j] - least, np.uint64(1))
            j += np.int64(32)


@kernel
def _add(numbers, summand, sums):
    """One thread per number.

    Parameters
    ----------
    numbers : in, int64, uint32 or uint64 (n,)
    summand : int64
    sums : out, int64 (n,)
    """
    for i in range(cuda.grid(1), numbers.size, cuda.gridsize(1)):
        sums[i] = np.int64(numbers[i]) + summand


def _above(low: int, keys: Array) -> Array:
    """Masses (int64) from what they are above the least."""
    masses = xp.empty(keys.size, np.int64)
    launch(_add, keys.size, keys, np.int64(low), masses)
    return masses


def present(counts: Array, low: int) -> tuple[Array, Array]:
    """The masses from ``low`` on whose counters are not 0, and these."""
    found, places = compact(counts, matches(counts, "nonzero", 0))
    return _above(low, places), found


@guarded
def count_masses(ladder: Ladder, low: int, high: int) -> tuple[Array, Array]:
    """See `SpectrumOperations.count_masses`."""
    counts = xp.zeros(high - low, np.uint64)
    arguments = (ladder.positions, np.int64(ladder.n_starts), np.int64(low))
    if _PER_START * ladder.total <= _COUNTERS * ladder.n_starts:
        n_ranges = max(1, -(-counts.size // _COUNTERS))
        n_chunks = max(1, min(_PARTS // n_ranges + 1, ladder.n_starts // _COUNT_BLOCK))
        n_parts = n_ranges * n_chunks if counts.size else 0
        launch(_count_in_shared, n_parts, *arguments, np.int64(n_chunks), counts, per_block=1, block=_COUNT_BLOCK)
    else:
        launch(_count_in_memory, 32 * ladder.n_starts if counts.size else 0, *arguments, counts)
    return present(counts.view(np.int64), low)


@kernel
def _find_rows(positions, low, high, firsts, sizes):
    """Subpeptides in a range of masses. One thread per start.

    Parameters
    ----------
    positions : in, int64 (m,)
    low, high : int64
    firsts : out, int64 (n_starts,); the first place at which one ends
    sizes : out, int64 (n_starts,); how many there are
    """
    for i in range(cuda.grid(1), firsts.size, cuda.gridsize(1)):
        first = lower_bound(positions, positions[i] + low, np.int64(i), np.int64(positions.size))
        firsts[i] = first
        sizes[i] = lower_bound(positions, positions[i] + high, np.int64(first), np.int64(positions.size)) - first


@kernel
def _write(positions, low, firsts, offsets, keys):
    """Masses of subpeptides. 32 threads per start.

    Parameters
    ----------
    positions : in, int64 (m,)
    low : int64; key = mass - low
    firsts : in, int64 (n_starts,); see `_find_rows`
    offsets : in, int64 (n_starts + 1,); where the keys of each start go
    keys : out, uint32 or uint64 (n,)
    """
    for slot in range(cuda.grid(1), firsts.size * 32, cuda.gridsize(1)):
        i = slot >> 5
        least = positions[i] + low
        first = firsts[i] - offsets[i]
        for at in range(offsets[i] + (slot & 31), offsets[i + 1], 32):
            keys[at] = positions[first + at] - least


def _masses_in_any_order(ladder: Ladder, low: int, high: int) -> Array:
    """Mass less ``low`` of each subpeptide in a range."""
    firsts, sizes = xp.empty(ladder.n_starts, np.int64), xp.empty(ladder.n_starts, np.int64)
    launch(_find_rows, ladder.n_starts, ladder.positions, np.int64(low), np.int64(high), firsts, sizes)
    offsets = exclusive_scan(sizes)
    dtype: Any = np.uint32 if high - low <= 1 << 32 else np.uint64
    keys = xp.empty(int(offsets[-1]), dtype)
    launch(_write, 32 * ladder.n_starts if keys.size else 0, ladder.positions, np.int64(low), firsts, offsets, keys)
    return keys


@guarded
def sort_masses(ladder: Ladder, low: int, high: int) -> tuple[Array, Array]:
    """See `SpectrumOperations.sort_masses`."""
    keys = _masses_in_any_order(ladder, low, high)
    keys.sort()
    found, counts = run_lengths(keys)
    return _above(low, found), counts


@guarded
def sort_spectrum(ladder: Ladder) -> tuple[Array, Array]:
    """See `SpectrumOperations.sort_spectrum`."""
    return complete_spectrum(*sort_masses(ladder, 1, ladder.last + 1), ladder)


@kernel
def _complete(masses, counts, total, all_masses, all_counts):
    """Write a mass spectrum with its ends and complements (total - mass). One thread per mass: the one as far from the
    other end has what it leaves of the total.

    Parameters
    ----------
    masses, counts : in, int64 (n,)
    total : int64
    all_masses, all_counts : out, int64
    """
    for i in range(cuda.grid(1), all_masses.size, cuda.gridsize(1)):
        is_complement = i > masses.size
        at = all_masses.size - 1 - i if is_complement else i
        mass = np.int64(0)
        count = np.int64(1)
        if at:
            mass = masses[at - 1]
            count = counts[at - 1]
        all_masses[i] = total - mass if is_complement else mass
        all_counts[i] = count


@guarded
def complete_spectrum(masses: Array, counts: Array, ladder: Ladder) -> tuple[Array, Array]:
    """See `SpectrumOperations.complete_spectrum`."""
    n = masses.size
    has_middle = n > 0 and 2 * int(masses[-1]) == ladder.total
    size = 2 * (n + 1) - has_middle if ladder.is_cyclic else n + 2
    all_masses, all_counts = xp.empty(size, np.int64), xp.empty(size, np.int64)
    launch(_complete, size, masses, counts, np.int64(ladder.total), all_masses, all_counts)
    return all_masses, all_counts
