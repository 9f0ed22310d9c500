"""List the words that a sequence repeats, and those that it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.sequences.verify import WindowReader, count_words, symbol_codes

_WINDOWS_AT_ONCE = 1 << 20
_WORDS_AT_ONCE = 1 << 22  # of a bitmap
_MOST_PLACES = 10  # of a repeated word

Numbers = NDArray[np.uint64]
Bitmap = NDArray[np.uint8]


@dataclass(frozen=True)
class RepeatedWord:
    """A word that occurs twice or more.

    Attributes
    ----------
    word : list of int
        Its codes.
    count : int
        Its occurrences.
    positions : list of int
        0-based, of the first ones.
    """

    word: list[int]
    count: int
    positions: list[int]


@dataclass(frozen=True)
class Faults:
    """What a sequence repeats and lacks.

    Attributes
    ----------
    repeated : list of RepeatedWord
        The smallest ones.
    missing : list of list of int
        Codes of the smallest ones.
    n_repeated, n_missing : int
        Number of all of them.
    """

    repeated: list[RepeatedWord]
    missing: list[list[int]]
    n_repeated: int
    n_missing: int


def find_faults(
    blocks: Callable[[], Iterator[NDArray[Any]]],
    n_symbols: int,
    order: int,
    linear: bool,
    limit: int,
    memory: int | None = None,
    n_bits: int = 0,
) -> Faults:
    """Find the words that windows of a sequence repeat, and those that are in none.

    Parameters
    ----------
    blocks, n_symbols, order, linear, n_bits
        As for `verify.verify`; blocks are read twice.
    limit : int
        Maximum number of repeated and of missing words to return.
    memory : int, optional
        Bytes that two bitmaps of all words may take.

    Raises
    ------
    FormatError, OutOfMemoryError
        As `verify.verify`.
    """
    n_words = count_words(n_symbols, order, memory)
    if memory is not None and n_words // 4 > memory:
        raise OutOfMemoryError(
            f"Out of memory: listing repeated words takes two bits for each of {n_words:,} words, "
            f"{format_bytes(n_words // 4)}, and {format_bytes(memory)} are left for it",
            "allow more (-m), or list no words (--limit 0)",
        )
    reader = WindowReader(blocks, n_symbols, order, linear, n_bits)
    once, twice = (np.zeros(-(-n_words // 8), np.uint8) for _ in range(2))
    with log.stage("list faults", unit="symbols") as stage:
        for _, numbers in _numbers(reader):
            ordered = np.sort(numbers)
            is_again = ordered[1:] == ordered[:-1]
            _set(twice, np.concatenate((numbers[_is_set(once, numbers)], ordered[1:][is_again])))
            _set(once, ordered)
        repeated = _first_set(twice, limit, n_words)
        found = _located(reader, repeated)
        stage.items = reader.n_read
    return Faults(
        [RepeatedWord(_spelled(word, n_symbols, order), *each) for word, each in zip(repeated, found, strict=True)],
        [_spelled(word, n_symbols, order) for word in _first_set(~once, limit, n_words)],
        _count_set(twice),
        n_words - _count_set(once),
    )


def _numbers(reader: WindowReader) -> Iterator[tuple[int, Numbers]]:
    """Yield windows as numbers in base k, some at a time, with the position of the first."""
    k, n = reader.n_symbols, reader.order
    for position, windows in reader.windows():
        for start in range(0, windows.n_windows, _WINDOWS_AT_ONCE):
            stop = min(start + _WINDOWS_AT_ONCE, windows.n_windows)
            codes = symbol_codes(windows.symbols, windows.n_bits, start, stop + n - 1).astype(np.uint64)
            yield position + start, _words(codes, k, n)


def _words(codes: Numbers, k: int, n: int) -> Numbers:
    """Words of n symbols at each place, from words of half as many."""
    if n == 1:
        return codes
    half = n // 2
    words = _words(codes, k, half)
    both = words[:-half] * np.uint64(k**half) + words[half:]
    return both if n % 2 == 0 else both[:-1] * np.uint64(k) + codes[n - 1 :]


def _is_set(bitmap: Bitmap, words: Numbers) -> NDArray[np.bool_]:
    """Whether the bit of each word is set."""
    bits: NDArray[np.bool_] = (bitmap[words >> np.uint64(3)] >> (words & np.uint64(7)).astype(np.uint8) & 1).astype(
        np.bool_
    )
    return bits


def _set(bitmap: Bitmap, words: Numbers) -> None:
    """Set the bit of each word."""
    bits = np.uint8(1) << (words & np.uint64(7)).astype(np.uint8)
    np.bitwise_or.at(bitmap, words >> np.uint64(3), bits)


def _first_set(bitmap: Bitmap, limit: int, n_words: int) -> list[int]:
    """The smallest words whose bits are set."""
    found: list[int] = []
    for start in range(0, len(bitmap), _WORDS_AT_ONCE):
        if len(found) >= limit:
            break
        part = bitmap[start : start + _WORDS_AT_ONCE]
        places = np.flatnonzero(part)[: limit - len(found)]
        bits = np.unpackbits(part[places], bitorder="little").reshape(-1, 8)
        rows, columns = np.nonzero(bits)
        found += (8 * (start + places[rows]) + columns).tolist()
    return [word for word in found[:limit] if word < n_words]


def _count_set(bitmap: Bitmap) -> int:
    """Number of bits that are set."""
    starts = range(0, len(bitmap), _WORDS_AT_ONCE)
    return sum(int(np.unpackbits(bitmap[start : start + _WORDS_AT_ONCE]).sum()) for start in starts)


def _located(reader: WindowReader, words: list[int]) -> list[tuple[int, list[int]]]:
    """Count the occurrences of each word, in ascending order, and find the first ones."""
    counts, places = np.zeros(len(words), np.int64), [list[int]() for _ in words]
    if not words:
        return []
    wanted = np.array(words, np.uint64)
    for position, numbers in _numbers(reader):
        at = np.searchsorted(wanted, numbers).clip(max=len(wanted) - 1)
        found = np.flatnonzero(wanted[at] == numbers)
        counts += np.bincount(at[found], minlength=len(wanted))
        order = found[np.argsort(at[found], kind="stable")]
        ranks = at[order]
        rank = np.arange(len(ranks)) - np.searchsorted(ranks, ranks)
        for word, place in zip(ranks[rank < _MOST_PLACES].tolist(), order[rank < _MOST_PLACES].tolist(), strict=True):
            if len(places[word]) < _MOST_PLACES:
                places[word].append(position + place)
    return list(zip(counts.tolist(), places, strict=True))


def _spelled(word: int, n_symbols: int, order: int) -> list[int]:
    """The codes of a word that is a number."""
    return [word // n_symbols**i % n_symbols for i in range(order - 1, -1, -1)]
