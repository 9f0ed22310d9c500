"""Words of text columns, and integers in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.protocol import ArrayBackend

#: Bytes behind the last word of a text, so that eight can be read from any of its bytes
PADDING = 8

_CHUNK_BYTES = 8
#: Masks of the first 0 to 8 bytes of a chunk
_FIRST_BYTES = np.array([(1 << 64) - (1 << 8 * (_CHUNK_BYTES - n)) for n in range(_CHUNK_BYTES + 1)], np.uint64)
_MOST_CHUNKS = 32  # compared eight bytes at a time; Python compares the rest of longer words that still are equal


@dataclass(frozen=True)
class Words:
    """Words of one column of a text, without NUL bytes.

    Attributes
    ----------
    text : ndarray, dtype=uint8
        With `PADDING` bytes behind the last word.
    starts, sizes : ndarray, dtype=int64, shape=(n,)
    """

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    def chunks(self, chosen: NDArray[np.int64], number: int) -> NDArray[np.uint64]:
        """Eight bytes of each chosen word as an integer, the first byte the highest, with zeros behind its end."""
        skipped = _CHUNK_BYTES * number
        windows: NDArray[np.uint64] = np.ndarray((len(self.text) - PADDING + 1,), ">u8", self.text, strides=(1,))
        chunks = windows[self.starts[chosen] + skipped].astype(np.uint64)
        chunks &= _FIRST_BYTES[np.clip(self.sizes[chosen] - skipped, 0, _CHUNK_BYTES)]
        return chunks

    def rest(self, i: int, number: int) -> bytes:
        """The bytes of a word from one chunk on."""
        start = int(self.starts[i])
        return self.text[start + _CHUNK_BYTES * number : start + int(self.sizes[i])].tobytes()


def rank_words(columns: Sequence[Words], backend: ArrayBackend) -> list[NDArray[np.signedinteger]]:
    """Rank the words of several columns among all of them, bytewise: equal words have equal ranks.

    Words are sorted by their first eight bytes, and those that are still equal by the next eight, until all differ or
    end: a most-significant-digit radix sort. (Bentley and Sedgewick 1997.)

    Parameters
    ----------
    columns : sequence of Words
    backend : ArrayBackend
        Of the host.

    Returns
    -------
    list of ndarray, dtype=int32 or int64
        For each word of each column, the number of words before it in the order, whatever the column.
    """
    firsts = np.cumsum([0, *map(len, columns)])
    n = int(firsts[-1])
    ranks = np.zeros(n, np.int64)
    sizes = np.concatenate([words.sizes for words in columns]) if columns else np.empty(0, np.int64)
    open_words = np.arange(n)
    for number in range(_MOST_CHUNKS):
        if not len(open_words):
            break
        chunks = _chunks(columns, firsts, open_words, number)
        keys = [ranks[open_words], chunks] if number else [chunks]
        order = np.asarray(backend.arrays.order_by(keys))
        open_words, chunks = open_words[order], chunks[order]
        is_tied = _refine(ranks, open_words, chunks)
        open_words = open_words[is_tied & (sizes[open_words] >= _CHUNK_BYTES * (number + 1))]
    else:
        _rank_rest(ranks, columns, firsts, open_words)
    dtype = np.int32 if n <= np.iinfo(np.int32).max else np.int64
    return [ranks[first:last].astype(dtype) for first, last in pairwise(firsts.tolist())]


def _chunks(
    columns: Sequence[Words], firsts: NDArray[np.int64], chosen: NDArray[np.int64], number: int
) -> NDArray[np.uint64]:
    """Gather a chunk of each chosen word of all columns."""
    if len(columns) == 1:
        return columns[0].chunks(chosen, number)
    chunks = np.empty(len(chosen), np.uint64)
    for words, first in zip(columns, firsts.tolist(), strict=False):
        own = (chosen >= first) & (chosen < first + len(words))
        chunks[own] = words.chunks(chosen[own] - first, number)
    return chunks


def _refine(ranks: NDArray[np.int64], chosen: NDArray[np.int64], chunks: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Rank sorted words by one more chunk, in place; return which of them are still equal to another one."""
    n = len(chosen)
    old = ranks[chosen]
    starts_old, starts_new = np.ones(n, np.bool_), np.ones(n + 1, np.bool_)
    starts_old[1:] = old[1:] != old[:-1]
    starts_new[1:-1] = starts_old[1:] | (chunks[1:] != chunks[:-1])
    place = np.arange(n)
    old_start = np.maximum.accumulate(np.where(starts_old, place, 0))
    new_start = np.maximum.accumulate(np.where(starts_new[:-1], place, 0))
    ranks[chosen] = old + new_start - old_start
    return ~(starts_new[:-1] & starts_new[1:])


def _rank_rest(
    ranks: NDArray[np.int64], columns: Sequence[Words], firsts: NDArray[np.int64], chosen: NDArray[np.int64]
) -> None:
    """Rank the words, few of them, that are equal in all chunks that are compared at once."""
    column_of = np.searchsorted(firsts, chosen, "right") - 1
    rests = [
        (int(ranks[i]), columns[column].rest(int(i - firsts[column]), _MOST_CHUNKS), int(i))
        for i, column in zip(chosen.tolist(), column_of.tolist(), strict=True)
    ]
    rests.sort()
    group = last = None
    start = 0
    for place, (rank, rest, i) in enumerate(rests):
        if rank != group:
            group, start, last, first = rank, place, rest, place
        elif rest != last:
            last, first = rest, place
        ranks[i] = rank + first - start
