"""The container of counted k-mers, and k-mers as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES, words_per_kmer
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.scratch import ScratchFile
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.protocol import CoreOperations
    from debruijn_gpu.backends.protocol import KmerBackend


def kmer_text(code: NDArray[np.uint64], k: int) -> str:
    """Letters of one k-mer.

    Parameters
    ----------
    code : ndarray, dtype=uint64, shape=(ceil(k / 32),)
        One column of `KmerTable.codes`.
    k : int
    """
    value = int.from_bytes(code.astype(">u8").tobytes(), "big")
    return bytes(BASES[value >> 2 * i & 3] for i in reversed(range(k))).decode()


@dataclass(frozen=True)
class KmerTable:
    """Distinct k-mers and their counts.

    Attributes
    ----------
    k : int
        1..255.
    codes : array of a backend, dtype=uint64, shape=(ceil(k / 32), n)
        Two-bit codes, right-aligned: word 0 is the most significant and holds the leading ``k % 32`` bases (32 if
        that is 0), the last base is in the lowest bits of the last word. Sorted ascending, unique.
    counts : array of a backend, dtype=uint32, shape=(n,)
        Occurrences; 2^32 - 1 stands for that many and more.
    canonical : bool
        Whether a k-mer stands for its reverse complement too (then each is the smaller of the two).
    """

    k: int
    codes: Array
    counts: Array
    canonical: bool = True

    def __len__(self) -> int:
        return len(self.counts)

    def moved(self, move: Callable[[Array], Array]) -> KmerTable:
        """The same with both arrays moved, by `to_device` or `to_host` of a backend."""
        return replace(self, codes=move(self.codes), counts=move(self.counts))

    def rows(self, rows: NDArray[np.intp]) -> KmerTable:
        """Return the k-mers of some rows, in the order given."""
        return replace(self, codes=self.codes[:, rows], counts=self.counts[rows])

    def extended(self, parts: list[tuple[Array, Array]], backend: KmerBackend) -> KmerTable:
        """Return these k-mers and others, codes and counts of each part; the counts of equal ones are summed."""
        codes, counts = backend.kmers.merge_kmers([(self.codes, self.counts), *parts], self.k)
        return replace(self, codes=codes, counts=counts)


def most_frequent(counts: NDArray[np.uint32], n: int) -> NDArray[np.intp]:
    """Rank the n most frequent k-mers of a table: rows by falling count, ties by k-mer.

    Parameters
    ----------
    counts : ndarray, dtype=uint32, shape=(n_kmers,)
        Of the k-mers in ascending order.
    n : int
        1 or more; fewer rows are returned where the table has fewer.
    """
    if n < len(counts):
        least = np.partition(counts, len(counts) - n)[len(counts) - n]
        rows = np.flatnonzero(counts >= least)
    else:
        rows = np.arange(len(counts))
    falling = np.iinfo(np.uint32).max - counts[rows]
    return rows[np.argsort(falling, kind="stable")[:n]]


class HeldTable:
    """K-mer table for later use: in memory up to a share of the memory budget, else in a scratch file.

    Parameters
    ----------
    table : KmerTable
    run : RunOptions
    backend : CoreOperations
        Whose arrays the table's are.

    Attributes
    ----------
    k : int
    """

    def __init__(self, table: KmerTable, run: RunOptions, backend: CoreOperations) -> None:
        self.k, self._canonical, self._n = table.k, table.canonical, len(table)
        self._table: KmerTable | None = table
        self._tmp_dir, self._to_host = run.tmp_dir, backend.to_host
        if self._n * self.bytes_per_kmer > tuning().held_kmers_share * backend.memory_left(run):
            self.spill()
        else:
            log.current_run().stores.add(self)

    def spill(self) -> None:
        """Move the table to a scratch file, unless it is there or was used."""
        table, self._table = self._table, None
        if table is None:
            return
        codes, counts = map(self._to_host, (table.codes, table.counts))
        self._scratch = ScratchFile(self._tmp_dir)
        self._edges = np.append(np.arange(0, self._n, tuning().held_kmers_at_once), self._n)
        self._places = [self._scratch.write(np.ascontiguousarray(part), self._edges) for part in (*codes, counts)]

    @property
    def bytes_per_kmer(self) -> int:
        """Size of a code and a count."""
        return 8 * words_per_kmer(self.k) + 4

    def parts(self, n_bytes: int, backend: CoreOperations) -> Iterator[KmerTable]:
        """Yield the table, once: whole if it is in memory, else consecutive rows of it.

        Parameters
        ----------
        n_bytes : int
            Size of a part that is loaded; at least `Tuning.held_kmers_at_once` k-mers are.
        backend : CoreOperations
            Whose arrays the parts are.
        """
        table, self._table = self._table, None
        if table is not None:
            yield table
            return
        n_at_once = max(1, n_bytes // (self.bytes_per_kmer * tuning().held_kmers_at_once))
        for start, stop in pairwise([*self._edges[:-1:n_at_once].tolist(), self._n]):
            yield self._loaded(start, stop - start).moved(backend.to_device)
        self._scratch.close()

    def _loaded(self, start: int, n: int) -> KmerTable:
        """Read consecutive rows."""
        codes, counts = np.empty((words_per_kmer(self.k), n), np.uint64), np.empty(n, np.uint32)
        for place, part in zip(self._places, (*codes, counts), strict=True):
            self._scratch.read_into(place, start, part)
        return KmerTable(self.k, codes, counts, self._canonical)
