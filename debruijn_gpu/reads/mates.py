"""Bring the mates of pairs together that are in different batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.reads.protocol import TURNS, Mates


class HasMates(Protocol):
    """A batch of reads, or what is known of its rows."""

    @property
    def mates(self) -> Mates | None: ...

    @property
    def n_reads(self) -> int: ...

    @property
    def n_rows(self) -> int: ...


Batch = TypeVar("Batch", bound=HasMates)


@dataclass(frozen=True)
class MateRows(Generic[Batch]):
    """Rows of batches that are pairs.

    Attributes
    ----------
    number : int
        Of the paired input.
    first_pair : int
        Number of the first pair; the others follow it.
    batches : tuple of batch
        With the first and the second mates.
    rows : tuple of ndarray, dtype=int64, shape=(n_pairs,)
        Their rows of `ReadBatch.offsets`.
    """

    number: int
    first_pair: int
    batches: tuple[Batch, Batch]
    rows: tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass
class _Rest(Generic[Batch]):
    """Reads of a batch whose mates have not come yet."""

    batch: Batch
    index: int
    rows: NDArray[np.int64]

    def take(self, n: int) -> NDArray[np.int64]:
        """Take the first rows out."""
        taken, self.rows = self.rows[:n], self.rows[n:]
        self.index += n
        return taken


def pairs_of(batches: Iterable[Batch]) -> Iterator[MateRows[Batch]]:
    """Yield the pairs of batches in any interleaving of their files; single reads are left out."""
    files: dict[tuple[int, int], deque[_Rest[Batch]]] = {}
    for batch in batches:
        if batch.mates is None:
            continue
        number, mate = batch.mates.number, batch.mates.mate
        n_rows = batch.n_rows
        rest = _Rest(batch, batch.mates.first, np.arange(n_rows - batch.n_reads, n_rows))
        if mate == TURNS:
            yield from _in_turn(number, rest, files.setdefault((number, TURNS), deque()))
            continue
        files.setdefault((number, mate), deque()).append(rest)
        one, other = (files.setdefault((number, which), deque()) for which in (0, 1))
        while one and other:
            first, second = one[0], other[0]
            n, index = min(len(first.rows), len(second.rows)), first.index
            if n:
                yield MateRows(number, index, (first.batch, second.batch), (first.take(n), second.take(n)))
            for waiting in (one, other):
                if not len(waiting[0].rows):
                    waiting.popleft()


def _in_turn(number: int, rest: _Rest[Batch], waiting: deque[_Rest[Batch]]) -> Iterator[MateRows[Batch]]:
    """Yield the pairs of a batch in which mates take turns, and one with the last read of the batch before."""
    if waiting and len(rest.rows):
        before = waiting.popleft()
        yield MateRows(number, before.index >> 1, (before.batch, rest.batch), (before.rows, rest.take(1)))
    n, index = len(rest.rows) // 2 * 2, rest.index
    rows = rest.take(n)
    if n:
        turns = np.ascontiguousarray(rows[0::2]), np.ascontiguousarray(rows[1::2])
        yield MateRows(number, index >> 1, (rest.batch, rest.batch), turns)
    if len(rest.rows):
        waiting.append(rest)
