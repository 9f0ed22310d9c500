"""Gather lengths and first pairs of reads while they are parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

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


#: Bases that are kept of each mate: one word with room for a mark, and unique in a genome.
START_BP = 31
#: What stands for the start of a read that is shorter, or holds an ambiguous base there.
NO_START = np.uint64(2**64 - 1)
#: Pairs that are kept of all inputs together, and at least of each.
PAIRS_KEPT, LEAST_PAIRS_KEPT = 50_000, 5_000

#: The starts of first and second mates, dtype=uint64, shape=(n_pairs,)
PairStarts: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint64]]

_BITS_PER_WORD = 64


class PairSample:
    """The starts of the first pairs of each paired input.

    Parameters
    ----------
    to_host : callable
        `CoreOperations.to_host` of the backend whose arrays the reads are in.
    n_inputs : int
        Paired inputs, of two files or interleaved.
    """

    def __init__(self, to_host: Callable[[Array], NDArray[Any]], n_inputs: int) -> None:
        self._to_host = to_host
        self._n_wanted = max(LEAST_PAIRS_KEPT, PAIRS_KEPT // max(1, n_inputs))
        self._kept: list[tuple[list[NDArray[np.uint64]], ...]] = [([], []) for _ in range(n_inputs)]
        self._turns: list[list[NDArray[np.uint64]]] = [[] for _ in range(n_inputs)]

    def add_mates(self, number: int, mate: int, reads: ReadBatch) -> None:
        """Look at the next reads of a file of first mates (0) or second mates (1), of the paired input of a number."""
        self._add(self._kept[number][mate], self._n_wanted, reads)

    def add_interleaved(self, number: int, reads: ReadBatch) -> None:
        """Look at the next reads of a file in which first and second mates take turns."""
        self._add(self._turns[number], 2 * self._n_wanted, reads)

    def pairs(self) -> list[PairStarts]:
        """Of each paired input the first 31 bases of the first and second mates, dtype=uint64, shape=(n_pairs,).

        Two bits a base, the first in the highest ones of 62; `NO_START` where there are none.
        """
        return [_cut(kept, turns) for kept, turns in zip(self._kept, self._turns, strict=True)]

    def _add(self, kept: list[NDArray[np.uint64]], n_wanted: int, reads: ReadBatch) -> None:
        n = min(n_wanted - sum(map(len, kept)), reads.n_reads)
        if n <= 0:
            return
        first = len(reads.offsets) - 1 - reads.n_reads  # 1 where the first read began in the batch before
        offsets = self._to_host(reads.offsets[first : first + n + 1])
        n_words = -(-2 * int(offsets[-1]) // _BITS_PER_WORD)
        kept.append(_starts(self._to_host(reads.bases[:n_words]), offsets, self._to_host(reads.ambiguous_positions)))


def _cut(kept: tuple[list[NDArray[np.uint64]], ...], turns: list[NDArray[np.uint64]]) -> PairStarts:
    none = np.empty(0, np.uint64)
    first, second = (np.concatenate([none, *part]) for part in kept)
    both = np.concatenate([none, *turns])
    first, second = np.concatenate([first, both[0::2]]), np.concatenate([second, both[1::2]])
    n_pairs = min(len(first), len(second))
    return first[:n_pairs], second[:n_pairs]


def _starts(
    bases: NDArray[np.uint64], offsets: NDArray[np.int64], ambiguous_positions: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """The first bases of each read."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    whole = (lengths >= START_BP) & (
        np.searchsorted(ambiguous_positions, starts)
        == np.searchsorted(ambiguous_positions, starts + np.minimum(START_BP, lengths))
    )
    padded = np.append(bases, np.zeros(2, np.uint64))
    word, shift = np.divmod(2 * starts, _BITS_PER_WORD)
    left = padded[word] << shift.astype(np.uint64)
    # A shift by all 64 bits is not defined, so it is made in two steps.
    right = (padded[word + 1] >> np.uint64(1)) >> (_BITS_PER_WORD - 1 - shift).astype(np.uint64)
    codes = (left | right) >> np.uint64(_BITS_PER_WORD - 2 * START_BP)
    return np.where(whole, codes, NO_START)
