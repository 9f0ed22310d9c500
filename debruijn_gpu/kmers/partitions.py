"""K-mers by partition of their ends, for graphs that are larger than memory.

A partition holds all k-mers that begin or end with one of its (k-1)-mers, so that the edges at these (k-1)-mers are
found in it alone. About a tenth of the k-mers are in two partitions. (Chikhi et al. 2016, BCALM 2.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.run.spilling import SpillingArrays
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend
    from debruijn_gpu.run.options import RunOptions


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
        self.n_kmers = 0
        self._is_sorted = True
        self._backend = backend
        self._blocks: list[tuple[list[int], NDArray[np.int64]]] = []
        budget = int(tuning().partitions_share * memory_left(run.memory))
        self._arrays = SpillingArrays(budget, run.tmp_dir)

    def __len__(self) -> int:
        return self.n_partitions

    def add(self, codes: Array, counts: Array, are_next: bool = False) -> None:
        """Scatter k-mers: codes (words, n) and counts (uint32 (n,)).

        Counts of a k-mer that is added twice are summed. With ``are_next``, k-mers ascend, and are greater than those
        added before.
        """
        self._is_sorted &= are_next
        at_once = tuning().partitioned_kmers
        for start in range(0, len(counts), at_once):
            self._add_block(codes[:, start : start + at_once], counts[start : start + at_once])
        self.n_kmers += len(counts)

    def _add_block(self, codes: Array, counts: Array) -> None:
        """Sort the k-mers of a block by partition; those whose ends are in two partitions are there twice."""
        backend = self._backend
        partitions = backend.kmers.end_partitions(codes, self.k, self.n_partitions)
        is_other = partitions >= 0
        is_other[1::2] = partitions[1::2] != partitions[::2]
        keys, ends = backend.arrays.compact(partitions, is_other)
        keys, ends = backend.arrays.sort_pairs(keys, ends.astype(np.uint32))
        rows = ends >> 1
        bounds = np.searchsorted(backend.to_host(keys), np.arange(self.n_partitions + 1))
        arrays = [backend.to_host(word[rows]) for word in (*codes, counts)]
        self._blocks.append(([self._arrays.add(array) for array in arrays], bounds.astype(np.int64)))

    def size(self, partition: int) -> int:
        """Number of k-mers of a partition."""
        return sum(int(bounds[partition + 1] - bounds[partition]) for _numbers, bounds in self._blocks)

    def load(self, partition: int) -> KmerTable:
        """Return the k-mers of a partition, sorted, in arrays of the backend."""
        n = self.size(partition)
        codes, counts = np.empty((words_per_kmer(self.k), n), np.uint64), np.empty(n, np.uint32)
        at = 0
        for numbers, bounds in self._blocks:
            start, stop = bounds[partition : partition + 2].tolist()
            for number, target in zip(numbers, (*codes, counts), strict=True):
                self._arrays.read_into(number, start, target[at : at + stop - start])
            at += stop - start
        table = KmerTable(self.k, codes, counts).moved(self._backend.to_device)
        if self._is_sorted:
            return table
        return KmerTable(self.k, *self._backend.kmers.merge_kmers([(table.codes, table.counts)], self.k))

    def close(self) -> None:
        """Free memory and scratch space."""
        self._arrays.close()
