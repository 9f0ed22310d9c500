"""Form of counted k-mers in checkpoints: parts of any size, with one at a time in memory.

A run may load them with another memory limit than that of the run that saved them: into a table, or into partitions of
any number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.kmers.partitions import KmerPartitions, Kmers
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend
    from debruijn_gpu.run.options import RunOptions

#: Codes uint64 (words, n) and counts uint32 (n,), on the host
Part = list[NDArray[Any]]


@dataclass(frozen=True)
class SavedKmers:
    """Description of saved k-mers.

    Attributes
    ----------
    k : int
    n_kmers : int
        Distinct k-mers of all parts; each is in one part.
    ascend : bool
        Whether k-mers ascend, within parts and from part to part.
    """

    k: int
    n_kmers: int
    ascend: bool

    @classmethod
    def of(cls, kmers: Kmers) -> SavedKmers:
        """Describe k-mers that are going to be saved."""
        return cls(kmers.k, len(kmers), isinstance(kmers, KmerTable))

    def checked(self, parts: Iterable[Part]) -> Iterator[Part]:
        """Yield parts; raise ValueError where they are not the parts that are described."""
        n = 0
        for codes, counts in parts:
            n += len(counts)
            is_shaped = codes.shape == (words_per_kmer(self.k), len(counts)) and counts.ndim == 1
            if not is_shaped or codes.dtype != np.uint64 or counts.dtype != np.uint32 or n > self.n_kmers:
                raise ValueError("its parts are not of k-mers")
            yield [codes, counts]
        if n != self.n_kmers:
            raise ValueError(f"expected {self.n_kmers} k-mers, got {n}")


def parts_of(kmers: Kmers, backend: AssemblyBackend) -> Iterator[Part]:
    """Yield k-mers in parts: consecutive rows of a table, or those of a partition."""
    if isinstance(kmers, KmerPartitions):
        for table in kmers.parts():
            yield [backend.to_host(table.codes), backend.to_host(table.counts)]
        return
    at_once = tuning().held_kmers_at_once
    for start in range(0, len(kmers), at_once):
        rows = slice(start, start + at_once)
        yield [np.ascontiguousarray(backend.to_host(kmers.codes[:, rows])), backend.to_host(kmers.counts[rows])]


def load_kmers(
    saved: SavedKmers, parts: Iterable[Part], n_partitions: int, run: RunOptions, backend: AssemblyBackend
) -> Kmers:
    """Load k-mers into partitions, or into a table if ``n_partitions`` is 0.

    Parameters
    ----------
    saved : SavedKmers
    parts : iterable of list of ndarray
        See `parts_of`.
    n_partitions : int
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays those of the result are.

    Raises
    ------
    ValueError
        If the parts are not those that were saved.
    """
    if n_partitions:
        partitions = KmerPartitions(saved.k, n_partitions, run, backend)
        checked = ((backend.to_device(codes), backend.to_device(counts)) for codes, counts in saved.checked(parts))
        partitions.add_all(checked, are_next=saved.ascend)
        return partitions
    if saved.ascend:
        return _filled(saved, parts).moved(backend.to_device)
    pairs = [(backend.to_device(codes), backend.to_device(counts)) for codes, counts in saved.checked(parts)]
    return KmerTable(saved.k, *backend.kmers.merge_kmers(pairs, saved.k))


def _filled(saved: SavedKmers, parts: Iterable[Part]) -> KmerTable:
    """Concatenate ascending parts, with one in memory beside the table."""
    codes = np.empty((words_per_kmer(saved.k), saved.n_kmers), np.uint64)
    counts, at = np.empty(saved.n_kmers, np.uint32), 0
    for part_codes, part_counts in saved.checked(parts):
        codes[:, at : at + len(part_counts)] = part_codes
        counts[at : at + len(part_counts)] = part_counts
        at += len(part_counts)
    return KmerTable(saved.k, codes, counts)
