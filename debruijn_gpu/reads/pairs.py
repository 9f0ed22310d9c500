"""The starts of the first pairs of mates, kept while the reads pass by.

They are what insert sizes are measured with: it takes no second look at the files, and works for standard input too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.reads.protocol import ReadBatch

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
