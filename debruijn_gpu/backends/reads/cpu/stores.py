"""Store packed reads on the host; see `ReadOperations`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.run import log, progress
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import format_bytes, memory_left, return_free_memory
from debruijn_gpu.run.scratch import ScratchArray, ScratchFile
from debruijn_gpu.run.tuning import tuning

#: Some 4 million bases of FASTQ, 8 million of FASTA: what counts them stays in the cache.
block_bytes = 8 << 20

leaves_cpus_free = False


def large_block_bytes() -> int:
    """See `ReadOperations.large_block_bytes`."""
    return 0


@dataclass(frozen=True)
class _Stored:
    """A batch whose arrays (`ScratchArray`) are in a scratch file."""

    batch: ReadBatch


class ReadStore:
    """Batches of reads in input order, to be iterated over as often as needed.

    Parameters
    ----------
    batches : iterable of ReadBatch
        Read to the end at once.
    memory_bytes : int
        What may stay in memory.
    tmp_dir : Path or None
        Where the scratch file goes; None: the system's place.
    """

    def __init__(self, batches: Iterable[ReadBatch], memory_bytes: int, tmp_dir: Path | None) -> None:
        self._batches: deque[ReadBatch | _Stored] = deque()
        self._scratch: ScratchFile | None = None
        self._tmp_dir = tmp_dir
        self._n_bases = 0
        try:
            self._fill(batches, memory_bytes)
        except BaseException:
            self.close()
            raise
        log.current_run().stores.add(self)

    def _fill(self, batches: Iterable[ReadBatch], memory_bytes: int) -> None:
        """Store all batches."""
        held = 0
        for batch in batches:
            self._n_bases += batch.n_new_bases
            if held + batch.nbytes <= memory_bytes:
                held += batch.nbytes
                self._batches.append(batch)
                continue
            if self._scratch is None:
                log.logger.info("reads take more than %s: the rest goes to a temporary file", format_bytes(held))
            self._batches.append(self._written(batch))

    def spill(self) -> None:
        """Move all batches to the scratch file."""
        held = sum(batch.nbytes for batch in self._batches if isinstance(batch, ReadBatch))
        if not held:
            return
        log.logger.info("reads of %s go to a temporary file, to make room", format_bytes(held))
        for _ in range(len(self._batches)):
            batch = self._batches.popleft()
            self._batches.append(self._written(batch) if isinstance(batch, ReadBatch) else batch)

    def _written(self, batch: ReadBatch) -> _Stored:
        if self._scratch is None:
            self._scratch = ScratchFile(self._tmp_dir)
        return _Stored(batch.moved(self._scratch.write))

    def __iter__(self) -> Iterator[ReadBatch]:
        return self._through(map(self._loaded, list(self._batches)))

    def drained(self) -> Iterator[ReadBatch]:
        """See `ReadStore.drained`."""
        return self._through(self._loaded(self._batches.popleft()) for _ in range(len(self._batches)))

    def _through(self, batches: Iterable[ReadBatch]) -> Iterator[ReadBatch]:
        return progress.through(batches, self._n_bases, "bases", lambda batch: batch.n_new_bases)

    def _loaded(self, batch: ReadBatch | _Stored) -> ReadBatch:
        return batch.batch.moved(self._load) if isinstance(batch, _Stored) else batch

    def _load(self, place: ScratchArray) -> NDArray[Any]:
        assert self._scratch is not None
        array: NDArray[Any] = np.empty(place.size, place.dtype)
        self._scratch.read_into(place, 0, array)
        return array

    def close(self) -> None:
        """Give memory and scratch space back."""
        self._batches.clear()
        if self._scratch is not None:
            self._scratch.close()
        return_free_memory()


def read_store(batches: Iterable[ReadBatch], run: RunOptions) -> ReadStore:
    """See `ReadOperations.read_store`."""
    return ReadStore(batches, int(memory_left(run.memory) * tuning().reads_share), run.tmp_dir)
