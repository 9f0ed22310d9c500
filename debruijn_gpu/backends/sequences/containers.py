"""Containers of the family `sequences`, and functions on their sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array


def unpacked_bytes(n_bits: int, letters: NDArray[np.uint8]) -> NDArray[Any]:
    """The letters of each packed byte, as one word (256,): of 8 bytes for symbols of 1 bit, of 4 for symbols of 2."""
    shifts = np.arange(8 - n_bits, -1, -n_bits)
    codes = (np.arange(256)[:, None] >> shifts) & ((1 << n_bits) - 1)
    known = np.zeros(1 << n_bits, np.uint8)  # packed symbols beyond the alphabet are nobody's
    known[: len(letters)] = letters[: 1 << n_bits]
    table: NDArray[Any] = known[codes].view(np.uint64 if n_bits == 1 else np.uint32).ravel()
    return table


@dataclass(frozen=True)
class Windows:
    """Consecutive windows of an array of symbols.

    Attributes
    ----------
    symbols : array of the backend
        uint8, uint16 or uint32, each below ``n_symbols``; or packed as by `SequenceOperations.pack_symbols`, uint8.
    n_bits : int
        0 for an element a symbol; 1 or 2 for packed symbols, of an alphabet of 2 or 4.
    n_windows : int
        Window i is the symbols i to i + order - 1; as many symbols as the last one needs must be there.
    n_symbols, order : int
        k and n; k^n is at most 2^62.
    """

    symbols: Array
    n_bits: int
    n_windows: int
    n_symbols: int
    order: int

    @property
    def numbers(self) -> tuple[np.int64, np.uint64, np.uint64, np.int64, np.uint64]:
        """Arguments of kernels: n_windows, n_bits, k, n, k^(n - 1)."""
        top = self.n_symbols ** (self.order - 1)
        return (
            np.int64(self.n_windows),
            np.uint64(self.n_bits),
            np.uint64(self.n_symbols),
            np.int64(self.order),
            np.uint64(top),
        )


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
    """Compute the constants of `sequences.scalars.next_packed` if a word fits into 64 bits and a letter into 8.

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


@dataclass(frozen=True, eq=False)
class Recurrence:
    """A recurrence over GF(q).

    Attributes
    ----------
    p, q : int
        q is a power of the prime p, at most 65536.
    lags : tuple of int
        Falling, at least two (for n = 1 the second, with coefficient 0, is the first again); for q = 2 two or four.
    products : ndarray, dtype=uint16, shape=(n_lags, q)
        Each element times each coefficient.
    steps : ndarray, dtype=uint8, shape=(n_lags - 1, q * q)
        For q up to 256: ``steps[0][q a + b]`` is c_1 a + c_2 b, ``steps[t][q a + b]`` is a + c_(t + 2) b. Empty else.
    """

    p: int
    q: int
    lags: tuple[int, ...]
    products: NDArray[np.uint16]
    steps: NDArray[np.uint8]

    @property
    def n(self) -> int:
        return self.lags[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of symbols."""
        return np.dtype(np.uint8 if self.q <= 1 << 8 else np.uint16)


def growth(known: int, unit: int, factor: int, most: int, total: int) -> Iterator[tuple[int, int, int]]:
    """Steps in which a sequence grows: the length of a row, and from which item to which.

    Parameters
    ----------
    known, unit : int
        Number of known items, and the length of a row.
    factor : int
        By how much a row may be longer than that before: q.
    most : int
        Length that a row shall not exceed.
    total : int
        Items that there shall be.
    """
    while known < total:
        end = min(total, known * factor) if unit * factor <= most else total
        yield unit, known, end
        known, unit = end, unit * factor


@dataclass(frozen=True)
class ReadTerm:
    """A term whose runs were looked at.

    Attributes
    ----------
    term : array, dtype=uint8
    n_said : int
        Digits of what is said of it.
    places : tuple
        What the backend has noted to write them.
    """

    term: Array
    n_said: int
    places: tuple[Any, ...]


Elements = NDArray[np.uint32]


class Ring(NamedTuple):
    """Polynomials over GF(q) modulo x^n - (c_0 + c_a x^a + ...), as kernels take them.

    Attributes
    ----------
    p, q, n : int
    logs : ndarray, dtype=int32, shape=(q,)
        The logarithm of each element of GF(q) but 0 to the base of a primitive one.
    powers : ndarray, dtype=int32, shape=(2 * q,)
        The powers of this base, more than twice around.
    sums : ndarray, dtype=uint8, shape=(q * q,)
        a + b is ``sums[q a + b]``, if there is no faster way and q is at most 256; else empty.
    taps : ndarray, dtype=int64, shape=(n_taps,)
        0, a, ...: ascending.
    coefficients : ndarray, dtype=int64, shape=(n_taps,)
        c_0, c_a, ...: none is 0.
    """

    p: int
    q: int
    n: int
    logs: NDArray[np.int32]
    powers: NDArray[np.int32]
    sums: NDArray[np.uint8]
    taps: NDArray[np.int64]
    coefficients: NDArray[np.int64]


class StepTable(NamedTuple):
    """Small powers of an element g of prime order, to find logarithms to the base g (Shanks 1971).

    Attributes
    ----------
    keys : ndarray, dtype=uint64, shape=(2^b,)
        A hash table: keys of g^0..g^(T-1), 0 where there is none.
    exponents : ndarray, dtype=uint32, shape=(2^b,)
    stride : ndarray, dtype=uint32, shape=(n,)
        g^-T.
    """

    keys: NDArray[np.uint64]
    exponents: NDArray[np.uint32]
    stride: Elements


def bits_of(numbers: Any, n_bits: int) -> NDArray[np.uint8]:
    """Exponents of at most ``n_bits`` bits as kernels take them (len(numbers), n_bits rounded up to bytes)."""
    n_bytes = -(-n_bits // 8)
    data = b"".join(number.to_bytes(n_bytes, "big") for number in numbers)
    return np.unpackbits(np.frombuffer(data, np.uint8).reshape(-1, n_bytes), axis=1)
