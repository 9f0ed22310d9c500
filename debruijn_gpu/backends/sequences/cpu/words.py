"""Pack, write and rotate words of symbols; see `SequenceOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel
from debruijn_gpu.backends.core.cpu.intrinsics import store_unaligned
from debruijn_gpu.backends.core.cpu.scalars import digit_sum, least_rotation

_ONE, _ALL = np.uint64(1), np.uint64(64)

#: Bytes beyond a text that may be written over.
OVERSHOOT = 8


@inlined_kernel
def pack(codes, numbers):
    """The word of codes (uint32 (n,))."""
    word = np.uint64(0)
    for i in range(codes.size):
        word = (word << numbers[2]) | np.uint64(codes[i])
    return word


@inlined_kernel
def unpack(word, numbers, codes):
    """The codes (out, uint32 (n,)) of a word."""
    mask = (_ONE << numbers[2]) - _ONE
    for i in range(codes.size - 1, -1, -1):
        codes[i] = word & mask
        word >>= numbers[2]


@inlined_kernel
def write_some(word, begin, end, numbers, letters, out, at):
    """Letters begin..end of a word: to ``out[at:]`` (uint8)."""
    n, mask = np.int64(numbers[1]), (_ONE << numbers[2]) - _ONE
    for i in range(begin, end):
        out[at + i - begin] = letters[(word >> (np.uint64(n - 1 - i) * numbers[2])) & mask]


@inlined_kernel
def write_first(word, period, numbers, texts, out, at):
    """The first ``period`` letters of a word, and up to `OVERSHOOT` bytes more: to ``out[at:]`` (uint8)."""
    bits, n_letters = numbers[2], np.int64(numbers[5])
    rest, text_bits = word << (_ALL - numbers[1] * bits), numbers[5] * bits
    for i in range(0, period, n_letters):
        store_unaligned(out, at + i, texts[rest >> (_ALL - text_bits)])
        rest <<= text_bits


@kernel
def _extend(words, n_symbols, start, stop, extended):
    """Write the words start..stop (in, uint32 or uint64) with each symbol behind them (out, same dtype)."""
    at = start * n_symbols
    for i in range(start, stop):
        word = np.uint64(words[i]) * np.uint64(n_symbols)
        for symbol in range(n_symbols):
            extended[at] = word + np.uint64(symbol)
            at += 1


def extend_words(words: Array, n_symbols: int) -> Array:
    """See `SequenceOperations.extend_words`."""
    extended = np.empty(len(words) * n_symbols, words.dtype)
    extend = lambda start, stop: _extend(words, n_symbols, start, stop, extended)  # noqa: E731
    threads.over_ranges(len(words), extend, work=len(extended))
    return extended


@kernel
def _divide(words, divisor, out):
    """Quotients (out, as words) of words (in, uint32 or uint64) and a divisor (same type)."""
    for i in range(words.size):
        out[i] = words[i] // divisor


def quotients(words: Array, divisor: int) -> Array:
    """See `SequenceOperations.quotients`."""
    out = np.empty_like(words)
    number = words.dtype.type(divisor)
    threads.over_ranges(len(words), lambda start, stop: _divide(words[start:stop], number, out[start:stop]))
    return out


@kernel
def _take_remainders(words, divisor, out):
    """Remainders (out, as words) of words (in, uint32 or uint64) and a divisor (same type)."""
    for i in range(words.size):
        out[i] = words[i] % divisor


def remainders(words: Array, divisor: int) -> Array:
    """See `SequenceOperations.remainders`."""
    out = np.empty_like(words)
    number = words.dtype.type(divisor)
    threads.over_ranges(len(words), lambda start, stop: _take_remainders(words[start:stop], number, out[start:stop]))
    return out


@kernel
def _sum_digits(words, n_symbols, out):
    """Sums (out, as words) of the symbols of words (in, uint32 or uint64)."""
    for i in range(words.size):
        out[i] = digit_sum(np.uint64(words[i]), n_symbols)


def digit_sums(words: Array, n_symbols: int) -> Array:
    """See `SequenceOperations.digit_sums`."""
    out = np.empty_like(words)
    k = np.uint64(n_symbols)
    threads.over_ranges(len(words), lambda start, stop: _sum_digits(words[start:stop], k, out[start:stop]))
    return out


@kernel
def _rotate(words, n_symbols, order, top, out):
    """Least rotations (out, as words) of words (in, uint32 or uint64); see `core.scalars.least_rotation`."""
    for i in range(words.size):
        out[i] = least_rotation(np.uint64(words[i]), n_symbols, order, top)


def least_rotations(words: Array, n_symbols: int, order: int) -> Array:
    """See `SequenceOperations.least_rotations`."""
    out = np.empty_like(words)
    numbers = np.uint64(n_symbols), order, np.uint64(n_symbols ** (order - 1))
    rotate = lambda start, stop: _rotate(words[start:stop], *numbers, out[start:stop])  # noqa: E731
    threads.over_ranges(len(words), rotate, work=len(words) * order)
    return out


@kernel
def smallest_rotation(text):
    """Find the smallest rotation of a cyclic text; see `HostSequenceOperations.smallest_rotation`."""
    n = len(text)
    best, rival, matched = 0, 1, 0
    while rival < n and matched < n:
        left, right = best + matched, rival + matched
        a = text[left if left < n else left - n]
        b = text[right if right < n else right - n]
        if a == b:
            matched += 1
            continue
        if a < b:  # no rotation that starts within the match behind the rival can win
            rival += matched + 1
        else:
            best, rival = max(best + matched + 1, rival), max(best + matched + 1, rival) + 1
        matched = 0
    return best
