"""Counting: reads -> super-k-mers in buckets -> distinct k-mers with counts -> sorted table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import log
from debruijn_gpu.backends.read_interface import ReadBatch
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.kmers.buckets import BucketStore, bucket_bits
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.options import CountOptions, RunOptions
from debruijn_gpu.parallel import ordered_map
from debruijn_gpu.resources import allowed_cpus, format_bytes, memory_left

if TYPE_CHECKING:
    from debruijn_gpu.backends.interface import Backend, SuperKmers
    from debruijn_gpu.backends.kmer_interface import CountedKmers

#: takes multiplicities and numbers of a spectrum, gives the smallest count to keep
MinCountChooser: TypeAlias = Callable[[NDArray[np.int64], NDArray[np.int64]], int]

_STORE_SHARE = 0.4  # of the memory budget, for super-k-mers
_TABLE_SHARE = 0.5  # for the distinct k-mers


@dataclass(frozen=True)
class CountResult:
    """What counting gives.

    Attributes
    ----------
    table : KmerTable or None
        Sorted k-mers that occur ``min_count`` times or more; None if only the spectrum was asked for.
    multiplicities, numbers : ndarray, dtype=int64, shape=(n,)
        The whole spectrum: ``numbers[i]`` distinct k-mers occur ``multiplicities[i]`` times; ascending, no zeros.
    n_kmers, n_reads, n_bases : int
        What was read; ``n_kmers`` counts every occurrence.
    """

    table: KmerTable | None
    multiplicities: NDArray[np.int64]
    numbers: NDArray[np.int64]
    n_kmers: int
    n_reads: int
    n_bases: int


def count_kmers(
    batches: Iterable[ReadBatch],
    options: CountOptions,
    run: RunOptions,
    backend: Backend,
    *,
    keep_table: bool = True,
    choose_min_count: MinCountChooser | None = None,
    sample: float = 1.0,
    n_bases_expected: int = 0,
) -> CountResult:
    """Count the k-mers of reads.

    Parameters
    ----------
    batches : iterable of ReadBatch
    options : CountOptions
    run : RunOptions
    backend : Backend
    keep_table : bool
        Whether the k-mers themselves are wanted, or their spectrum only.
    choose_min_count : callable, optional
        Takes multiplicities and numbers of the spectrum and gives the ``min_count`` to use instead of the option's.
    sample : float
        Share of the distinct k-mers to count, chosen by hash: a spectrum of them is cheaper and nearly the same.
    n_bases_expected : int
        About how much will come, if that is known; it decides on the number of buckets and changes no result.

    Raises
    ------
    OutOfMemoryError
        If the distinct k-mers do not fit into the memory budget.
    """
    budget = memory_left(run.memory)
    store = BucketStore(bucket_bits(n_bases_expected), sample, int(budget * _STORE_SHARE), run.tmp_dir)
    try:
        with log.stage("read and split into k-mers", unit="k-mers") as stage:
            n_reads, n_bases = _fill(store, batches, options.k, run, backend)
            stage.items = store.n_kmers
        counter = _Counter(store, options, run, backend, int(budget * _TABLE_SHARE))
        return counter.result(keep_table, choose_min_count, n_reads, n_bases)
    finally:
        store.close()


def _fill(
    store: BucketStore, batches: Iterable[ReadBatch], k: int, run: RunOptions, backend: Backend
) -> tuple[int, int]:
    """Put the super-k-mers of all batches into the store; number of reads and bases."""

    def split(batch: ReadBatch) -> tuple[SuperKmers, int, int]:
        with log.cpu_time("split"):
            found = backend.super_kmers(batch.bases, batch.offsets, batch.breaks, k, store.bits, store.n_used_buckets)
        return found, batch.n_reads, batch.n_bases

    n_reads = n_bases = 0
    for found, batch_reads, batch_bases in ordered_map(split, batches, run.threads or allowed_cpus()):
        store.add(found)
        n_reads += batch_reads
        n_bases += batch_bases
    return n_reads, n_bases


class _Counter:
    """Counts a store's buckets, perhaps twice, when the smallest count to keep follows from the spectrum."""

    def __init__(
        self, store: BucketStore, options: CountOptions, run: RunOptions, backend: Backend, memory_bytes: int
    ) -> None:
        self._store = store
        self._options = options
        self._threads = run.threads or allowed_cpus()
        self._backend = backend
        self._memory_bytes = memory_bytes
        self._histogram = np.zeros(1, np.int64)
        self._large: list[NDArray[np.uint32]] = []

    def result(
        self, keep_table: bool, choose_min_count: MinCountChooser | None, n_reads: int, n_bases: int
    ) -> CountResult:
        """Count, choose, filter, sort."""
        min_count = 2 if choose_min_count is not None else self._options.min_count
        kept = self._count(min_count if keep_table else np.iinfo(np.int64).max)
        multiplicities, numbers = self._spectrum()
        if keep_table and choose_min_count is not None:
            min_count = choose_min_count(multiplicities, numbers)
            if min_count < 2:
                kept = self._count(min_count)
        self._store.close()
        table = self._sorted(kept, min_count) if keep_table else None
        return CountResult(table, multiplicities, numbers, self._store.n_kmers, n_reads, n_bases)

    def _count(self, min_count: int) -> list[CountedKmers]:
        """Distinct k-mers of all groups; the spectrum goes to the histogram."""
        with log.stage("count", self._store.n_kmers, "k-mers") as stage:
            self._histogram, self._large = np.zeros(1, np.int64), []
            kept: list[CountedKmers] = []
            held = 0
            for part in self._counted_groups(min_count):
                if len(self._histogram) != len(part.histogram):
                    self._histogram = np.zeros_like(part.histogram)
                self._histogram += part.histogram
                self._large.append(part.large_counts)
                kept.append(part)
                held += part.codes.nbytes + part.counts.nbytes
                self._check_memory(2 * held, len(kept))
                stage.progress(len(kept), len(self._store.groups))
            return kept

    def _counted_groups(self, min_count: int) -> Iterator[CountedKmers]:
        options = self._options

        def count_group(first_bucket: int) -> CountedKmers:
            with log.cpu_time("gather"):
                group = self._store.gather(first_bucket)
            with log.cpu_time("count"):
                return self._backend.count_buckets(group.words, group.starts, options.k, options.canonical, min_count)

        return ordered_map(count_group, self._store.groups, self._threads)

    def _check_memory(self, n_bytes: int, n_groups: int) -> None:
        if n_bytes > self._memory_bytes:
            whole = n_bytes * len(self._store.groups) / n_groups
            raise OutOfMemoryError(
                f"Out of memory: the distinct k-mers take about {format_bytes(whole)}, "
                f"and {format_bytes(self._memory_bytes)} are left for them",
                "allow more memory (-m), or keep fewer k-mers (--min-count)",
            )

    def _spectrum(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        low = np.flatnonzero(self._histogram)
        high, numbers = np.unique(np.concatenate(self._large), return_counts=True)
        return (
            np.concatenate((low, high.astype(np.int64))),
            np.concatenate((self._histogram[low], numbers.astype(np.int64))),
        )

    def _sorted(self, parts: list[CountedKmers], min_count: int) -> KmerTable:
        with log.stage("sort") as stage:
            masks = [part.counts >= min_count for part in parts]
            codes = np.concatenate([p.codes[:, m] for p, m in zip(parts, masks, strict=True)], axis=1)
            counts = np.concatenate([p.counts[m] for p, m in zip(parts, masks, strict=True)])
            parts.clear()
            codes, counts = self._backend.sort_kmers(codes, counts, self._options.k)
            stage.items, stage.unit = len(counts), "distinct k-mers"
        return KmerTable(self._options.k, codes, counts, self._options.canonical)
