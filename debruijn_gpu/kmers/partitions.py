"""K-mers by partition of their ends, for graphs that are larger than memory.

A partition holds all k-mers that begin or end with one of its (k-1)-mers, so that the edges at these (k-1)-mers are
found in it alone. About a tenth of the k-mers are in two partitions. (Chikhi et al. 2016, BCALM 2.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.kmers.table import HeldTable, KmerTable
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import calling_threads, memory_left
from debruijn_gpu.run.spilling import SpillingArrays
from debruijn_gpu.run.tuning import tuning

Result = TypeVar("Result", covariant=True)

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend
    from debruijn_gpu.run.options import RunOptions


_GRAPHS_SHARE = 0.6  # of the memory that is left, for the graphs of partitions
_MOST_WORKERS = 8  # blocks and partitions at once: of more, parts of blocks would become small
_SCATTERED_SHARE, _SMALLEST_BLOCK = 0.1, 1 << 16  # of k-mers that are scattered at once


def workers(run: RunOptions, backend: AssemblyBackend) -> int:
    """Return the number of blocks or partitions at once, if memory allows; 1 where arrays are not on the host."""
    return min(_MOST_WORKERS, calling_threads(run.threads, backend.is_sequential))


def _scattered_bytes(k: int) -> int:
    """Memory for each k-mer of a block that is scattered: of the partitions of its ends, of keys, and of copies."""
    return 48 + 2 * (8 * words_per_kmer(k) + 4)


def _blocks(parts: Iterable[tuple[Array, Array]], n_kmers: int) -> Iterator[tuple[Array, Array]]:
    """Yield parts in blocks of at most a number of k-mers."""
    for codes, counts in parts:
        for start in range(0, len(counts), n_kmers):
            yield codes[:, start : start + n_kmers], counts[start : start + n_kmers]


class PartitionFunction(Protocol[Result]):
    """Works on the k-mers of one partition, and edges of them; a function of a module, which other processes find."""

    def __call__(
        self,
        load: Callable[[], KmerTable],
        partition: int,
        n_partitions: int,
        edges: KmerTable | None,
        run: RunOptions,
        backend: AssemblyBackend,
        /,
    ) -> Result: ...


class KmerPartitions:
    """Canonical k-mers and their counts, scattered to the partitions of their ends.

    Parameters
    ----------
    k : int
    n_partitions : int
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays are added and loaded. In between they are on the host, in memory or in a scratch file.
    """

    def __init__(self, k: int, n_partitions: int, run: RunOptions, backend: AssemblyBackend) -> None:
        self.k = k
        self.n_partitions = n_partitions
        self._is_sorted = True
        self._n_kmers = 0
        self._least_counts: list[int] = []  # of each block
        self._run = run
        self._backend = backend
        self._blocks: list[tuple[list[int], NDArray[np.int64]]] = []
        budget = int(tuning().partitions_share * memory_left(run.memory))
        self._arrays = SpillingArrays(budget, run.tmp_dir)

    def __len__(self) -> int:
        """Number of k-mers added: of distinct ones, if each was added once."""
        return self._n_kmers

    def keep(self, min_count: int, n_kmers: int) -> None:
        """Filter the k-mers added so far that occur at least ``min_count`` times: that is ``n_kmers`` of them."""
        self._least_counts = [min_count] * len(self._blocks)
        self._n_kmers = n_kmers

    def extended(self, parts: list[tuple[Array, Array]], backend: AssemblyBackend) -> KmerPartitions:
        """Return these k-mers and others, codes and counts of each part; they share memory and scratch space."""
        other = copy(self)
        other._blocks, other._least_counts = self._blocks.copy(), self._least_counts.copy()
        other.add_all(parts)
        return other

    def add(self, codes: Array, counts: Array, are_next: bool = False) -> None:
        """Scatter k-mers: codes (words, n) and counts (uint32 (n,)).

        Counts of a k-mer that is added several times are summed, unless they were filtered. With ``are_next``, k-mers
        ascend, and are greater than those added before.
        """
        self.add_all([(codes, counts)], are_next)

    def add_all(self, parts: Iterable[tuple[Array, Array]], are_next: bool = False) -> None:
        """Scatter k-mers, codes and counts of each part; see `add`. The CPU works on some blocks at once."""
        self._is_sorted &= are_next
        at_once = workers(self._run, self._backend)
        block = tuning().partitioned_kmers
        if at_once > 1:
            room = int(_SCATTERED_SHARE * memory_left(self._run.memory)) // (at_once * _scattered_bytes(self.k))
            block = min(block, max(_SMALLEST_BLOCK, room))
        for numbers, bounds, n_kmers in self._backend.spread(self._scattered, _blocks(parts, block), at_once):
            self._least_counts.append(0)
            self._blocks.append((numbers, bounds))
            self._n_kmers += n_kmers

    def _scattered(self, kmers: tuple[Array, Array]) -> tuple[list[int], NDArray[np.int64], int]:
        """Store the k-mers of a block by partition; those whose ends are in two partitions are there twice.

        Returns the numbers of the stored arrays, the bounds of partitions in them, and the number of k-mers.
        """
        backend = self._backend
        codes, counts = map(backend.here, kmers)  # which may be on another device than this thread works on
        partitions = backend.kmers.end_partitions(codes, self.k, self.n_partitions)
        is_other = partitions >= 0
        is_other[1::2] = partitions[1::2] != partitions[::2]
        keys, ends = backend.arrays.compact(partitions, is_other)
        keys, ends = backend.arrays.sort_pairs(keys, ends.astype(np.uint32))
        rows = ends >> 1
        bounds = np.searchsorted(backend.to_host(keys), np.arange(self.n_partitions + 1))
        arrays = [backend.to_host(word[rows]) for word in (*codes, counts)]
        return [self._arrays.add(array, bounds) for array in arrays], bounds.astype(np.int64), len(counts)

    def load(self, partition: int) -> KmerTable:
        """Return the k-mers of a partition, sorted, in arrays of the backend."""
        counts = [self._read(i, -1, partition, np.uint32) for i in range(len(self._blocks))]
        are_kept = [some >= least for some, least in zip(counts, self._least_counts, strict=True)]
        starts = np.cumsum([0, *map(np.count_nonzero, are_kept)])
        table = KmerTable(
            self.k, np.empty((words_per_kmer(self.k), starts[-1]), np.uint64), np.empty(starts[-1], np.uint32)
        )
        for i, (start, stop) in enumerate(pairwise(starts.tolist())):
            table.counts[start:stop] = counts[i][are_kept[i]]
            for word, codes in enumerate(table.codes):
                codes[start:stop] = self._read(i, word, partition, np.uint64)[are_kept[i]]
        del counts, are_kept
        parts = [table.moved(self._backend.to_device)]
        del table
        if self._is_sorted:
            return parts.pop()
        pairs = [(part.codes, part.counts) for part in parts]
        parts.clear()
        return KmerTable(self.k, *self._backend.kmers.merge_kmers(pairs, self.k))

    def _read(self, i: int, number: int, partition: int, dtype: type[np.unsignedinteger[Any]]) -> NDArray[Any]:
        """Read one word of the codes, or with -1 the counts, of a partition's k-mers in a block."""
        numbers, bounds = self._blocks[i]
        start, stop = bounds[partition : partition + 2].tolist()
        array = np.empty(stop - start, dtype)
        self._arrays.read_into(numbers[number], start, array)
        return array

    def parts(self) -> Iterator[KmerTable]:
        """Yield the k-mers of each partition; those of two partitions with that of their last k - 1 bases."""
        for i in range(self.n_partitions):
            table = self.load(i)
            is_here = self._backend.kmers.end_partitions(table.codes, self.k, self.n_partitions)[::2] == i
            yield KmerTable(self.k, table.codes[:, is_here], table.counts[is_here])

    def map(
        self, function: PartitionFunction[Result], edges: KmerTable | None, run: RunOptions, backend: AssemblyBackend
    ) -> Iterator[Result]:
        """Yield what a function makes of each partition, in order, on all devices of the run; see `PartitionFunction`.

        Partitions that lie elsewhere call it there, with the options and the backend of that place.
        """

        def call(i: int) -> Result:
            own = None if edges is None else edges.moved(backend.here)
            return function(lambda: self.load(i), i, self.n_partitions, own, run, backend)

        yield from backend.spread(call, range(self.n_partitions), self._at_once(run, backend))

    def _at_once(self, run: RunOptions, backend: AssemblyBackend) -> int:
        """Choose the number of partitions whose graphs are in memory at once; 1 where they are on devices."""
        sizes = np.sum([np.diff(bounds) for _numbers, bounds in self._blocks], axis=0)
        n_kmers = int(np.max(sizes, initial=1))
        needed = backend.unitigs.kmer_graph_bytes(n_kmers, self.k) + n_kmers * (8 * words_per_kmer(self.k) + 4)
        return max(1, min(workers(run, backend), int(_GRAPHS_SHARE * memory_left(run.memory)) // needed))

    def close(self) -> None:
        """Free memory and scratch space."""
        self._arrays.close()


def begin_partitions(k: int, n_partitions: int, run: RunOptions, backend: AssemblyBackend) -> KmerPartitions:
    """Make partitions for k-mers whose graph exceeds the memory limit, and report it."""
    log.logger.info("the graph of the k-mers does not fit into memory: it is built in %d partitions", n_partitions)
    return KmerPartitions(k, n_partitions, run, backend)


#: Canonical k-mers and their counts: in one table, or more than that in partitions.
Kmers: TypeAlias = KmerTable | KmerPartitions


class HeldPartitions:
    """Partitions of k-mers for later use; see `HeldTable`.

    Parameters
    ----------
    partitions : KmerPartitions
    """

    def __init__(self, partitions: KmerPartitions) -> None:
        self.k = partitions.k
        self.n_partitions = partitions.n_partitions
        self._partitions = partitions

    def parts(self, n_bytes: int, backend: AssemblyBackend) -> Iterator[KmerTable]:
        """Yield the k-mers, each in one table, once; see `HeldTable.parts`. A partition is a part of any size."""
        yield from self._partitions.parts()
        self._partitions.close()


def hold(kmers: Kmers, run: RunOptions, backend: AssemblyBackend) -> HeldTable | HeldPartitions:
    """Hold k-mers for later use, in little memory."""
    return HeldPartitions(kmers) if isinstance(kmers, KmerPartitions) else HeldTable(kmers, run, backend)
