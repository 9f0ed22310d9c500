"""Generate the least de Bruijn sequence, and locate its windows; see `SequenceOperations`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import trailing_zeros
from debruijn_gpu.backends.sequences import scalars
from debruijn_gpu.backends.sequences.containers import (
    RootPlace,
    as_word,
    letters_of,
    packed_words,
    spelling_table,
    symbol_dtype,
)
from debruijn_gpu.backends.sequences.cpu.words import OVERSHOOT, pack, write_first, write_some

_compiled = compile_module(
    kernel,
    scalars,
    number=np.uint64,
    index=np.int64,
    trailing_zeros=trailing_zeros,
)
find_position = _compiled.find_position
find_window = _compiled.find_window
next_necklace = _compiled.next_necklace
next_packed = _compiled.next_packed
place_root = _compiled.place_root

_ONE = np.uint64(1)

_SEARCH_STEPS = 8  # for each symbol of a window that is found


@kernel
def _place(start, n, last, word):
    """The root at a position: ``word`` (out, uint32 (n,)) its necklace; returns its period and what is before.

    Parameters
    ----------
    start : uint64
    n, last : int64
    """
    weights, sums = np.empty(n + 1, np.uint64), np.empty(n + 1, np.uint64)
    return place_root(_length(n, last), start, n, last, word, weights, sums)


@kernel
def _length(n, last):
    """Of a sequence, modulo 2^64."""
    length = _ONE
    for _ in range(n):
        length *= np.uint64(last) + _ONE
    return length


@inlined_kernel
def _advance(word, text, last, letters):
    """`next_necklace`, which keeps the text of the word as well."""
    n = word.size
    while True:
        period = n
        while word[period - 1] == last:
            period -= 1
        word[period - 1] += 1
        text[period - 1] = letters[word[period - 1]] if letters.size else word[period - 1]
        for i in range(period, n):
            word[i] = word[i - period]
            text[i] = text[i - period]
        if n % period == 0:
            return period


@lean_kernel
def _write_letters(word, text, period, offset, letters, last, out):
    """Symbols from a place on: what is left of a root, and the roots after it.

    Parameters
    ----------
    word : in and out, uint32 (n,)
    text : room, like out, (n,)
    period, offset, last : int64
    letters : in, uint8 (k,); empty for codes
    out : out, unsigned (size,)

    Returns
    -------
    period, offset : int64
        Of the place behind the symbols.
    """
    n, size, at = word.size, out.size, 0
    for i in range(n):
        text[i] = letters[word[i]] if letters.size else word[i]
    while True:
        n_written = min(period - offset, size - at)
        for i in range(n_written):
            out[at + i] = text[offset + i]
        at += n_written
        offset += n_written
        n_words = last - np.int64(word[n - 1])  # that differ in the last letter alone
        if at + n_words * n > size:
            n_words = (size - at) // n
        for _ in range(n_words):
            word[n - 1] += 1
            for i in range(n - 1):
                out[at + i] = text[i]
            out[at + n - 1] = letters[word[n - 1]] if letters.size else word[n - 1]
            at += n
        if n_words:
            text[n - 1] = out[at - 1]
            period, offset = n, n
        if at == size:
            return period, offset
        period, offset = _advance(word, text, last, letters), 0


@kernel
def _write_packed(start, last, numbers, letters, texts, out):
    """Symbols from a position on, if words fit into 64 bits.

    Parameters
    ----------
    start : uint64
    last : int64
    numbers, letters, texts : in; see `packed_words`
    out : out, uint8 (size,)
    """
    lasts, n_letters, bits, reciprocal, dividing = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    n = np.int64(n_letters)
    codes = np.empty(n, np.uint32)
    period, offset = _place(start, n, last, codes)
    word = pack(codes, numbers)
    at = min(period - offset, out.size)
    write_some(word, offset, offset + at, numbers, letters, out, 0)
    while at < out.size:
        word, periods = next_packed(word, lasts, n_letters, bits, reciprocal)
        if (dividing >> (periods - _ONE)) & _ONE:
            period = np.int64(periods)
            if at + n + OVERSHOOT <= out.size:
                write_first(word, period, numbers, texts, out, at)
            else:
                write_some(word, 0, min(period, out.size - at), numbers, letters, out, at)
            at += period


@kernel
def _write_unpacked(start, n, last, letters, out):
    """Symbols from a position on: see `_write_packed` and `_write_letters`."""
    word = np.empty(n, np.uint32)
    period, offset = _place(start, n, last, word)
    _write_letters(word, np.empty(n, out.dtype), period, offset, letters, last, out)


def lyndon_symbols(n_symbols: int, order: int, start: int, stop: int, letters: NDArray[np.uint8] | None) -> Array:
    """See `SequenceOperations.lyndon_symbols`."""
    out = np.empty(stop - start, symbol_dtype(n_symbols, letters))
    spelled = letters_of(n_symbols, letters)
    numbers = packed_words(n_symbols, order)
    if numbers is None:

        def write(begin: int, end: int) -> None:
            _write_unpacked(as_word(start + begin), order, n_symbols - 1, spelled, out[begin:end])

    else:
        texts = spelling_table(numbers, spelled)

        def write(begin: int, end: int) -> None:
            position = as_word(start + begin)
            _write_packed(position, n_symbols - 1, numbers, spelled, texts, out[begin:end])

    threads.over_ranges(len(out), write)
    return out


def follow_lyndon(place: RootPlace, n_symbols: int, n: int, letters: NDArray[np.uint8] | None) -> NDArray[Any]:
    """See `HostSequenceOperations.follow_lyndon`."""
    out = np.empty(n, symbol_dtype(n_symbols, letters))
    spelled = letters_of(n_symbols, letters)
    text = np.empty(len(place.word), out.dtype)
    place.period, place.offset = _write_letters(
        place.word, text, place.period, place.offset, spelled, n_symbols - 1, out
    )
    return out


@kernel
def _find_windows(start, stop, positions, last, windows):
    """Windows start..stop: positions (in, uint64 (m,)), windows (out, uint32 (m, n))."""
    n = windows.shape[1]
    length, word = _length(n, last), np.empty(n, np.uint32)
    weights, sums = np.empty(n + 1, np.uint64), np.empty(n + 1, np.uint64)
    for i in range(start, stop):
        find_window(length, positions[i], n, last, windows[i], word, weights, sums)


@kernel
def _find_positions(start, stop, windows, last, positions):
    """Positions start..stop: windows (in, uint32 (m, n)), positions (out, uint64 (m,))."""
    n = windows.shape[1]
    length, word = _length(n, last), np.empty(n, np.uint32)
    weights, sums = np.empty(n + 1, np.uint64), np.empty(n + 1, np.uint64)
    for i in range(start, stop):
        positions[i] = find_position(length, windows[i], n, last, word, weights, sums)


def lyndon_windows(n_symbols: int, order: int, positions: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """See `HostSequenceOperations.lyndon_windows`."""
    windows = np.empty((len(positions), order), np.uint32)
    find = lambda start, stop: _find_windows(start, stop, positions, n_symbols - 1, windows)  # noqa: E731
    threads.over_ranges(len(positions), find, work=_SEARCH_STEPS * windows.size)
    return windows


def lyndon_positions(n_symbols: int, order: int, windows: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """See `HostSequenceOperations.lyndon_positions`."""
    windows = np.ascontiguousarray(windows)
    positions = np.empty(len(windows), np.uint64)
    find = lambda start, stop: _find_positions(start, stop, windows, n_symbols - 1, positions)  # noqa: E731
    threads.over_ranges(len(windows), find, work=_SEARCH_STEPS * windows.size)
    return positions
