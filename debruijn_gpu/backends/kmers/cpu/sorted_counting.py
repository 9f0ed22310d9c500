"""Count the k-mers of small inputs by one sort: scatter by leading bits, sort each bucket in the cache, count runs.

A genome holds nearly every k-mer once, so that hash tables would find next to nothing twice. K-mers are rolled twice
instead, to count them and to write them, and memory is touched for one code per k-mer only.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Codes, Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.scalars import base_at
from debruijn_gpu.backends.core.cpu.threads import SORT_STEPS, over_ranges
from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.run.parallel import ordered_map

_BUCKET = 1 << 10  # k-mers aimed at in a bucket: with as much scratch, they stay in the L1 cache
_MOST_BITS = 14  # of buckets: each is written to through a cache line
_CELL_BITS = 8  # by which the k-mers of a bucket are split once more
_FEW, _MANY = 24, 1 << 15  # k-mers of a bucket that are split: fewer are sorted at once, more leave the cache
_SMALL = 24  # insertion sort up to here
_DENSE = 1 << 16  # counts below this have a cell in the histogram
_WASTE = 8  # arrays with less than an eighth unused are not copied
_MAX_COUNT = (1 << 32) - 1
_ONE, _TWO, _THREE = (np.uint64(i) for i in (1, 2, 3))


@lean_kernel
def _place_segment(bases, start, stop, k, canonical, shift, cursors, codes):
    """Place the k-mers of bases start..stop, all of them A, C, G or T; see `_place_kmers`."""
    mask = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - 2 * k)
    top = np.uint64(2 * (k - 1))
    forward = reverse = np.uint64(0)
    for p in range(start, start + k - 1):
        base = base_at(bases, p)
        forward = (forward << _TWO) | base
        reverse = (reverse >> _TWO) | ((_THREE - base) << top)
    for p in range(start + k - 1, stop):
        base = base_at(bases, p)
        forward = ((forward << _TWO) | base) & mask
        reverse = (reverse >> _TWO) | ((_THREE - base) << top)
        kmer = min(forward, reverse) if canonical else forward
        bucket = kmer >> shift
        at = cursors[bucket]
        cursors[bucket] = at + _ONE
        if codes.size:  # predicted without fail
            codes[at] = kmer


@lean_kernel
def _place_kmers(bases, offsets, ambiguous_positions, k, canonical, shift, cursors, codes):
    """Write the k-mers of reads to their buckets, or count those of each bucket.

    Parameters
    ----------
    bases, offsets, ambiguous_positions : in, as in `ReadBatch`
    k : int64; at most 32
    canonical : bool
    shift : uint64; the bits of a code above it are its bucket
    cursors : in and out, uint64 (n_buckets,); place of the next k-mer of each bucket
    codes : out, uint64 (n,); empty: the k-mers are only counted
    """
    i_ambiguous = 0
    for read in range(offsets.size - 1):
        start = offsets[read]
        while start < offsets[read + 1]:
            stop = offsets[read + 1]
            while i_ambiguous < ambiguous_positions.size and ambiguous_positions[i_ambiguous] < start:
                i_ambiguous += 1
            if i_ambiguous < ambiguous_positions.size:
                stop = min(stop, ambiguous_positions[i_ambiguous])
            if stop - start >= k:
                _place_segment(bases, start, stop, k, canonical, shift, cursors, codes)
            start = stop + 1


@lean_kernel
def _insert(codes, start, at, code):
    """Insert a code into the sorted codes start..at."""
    while at > start and codes[at - _ONE] > code:
        codes[at] = codes[at - _ONE]
        at -= _ONE
    codes[at] = code


@kernel
def _quicksort(codes, first, last):
    """Sort codes first..last (Hoare 1962), the smaller part first: the stack stays below 64."""
    stack = np.empty((64, 2), np.int64)
    depth, start, stop = 0, np.int64(first), np.int64(last)
    while True:
        if stop - start <= _SMALL:
            for i in range(start, stop):
                _insert(codes, np.uint64(start), np.uint64(i), codes[i])
            if depth == 0:
                return
            depth -= 1
            start, stop = stack[depth, 0], stack[depth, 1]
            continue
        a, b, c = codes[start], codes[(start + stop) // 2], codes[stop - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = start, stop - 1
        while i <= j:
            while codes[i] < pivot:
                i += 1
            while pivot < codes[j]:
                j -= 1
            if i <= j:
                codes[i], codes[j] = codes[j], codes[i]
                i += 1
                j -= 1
        if j + 1 - start < stop - i:
            stack[depth, 0], stack[depth, 1] = i, stop
            stop = j + 1
        else:
            stack[depth, 0], stack[depth, 1] = start, j + 1
            start = i
        depth += 1


@kernel
def _split_bucket(codes, start, stop, shift, cells, spare):
    """Sort codes start..stop (uint64) by their `_CELL_BITS` bits above ``shift``, and then each cell.

    ``cells`` (uint64, 2 ** _CELL_BITS + 1) and ``spare`` (as codes) are scratch.
    """
    mask = np.uint64((1 << _CELL_BITS) - 1)
    for cell in range(cells.size):
        cells[cell] = 0
    for i in range(start, stop):
        cells[((codes[i] >> shift) & mask) + _ONE] += _ONE
    for cell in range(1, cells.size):
        cells[cell] += cells[cell - 1]
    for i in range(start, stop):
        cell = (codes[i] >> shift) & mask
        spare[cells[cell]] = codes[i]
        cells[cell] += _ONE
    begin = np.uint64(0)
    for cell in range(cells.size - 1):
        end = cells[cell]
        if end - begin <= np.uint64(_SMALL):
            for i in range(begin, end):
                _insert(codes, start + begin, start + np.uint64(i), spare[np.uint64(i)])
        else:
            for i in range(begin, end):
                codes[start + np.uint64(i)] = spare[np.uint64(i)]
            _quicksort(codes, start + begin, start + end)
        begin = end


@kernel
def _sort_buckets(codes, bucket_ptr, first, last, shift):
    """Sort the codes (in and out, uint64) of buckets first..last; ``shift`` (uint64) is that of `_split_bucket`."""
    cells, spare = np.empty((1 << _CELL_BITS) + 1, np.uint64), np.empty(_MANY, np.uint64)
    for bucket in range(first, last):
        start, stop = bucket_ptr[bucket], bucket_ptr[bucket + 1]
        if np.uint64(_FEW) < stop - start <= np.uint64(_MANY):
            _split_bucket(codes, start, stop, shift, cells, spare)
        else:
            _quicksort(codes, start, stop)


@lean_kernel
def _count_runs(codes, min_count, counts, histogram, large_counts):
    """Move the distinct codes that occur ``min_count`` (uint64) times or more to the front.

    Parameters
    ----------
    codes : in and out, uint64 (n,), ascending
    counts : out, uint32 (n,)
    histogram : in and out, int64; 65536, or more than n
    large_counts : out, uint32

    Returns
    -------
    uint64, uint64
        Number of these codes, number of large counts.
    """
    n = np.uint64(codes.size)
    n_out = n_large = i = np.uint64(0)
    while i < n:
        code, start = codes[i], i
        i += _ONE
        while i < n and codes[i] == code:
            i += _ONE
        count = min(i - start, np.uint64(_MAX_COUNT))
        if count < np.uint64(_DENSE):
            histogram[count] += 1
        else:
            large_counts[n_large] = count
            n_large += _ONE
        if count >= min_count:
            codes[n_out], counts[n_out] = code, count
            n_out += _ONE
    return n_out, n_large


class HeldReads:
    """Reads of few bases, whose k-mers are counted at once.

    Parameters
    ----------
    batches : list of (ReadBatch, Longs)
        Batches, each with the offsets of its reads.
    k : int
        At most 32.
    canonical : bool
    threads : int
    """

    def __init__(self, batches: list[tuple[ReadBatch, Longs]], k: int, canonical: bool, threads: int) -> None:
        self._batches, self._k, self._canonical, self._threads = batches, k, canonical, threads
        n_bases = sum(batch.n_bases for batch, _ in batches)
        bits = max(1, min(_MOST_BITS, 2 * k, (n_bases // _BUCKET).bit_length()))
        self._shift = np.uint64(2 * k - bits)
        self._sizes = np.zeros((len(batches), 1 << bits), np.uint64)
        self._place(self._sizes, np.empty(0, np.uint64))
        self.n_kmers = int(self._sizes.sum())

    def count(self, min_count: int) -> CountedKmers:
        """Count the k-mers; those that occur ``min_count`` times or more ascend."""
        codes = self._sorted()
        counts = np.empty(len(codes), np.uint32)  # untouched pages cost nothing
        histogram = np.zeros(min(_DENSE, len(codes) + 1), np.int64)
        large_counts = np.empty(len(codes) // _DENSE + 1, np.uint32)
        n, n_large = map(int, _count_runs(codes, np.uint64(min_count), counts, histogram, large_counts))
        found, counts = codes[:n], counts[:n]
        if (len(codes) - n) * _WASTE > len(codes):
            found, counts = found.copy(), counts.copy()
        return CountedKmers(found.reshape(1, -1), counts, histogram, large_counts[:n_large].copy(), is_sorted=True)

    def _sorted(self) -> Codes:
        """All k-mers, ascending."""
        bucket_ptr = np.zeros(self._sizes.shape[1] + 1, np.uint64)
        np.cumsum(self._sizes.sum(axis=0), out=bucket_ptr[1:])
        codes: Codes = np.empty(self.n_kmers, np.uint64)
        if self.n_kmers:
            self._place(bucket_ptr[:-1] + np.cumsum(self._sizes, axis=0) - self._sizes, codes)
        below = np.uint64(max(0, int(self._shift) - _CELL_BITS))
        over_ranges(
            len(bucket_ptr) - 1,
            lambda first, last: _sort_buckets(codes, bucket_ptr, first, last, below),
            work=SORT_STEPS * len(codes),
        )
        return codes

    def _place(self, cursors: Codes, codes: Codes) -> None:
        """Write the k-mers from the cursors (n_batches, n_buckets) of each batch on; see `_place_kmers`."""

        def place(i: int) -> None:
            batch, offsets = self._batches[i]
            reads = batch.bases, offsets, batch.ambiguous_positions
            _place_kmers(*reads, self._k, self._canonical, self._shift, cursors[i], codes)

        for _ in ordered_map(place, range(len(self._batches)), self._threads):
            pass
