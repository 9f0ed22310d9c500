"""K-mers in partitions of their ends, in workers."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.assembly.cluster_tasks import CACHED_KMERS, MOST_PARTITIONS
from debruijn_gpu.distributed import tasks
from debruijn_gpu.distributed.held import HeldArrays
from debruijn_gpu.distributed.submission import Exchange, Submission
from debruijn_gpu.graph.occurrences import edges_of_partitions
from debruijn_gpu.kmers.partitions import KmerPartitions, PartitionFunction, Result
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from distributed import Future

    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend


class DaskPartitions(KmerPartitions):
    """See `KmerPartitions`: canonical k-mers and their counts, on workers.

    Parameters
    ----------
    submission : Submission
    source : (Exchange, list of Future)
        Super-k-mers, and of them each `tasks.CountedPartition`: of these lost k-mers are made again.
    k, min_count : int
    n_kmers, n_bases : int
        K-mers that occur at least ``min_count`` times, and bases of the reads.
    backend : AssemblyBackend
        Of this process, whose arrays are loaded and added.
    """

    def __init__(
        self,
        submission: Submission,
        source: tuple[Exchange, list[Future]],
        k: int,
        min_count: int,
        n_kmers: int,
        n_bases: int,
        backend: AssemblyBackend,
    ) -> None:
        self.k = k
        self._submission = submission
        self._backend = backend
        self._n_kmers = n_kmers
        self._split_reads: Exchange | None = source[0]
        by_memory = submission.n_partitions(backends.host().unitigs.kmer_graph_bytes(n_kmers, k), n_bases)
        self.n_partitions = max(by_memory, min(n_kmers // CACHED_KMERS, MOST_PARTITIONS))
        scattered = submission.submit_all(
            tasks.scatter, [(one,) for one in source[1]], submission.context, k, min_count, self.n_partitions
        )
        with log.stage("partitions", n_kmers, "k-mers") as stage:
            for n, _number in enumerate(submission.waiter.finished(scattered), start=1):
                stage.progress(n_kmers * n // len(scattered), n_kmers)
        self._by_ends: Exchange | None = submission.exchange(scattered)
        self._added: list[list[Future]] = [[] for _partition in range(self.n_partitions)]

    def keep(self, min_count: int, n_kmers: int) -> None:
        """See `KmerPartitions.keep`: rarer k-mers are left out from the beginning."""

    def extended(self, parts: list[tuple[Array, Array]], backend: AssemblyBackend) -> DaskPartitions:
        """See `KmerPartitions.extended`: the others are sent to workers with the tasks that need them."""
        other = copy(self)
        other._added = [list(pieces) for pieces in self._added]
        for codes, counts in parts:
            other._add(codes, counts)
        return other

    def _add(self, codes: Array, counts: Array) -> None:
        ends = self._backend.to_host(self._backend.kmers.end_partitions(codes, self.k, self.n_partitions))
        ends, to_host = ends.reshape(-1, 2), self._backend.to_host
        arrays: list[NDArray[Any]] = [*to_host(codes), to_host(counts).astype(np.uint32)]
        for i in range(self.n_partitions):
            rows = np.flatnonzero((ends == i).any(axis=1))
            if len(rows):
                held = [HeldArrays([array[rows] for array in arrays])]
                self._added[i].append(self._submission.submit(tasks.given_piece, held))
        self._n_kmers += len(counts)

    def load(self, partition: int) -> KmerTable:
        """See `KmerPartitions.load`."""
        submission = self._submission
        assert self._by_ends is not None
        where = self._by_ends.directory, self._added[partition]
        loaded = submission.submit(tasks.load, partition, *where, submission.context, self.k)
        *words, counts = HeldArrays(submission.waiter.result(loaded)).load()
        return KmerTable(self.k, np.stack(words), counts).moved(self._backend.to_device)

    def map(
        self, function: PartitionFunction[Result], edges: KmerTable | None, run: RunOptions, backend: AssemblyBackend
    ) -> Iterator[Result]:
        """See `KmerPartitions.map`: workers call the function; edges go to their partitions."""
        submission, n = self._submission, self.n_partitions
        each: list[KmerTable] | list[None] = [None] * n
        if edges is not None:
            each = edges_of_partitions(edges.moved(self._backend.to_host), n, backends.host())
        assert self._by_ends is not None
        own = [(i, each[i], self._by_ends.directory, self._added[i]) for i in range(n)]
        futures = submission.submit_all(tasks.apply, own, submission.context, function, self.k, n)
        del own
        del each
        for i in range(n):  # in order: what is glued is numbered by partition
            yield submission.waiter.result(futures[i])
            futures[i].release()

    def close(self) -> None:
        """Let go of what the workers hold."""
        self._split_reads = self._by_ends = None
        self._added = []

    def __del__(self) -> None:
        """Futures let go of themselves."""
