"""Sets of words of one length, and the ways to make them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.errors import OutOfMemoryError, ParameterError
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import available_memory, format_bytes
from debruijn_gpu.sequences.sequence import check_order
from debruijn_gpu.sequences.symbols import code_dtype

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend

_MOST_NUMBERS = 1 << 64


class Words(ABC):
    """Words of one length in lexicographic order, distinct unless a list was taken with its repeats.

    Attributes
    ----------
    n_symbols, order : int
        Size of the alphabet, length of the words.
    """

    n_symbols: int
    order: int

    @abstractmethod
    def __len__(self) -> int:
        """Number of words."""

    @abstractmethod
    def ends(self, backend: SequenceBackend) -> tuple[Array, Array]:
        """A number for each word without its last symbol, and without its first: arrays of the backend, uint32 or
        uint64. The same number for the same symbols; in the order of the dictionary."""

    @abstractmethod
    def first_symbols(self, backend: SequenceBackend) -> Array:
        """The first symbol of each word: an array of the backend, `symbols.code_dtype`."""

    @abstractmethod
    def codes(self, places: Sequence[int]) -> NDArray[Any]:
        """The words at some places: a NumPy array (len(places), order)."""

    @abstractmethod
    def taken(self, mask: Array, backend: SequenceBackend) -> Words:
        """Those where a mask (bool, of the backend) is set."""


class NumberedWords(Words):
    """Words by their numbers in base k.

    Parameters
    ----------
    numbers : array of the backend on which they are used, dtype=`number_dtype`, shape=(n_words,)
        Ascending, equal ones as often as the word counts.
    n_symbols, order : int
    """

    def __init__(self, numbers: Array, n_symbols: int, order: int) -> None:
        self.numbers = numbers
        self.n_symbols = n_symbols
        self.order = order

    def __len__(self) -> int:
        return len(self.numbers)

    def ends(self, backend: SequenceBackend) -> tuple[Array, Array]:
        """See `Words.ends`."""
        suffixes = backend.sequences.remainders(self.numbers, self.n_symbols ** (self.order - 1))
        return backend.sequences.quotients(self.numbers, self.n_symbols), suffixes

    def first_symbols(self, backend: SequenceBackend) -> Array:
        """See `Words.first_symbols`."""
        return backend.sequences.quotients(self.numbers, self.n_symbols ** (self.order - 1)).astype(
            code_dtype(self.n_symbols)
        )

    def codes(self, places: Sequence[int]) -> NDArray[Any]:
        """See `Words.codes`."""
        rows = [self._letters(int(self.numbers[place])) for place in places]
        return np.array(rows, code_dtype(self.n_symbols)).reshape(len(rows), self.order)

    def _letters(self, number: int) -> list[int]:
        return [number // self.n_symbols**i % self.n_symbols for i in reversed(range(self.order))]

    def taken(self, mask: Array, backend: SequenceBackend) -> NumberedWords:
        """See `Words.taken`."""
        return NumberedWords(backend.arrays.compact(self.numbers, mask)[0], self.n_symbols, self.order)


class SpelledWords(Words):
    """Words whose numbers may be 2^64 and more.

    Parameters
    ----------
    letters : ndarray, dtype=`symbols.code_dtype`, shape=(n_words, order)
        Rows ascend.
    n_symbols : int
    """

    def __init__(self, letters: NDArray[Any], n_symbols: int) -> None:
        self._letters = letters
        self.n_symbols = n_symbols
        self.order = letters.shape[1]

    def __len__(self) -> int:
        return len(self._letters)

    def ends(self, backend: SequenceBackend) -> tuple[Array, Array]:
        """See `Words.ends`: the rank of each among all of them."""
        prefixes, suffixes = self._letters[:, :-1], self._letters[:, 1:]
        columns = [
            np.concatenate(pair)
            for pair in zip(_columns(prefixes, self.n_symbols), _columns(suffixes, self.n_symbols), strict=True)
        ]
        ranks = _ranks(columns)
        return backend.to_device(ranks[: len(self)]), backend.to_device(ranks[len(self) :])

    def first_symbols(self, backend: SequenceBackend) -> Array:
        """See `Words.first_symbols`."""
        return backend.to_device(self._letters[:, 0].copy())

    def codes(self, places: Sequence[int]) -> NDArray[Any]:
        """See `Words.codes`."""
        rows: NDArray[Any] = self._letters[np.array(places, np.int64)]
        return rows

    def taken(self, mask: Array, backend: SequenceBackend) -> SpelledWords:
        """See `Words.taken`."""
        return SpelledWords(self._letters[backend.to_host(mask)], self.n_symbols)


def number_dtype(n_symbols: int, order: int) -> type[np.uint32] | type[np.uint64]:
    """The dtype of the numbers of words.

    Raises
    ------
    ParameterError
        If there are more than 2^64 words.
    """
    if n_symbols**order > _MOST_NUMBERS:
        raise ParameterError(f"there are {n_symbols}^{order} words, more than 2^64", "choose shorter words")
    return np.uint32 if n_symbols**order <= 1 << 32 else np.uint64


def check_memory(n_bytes: int, what: str, backend: SequenceBackend, memory: int | None) -> None:
    """Raise OutOfMemoryError if the bytes exceed memory; a GPU raises by itself.

    Parameters
    ----------
    n_bytes : int
    what : str
        What takes them.
    backend : SequenceBackend
    memory : int or None
        Bytes that are allowed; None: all that are free.
    """
    allowed = backend.memory_limit(available_memory() if memory is None else memory)
    if allowed is not None and n_bytes > allowed:
        raise OutOfMemoryError(
            f"Out of memory: {what} take about {format_bytes(n_bytes)}, and {format_bytes(allowed)} are left for them",
            "allow more (-m), or choose a lower order",
        )


def listed_words(letters: NDArray[Any], n_symbols: int, backend: SequenceBackend, multiplicity: bool = False) -> Words:
    """Sort the words of a list.

    Parameters
    ----------
    letters : ndarray, any unsigned dtype, shape=(n_words, order)
        Codes below ``n_symbols``; in any order.
    n_symbols : int
    backend : SequenceBackend
        Where they will be used.
    multiplicity : bool
        Keep each word as often as it is listed; else once, and the log warns of the repeats.
    """
    letters = np.asarray(letters, code_dtype(n_symbols))
    n_words, order = letters.shape
    check_order(order)
    if n_words == 0:
        raise ParameterError("there are no words", "give one or more")
    columns = _columns(letters, n_symbols)
    if len(columns) == 1:
        numbers = columns[0].astype(number_dtype(n_symbols, order))
        ordered = backend.arrays.sort if multiplicity else backend.arrays.distinct
        words: Words = NumberedWords(ordered(backend.to_device(numbers)), n_symbols, order)
    else:
        letters = letters[backends.host().arrays.order_by(columns)]
        is_first = np.append(True, (letters[1:] != letters[:-1]).any(axis=1))
        words = SpelledWords(letters if multiplicity else letters[is_first], n_symbols)
    if len(words) < n_words:
        log.logger.warning(
            "%s of %s words are repeats and are left out: each word counts once (--multiplicity: as often as listed)",
            f"{n_words - len(words):,}",
            f"{n_words:,}",
        )
    return words


def _columns(letters: NDArray[Any], n_symbols: int) -> list[NDArray[np.uint64]]:
    """Words (n_words, m) as columns of numbers below 2^64, each of as many symbols as fit, the first symbols first."""
    per_column = 1
    while max(2, n_symbols) ** (per_column + 1) <= _MOST_NUMBERS:
        per_column += 1
    columns = []
    for first in range(0, max(1, letters.shape[1]), per_column):
        column = np.zeros(len(letters), np.uint64)
        for place in range(first, min(first + per_column, letters.shape[1])):
            column *= np.uint64(n_symbols)
            column += letters[:, place]
        columns.append(column)
    return columns


def _ranks(columns: list[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Rank of each row among the distinct ones. Ranks by the columns so far and by the next make one number."""
    host = backends.host()
    ranks = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        table = host.arrays.distinct(column)
        ranks = ranks * np.uint64(len(table)) + host.arrays.lookup(table, column).astype(np.uint64)
        ranks = host.arrays.lookup(host.arrays.distinct(ranks), ranks).astype(np.uint64)
    return ranks
