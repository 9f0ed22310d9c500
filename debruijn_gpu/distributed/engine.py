"""The engine that counts k-mers on the workers of a Dask cluster."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from debruijn_gpu.distributed.context import TaskContext
from debruijn_gpu.distributed.file_reads import FileReads
from debruijn_gpu.distributed.samples import DaskCounter
from debruijn_gpu.distributed.store import DaskStore
from debruijn_gpu.distributed.submission import Submission
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.run.hash_seed import hash_seed

if TYPE_CHECKING:
    from distributed import Client

    from debruijn_gpu.backends.protocol import ReadBackend
    from debruijn_gpu.backends.reads.protocol import ReadBatch
    from debruijn_gpu.reads.options import ReadInputs
    from debruijn_gpu.reads.read_statistics import LengthMeter
    from debruijn_gpu.run.options import RunOptions
    from debruijn_gpu.samples.options import SampleOptions
    from debruijn_gpu.samples.sheet import Sample


class DaskEngine:
    """See `kmers.engine.KmerEngine` and `samples.engine.SampleEngine`.

    Parameters
    ----------
    client : Client
    run : RunOptions
        Of this process.
    n_bytes : int
        Size of the input.
    worker_tmp_dir : Path or None
        Directory of the workers' scratch files; None: their own.
    """

    def __init__(self, client: Client, run: RunOptions, n_bytes: int, worker_tmp_dir: Path | None) -> None:
        context = TaskContext(secrets.token_hex(8), hash_seed(), run.backend, run.gpu_memory, n_bytes, worker_tmp_dir)
        self._run = run
        self._submission = Submission(client, context)

    def reads(self, inputs: ReadInputs, meter: LengthMeter, backend: ReadBackend) -> Iterable[ReadBatch]:
        """See `KmerEngine.reads`. What is no file, such as a pipe, this process reads and shares."""
        if all(os.path.isfile(path) for path in inputs.paths):
            return FileReads(inputs, meter, self._run, backend)
        return meter.through(read_batches(inputs, backend, threads=self._run.threads, memory=self._run.memory))

    def kmer_store(
        self, k: int, canonical: bool, run: RunOptions, sample: float = 1.0, n_bases_expected: int = 0
    ) -> DaskStore:
        """See `KmerEngine.kmer_store`."""
        return DaskStore(self._submission, k, canonical, run, sample, n_bases_expected)

    def counter(self, samples: Sequence[Sample], options: SampleOptions, run: RunOptions) -> DaskCounter:
        """See `SampleEngine.counter`."""
        return DaskCounter(self._submission, samples, options, run)
