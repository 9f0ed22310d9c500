"""Sort k-mers that come in any order: in memory, or in sorted runs in temporary files."""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.errors import FileAccessError, remedy
from debruijn_gpu.io.kmer_sets.reading import KmerSetFile
from debruijn_gpu.io.kmer_sets.stored_bytes import StoredBytes
from debruijn_gpu.io.kmer_sets.writing import write_set
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.sets.source import HeldKmers, SortedKmers

_COPIES = 6  # of the k-mers of a run, while it is sorted
_SHARE = 4  # of the memory that is left, for the k-mers of one file
_LEAST_RUN = 1 << 16


@dataclass(frozen=True)
class MergedRuns:
    """A set in sorted runs, whose k-mers may repeat from run to run; see `SortedKmers`."""

    name: str
    runs: tuple[KmerSetFile, ...]
    files: tuple[IO[bytes], ...]

    @property
    def k(self) -> int:
        """Length of the k-mers."""
        return self.runs[0].k

    @property
    def canonical(self) -> bool:
        """Whether a k-mer stands for its reverse complement, too."""
        return self.runs[0].canonical

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    def marks(self) -> list[tuple[int, int]]:
        """See `SortedKmers.marks`."""
        return list(heapq.merge(*(run.marks() for run in self.runs)))

    def read(self, low: int, high: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """See `SortedKmers.read`; counts of a k-mer in several runs are added."""
        codes, counts = backends.host().kmers.merge_kmers([run.read(low, high) for run in self.runs], self.k)
        return codes, counts

    def check(self) -> None:
        """See `SortedKmers.check`."""

    def close(self) -> None:
        """See `SortedKmers.close`."""
        for file in self.files:
            file.close()


def sorted_kmers(
    name: str,
    k: int,
    canonical: bool,
    parts: Iterable[tuple[NDArray[np.uint64], NDArray[np.uint32]]],
    run: RunOptions,
) -> SortedKmers:
    """Sort the k-mers of a file; counts of one that occurs several times are added, up to 2^32 - 1.

    Parameters
    ----------
    name : str
        Of the file.
    k : int
    canonical : bool
    parts : iterable of (codes, counts)
        uint64 (words, n), in any order and with repeats, and uint32 (n,).
    run : RunOptions
        Memory, and the directory of temporary files.
    """
    n_most = max(_LEAST_RUN, memory_left(run.memory) // _SHARE // (_COPIES * (8 * words_per_kmer(k) + 4)))
    waiting: list[tuple[NDArray[np.uint64], NDArray[np.uint32]]] = []
    n_waiting = 0
    runs: list[KmerSetFile] = []
    files: list[IO[bytes]] = []
    for codes, counts in parts:
        waiting.append((codes, counts))
        n_waiting += len(counts)
        if n_waiting > n_most:
            table = _merged(waiting, k, canonical)
            if 2 * len(table) <= n_most:  # most were repeats
                waiting, n_waiting = [(table.codes, table.counts)], len(table)
                continue
            log.logger.info("%s: k-mers are sorted in temporary files", name)
            files.append(_temporary_file(run.tmp_dir))
            runs.append(_stored(name, table, files[-1]))
            waiting, n_waiting = [], 0
    table = _merged(waiting, k, canonical)
    if not runs:
        return HeldKmers(name, table)
    files.append(_temporary_file(run.tmp_dir))
    runs.append(_stored(name, table, files[-1]))
    return MergedRuns(name, tuple(runs), tuple(files))


def _merged(parts: list[tuple[NDArray[np.uint64], NDArray[np.uint32]]], k: int, canonical: bool) -> KmerTable:
    if not parts:
        return KmerTable(k, np.empty((words_per_kmer(k), 0), np.uint64), np.empty(0, np.uint32), canonical)
    return KmerTable(k, *backends.host().kmers.merge_kmers(parts, k), canonical=canonical)


def _temporary_file(directory: Path | None) -> IO[bytes]:
    try:
        return tempfile.TemporaryFile(dir=directory)
    except OSError as error:
        raise _no_room(directory, error) from error


def _stored(name: str, table: KmerTable, file: IO[bytes]) -> KmerSetFile:
    """Write a run, and open it as a set."""
    try:
        write_set(file, table)  # type: ignore[arg-type]
        file.flush()
    except OSError as error:
        raise _no_room(None, error) from error
    return KmerSetFile(name, StoredBytes(name, file.fileno()))


def _no_room(directory: Path | None, error: OSError) -> FileAccessError:
    where = directory or tempfile.gettempdir()
    fix = "choose a place with more space (--tmp-dir), or allow more memory (-m)"
    return FileAccessError(f"{where}: temporary file: {error.strerror or error}", remedy(error, fix))
