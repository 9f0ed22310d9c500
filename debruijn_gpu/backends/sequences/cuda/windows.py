"""Mark and compare windows of sequences of symbols; see `SequenceOperations`."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import filled
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    contiguous,
    cuda,
    int64,
    kernel,
    launch,
    to_host,
    uint64,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import leading_word, symbol_at
from debruijn_gpu.backends.sequences.containers import Windows

_RUN = 16  # windows that a thread makes one from another
_ONE = np.uint32(1)
_WORD_BITS, _BIT = np.uint64(5), np.uint64(31)


@kernel
def _mark(n_windows, n_bits, n_symbols, order, top, symbols, seen, n_repeats):
    """Set the bits of windows. One thread per run of windows.

    Parameters
    ----------
    n_windows, order : int64
    n_bits, n_symbols : uint64; see `Windows`
    top : uint64; n_symbols^(order - 1)
    symbols : in, uint8, uint16 or uint32; see `Windows`
    seen : in and out, uint32 (ceil(n_symbols^order / 32),)
    n_repeats : in and out, uint64 (1,); counts the windows whose bit was set already
    """
    repeats = np.uint64(0)
    for run in range(cuda.grid(1), (n_windows + _RUN - 1) // _RUN, cuda.gridsize(1)):
        first = np.int64(run) * _RUN
        word = leading_word(symbols, first, order - 1, n_bits, n_symbols)
        for i in range(first, min(first + _RUN, n_windows)):
            word = word * n_symbols + symbol_at(symbols, i + order - 1, n_bits)
            bit = _ONE << np.uint32(word & _BIT)
            before = cuda.atomic.or_(seen, word >> _WORD_BITS, bit)
            if before & bit:
                repeats += np.uint64(1)
            word -= symbol_at(symbols, i, n_bits) * top
    if repeats:
        cuda.atomic.add(n_repeats, 0, repeats)


@kernel
def _first_repeat(n_windows, n_bits, n_symbols, order, symbols, seen, found):
    """The first window that was there before. One block: a thread per window, a block of windows after another.

    A thread compares its window with the bitmap, where those of earlier blocks are, and with the windows before it in
    the block; the bits of these are set when all have been compared.

    Parameters
    ----------
    n_windows, n_bits, n_symbols, order, symbols, seen : as in `_mark`
    found : in and out, int64 (1,); the window, where there is one
    """
    words = cuda.shared.array(BLOCK, uint64)
    least = cuda.shared.array(1, int64)
    thread = cuda.threadIdx.x
    if thread == 0:
        least[0] = n_windows
    first = np.int64(0)
    while first < n_windows:
        at = first + np.int64(thread)
        word = np.uint64(0)
        if at < n_windows:
            word = leading_word(symbols, at, order, n_bits, n_symbols)
        bit = _ONE << np.uint32(word & _BIT)
        words[thread] = word
        cuda.syncthreads()
        if at < n_windows:
            is_repeat = seen[word >> _WORD_BITS] & bit != np.uint32(0)
            for other in range(thread):
                is_repeat = is_repeat or words[other] == word
            if is_repeat:
                cuda.atomic.min(least, 0, at)
        cuda.syncthreads()
        if least[0] < n_windows:
            break
        if at < n_windows:
            cuda.atomic.or_(seen, word >> _WORD_BITS, bit)
        cuda.syncthreads()
        first += np.int64(cuda.blockDim.x)
    if thread == 0 and least[0] < n_windows:
        found[0] = least[0]


@kernel
def _leading(n_following, words, symbols):
    """First symbols of words. One thread per word.

    Parameters
    ----------
    n_following : of the words' dtype
    words : in, uint32 or uint64 (n,)
    symbols : out, uint8, uint16 or uint32 (n,)
    """
    for i in range(cuda.grid(1), words.size, cuda.gridsize(1)):
        symbols[i] = words[i] // n_following


@guarded
def empty_bitmap(n_bits: int) -> Array:
    """See `SequenceOperations.empty_bitmap`."""
    return xp.zeros(-(-n_bits // 32), np.uint32)


@guarded
def mark_windows(windows: Windows, seen: Array) -> int:
    """See `SequenceOperations.mark_windows`."""
    n_repeats = xp.zeros(1, np.uint64)
    n_runs = -(-windows.n_windows // _RUN)
    launch(_mark, n_runs, *windows.numbers, contiguous(windows.symbols), seen, n_repeats)
    return int(to_host(n_repeats)[0])


@guarded
def first_repeat(windows: Windows, seen: Array) -> int:
    """See `SequenceOperations.first_repeat`."""
    found = filled(1, np.int64(-1))
    n_windows, n_bits, n_symbols, order, _ = windows.numbers
    launch(_first_repeat, 1, n_windows, n_bits, n_symbols, order, contiguous(windows.symbols), seen, found)
    return int(to_host(found)[0])


@guarded
def leading_symbols(words: Array, n_following: int, dtype: np.dtype[Any]) -> Array:
    """See `SequenceOperations.leading_symbols`."""
    symbols = xp.empty(words.size, dtype)
    launch(_leading, words.size, words.dtype.type(n_following), contiguous(words), symbols)
    return symbols
