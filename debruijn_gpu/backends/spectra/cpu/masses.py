"""Compute masses of subpeptides; see `SpectrumOperations`.

Work is cut into ranges of mass, so that what is written stays in the cache: counters, or masses that are to be sorted,
as 32 bits above the least of their range. In each, two fingers go up the prefix sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cpu.radix import sort_bucket
from debruijn_gpu.backends.arrays.cpu.select import compact, matches
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.spectra.protocol import Ladder, mass_ranges

Result = TypeVar("Result")

_COUNTERS = 1 << 15  # of a range: 256 KiB
_SORTED = 1 << 17  # masses of a range: 512 KiB, and as much to sort them
_PER_START = 4  # masses of a range for each prefix sum, at least, so that moving the fingers is a small part


@kernel
def _count_below(positions, n_starts, edges, counts):
    """Subpeptides that weigh less than each edge.

    Parameters
    ----------
    positions : in, int64 (m,)
    n_starts : int64; see `Ladder`
    edges : in, int64 (e,)
    counts : out, int64 (e,)
    """
    for e in range(edges.size):
        n_below, stop = 0, np.uint64(0)
        for i in range(n_starts):
            edge = positions[np.uint64(i)] + edges[e]
            while stop < np.uint64(positions.size) and positions[stop] < edge:
                stop += np.uint64(1)
            n_below += np.int64(stop) - i - 1
        counts[e] = n_below


def count_below(ladder: Ladder, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """See `SpectrumOperations.count_below`."""
    counts = np.empty(len(edges), np.int64)

    def count(start: int, stop: int) -> None:
        _count_below(ladder.positions, ladder.n_starts, edges[start:stop], counts[start:stop])

    threads.over_ranges(len(edges), count, 16, work=len(edges) * ladder.n_starts)
    return counts


@kernel
def _count(positions, n_starts, low, counts):
    """Count subpeptides of a range of masses.

    Parameters
    ----------
    positions : in, uint32 (m,)
    n_starts : int64; see `Ladder`
    low : uint64; the mass that is counted first
    counts : in and out, int64 (n,)
    """
    first, width = np.uint64(0), np.uint64(counts.size)
    for i in range(n_starts):
        least = np.uint64(positions[np.uint64(i)]) + low
        while first < np.uint64(positions.size) and positions[first] < least:
            first += np.uint64(1)
        j = first
        while j < np.uint64(positions.size) and positions[j] < least + width:
            counts[positions[j] - least] += 1
            j += np.uint64(1)


def present(counts: Array, low: int) -> tuple[Array, Array]:
    """The masses from ``low`` on whose counters are not 0, and these."""
    found, masses = compact(counts, matches(counts, "nonzero", 0))
    masses += low
    return masses, found


def count_masses(ladder: Ladder, low: int, high: int) -> tuple[Array, Array]:
    """See `SpectrumOperations.count_masses`."""
    counts = np.zeros(high - low, np.int64)
    positions = ladder.positions.astype(np.uint32)
    # several masses for each prefix sum, where these are sparse
    width = max(_COUNTERS, 2 * _PER_START * ladder.total // ladder.n_starts)
    n_ranges = -(-len(counts) // width)

    def count(first: int, last: int) -> None:
        for r in range(first, last):
            _count(positions, ladder.n_starts, np.uint64(low + r * width), counts[r * width : (r + 1) * width])

    threads.over_ranges(n_ranges, count, 16, work=max(ladder.n_starts**2, len(counts)))
    return present(counts, low)


@dataclass(frozen=True)
class _Ranges:
    """Masses of all subpeptides in ranges of mass, sorted.

    Attributes
    ----------
    edges, ends : ndarray, dtype=int64
        See `mass_ranges`.
    keys : ndarray, dtype=uint32 or uint64
        Mass less the edge of its range.
    n_distinct : ndarray, dtype=int64
        Of each range.
    """

    edges: NDArray[np.int64]
    ends: NDArray[np.int64]
    keys: NDArray[Any]
    n_distinct: NDArray[np.int64]


@kernel
def _write(positions, n_starts, low, high, keys):
    """Masses of subpeptides in a range, as the stopping points of two fingers.

    Parameters
    ----------
    positions : in, int64 (m,)
    n_starts : int64; see `Ladder`
    low, high : int64
    keys : out, uint32 or uint64 (n,), mass - low; n must be their number
    """
    first, at = np.uint64(0), np.uint64(0)
    for i in range(n_starts):
        least = positions[np.uint64(i)] + low
        end = positions[np.uint64(i)] + high
        while first < np.uint64(positions.size) and positions[first] < least:
            first += np.uint64(1)
        j = first
        while j < np.uint64(positions.size) and positions[j] < end:
            keys[at] = positions[j] - least
            at += np.uint64(1)
            j += np.uint64(1)


@kernel
def _sort_ranges(positions, n_starts, edges, ends, first, last, keys, n_distinct):
    """Write and sort ranges first..last - 1; the arrays as in `_Ranges`, keys and n_distinct are written."""
    largest = 0
    for r in range(first, last):
        largest = max(largest, ends[r + 1] - ends[r])
    spare = np.empty(largest, keys.dtype)
    for r in range(first, last):
        own = keys[ends[r] : ends[r + 1]]
        n_distinct[r] = 0
        if own.size:
            _write(positions, n_starts, edges[r], edges[r + 1], own)
            sort_bucket(own, None, spare[: own.size], None)
            n_changes = 1
            for i in range(own.size - 1):
                n_changes += own[i] != own[i + 1]
            n_distinct[r] = n_changes


def _sorted_ranges(ladder: Ladder, low: int, high: int) -> _Ranges:
    capacity = max(_SORTED, _PER_START * ladder.n_starts)
    edges, ends = mass_ranges(lambda edges: count_below(ladder, edges), low, high, capacity)
    keys = np.empty(ends[-1], np.uint32 if np.diff(edges).max() <= 1 << 32 else np.uint64)
    n_distinct = np.empty(len(edges) - 1, np.int64)

    def sort(first: int, last: int) -> None:
        _sort_ranges(ladder.positions, ladder.n_starts, edges, ends, first, last, keys, n_distinct)

    threads.over_ranges(len(n_distinct), sort, 16, work=len(keys))
    return _Ranges(edges, ends, keys, n_distinct)


@kernel
def _write_runs(keys, low, at, total, masses, counts):
    """Distinct masses of a range and how often each occurs, and their complements (total - mass).

    Parameters
    ----------
    keys : in, uint32 or uint64 (n,), sorted
    low : int64; mass = key + low
    at : int64; where the first goes
    total : int64; mass of the peptide, if complements are written to the other end, otherwise 0
    masses, counts : out, int64
    """
    start, n, end = 0, keys.size, masses.size - 1
    for i in range(1, n + 1):
        if i < n and keys[np.uint64(i)] == keys[np.uint64(i - 1)]:
            continue
        mass = np.int64(keys[np.uint64(start)]) + low
        masses[np.uint64(at)] = mass
        counts[np.uint64(at)] = i - start
        if total:
            masses[np.uint64(end - at)] = total - mass
            counts[np.uint64(end - at)] = i - start
        at += 1
        start = i


@kernel
def _write_ranges(edges, ends, keys, places, first, last, total, masses, counts):
    """`_write_runs` of ranges first..last - 1, range r from places[r] (int64) on; see `_Ranges`."""
    for r in range(first, last):
        _write_runs(keys[ends[r] : ends[r + 1]], edges[r], places[r], total, masses, counts)


def _write_all(ranges: _Ranges, places: NDArray[np.int64], total: int, masses: Array, counts: Array) -> None:
    def write(first: int, last: int) -> None:
        _write_ranges(ranges.edges, ranges.ends, ranges.keys, places, first, last, total, masses, counts)

    threads.over_ranges(len(ranges.n_distinct), write, 16, work=len(ranges.keys))


def sort_masses(ladder: Ladder, low: int, high: int) -> tuple[Array, Array]:
    """See `SpectrumOperations.sort_masses`."""
    ranges = _sorted_ranges(ladder, low, high)
    places = np.concatenate(([0], np.cumsum(ranges.n_distinct)))
    masses, counts = np.empty(places[-1], np.int64), np.empty(places[-1], np.int64)
    _write_all(ranges, places, 0, masses, counts)
    return masses, counts


def _empty_spectrum(n: int, has_middle: bool, ladder: Ladder) -> tuple[Array, Array]:
    """Room for n masses that were found and what `complete_spectrum` adds; the ends are there."""
    size = 2 * (n + 1) - has_middle if ladder.is_cyclic else n + 2
    masses, counts = np.empty(size, np.int64), np.empty(size, np.int64)
    masses[0], masses[-1] = 0, ladder.total
    counts[0] = counts[-1] = 1
    return masses, counts


def sort_spectrum(ladder: Ladder) -> tuple[Array, Array]:
    """See `SpectrumOperations.sort_spectrum`; no array holds one half alone."""
    ranges = _sorted_ranges(ladder, 1, ladder.last + 1)
    places = np.concatenate(([0], np.cumsum(ranges.n_distinct))) + 1
    masses, counts = _empty_spectrum(int(places[-1]) - 1, _has_middle(ranges, ladder), ladder)
    _write_all(ranges, places, ladder.total if ladder.is_cyclic else 0, masses, counts)
    return masses, counts


def _has_middle(ranges: _Ranges, ladder: Ladder) -> bool:
    """Whether a mass is half of the total."""
    if not len(ranges.keys):
        return False
    r = np.flatnonzero(ranges.n_distinct)[-1]
    return 2 * (int(ranges.edges[r]) + int(ranges.keys[-1])) == ladder.total


def complete_spectrum(masses: Array, counts: Array, ladder: Ladder) -> tuple[Array, Array]:
    """See `SpectrumOperations.complete_spectrum`."""
    n = len(masses)
    has_middle = n > 0 and 2 * int(masses[-1]) == ladder.total
    all_masses, all_counts = _empty_spectrum(n, has_middle, ladder)
    all_masses[1 : n + 1], all_counts[1 : n + 1] = masses, counts
    if ladder.is_cyclic:
        all_masses[n + 1 - has_middle :] = ladder.total - all_masses[n::-1]
        all_counts[n + 1 - has_middle :] = all_counts[n::-1]
    return all_masses, all_counts
