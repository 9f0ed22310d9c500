"""Sorted sets of the k-mers of samples: in memory up to a share of the budget, the others in one scratch file.

Sets that a device counted stay there, up to a share of its memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import IO, TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.errors import FileAccessError, remedy
from debruijn_gpu.io.kmer_sets.reading import KmerSetFile
from debruijn_gpu.io.kmer_sets.stored_bytes import StoredBytes
from debruijn_gpu.io.kmer_sets.writing import write_parts
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.run.tuning import tuning
from debruijn_gpu.sets.source import DeviceKmers, HeldKmers, SortedKmers

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.protocol import CoreOperations

Part: TypeAlias = "tuple[NDArray[np.uint64], NDArray[np.uint32]]"


class SampleStore:
    """Sorted sets in memory; those that do not fit share one file, without a descriptor for each sample.

    Parameters
    ----------
    run : RunOptions
        Memory, and the directory of the temporary file.
    backend : CoreOperations
        Whose arrays parts may be.
    held_bytes : int, optional
        Of sets in memory of the host, where none stay on a device; by default a share of the memory that is left.
    """

    def __init__(self, run: RunOptions, backend: CoreOperations, held_bytes: int | None = None) -> None:
        share = tuning().held_samples_share
        self._left_bytes = int(share * memory_left(run.memory)) if held_bytes is None else held_bytes
        stays = not backend.is_sequential and held_bytes is None
        self._device_left_bytes = int(share * backend.memory_left(run)) if stays else 0
        self._to_host = backend.to_host
        self._directory = run.tmp_dir
        self._file: IO[bytes] | None = None

    def add_table(self, name: str, table: KmerTable) -> SortedKmers:
        """Store a set, arrays of the backend: on its device where there is room."""
        n_bytes = table.codes.nbytes + table.counts.nbytes
        if n_bytes <= self._device_left_bytes:
            self._device_left_bytes -= n_bytes
            return DeviceKmers(name, table, self._to_host)
        on_host = table.moved(self._to_host)
        return self.add(name, table.k, table.canonical, [(on_host.codes, on_host.counts)])

    def add(self, name: str, k: int, canonical: bool, parts: Iterable[Part]) -> SortedKmers:
        """Store a set: ascending parts of codes (words, n) and counts (n,), of the host."""
        source = iter(parts)
        held: list[Part] = []
        n_bytes = 0
        for codes, counts in source:
            held.append((codes, counts))
            n_bytes += codes.nbytes + counts.nbytes
            if n_bytes > self._left_bytes:
                return self._written(name, k, canonical, chain(held, source))
        self._left_bytes -= n_bytes
        if len(held) == 1:
            return HeldKmers(name, KmerTable(k, *held[0], canonical=canonical))
        codes = np.concatenate([np.empty((words_per_kmer(k), 0), np.uint64), *(codes for codes, _ in held)], axis=1)
        counts = np.concatenate([np.empty(0, np.uint32), *(counts for _, counts in held)])
        return HeldKmers(name, KmerTable(k, codes, counts, canonical=canonical))

    @property
    def left_bytes(self) -> int:
        """Memory of the host that sets may still take."""
        return self._left_bytes

    def close(self) -> None:
        """Give the scratch space back."""
        if self._file is not None:
            self._file.close()

    def _written(self, name: str, k: int, canonical: bool, parts: Iterator[Part]) -> SortedKmers:
        """Append a set to the scratch file."""
        where = str(self._directory or tempfile.gettempdir())
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._directory)  # noqa: SIM115 - lives as long as this object
            start = self._file.tell()
            write_parts(self._file, k, canonical, parts)  # type: ignore[arg-type]
            self._file.flush()
            stop = self._file.tell()
        except OSError as error:
            fix = remedy(error, "choose a place with more space (--tmp-dir), or allow more memory (-m)")
            raise FileAccessError(f"{where}: temporary file: {error.strerror or error}", fix) from error
        return KmerSetFile(name, StoredBytes(f"{where}: temporary file", self._file.fileno(), start, stop))
