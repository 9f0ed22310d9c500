"""The functions that workers run. Each depends on its arguments alone, so that Dask may run it again elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.kmers.containers import PackedSuperKmers
from debruijn_gpu.distributed.context import Place, TaskContext, working
from debruijn_gpu.distributed.exchange import Directory, Offered, pieces
from debruijn_gpu.distributed.held import HeldArrays, HeldPieces, Shelf, shelf_of, size_of, usable
from debruijn_gpu.distributed.reading import ReadSource
from debruijn_gpu.distributed.tally import ReadTally
from debruijn_gpu.kmers.partitions import PartitionFunction
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log


@dataclass(frozen=True)
class SplitPlan:
    """How reads are split: buckets of super-k-mers by minimizer, and which of them are a partition.

    Attributes
    ----------
    k, bucket_bits : int
    n_buckets, n_partitions : int
        Of buckets that are used, and of partitions, each of adjacent ones.
    """

    k: int
    bucket_bits: int
    n_buckets: int
    n_partitions: int

    @property
    def bounds(self) -> NDArray[np.int64]:
        """Buckets at which partitions begin; see `HostKmerOperations.pack_super_kmers`."""
        return np.linspace(0, self.n_buckets, self.n_partitions + 1).astype(np.int64)


class InPieces(Offered):
    """Arrays by partition, of each batch or block of what a task worked on; see `exchange.Offered`.

    Parameters
    ----------
    held : list of HeldPieces
    """

    def __init__(self, held: list[HeldPieces]) -> None:
        self.held = held

    def piece(self, which: int) -> list[HeldArrays]:
        """Return the arrays of a partition."""
        return [one.piece(which) for one in self.held]

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + size_of(self.held)


class SplitReads(InPieces):
    """Super-k-mers of a part of the reads, by partition, and what was read.

    Parameters
    ----------
    held : list of HeldPieces
    tally : ReadTally
    """

    def __init__(self, held: list[HeldPieces], tally: ReadTally) -> None:
        super().__init__(held)
        self.tally = tally


@dataclass(frozen=True)
class CountedPartition:
    """Distinct k-mers of a partition; see `CountedKmers`. ``kmers`` are words of the codes, and counts."""

    kmers: HeldArrays
    histogram: NDArray[np.int64]
    large_counts: NDArray[np.uint32]

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + size_of([self.kmers]) + int(self.histogram.nbytes)

    def without_kmers(self) -> CountedPartition:
        """The spectrum alone."""
        none = [np.zeros(0, np.uint64), np.zeros(0, np.uint32)]
        return CountedPartition(HeldArrays(none), self.histogram, self.large_counts)


def split(source: ReadSource, plan: SplitPlan, context: TaskContext) -> SplitReads:
    """Read a part of the reads, and pack its super-k-mers by partition."""
    host = backends.host()
    with working(context) as place:
        shelf, tally = shelf_of(context.run_id, place.run), ReadTally(source.continues)
        held: list[HeldPieces] = []
        for reads in source.batches(host, place.run):
            tally.add(reads)
            packed = host.kmers.pack_super_kmers(reads.batch, plan.k, plan.bucket_bits, plan.bounds)
            tally.n_kmers += sum(piece.n_kmers for piece in packed)
            held.append(_held(shelf, [[piece.bases, piece.sizes, piece.bucket_ptr] for piece in packed]))
        tally.shuffled_bytes = size_of(held)
        tally.warnings = [message.text for message in log.current_run().record.messages]
        return SplitReads(held, tally)


def _held(shelf: Shelf, by_piece: list[list[NDArray[Any]]]) -> HeldPieces:
    """Hold the arrays of pieces, those of the same name one after another."""
    arrays, bounds = [], []
    for same in zip(*by_piece, strict=True):
        arrays.append(np.concatenate(same))
        bounds.append(np.concatenate(([0], np.cumsum([len(array) for array in same]))))
    return shelf.hold_pieces(arrays, bounds)


def tally_of(found: SplitReads) -> ReadTally:
    """Return what was read."""
    return found.tally


def given_piece(held: list[HeldArrays]) -> list[HeldArrays]:
    """Return what the command sends to a partition."""
    return held


def count(
    partition: int, split_reads: Directory, context: TaskContext, k: int, canonical: bool, min_count: int
) -> CountedPartition:
    """Count the k-mers of a partition; those rarer than ``min_count`` are in the histogram alone."""
    with working(context) as place:
        packed = [PackedSuperKmers(*held.load()) for held in pieces(split_reads, partition)]
        packed = [piece for piece in packed if len(piece.sizes)]
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


def scatter(counted: CountedPartition, context: TaskContext, k: int, min_count: int, n_partitions: int) -> InPieces:
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
        rows = (order % max(1, len(counts)))[: bounds[-1]]
        arrays = [*(word[rows] for word in words), counts[rows]]
        return InPieces([shelf.hold_pieces(arrays, [bounds] * len(arrays))])


@dataclass(frozen=True)
class PartitionKmers:
    """Where the k-mers of a partition are.

    Attributes
    ----------
    k, number : int
    scattered : Directory
        Of the results of `scatter`.
    added : list of list of HeldArrays
        Sent by the command.
    """

    k: int
    number: int
    scattered: Directory
    added: list[list[HeldArrays]]

    def table(self, place: Place) -> KmerTable:
        """Sort the k-mers, in arrays of the worker's backend."""
        parts = [held.load() for held in pieces(self.scattered, self.number)]
        parts += [held.load() for one in self.added for held in one]
        parts = parts or [_empty_kmers(self.k)]
        words = [np.concatenate([part[w] for part in parts]) for w in range(len(parts[0]))]
        del parts
        move = place.backend.to_device
        return KmerTable(
            self.k, *place.backend.kmers.merge_kmers([(move(np.stack(words[:-1])), move(words[-1]))], self.k)
        )


def load(
    number: int, scattered: Directory, added: list[list[HeldArrays]], context: TaskContext, k: int
) -> list[NDArray[Any]]:
    """Return the k-mers of a partition, sorted: words of the codes, and counts."""
    with working(context) as place:
        table = PartitionKmers(k, number, scattered, added).table(place)
        return [*place.backend.to_host(table.codes), place.backend.to_host(table.counts)]


def apply(
    number: int,
    edges: KmerTable | None,
    scattered: Directory,
    added: list[list[HeldArrays]],
    context: TaskContext,
    function: PartitionFunction[Any],
    k: int,
    n_partitions: int,
) -> Any:
    """Call a function with the k-mers of a partition, here; see `PartitionFunction`."""
    with working(context) as place:
        kmers = PartitionKmers(k, number, scattered, added)
        if edges is not None:
            edges = edges.moved(lambda array: place.backend.to_device(usable(array)))
        return function(lambda: kmers.table(place), number, n_partitions, edges, place.run, place.backend)
