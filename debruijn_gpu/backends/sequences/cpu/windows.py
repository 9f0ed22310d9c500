"""Look up windows of sequences in hash tables; see `SequenceOperations`."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.intrinsics import compare_and_swap, prefetch
from debruijn_gpu.backends.core.cpu.scalars import leading_word, mix, symbol_at
from debruijn_gpu.backends.sequences.containers import Windows

_HALF = np.uint64(32)


@kernel
def find_slot(keys, key):
    """The slot of a key (uint64) in a table (uint64 (2^b,), b up to 32, 0 where free), or the free one for it."""
    mask = np.uint64(keys.size - 1)
    slot = (mix(key) >> _HALF) & mask
    while keys[slot] != np.uint64(0) and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


_BLOCK = 64  # windows whose words of the bitmap are asked for before they are needed
_ZERO, _ONE = np.uint32(0), np.uint32(1)
_WORD_BITS, _BIT = np.uint64(5), np.uint64(31)


@kernel
def _mark(start, stop, symbols, n_bits, n_symbols, order, top, seen):
    """Set the bits of windows start..stop; gives how many were set. Other threads may set others meanwhile.

    Parameters
    ----------
    start, stop : int64
    symbols : in, uint8, uint16 or uint32; see `Windows`
    n_bits, n_symbols : uint64; see `Windows`
    order : int64
    top : uint64; n_symbols^(order - 1)
    seen : in and out, uint32 (ceil(n_symbols^order / 32),)
    """
    word = leading_word(symbols, start, order - 1, n_bits, n_symbols)
    words = np.empty(_BLOCK, np.uint64)
    n_repeats = 0
    for first in range(start, stop, _BLOCK):
        size = min(_BLOCK, stop - first)
        for i in range(size):
            word = word * n_symbols + symbol_at(symbols, first + i + order - 1, n_bits)
            words[i] = word
            prefetch(seen, word >> _WORD_BITS)
            word -= symbol_at(symbols, first + i, n_bits) * top
        for i in range(size):
            at = words[i] >> _WORD_BITS
            bit = np.uint32(_ONE << np.uint32(words[i] & _BIT))
            before = seen[at]
            while before & bit == _ZERO:
                found = compare_and_swap(seen, at, before, np.uint32(before | bit))
                if found == before:
                    break
                before = found
            n_repeats += np.int64(before & bit != _ZERO)
    return n_repeats


@kernel
def _first_repeat(n_windows, symbols, n_bits, n_symbols, order, top, seen):
    """The first window whose bit is set when its turn comes, or -1; sets bits of those before. See `_mark`."""
    word = leading_word(symbols, 0, order - 1, n_bits, n_symbols)
    for i in range(n_windows):
        word = word * n_symbols + symbol_at(symbols, i + order - 1, n_bits)
        bit = np.uint32(_ONE << np.uint32(word & _BIT))
        if seen[word >> _WORD_BITS] & bit:
            return i
        seen[word >> _WORD_BITS] |= bit
        word -= symbol_at(symbols, i, n_bits) * top
    return -1


@kernel
def _leading(start, stop, words, n_following, symbols):
    """First symbols (out) of words (in, unsigned) start..stop; ``n_following`` is of the words' dtype."""
    for i in range(start, stop):
        symbols[i] = words[i] // n_following


def empty_bitmap(n_bits: int) -> Array:
    """See `SequenceOperations.empty_bitmap`."""
    return np.zeros(-(-n_bits // 32), np.uint32)


def mark_windows(windows: Windows, seen: Array) -> int:
    """See `SequenceOperations.mark_windows`."""
    n_windows, *numbers = windows.numbers

    def mark(start: int, stop: int) -> int:
        return int(_mark(start, stop, windows.symbols, *numbers, seen))

    return sum(threads.over_ranges(int(n_windows), mark))


def first_repeat(windows: Windows, seen: Array) -> int:
    """See `SequenceOperations.first_repeat`."""
    n_windows, *numbers = windows.numbers
    return int(_first_repeat(n_windows, windows.symbols, *numbers, seen))


def leading_symbols(words: Array, n_following: int, dtype: np.dtype[Any]) -> Array:
    """See `SequenceOperations.leading_symbols`."""
    symbols, divisor = np.empty(len(words), dtype), words.dtype.type(n_following)
    threads.over_ranges(len(words), lambda start, stop: _leading(start, stop, words, divisor, symbols))
    return symbols
