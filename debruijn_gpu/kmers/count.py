"""Counting: reads -> a store of their k-mers -> distinct k-mers with counts, part by part -> sorted table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.backends.kmers.protocol import KmerStore
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import NothingToAssembleError
from debruijn_gpu.kmers.engine import EngineStore, KmerEngine
from debruijn_gpu.kmers.no_kmers import LongestRead, why_no_kmers
from debruijn_gpu.kmers.options import COUNT_MAX, CountOptions
from debruijn_gpu.kmers.partitions import KmerPartitions, Kmers, begin_partitions
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted as number_of

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: takes multiplicity and frequency of a k-mer spectrum, returns the smallest count to keep
MinCountChooser: TypeAlias = Callable[[NDArray[np.int64], NDArray[np.int64]], int]
#: takes a number of distinct k-mers, returns the number of partitions that it needs; 0 if a table of them will do
PartitionChooser: TypeAlias = Callable[[int], int]


@dataclass(frozen=True)
class CountResult:
    """Results of counting.

    Attributes
    ----------
    table : KmerTable or None
        Sorted k-mers that occur ``min_count`` times or more; None if only the spectrum was asked for, or if they are in
        partitions.
    multiplicity, frequency : ndarray, dtype=int64, shape=(n,)
        The whole k-mer spectrum: ``frequency[i]`` distinct k-mers occur ``multiplicity[i]`` times; ascending, no zeros.
    n_kmers, n_reads, n_bases : int
        What was read; ``n_kmers`` counts every occurrence.
    partitions : KmerPartitions or None
        The k-mers, if there are too many for a table.
    has_bases : bool
        Whether a read has a base that is not ambiguous.
    """

    table: KmerTable | None
    multiplicity: NDArray[np.int64]
    frequency: NDArray[np.int64]
    n_kmers: int
    n_reads: int
    n_bases: int
    partitions: KmerPartitions | None = None
    has_bases: bool = True


def count_kmers(
    batches: Iterable[ReadBatch],
    options: CountOptions,
    run: RunOptions,
    backend: AssemblyBackend,
    *,
    keep_table: bool = True,
    choose_min_count: MinCountChooser | None = None,
    choose_partitions: PartitionChooser | None = None,
    sample: float = 1.0,
    n_bases_expected: int = 0,
    engine: KmerEngine | None = None,
) -> CountResult:
    """Count the k-mers of reads.

    Parameters
    ----------
    batches : iterable of ReadBatch
    options : CountOptions
    run : RunOptions
    backend : AssemblyBackend
    keep_table : bool
        Whether the k-mers themselves are wanted, or their spectrum only.
    choose_min_count : callable, optional
        Takes multiplicity and frequency of the spectrum and returns the ``min_count`` to use instead of the option's.
    choose_partitions : callable, optional
        Takes a number of distinct k-mers and returns the number of partitions that it needs; 0 if a table of them will
        do. Default: there is always a table.
    sample : float
        Share of the distinct k-mers to count, chosen by hash: a spectrum of them is cheaper and nearly the same.
    n_bases_expected : int
        About how much will come, if that is known; it decides on the number of buckets and changes no result.
    engine : KmerEngine, optional
        Counts in the place of this process. Then k-mers for which ``choose_partitions`` is given stay there.

    Raises
    ------
    NothingToAssembleError
        If there are no reads, or none of them has a base and all are shorter than k.
    ParameterError
        If every read is shorter than k.
    OutOfMemoryError
        If the distinct k-mers do not fit into the memory budget.
    """
    meter = LongestRead(options.k, backend)
    of_store = options.k, options.canonical, run, sample, n_bases_expected
    elsewhere = None if engine is None else engine.kmer_store(*of_store)
    store = backend.kmers.kmer_store(*of_store) if elsewhere is None else elsewhere
    try:
        with log.stage("read and split into k-mers", unit="k-mers") as stage:
            store.fill(meter.through(batches) if isinstance(batches, Iterator) else batches)
            stage.items = store.n_kmers
        if not store.n_kmers:
            meter.check(batches, store.n_reads)
        counter = _Counter(store, options, run, backend, choose_partitions, elsewhere)
        has_bases = bool(store.n_kmers) or meter.has_bases
        return replace(counter.result(keep_table, choose_min_count), has_bases=has_bases)
    finally:
        store.close()


def warn_of_no_kmers(counted: CountResult, k: int, empty: str = "result") -> None:
    """Warn if there are no k-mers: an empty result is hardly wanted."""
    if not counted.n_kmers:
        why, remedy = why_no_kmers(k, counted.has_bases)
        log.logger.warning("%s: the %s is empty (%s)", why, empty, remedy)


class _Counter:
    """Counts a store's k-mers, perhaps twice, when the smallest count to keep follows from the spectrum."""

    def __init__(
        self,
        store: KmerStore,
        options: CountOptions,
        run: RunOptions,
        backend: AssemblyBackend,
        choose_partitions: PartitionChooser | None,
        elsewhere: EngineStore | None,
    ) -> None:
        self._store = store
        self._is_elsewhere = elsewhere is not None
        self._kept_elsewhere = None if choose_partitions is None else elsewhere
        self._options = options
        self._run = run
        self._backend = backend
        self._choose_partitions = choose_partitions
        self._histogram = np.zeros(1, np.int64)
        self._large: list[NDArray[np.uint32]] = []
        self._partitions: KmerPartitions | None = None

    def result(self, keep_table: bool, choose_min_count: MinCountChooser | None) -> CountResult:
        """Count, choose, filter, sort."""
        store = self._store
        min_count = 2 if choose_min_count is not None else self._options.min_count
        kept = self._count(min_count if keep_table else np.iinfo(np.int64).max)
        multiplicity, frequency = self._spectrum()
        if keep_table and choose_min_count is not None:
            min_count = choose_min_count(multiplicity, frequency)
            if min_count < 2:
                kept.clear()
                kept = self._count(min_count)
        if keep_table and self._kept_elsewhere is not None:
            n_kmers = int(frequency[multiplicity >= min_count].sum())
            self._partitions = self._kept_elsewhere.partitions(min_count, n_kmers, self._backend)
        store.close()
        if self._partitions is not None:
            self._partitions.keep(min_count, int(frequency[multiplicity >= min_count].sum()))
        table = self._sorted(kept, min_count) if keep_table and self._partitions is None else None
        totals = store.n_kmers, store.n_reads, store.n_bases
        return CountResult(table, multiplicity, frequency, *totals, self._partitions)

    def _count(self, min_count: int) -> list[CountedKmers]:
        """Distinct k-mers of all parts, unless they are in partitions; the spectrum goes to the histogram."""
        n_kmers, n_parts = self._store.n_kmers, self._store.n_parts
        self._close_partitions()
        with log.stage("count", n_kmers, "k-mers") as stage:
            self._histogram, self._large = np.zeros(1, np.int64), []
            kept: list[CountedKmers] = []
            n_kept = 0
            parts = self._tallied(min_count, lambda i: stage.progress(n_kmers * i // n_parts, n_kmers))
            for n_counted, part in enumerate(parts, start=1):
                kept.append(part.moved(self._backend.to_device) if self._is_elsewhere else part)
                n_kept += len(part.counts)
                if self._kept_elsewhere is not None:
                    kept.clear()
                elif self._begins_partitions(n_kept, n_counted / n_parts):
                    assert self._partitions is not None
                    before = (kept.pop(0) for _ in range(len(kept)))
                    self._partitions.add_all((part.codes, part.counts) for part in chain(before, parts))
            return kept

    def _tallied(self, min_count: int, report: Callable[[int], None]) -> Iterator[CountedKmers]:
        """Yield the counted k-mers of all parts, and report how many parts are done; the spectrum is tallied."""
        counted = self._store.counted(min_count, are_kept=self._choose_partitions is None)
        for i, part in enumerate(counted, start=1):
            self._tally(part)
            yield part
            report(i)

    def _tally(self, part: CountedKmers) -> None:
        """Add the spectrum of a part."""
        n_more = len(part.histogram) - len(self._histogram)
        if n_more > 0:
            self._histogram = np.append(self._histogram, np.zeros(n_more, np.int64))
        self._histogram[: len(part.histogram)] += part.histogram
        self._large.append(part.large_counts)

    def _begins_partitions(self, n_kept: int, share: float) -> bool:
        """Make partitions if a table of all k-mers is too large; ``share`` of the parts are counted."""
        if self._choose_partitions is None or not self._choose_partitions(n_kept):
            return False
        n = self._choose_partitions(int(n_kept / share))
        self._partitions = begin_partitions(self._options.k, n, self._run, self._backend)
        return True

    def _close_partitions(self) -> None:
        if self._partitions is not None:
            self._partitions.close()
            self._partitions = None

    def _spectrum(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        low = np.flatnonzero(self._histogram)
        high, frequency = np.unique(np.concatenate(self._large), return_counts=True)
        if len(high) and high[-1] == COUNT_MAX:
            log.logger.warning(
                "%s at least 2^32 - 1 = %d times: larger counts are written so",
                number_of(int(frequency[-1]), "k-mer occurs", "k-mers occur"),
                COUNT_MAX,
            )
        return (
            np.concatenate((low, high.astype(np.int64))),
            np.concatenate((self._histogram[low], frequency.astype(np.int64))),
        )

    def _sorted(self, parts: list[CountedKmers], min_count: int) -> KmerTable:
        with log.stage("sort") as stage:
            codes, counts = self._backend.kmers.concatenate_counted(parts, self._options.k, min_count)
            stage.items, stage.unit = len(counts), "distinct k-mers"
        return KmerTable(self._options.k, codes, counts, self._options.canonical)


def kept_kmers(counted: CountResult, k: int, min_count: int) -> Kmers:
    """Return the k-mers that were counted, in a table or in partitions.

    Raises
    ------
    NothingToAssembleError
        If there are none.
    """
    if not counted.n_kmers:
        raise NothingToAssembleError(*why_no_kmers(k, counted.has_bases))
    kmers = counted.table if counted.partitions is None else counted.partitions
    assert kmers is not None
    if not len(kmers):
        raise NothingToAssembleError(
            f"no {k}-mer occurs {min_count} times or more", "lower --min-count, or choose a smaller k (-k)"
        )
    return kmers
