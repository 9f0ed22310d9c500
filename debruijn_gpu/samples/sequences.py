"""Count the k-mers of the sequences of a sample."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.kmers.protocol import KmerStore
from debruijn_gpu.backends.kmers.set_programs import SetProgram, over_all
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.io.fastx.reads import Text, batch_of, expected_bases, read_texts
from debruijn_gpu.io.kmer_sets.runs import sorted_kmers
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.samples.options import READS_MIN_COUNT
from debruijn_gpu.samples.sheet import Sample
from debruijn_gpu.samples.store import SampleStore
from debruijn_gpu.sets.combine import combine_sets
from debruijn_gpu.sets.source import SortedKmers

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Part: TypeAlias = "tuple[NDArray[np.uint64], NDArray[np.uint32]]"

_FASTQ_MARK = ord("@")


@dataclass
class _Format:
    """Whether any of the files that were read is FASTQ."""

    is_fastq: bool = False

    def batches(self, texts: Iterator[Text]) -> Iterator[ReadBatch]:
        """Yield the reads of texts."""
        for reads, mates in texts:
            if not self.is_fastq and reads.n_reads and not reads.is_lines:
                first = reads.parsed.n_reads - reads.n_reads
                self.is_fastq = int(reads.text[int(reads.parsed.starts[first])]) == _FASTQ_MARK
            yield batch_of(reads, mates)


class SequenceCounter:
    """Counts samples of sequences.

    Parameters
    ----------
    k : int
    canonical : bool
    run : RunOptions
    backend : AssemblyBackend
    """

    def __init__(self, k: int, canonical: bool, run: RunOptions, backend: AssemblyBackend) -> None:
        self._k, self._canonical, self._run, self._backend = k, canonical, run, backend
        self.n_fastq = 0

    def count(self, sample: Sample, min_count: int | None, into: SampleStore) -> SortedKmers:
        """Count the k-mers of a sample, and store them.

        Parameters
        ----------
        sample : Sample
            Of files of sequences.
        min_count : int or None
            None: by format.
        into : SampleStore
        """
        name = f"sample {sample.name}"
        inputs, run = ReadInputs(single=sample.files), self._run
        store = self._backend.kmers.kmer_store(self._k, self._canonical, run, 1.0, expected_bases(inputs))
        found = _Format()
        with closing(store):
            with closing(
                read_texts(inputs, self._backend, threads=run.threads, memory=run.memory, whole=False)
            ) as texts:
                store.fill(found.batches(texts))
            self.n_fastq += found.is_fastq
            if not store.n_kmers:
                log.logger.warning("sample %s has no %d-mer", sample.name, self._k)
                return into.add(name, self._k, self._canonical, ())
            least = min_count or (READS_MIN_COUNT if found.is_fastq else 1)
            try:
                table = self._table(store, least)
            except OutOfMemoryError:
                log.logger.info("sample %s: its k-mers are sorted in temporary files", sample.name)
                return into.add(name, self._k, self._canonical, self._sorted(store, sample.name, least))
            return into.add_table(name, table)

    def _table(self, store: KmerStore, min_count: int) -> KmerTable:
        """Count and sort in memory: arrays of the backend."""
        parts = list(store.counted(min_count))
        store.close()
        codes, counts = self._backend.kmers.concatenate_counted(parts, self._k, min_count)
        return KmerTable(self._k, codes, counts, self._canonical)

    def _sorted(self, store: KmerStore, name: str, min_count: int) -> Iterator[Part]:
        """Count part by part, and sort in temporary files."""
        to_host = self._backend.to_host
        parts = ((to_host(part.codes), to_host(part.counts)) for part in store.counted(min_count, are_kept=False))
        kmers = sorted_kmers(name, self._k, self._canonical, parts, self._run)
        store.close()
        with closing(kmers):
            yield from combine_sets([kmers], SetProgram((over_all("sum", 1, 1),), 1), self._run, backends.host())
