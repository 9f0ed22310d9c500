"""Count the k-mers of reads in parts that fit the memory of the device.

Reads stay as they are, packed; the k-mers of a part are extracted when it is counted. A part is a range of codes: a run
of bins, which are the leading bits of a code. Every part is extracted by a pass over all reads that leaves the k-mers
of other bins out. What does not fit although it is one bin, such as poly-A, is counted in runs, and these are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.masks import Selection, selection_of
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda import devices, memory
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import free_pool_blocks, to_host, xp
from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.backends.kmers.cuda.counting import Counted, Tally, count_runs, counting_bytes, merged
from debruijn_gpu.backends.kmers.cuda.extraction import KmerKind, add_to_bins, extract, keep_bins
from debruijn_gpu.backends.kmers.cuda.grouping import in_groups
from debruijn_gpu.backends.kmers.cuda.starts import Sample, batch_bytes, kmer_starts
from debruijn_gpu.backends.reads.cuda.stores import ReadStore, read_store
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuning

Result = TypeVar("Result")

ALL_AT_ONCE = 0.9  # of the memory that is left, for counting in one part
SHARE = 0.4  # the same for one of several parts: what the others keep needs room too
MOST_PARTS = 256  # about; each is a pass over all reads
_STARTS_SHARE = 0.01  # of the memory budget, for bits that say where k-mers begin
_STARTS_BYTES = 0.16  # of these for each base
_MOST_TRIES = 4  # with runs half as long each: what is kept may be too much, and that does not change


@dataclass(frozen=True)
class Part:
    """Bins low..high-1 with n k-mers."""

    low: int
    high: int
    n: int


def capacity(kind: KmerKind, share: float, reserved_bytes: int) -> int:
    """Compute how many k-mers fit into a share of the free memory."""
    return max(1, int((memory.left() - reserved_bytes) * share) // counting_bytes(kind.n_words))


class KmerStore:
    """See `kmers.protocol.KmerStore`.

    Parameters
    ----------
    kind : KmerKind
    sample : Sample or None
        The k-mers to take; None: all.
    run : RunOptions
    """

    def __init__(self, kind: KmerKind, sample: Sample | None, run: RunOptions) -> None:
        self._kind = kind
        self._sample = sample
        self._run = run
        self._reads: ReadStore | None = None
        self._owns_reads = False
        self._n_bases: list[int] = []  # of each batch
        self._batch_bytes = 0  # what a batch takes on the device, at most
        self._parts: list[Part] = []
        self._starts: list[Selection] = []  # of each batch, or of none
        self._starts_fit = True
        self.n_reads = self.n_bases = self.n_kmers = 0

    @property
    def n_parts(self) -> int:
        return len(self._parts)

    def fill(self, batches: Iterable[ReadBatch]) -> None:
        """Keep the reads, unless they are kept already; count how many k-mers they have."""
        if isinstance(batches, ReadStore):
            self._reads = batches
            for batch in batches:
                self._measure(batch)
        else:
            self._owns_reads = True
            self._reads = read_store(map(self._measure, batches), self._run)
        self._parts = self._plan()

    @guarded
    def _measure(self, batch: ReadBatch) -> ReadBatch:
        n_bases = batch.n_bases
        self._n_bases.append(n_bases)
        self._batch_bytes = max(self._batch_bytes, batch.nbytes + batch_bytes(batch))
        self.n_reads += batch.n_reads
        self.n_bases += batch.n_new_bases
        starts = selection_of(kmer_starts(batch, n_bases, self._kind.k, self._sample))
        self.n_kmers += starts.total
        self._keep(starts)
        return batch

    def _keep(self, starts: Selection) -> None:
        """Keep where the k-mers of a batch begin, unless that takes too much for all."""
        self._starts_fit = self._starts_fit and _STARTS_BYTES * self.n_bases < memory.budget() * _STARTS_SHARE
        if self._starts_fit:
            self._starts.append(starts)
        else:
            self._starts.clear()

    def _batches(self) -> Iterator[tuple[ReadBatch, Array]]:
        """Each batch and where its k-mers begin."""
        assert self._reads is not None
        for batch, n_bases in zip(self._reads, self._n_bases, strict=True):
            yield batch, kmer_starts(batch, n_bases, self._kind.k, self._sample)

    def _plan(self) -> list[Part]:
        """All bins at once, if they fit, or else runs of them that do."""
        n_bins = 1 << self._kind.bin_bits
        if self.n_kmers <= capacity(self._kind, ALL_AT_ONCE, self._batch_bytes):
            return [Part(0, n_bins, self.n_kmers)]
        most = max(capacity(self._kind, SHARE, self._batch_bytes), self.n_kmers // MOST_PARTS)
        parts = in_parts(self._count_bins(n_bins), most)
        log.logger.info("the k-mers do not fit into GPU memory: counting them in %d parts", len(parts))
        return parts

    @guarded
    def _count_bins(self, n_bins: int) -> NDArray[np.int64]:
        """Count the k-mers of each bin."""
        bins = xp.zeros(n_bins, np.uint64)
        for batch, starts in self._batches():
            add_to_bins(batch, starts, self._kind, bins)
        counts: NDArray[np.int64] = to_host(bins.view(np.int64))
        return counts

    def counted(self, min_count: int, are_kept: bool = True) -> Iterator[CountedKmers]:
        """Count one part after another; those that are kept stay on the device, which checks its own memory."""
        for part in self._parts:
            tally, kept = self._count(part, min_count)
            histogram, large_counts = tally.on_host()
            yield CountedKmers(kept.codes, kept.counts, histogram, large_counts)

    def _count(self, part: Part, min_count: int) -> tuple[Tally, Counted]:
        """Count a part at once, if it fits, or else in runs: these get shorter where memory does not suffice."""
        n_fitting = capacity(self._kind, ALL_AT_ONCE, self._batch_bytes)
        length = part.n if part.n <= n_fitting else max(n_fitting // 2, tuning().shortest_kmer_run)
        return in_shorter_runs(lambda n: self._count_in_runs(part, n, min_count), length, part.n, free_pool_blocks)

    def _count_in_runs(self, part: Part, length: int, min_count: int) -> tuple[Tally, Counted]:
        return count_kmers(self._runs(part, length), self._kind, part.n, part.n <= length, min_count)

    def _runs(self, part: Part, length: int) -> Iterator[Array]:
        """The k-mers of a part, at most ``length`` at once, in memory that may be overwritten: k-mer i at i * words."""
        n_words = self._kind.n_words
        kmers = xp.empty(min(length, part.n) * n_words, np.uint64)
        n = 0
        for batch, selection in self._selected(part):
            first = 0
            while first < selection.total:
                taken = min(selection.total - first, length - n)
                extract(batch, selection, self._kind, first, taken, kmers, n)
                n, first = n + taken, first + taken
                if n == length:
                    yield kmers
                    n = 0
        if n:
            yield kmers[: n * n_words]

    def _selected(self, part: Part) -> Iterator[tuple[ReadBatch, Selection]]:
        """Each batch and where the k-mers of a part begin in it."""
        is_whole = part.low == 0 and part.high == 1 << self._kind.bin_bits
        if is_whole and self._starts:
            assert self._reads is not None
            yield from zip(self._reads, self._starts, strict=True)
            return
        self._starts.clear()
        for batch, starts in self._batches():
            if not is_whole:
                keep_bins(batch, starts, self._kind, part.low, part.high)
            yield batch, selection_of(starts)

    def close(self) -> None:
        """Give memory and scratch space back."""
        self._starts.clear()
        if self._reads is not None and self._owns_reads:
            self._reads.close()
        self._reads = None


class RunCounter:
    """Counts k-mers that come in runs; those rarer than ``min_count`` are only tallied.

    Parameters
    ----------
    kind : KmerKind
    n : int
        K-mers of all runs.
    at_once : bool
        Whether they come in one.
    min_count : int
    """

    def __init__(self, kind: KmerKind, n: int, at_once: bool, min_count: int) -> None:
        self._n_words = kind.n_words
        self._at_once = at_once
        self._min_count = min_count
        self._tally = Tally(n)
        self._found = Counted(xp.empty((kind.n_words, 0), np.uint64), xp.empty(0, np.uint32))

    def add(self, kmers: Array) -> None:
        """Count a run: k-mer i at i * words, in memory that may be overwritten."""
        least, tally = (self._min_count, self._tally) if self._at_once else (1, None)
        distinct = count_runs(in_groups(kmers, self._n_words), None, least, tally)
        self._found = merged(self._found, distinct) if self._found.counts.size else distinct

    def result(self) -> tuple[Tally, Counted]:
        """All counts, and the k-mers that are frequent enough."""
        found = self._found
        if not self._at_once:
            found = count_runs(found.codes, found.counts, self._min_count, self._tally)
        return self._tally, found


@guarded
def count_kmers(runs: Iterable[Array], kind: KmerKind, n: int, at_once: bool, min_count: int) -> tuple[Tally, Counted]:
    """Count n k-mers that come in runs, or in one (``at_once``); see `RunCounter`."""
    counter = RunCounter(kind, n, at_once, min_count)
    for kmers in runs:
        counter.add(kmers)
    return counter.result()


def in_shorter_runs(count: Callable[[int], Result], length: int, n: int, give_back: Callable[[], object]) -> Result:
    """Count n k-mers in runs of a length, and in shorter ones where memory does not suffice.

    ``give_back`` frees memory in between.
    """
    for _ in range(_MOST_TRIES - 1):
        try:
            return count(length)
        except OutOfMemoryError:
            if length <= tuning().shortest_kmer_run:
                raise
        length = min(length, n) // 2
        log.logger.debug("  too little GPU memory: counting in runs of %d k-mers", length)
        give_back()
    return count(length)


def in_parts(sizes: NDArray[np.int64], most: int) -> list[Part]:
    """Runs of bins that hold at most so many k-mers, or one bin that holds more; bins without k-mers are in none."""
    parts: list[Part] = []
    for place in np.flatnonzero(sizes):
        low, n = int(place), int(sizes[place])
        if parts and parts[-1].n + n <= most:
            parts[-1] = Part(parts[-1].low, low + 1, parts[-1].n + n)
        else:
            parts.append(Part(low, low + 1, n))
    return parts


def kmer_store(k: int, canonical: bool, run: RunOptions, sample: float = 1.0, n_bases_expected: int = 0) -> KmerStore:
    """See `KmerOperations.kmer_store`."""
    kind, chosen = KmerKind(k, canonical), Sample.of(k, sample, n_bases_expected)
    if len(devices.ranks()) == 1:
        return KmerStore(kind, chosen, run)
    from debruijn_gpu.backends.kmers.cuda.group_stores import GroupKmerStore  # which derives from this store

    return GroupKmerStore(kind, chosen, run)
