"""K-mers on workers: read and split there, shuffled by minimizer, and counted where they lie."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.backends.kmers.minimizers import bucket_bits, n_used_buckets
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.distributed import tasks
from debruijn_gpu.distributed.file_reads import FileReads
from debruijn_gpu.distributed.partitions import DaskPartitions
from debruijn_gpu.distributed.reading import ReadSource, StoredRange, store_batch
from debruijn_gpu.distributed.submission import Exchange, Submission
from debruijn_gpu.distributed.tally import ReadTally
from debruijn_gpu.errors import FileAccessError, FormatError, remedy
from debruijn_gpu.run import log, progress
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import format_bytes

if TYPE_CHECKING:
    from distributed import Future

    from debruijn_gpu.backends.protocol import AssemblyBackend

_BASE_BYTES = 8  # of memory that counting takes for each base
_STORED = "reads in use"
_RANGE_BASES = 1 << 25


class DaskStore:
    """See `kmers.engine.EngineStore`: a part is a partition.

    Parameters
    ----------
    submission : Submission
    k, canonical, run, sample, n_bases_expected
        See `KmerOperations.kmer_store`.
    """

    def __init__(
        self, submission: Submission, k: int, canonical: bool, run: RunOptions, sample: float, n_bases_expected: int
    ) -> None:
        self._submission = submission
        self._k, self._canonical = k, canonical
        self._run = run
        bits = bucket_bits(n_bases_expected)
        n_used = n_used_buckets(bits, sample)
        n_bases = sample * n_bases_expected
        n = min(n_used, submission.n_partitions(_BASE_BYTES * n_bases, n_bases))
        self._plan = tasks.SplitPlan(k, bits, n_used, n)
        self._n_bases_expected = n_bases_expected
        self._split_reads: Exchange | None = None
        self._counted: list[Future] = []
        self._shared: str | None = None  # file of reads that this process wrote
        self.n_reads = self.n_bases = self.n_kmers = 0

    @property
    def n_parts(self) -> int:
        return self._plan.n_partitions

    def fill(self, batches: Iterable[ReadBatch]) -> None:
        """Have the reads split by workers, which read the files themselves where they can."""
        if isinstance(batches, FileReads):
            try:
                batches.take(self._split(batches.sources(*self._submission.n_ranges(self._n_bases_expected))))
            except FormatError as error:
                batches.explain(error)
        else:
            self._split({_STORED: self._stored(batches)})

    def _split(self, sources: dict[str, list[ReadSource]]) -> dict[str, list[ReadTally]]:
        """Split all parts of the reads; returns what was read of each file."""
        submission, step = self._submission, progress.current()
        each = [(name, source) for name, parts in sources.items() for source in parts]
        made = submission.submit_all(tasks.split, [(source,) for _name, source in each], self._plan, submission.context)
        tallies = submission.submit_all(tasks.tally_of, [(one,) for one in made])
        n_done, n_bytes = 0, sum(source.n_bytes for _name, source in each)
        for i in submission.waiter.finished(tallies):
            n_done += each[i][1].n_bytes
            step.update(n_done, n_bytes, progress.BYTES)
        self._split_reads = submission.exchange(made)
        found: dict[str, list[ReadTally]] = {name: [] for name in sources}
        for (name, _source), tally in zip(each, tallies, strict=True):
            found[name].append(tally.result())
        self._add([tally for parts in found.values() for tally in parts])
        return found

    def _add(self, tallies: list[ReadTally]) -> None:
        self.n_reads = sum(tally.n_reads for tally in tallies)
        self.n_bases = sum(tally.n_bases for tally in tallies)
        self.n_kmers = sum(tally.n_kmers for tally in tallies)
        n_bytes = sum(tally.shuffled_bytes for tally in tallies)
        log.logger.info(
            "  shuffle: %s in %d partitions, %.2f bytes for each base",
            format_bytes(n_bytes),
            self.n_parts,
            n_bytes / max(1, self.n_bases),
        )

    def _stored(self, batches: Iterable[ReadBatch]) -> list[ReadSource]:
        """Write batches of reads to a file that workers read."""
        try:
            descriptor, self._shared = tempfile.mkstemp(prefix=".dbg-reads-", dir=self._run.tmp_dir)
            with open(descriptor, "wb") as stream:
                return self._write(batches, stream)
        except OSError as error:
            what = f"{error.filename or self._run.tmp_dir or tempfile.gettempdir()}: {error.strerror or error}"
            fix = remedy(error, "name a directory that workers share (--tmp-dir)")
            raise FileAccessError(what, fix) from error

    def _write(self, batches: Iterable[ReadBatch], stream: Any) -> list[ReadSource]:
        assert self._shared is not None
        path, found, start, n_batches, n_bases = os.path.abspath(self._shared), list[ReadSource](), 0, 0, 0
        for batch in batches:
            store_batch(stream, batch.moved(backends.of(batch.bases).to_host))
            n_batches, n_bases = n_batches + 1, n_bases + batch.n_bases
            if n_bases >= _RANGE_BASES:
                found.append(StoredRange(path, start, stream.tell() - start, n_batches))
                start, n_batches, n_bases = stream.tell(), 0, 0
        if n_batches:
            found.append(StoredRange(path, start, stream.tell() - start, n_batches))
        return found

    def counted(self, min_count: int, are_kept: bool = True) -> Iterator[CountedKmers]:
        """Count one partition after another; the k-mers come here only if they are kept."""
        submission = self._submission
        at_least = min(min_count, np.iinfo(np.int64).max)
        assert self._split_reads is not None
        of_all = self._split_reads.directory, submission.context, self._k, self._canonical, at_least
        self._counted = submission.submit_all(tasks.count, [(i,) for i in range(self.n_parts)], *of_all)
        wanted = self._counted
        if not are_kept:
            wanted = submission.submit_all(tasks.spectrum_of, [(one,) for one in self._counted])
        for i in submission.waiter.finished(wanted):
            part: tasks.CountedPartition = wanted[i].result()
            *words, counts = part.kmers.load()
            codes = np.stack(words) if are_kept else np.zeros((-(-self._k // 32), 0), np.uint64)
            yield CountedKmers(codes, counts, part.histogram, part.large_counts)

    def partitions(self, min_count: int, n_kmers: int, backend: AssemblyBackend) -> DaskPartitions:
        """See `EngineStore.partitions`."""
        assert self._split_reads is not None
        source = self._split_reads, self._counted
        return DaskPartitions(self._submission, source, self._k, min_count, n_kmers, self.n_bases, backend)

    def close(self) -> None:
        """Let go of what the workers hold, and remove the file of reads."""
        self._split_reads, self._counted = None, []
        if self._shared is not None:
            os.unlink(self._shared)
            self._shared = None
