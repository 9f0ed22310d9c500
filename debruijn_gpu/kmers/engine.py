"""The seam for engines that count k-mers elsewhere than in this process, such as on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from debruijn_gpu.backends.kmers.protocol import KmerStore

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend, ReadBackend
    from debruijn_gpu.backends.reads.protocol import ReadBatch
    from debruijn_gpu.kmers.partitions import KmerPartitions
    from debruijn_gpu.reads.options import ReadInputs
    from debruijn_gpu.reads.read_statistics import LengthMeter
    from debruijn_gpu.run.options import RunOptions


class EngineStore(KmerStore, Protocol):
    """K-mers that lie elsewhere.

    `counted` gives arrays of the host, and of parts that are not kept (``are_kept=False``) spectra alone: the k-mers
    stay where they are.
    """

    def partitions(self, min_count: int, n_kmers: int, backend: AssemblyBackend) -> KmerPartitions:
        """Return the k-mers counted last that occur at least ``min_count`` times, which stay where they are.

        Called before `close`, and once.

        Parameters
        ----------
        min_count : int
            At least that of the counting.
        n_kmers : int
            How many these are.
        backend : AssemblyBackend
            Of this process.
        """


class KmerEngine(Protocol):
    """Counts k-mers elsewhere; results are those of `KmerOperations.kmer_store` and of the steps behind it."""

    def reads(self, inputs: ReadInputs, meter: LengthMeter, backend: ReadBackend) -> Iterable[ReadBatch]:
        """Return the reads of files for `EngineStore.fill`, which reads them where the k-mers are; the meter measures
        them. Iterated, they are read in this process."""

    def kmer_store(
        self, k: int, canonical: bool, run: RunOptions, sample: float = 1.0, n_bases_expected: int = 0
    ) -> EngineStore:
        """Create an empty store; see `KmerOperations.kmer_store`."""
