"""Compute with words as numbers; see `SequenceOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import digit_sum, least_rotation


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
