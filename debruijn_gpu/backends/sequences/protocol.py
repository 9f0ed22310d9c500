"""What a backend does with necklaces and the de Bruijn sequences that are made of their roots; see `necklaces`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.protocol import Array

_MOST_TEXT_BITS = 12  # a table of 4096 texts stays in the first cache


@dataclass
class RootPlace:
    """A place in a sequence of roots.

    Attributes
    ----------
    word : ndarray, dtype=uint32, shape=(order,)
        The necklace whose root the place is in.
    period : int
        Letters of the root.
    offset : int
        How many of them are before the place; all of them, at the end of the root.
    """

    word: NDArray[np.uint32]
    period: int
    offset: int


def letter_bits(n_symbols: int) -> int:
    """Bits of a packed letter."""
    return (n_symbols - 1).bit_length()


def packed_words(n_symbols: int, order: int) -> NDArray[np.uint64] | None:
    """What `necklaces.next_packed` needs, if words fit into 64 bits and letters into 8.

    Returns
    -------
    ndarray, dtype=uint64, shape=(6,), or None
        n letters k - 1, packed; n; bits of a letter; 65536 / bits of a letter, rounded up; a bit p - 1 for each period
        p that divides n; letters of the texts of `spelling_table`.
    """
    n_bits = letter_bits(n_symbols)
    if n_bits > 8 or n_bits * order > 64:
        return None
    lasts = sum((n_symbols - 1) << (n_bits * i) for i in range(order))
    dividing = sum(1 << (period - 1) for period in range(1, order + 1) if order % period == 0)
    n_letters = min(order, 8, max(1, _MOST_TEXT_BITS // n_bits))
    return np.array([lasts, order, n_bits, -(-65536 // n_bits), dividing, n_letters], np.uint64)


def spelling_table(numbers: NDArray[np.uint64], letters: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Texts of all words of a few packed letters.

    Parameters
    ----------
    numbers : see `packed_words`
    letters : ndarray, dtype=uint8, shape=(k,)
        Of each code.

    Returns
    -------
    ndarray, dtype=uint64, shape=(2^bits of a text,)
        Up to eight letters, the first in the lowest byte.
    """
    n_bits, n_letters = int(numbers[2]), int(numbers[5])
    words = np.arange(1 << (n_bits * n_letters))
    texts = np.zeros(len(words), np.uint64)
    for place in range(n_letters):
        codes = (words >> (n_bits * (n_letters - 1 - place))) & ((1 << n_bits) - 1)
        spelled = letters[np.minimum(codes, len(letters) - 1)]  # some words have codes that are none
        texts |= spelled.astype(np.uint64) << np.uint64(8 * place)
    return texts


def as_word(number: int) -> np.uint64:
    """A number modulo 2^64."""
    return np.uint64(number % (1 << 64))


def letters_of(n_symbols: int, letters: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
    """The letter of each code, or the codes themselves, if there are at most 256; else nothing."""
    if letters is not None:
        return letters
    return np.arange(n_symbols if n_symbols <= 256 else 0).astype(np.uint8)


def symbol_dtype(n_symbols: int, letters: NDArray[np.uint8] | None) -> type[np.unsignedinteger[Any]]:
    """Of letters, or of codes (as `symbols.code_dtype`)."""
    if letters is not None or n_symbols <= 1 << 8:
        return np.uint8
    return np.uint16 if n_symbols <= 1 << 16 else np.uint32


class NecklaceBackend(Protocol):
    """A module with these names."""

    def lyndon_symbols(
        self, n_symbols: int, order: int, start: int, stop: int, letters: NDArray[np.uint8] | None
    ) -> Array:
        """The symbols at start..stop of the lexicographically least de Bruijn sequence, whose length n_symbols^order is
        2^64 at most: ``letters`` (NumPy's), or codes (`symbols.code_dtype`).

        It is made in pieces. The root at the beginning of each is found by counting (see `necklaces`), those after it
        by Duval's algorithm, in constant time on average.
        """


class HostNecklaceBackend(Protocol):
    """A module with these names; all arrays are NumPy's."""

    def lyndon_windows(self, n_symbols: int, order: int, positions: NDArray[np.uint64]) -> NDArray[Any]:
        """The windows (codes, (m, order), uint32) at some positions (m,) of the sequence of `lyndon_symbols`."""

    def lyndon_positions(self, n_symbols: int, order: int, windows: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """Where windows (codes, (m, order)) begin in it."""

    def extend_long_sums(
        self, first: int, stop: int, period: int, weights: NDArray[np.uint64], limbs: NDArray[np.uint64]
    ) -> None:
        """`necklaces.extend_sums` for sums of any size.

        Parameters
        ----------
        weights : ndarray, dtype=uint64, shape=(order + 1,)
            Their sum is below 2^31.
        limbs : ndarray, dtype=uint64, shape=(n_limbs, order + 1)
            32 bits of each sum in each row, the lowest in the first.
        """

    def set_long_series(self, stop: int, period: int, weights: NDArray[np.uint64], limbs: NDArray[np.uint64]) -> None:
        """`necklaces.set_series` likewise."""

    def follow_lyndon(
        self, place: RootPlace, n_symbols: int, n: int, letters: NDArray[np.uint8] | None
    ) -> NDArray[Any]:
        """The n symbols from a place on, in a sequence of any length that goes on so far. The place becomes the one
        behind them."""

    def follow_colex(self, place: RootPlace, n_symbols: int, n: int, letters: NDArray[np.uint8] | None) -> NDArray[Any]:
        """The same for the roots of necklaces in colexicographic order: the grandmama sequence.

        After a necklace comes the first of the words with zeros before a letter that is one more, and the same letters
        after it, that is a necklace. (Dragon, Hernandez, Sawada, Williams and Wong, Algorithmica 80 (2018) 2105.)
        """

    def skip_colex(self, place: RootPlace, n_symbols: int, n: int) -> None:
        """Bring a place n symbols further."""
