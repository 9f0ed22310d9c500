"""The functions that workers run. Each depends on its arguments alone, so that Dask may run it again elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.kmers.containers import PackedSuperKmers
from debruijn_gpu.distributed.context import Place, TaskContext, working
from debruijn_gpu.distributed.held import HeldArrays, shelf_of, size_of, usable
from debruijn_gpu.distributed.reading import ReadSource
from debruijn_gpu.distributed.tally import ReadTally
from debruijn_gpu.kmers.partitions import PartitionFunction
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log

#: Arrays of one partition, of each task that made some
Pieces = list[list[HeldArrays]]


@dataclass(frozen=True)
class SplitPlan:
    """How reads are split: buckets of super-k-mers by minimizer, and which of them are a partition.

    Attributes
    ----------
    k, bucket_bits : int
    bounds : ndarray, dtype=int64, shape=(n_partitions + 1,)
        See `HostKmerOperations.pack_super_kmers`.
    """

    k: int
    bucket_bits: int
    bounds: NDArray[np.int64]

    @property
    def n_partitions(self) -> int:
        """Number of partitions."""
        return len(self.bounds) - 1


@dataclass(frozen=True)
class SplitReads:
    """Super-k-mers of a part of the reads, by partition, and what was read."""

    pieces: list[list[HeldArrays]]
    tally: ReadTally

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + size_of(self.pieces)


@dataclass(frozen=True)
class CountedPartition:
    """Distinct k-mers of a partition; see `CountedKmers`. ``kmers`` are words of the codes, and counts."""

    kmers: HeldArrays
    histogram: NDArray[np.int64]
    large_counts: NDArray[np.uint32]

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + size_of([[self.kmers]]) + int(self.histogram.nbytes)

    def without_kmers(self) -> CountedPartition:
        """The spectrum alone."""
        none = [np.zeros(0, np.uint64), np.zeros(0, np.uint32)]
        return CountedPartition(HeldArrays(none), self.histogram, self.large_counts)


def split(context: TaskContext, source: ReadSource, plan: SplitPlan) -> SplitReads:
    """Read a part of the reads, and pack its super-k-mers by partition."""
    host = backends.host()
    with working(context) as place:
        shelf, tally = shelf_of(context.run_id, place.run), ReadTally(source.continues)
        pieces: list[list[HeldArrays]] = [[] for _partition in range(plan.n_partitions)]
        for reads in source.batches(host, place.run):
            tally.add(reads)
            packed = host.kmers.pack_super_kmers(reads.batch, plan.k, plan.bucket_bits, plan.bounds)
            for piece, held in zip(packed, pieces, strict=True):
                if len(piece.sizes):
                    tally.n_kmers += piece.n_kmers
                    held.append(shelf.hold(piece.bases, piece.sizes, piece.bucket_ptr))
        tally.shuffled_bytes = size_of(pieces)
        tally.warnings = [message.text for message in log.current_run().record.messages]
        return SplitReads(pieces, tally)


def tally_of(found: SplitReads) -> ReadTally:
    """Return what was read."""
    return found.tally


def piece_of(found: SplitReads | list[list[HeldArrays]], partition: int) -> list[HeldArrays]:
    """Return what a task made for one partition."""
    return (found.pieces if isinstance(found, SplitReads) else found)[partition]


def given_piece(held: list[HeldArrays]) -> list[HeldArrays]:
    """Return what the command sends to a partition."""
    return held


def count(context: TaskContext, k: int, canonical: bool, min_count: int, pieces: Pieces) -> CountedPartition:
    """Count the k-mers of a partition; those rarer than ``min_count`` are in the histogram alone."""
    with working(context) as place:
        packed = [PackedSuperKmers(*held.load()) for task in pieces for held in task]
        parts = list(place.backend.kmers.count_super_kmers(packed, k, canonical, min_count, place.run))
        if not parts:
            return CountedPartition(HeldArrays(_empty_kmers(k)), np.zeros(1, np.int64), np.zeros(0, np.uint32))
        histogram = np.zeros(max(len(part.histogram) for part in parts), np.int64)
        for part in parts:
            histogram[: len(part.histogram)] += part.histogram
        large = np.concatenate([part.large_counts for part in parts])
        to_host = place.backend.to_host
        words, counts = to_host(parts[0].codes), to_host(parts[0].counts)
        if len(parts) > 1:
            words = np.concatenate([to_host(part.codes) for part in parts], axis=1)
            counts = np.concatenate([to_host(part.counts) for part in parts])
        return CountedPartition(shelf_of(context.run_id, place.run).hold(*words, counts), histogram, large)


def _empty_kmers(k: int) -> list[NDArray[Any]]:
    return [*np.zeros((-(-k // 32), 0), np.uint64), np.zeros(0, np.uint32)]


def spectrum_of(counted: CountedPartition) -> CountedPartition:
    """Return the spectrum of a partition alone."""
    return counted.without_kmers()


def scatter(
    context: TaskContext, k: int, min_count: int, n_partitions: int, counted: CountedPartition
) -> list[list[HeldArrays]]:
    """Scatter the k-mers of a partition that occur often enough to the partitions of their ends."""
    with working(context) as place:
        *words, counts = counted.kmers.load()
        is_kept = counts >= min_count
        if not is_kept.all():
            words, counts = [word[is_kept] for word in words], counts[is_kept]
        backend, shelf = place.backend, shelf_of(context.run_id, place.run)
        codes = backend.to_device(np.stack(words))
        ends = backend.to_host(backend.kmers.end_partitions(codes, k, n_partitions)).reshape(-1, 2)
        ends = ends.astype(np.uint16)  # NumPy sorts 16 bits by radix
        keys = np.concatenate((ends[:, 0], np.where(ends[:, 1] == ends[:, 0], n_partitions, ends[:, 1])))
        order = np.argsort(keys, kind="stable")
        bounds = np.searchsorted(keys[order], np.arange(n_partitions + 1))
        rows = order % max(1, len(counts))
        found = []
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            some = rows[start:stop]
            found.append([shelf.hold(*(word[some] for word in words), counts[some])] if len(some) else [])
        return found


def load(context: TaskContext, k: int, pieces: Pieces) -> list[NDArray[Any]]:
    """Return the k-mers of a partition, sorted: words of the codes, and counts."""
    with working(context) as place:
        table = _table(k, pieces, place)
        return [*place.backend.to_host(table.codes), place.backend.to_host(table.counts)]


def _table(k: int, pieces: Pieces, place: Place) -> KmerTable:
    """Sort the k-mers of a partition, in arrays of the worker's backend."""
    parts = [held.load() for task in pieces for held in task] or [_empty_kmers(k)]
    words = [np.concatenate([part[w] for part in parts]) for w in range(len(parts[0]))]
    del parts
    move = place.backend.to_device
    return KmerTable(k, *place.backend.kmers.merge_kmers([(move(np.stack(words[:-1])), move(words[-1]))], k))


def apply(
    context: TaskContext,
    function: PartitionFunction[Any],
    k: int,
    numbers: tuple[int, int],
    edges: KmerTable | None,
    pieces: Pieces,
) -> Any:
    """Call a function with the k-mers of a partition, here; see `PartitionFunction`."""
    with working(context) as place:
        loaded: Callable[[], KmerTable] = lambda: _table(k, pieces, place)  # noqa: E731
        if edges is not None:
            edges = edges.moved(lambda array: place.backend.to_device(usable(array)))
        return function(loaded, *numbers, edges, place.run, place.backend)
