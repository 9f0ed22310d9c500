"""Store k-mers of reads in buckets of super-k-mers, counted by groups; or reads, if they are few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.array_types import Codes, Counts, Longs
from debruijn_gpu.backends.core.cpu import threads as pool
from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.backends.kmers.cpu.buckets import BucketStore
from debruijn_gpu.backends.kmers.cpu.counting import count_buckets
from debruijn_gpu.backends.kmers.cpu.sorted_counting import HeldReads
from debruijn_gpu.backends.kmers.cpu.sorting import sort_kmers
from debruijn_gpu.backends.kmers.cpu.superkmers import SuperKmers, offsets_of_new, super_kmers
from debruijn_gpu.backends.kmers.minimizers import bucket_bits
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.resources import format_bytes, memory_left, threads_within
from debruijn_gpu.run.tuning import tuning

_MOST_COUNT = (1 << 32) - 1
_WORKING_SHARE = 0.2  # of the memory budget, for what threads hold
_SPLITTING_BYTES = 16 << 20  # of a thread: two batches of reads and their super-k-mers
_SUPER_KMER_BYTES = 2  # for each k-mer
_SORTED_BYTES = 24  # for each k-mer that is counted by sorting: its code and count, and room to copy both


class KmerStore:
    """See `kmers.protocol.KmerStore`: a part is a group of buckets, of a `BucketStore`.

    Few reads with k-mers of one word are held instead, and counted by sorting, as one part.
    """

    def __init__(self, k: int, canonical: bool, run: RunOptions, sample: float, n_bases_expected: int) -> None:
        self._memory = run.memory
        self._buckets = BucketStore(bucket_bits(n_bases_expected), sample, run.tmp_dir)
        self._table_bytes = 0
        self._k = k
        self._canonical = canonical
        self._threads = run.n_threads
        self._held: HeldReads | None = None
        self._n_held_kmers = 0
        self._may_hold = words_per_kmer(k) == 1 and sample == 1.0
        self.n_reads = self.n_bases = 0

    @property
    def n_kmers(self) -> int:
        return self._buckets.n_kmers + self._n_held_kmers

    @property
    def n_parts(self) -> int:
        return 1 if self._n_held_kmers else len(self._buckets.groups)

    def fill(self, batches: Iterable[ReadBatch]) -> None:
        """Hold the reads, or put the super-k-mers of all batches into the buckets."""
        budget = int(self._room() * tuning().super_kmers_share)
        most_held = min(tuning().sorted_bases, budget // _SORTED_BYTES) if self._may_hold else 0
        source, first, n_bases = iter(batches), list[ReadBatch](), 0
        for batch in source:
            first.append(batch)
            n_bases += batch.n_bases
            if n_bases > most_held:
                self._buckets.memory_bytes = budget
                self._split(chain(first, source))
                return
        with log.cpu_time("split"):
            pairs = [(batch, offsets_of_new(batch, self._k)) for batch in first]
            held = HeldReads(pairs, self._k, self._canonical, pool.threads_for(n_bases, self._threads))
        self._held = held if held.n_kmers else None
        self._n_held_kmers = held.n_kmers
        self.n_reads = sum(batch.n_reads for batch in first)
        self.n_bases = sum(batch.n_new_bases for batch in first)

    def _split(self, batches: Iterable[ReadBatch]) -> None:
        """Put the super-k-mers of all batches into the buckets."""
        buckets = self._buckets

        def split(batch: ReadBatch) -> tuple[SuperKmers, int, int]:
            with log.cpu_time("split"):
                reads = (batch.bases, offsets_of_new(batch, self._k), batch.ambiguous_positions)
                found = super_kmers(*reads, self._k, buckets.bits, buckets.n_used_buckets)
            return found, batch.n_reads, batch.n_new_bases

        threads = threads_within(self._threads, _SPLITTING_BYTES, int(self._room() * _WORKING_SHARE))
        for found, n_reads, n_bases in ordered_map(split, batches, threads):
            buckets.add(found)
            self.n_reads += n_reads
            self.n_bases += n_bases

    def counted(self, min_count: int, are_kept: bool = True) -> Iterator[CountedKmers]:
        """Count one group after another, or what is held at once."""
        room = self._room()
        self._table_bytes = int(room * tuning().distinct_kmers_share)
        if self._held is not None:
            with log.cpu_time("count"):
                part = self._held.count(min_count)
            if are_kept:
                self._check_memory(2 * (part.codes.nbytes + part.counts.nbytes), 1)
            yield part
            return

        def count_group(first_bucket: int) -> CountedKmers:
            with log.cpu_time("gather"):
                group = self._buckets.gather(first_bucket)
            with log.cpu_time("count"):
                return count_buckets(group.words, group.starts, self._k, self._canonical, min_count)

        held = 0
        threads = threads_within(
            pool.threads_for(self.n_bases, self._threads), self._group_bytes(min_count), int(room * _WORKING_SHARE)
        )
        for n_done, part in enumerate(ordered_map(count_group, self._buckets.groups, threads), start=1):
            if are_kept:
                held += part.codes.nbytes + part.counts.nbytes
                self._check_memory(2 * held, n_done)
            yield part

    def _room(self) -> int:
        """Memory that is left now, for super-k-mers, those that are held too, and for what is counted."""
        return memory_left(self._memory) + self._buckets.held_bytes

    def _group_bytes(self, min_count: int) -> int:
        """Estimate what a counting thread holds: two groups of super-k-mers, and of k-mers as many as can be kept."""
        per_kmer = _SUPER_KMER_BYTES + (8 * words_per_kmer(self._k) + 4) // max(1, min_count)
        return 2 * per_kmer * self.n_kmers // max(1, self.n_parts)

    def _check_memory(self, n_bytes: int, n_groups: int) -> None:
        if n_bytes > self._table_bytes:
            whole = n_bytes * self.n_parts / n_groups
            raise OutOfMemoryError(
                f"Out of memory: the distinct k-mers take about {format_bytes(whole)}, "
                f"and {format_bytes(self._table_bytes)} are left for them",
                "allow more memory (-m), or keep fewer k-mers (--min-count)",
            )

    def close(self) -> None:
        """Give memory and scratch space back."""
        if self._held is None:
            self._buckets.close()
        self._held = None


def kmer_store(k: int, canonical: bool, run: RunOptions, sample: float = 1.0, n_bases_expected: int = 0) -> KmerStore:
    """See `KmerOperations.kmer_store`."""
    return KmerStore(k, canonical, run, sample, n_bases_expected)


def merge_bytes(n: int, k: int) -> int:
    """See `KmerOperations.merge_bytes`: parts and what they are joined to, or that and what it is sorted to."""
    return n * (2 * (8 * words_per_kmer(k) + 4) + 8)


def merge_kmers(parts: list[tuple[Codes, Counts]], k: int) -> tuple[Codes, Counts]:
    """See `KmerOperations.merge_kmers`."""
    codes, counts = sort_kmers(*_joined(parts, k), k)
    is_first = np.ones(len(counts), np.bool_)
    (codes[:, 1:] != codes[:, :-1]).any(axis=0, out=is_first[1:])
    if is_first.all():
        return codes, counts
    starts = np.flatnonzero(is_first)
    sums = np.add.reduceat(counts, starts, dtype=np.int64)
    return _columns_in_place(codes, starts), np.minimum(sums, _MOST_COUNT).astype(np.uint32)


def _columns_in_place(codes: Codes, columns: Longs) -> Codes:
    """Move ascending columns to the front of the memory of an array, row by row, and return them as one of their own
    width: a copy of the largest table of an assembly would be the peak of its memory."""
    n, flat = len(columns), codes.reshape(-1)
    for row, words in enumerate(codes):
        flat[row * n : (row + 1) * n] = words[columns]
    return flat[: len(codes) * n].reshape(len(codes), n)


def concatenate_counted(parts: list[CountedKmers], k: int, min_count: int) -> tuple[Codes, Counts]:
    """See `KmerOperations.concatenate_counted`."""
    if len(parts) == 1 and parts[0].is_sorted:
        (part,) = parts
        parts.clear()
        is_kept = part.counts >= min_count
        return (part.codes, part.counts) if is_kept.all() else (part.codes[:, is_kept], part.counts[is_kept])
    pairs = [(part.codes, part.counts) for part in parts]
    parts.clear()
    return sort_kmers(*_joined(pairs, k, min_count), k)


def _joined(parts: list[tuple[Codes, Counts]], k: int, min_count: int = 0) -> tuple[Codes, Counts]:
    """Join the k-mers of parts that occur a minimum number of times; each part is freed as soon as it is copied.

    The only part, if all of it is kept, is returned as it is.
    """
    if len(parts) == 1 and not min_count:
        codes, counts = parts.pop()
        return np.require(codes, requirements=("C", "W")), np.require(counts, requirements=("C", "W"))
    sizes = [int(np.count_nonzero(counts >= min_count)) for _codes, counts in parts]
    codes, counts = np.empty((words_per_kmer(k), sum(sizes)), np.uint64), np.empty(sum(sizes), np.uint32)
    end = len(counts)
    while parts:
        some, their_counts = parts.pop()
        start = end - sizes.pop()
        if end - start == len(their_counts):
            codes[:, start:end], counts[start:end] = some, their_counts
        else:
            mask = their_counts >= min_count
            codes[:, start:end], counts[start:end] = some[:, mask], their_counts[mask]
        end = start
    return codes, counts
