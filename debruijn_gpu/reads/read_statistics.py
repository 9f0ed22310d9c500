"""Gather lengths of reads while they are parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.reads.protocol import ReadBatch

_COUNTED_LENGTH = 1 << 16  # shorter reads are counted, which is quicker than sorting them


@dataclass(frozen=True)
class ReadLengths:
    """Count reads by length.

    Attributes
    ----------
    lengths : ndarray, dtype=int64, shape=(n,)
        Ascending, unique.
    numbers : ndarray, dtype=int64, shape=(n,)
        Reads of that length.
    """

    lengths: NDArray[np.int64]
    numbers: NDArray[np.int64]

    @classmethod
    def of(cls, lengths: ArrayLike) -> ReadLengths:
        """Summary of the length of each read."""
        lengths = np.asarray(lengths, np.int64)
        if lengths.max(initial=0) < _COUNTED_LENGTH:
            numbers = np.bincount(lengths)
            distinct = np.flatnonzero(numbers)
            return cls(distinct, numbers[distinct].astype(np.int64))
        distinct, numbers = np.unique(lengths, return_counts=True)
        return cls(distinct, numbers.astype(np.int64))

    def __add__(self, other: ReadLengths) -> ReadLengths:
        """Summary of both sets of reads."""
        lengths = np.concatenate((self.lengths, other.lengths))
        distinct, place = np.unique(lengths, return_inverse=True)
        numbers = np.zeros(len(distinct), np.int64)
        np.add.at(numbers, place, np.concatenate((self.numbers, other.numbers)))
        return ReadLengths(distinct, numbers)

    @property
    def n_reads(self) -> int:
        return int(self.numbers.sum())

    @property
    def n_bases(self) -> int:
        return int((self.lengths * self.numbers).sum())

    @property
    def longest(self) -> int:
        """Length of the longest read; 0 if there are no reads."""
        return int(self.lengths.max(initial=0))

    @property
    def typical(self) -> int:
        """Half of the bases are in reads of this length or longer (the N50); 0 if there are no reads."""
        if not self.n_bases:
            return 0
        bases_from = np.cumsum((self.lengths * self.numbers)[::-1])[::-1]
        return int(self.lengths[bases_from * 2 >= bases_from[0]].max())

    def n_kmers(self, k: int) -> int:
        """K-mers in the reads, if no ambiguous base breaks one."""
        return int((np.maximum(self.lengths - k + 1, 0) * self.numbers).sum())


class LengthMeter:
    """Measures the reads that pass through it.

    Parameters
    ----------
    to_host : callable
        `CoreOperations.to_host` of the backend whose arrays the batches hold.

    Attributes
    ----------
    lengths : ReadLengths
        Of all reads so far.
    """

    def __init__(self, to_host: Callable[[Array], NDArray[Any]]) -> None:
        self._to_host = to_host
        self._whole = ReadLengths.of([])
        self._last: list[int] = []  # length of the last read so far, which the next batch may continue

    @property
    def lengths(self) -> ReadLengths:
        return self._whole + ReadLengths.of(self._last)

    def add(self, lengths: ReadLengths) -> None:
        """Add whole reads that were measured elsewhere."""
        self._whole = self._whole + lengths

    def through(self, batches: Iterable[ReadBatch]) -> Iterator[ReadBatch]:
        """The batches, unchanged."""
        for batch in batches:
            lengths = np.diff(self._to_host(batch.offsets))
            if batch.n_repeated:
                lengths[0] += self._last.pop() - batch.n_repeated
            if len(lengths):
                self._whole = self.lengths + ReadLengths.of(lengths[:-1])
                self._last = [int(lengths[-1])]
            yield batch
