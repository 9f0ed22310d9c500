"""Compute with words as numbers; see `SequenceOperations`."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import digit_sum, least_rotation


@kernel
def _extend(words, n_symbols, extended):
    """Each word with each symbol behind it. One thread per longer word, so that neighbours write neighbouring ones.

    Parameters
    ----------
    words : in, uint32 or uint64 (n,)
    n_symbols : int64
    extended : out, dtype of words (n * n_symbols,)
    """
    for i in range(cuda.grid(1), extended.size, cuda.gridsize(1)):
        word = i // n_symbols
        extended[i] = np.uint64(words[word]) * np.uint64(n_symbols) + np.uint64(i - word * n_symbols)


@guarded
def extend_words(words: Array, n_symbols: int) -> Array:
    """See `SequenceOperations.extend_words`."""
    extended = xp.empty(words.size * n_symbols, words.dtype)
    launch(_extend, extended.size, contiguous(words), np.int64(n_symbols), extended)
    return extended


def _of_each(words: Array, function: Any, *numbers: Any) -> Array:
    """Apply a kernel to each word; the results have the dtype of the words."""
    out = xp.empty(words.size, words.dtype)
    launch(function, words.size, contiguous(words), *numbers, out)
    return out


@kernel
def _divide(words, divisor, out):
    """Quotients of words and a divisor. One thread per word.

    Parameters
    ----------
    words : in, uint32 or uint64 (n,)
    divisor : dtype of words
    out : out, dtype of words (n,)
    """
    for i in range(cuda.grid(1), words.size, cuda.gridsize(1)):
        out[i] = words[i] // divisor


@guarded
def quotients(words: Array, divisor: int) -> Array:
    """See `SequenceOperations.quotients`."""
    return _of_each(words, _divide, words.dtype.type(divisor))


@kernel
def _take_remainders(words, divisor, out):
    """Remainders of words and a divisor. One thread per word.

    Parameters
    ----------
    words : in, uint32 or uint64 (n,)
    divisor : dtype of words
    out : out, dtype of words (n,)
    """
    for i in range(cuda.grid(1), words.size, cuda.gridsize(1)):
        out[i] = words[i] % divisor


@guarded
def remainders(words: Array, divisor: int) -> Array:
    """See `SequenceOperations.remainders`."""
    return _of_each(words, _take_remainders, words.dtype.type(divisor))


@kernel
def _sum_digits(words, n_symbols, out):
    """Sums of the symbols of words. One thread per word.

    Parameters
    ----------
    words : in, uint32 or uint64 (n,)
    n_symbols : uint64
    out : out, dtype of words (n,)
    """
    for i in range(cuda.grid(1), words.size, cuda.gridsize(1)):
        out[i] = digit_sum(np.uint64(words[i]), n_symbols)


@guarded
def digit_sums(words: Array, n_symbols: int) -> Array:
    """See `SequenceOperations.digit_sums`."""
    return _of_each(words, _sum_digits, np.uint64(n_symbols))


@kernel
def _rotate(words, n_symbols, order, top, out):
    """Least rotations of words. One thread per word.

    Parameters
    ----------
    words : in, uint32 or uint64 (n,)
    n_symbols, order, top : uint64, int64, uint64; see `core.scalars.least_rotation`
    out : out, dtype of words (n,)
    """
    for i in range(cuda.grid(1), words.size, cuda.gridsize(1)):
        out[i] = least_rotation(np.uint64(words[i]), n_symbols, order, top)


@guarded
def least_rotations(words: Array, n_symbols: int, order: int) -> Array:
    """See `SequenceOperations.least_rotations`."""
    top = np.uint64(n_symbols ** (order - 1))
    return _of_each(words, _rotate, np.uint64(n_symbols), np.int64(order), top)
