"""Generate the least de Bruijn sequence; see `SequenceOperations`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    SIMULATED,
    cuda,
    device_function,
    kernel,
    launch,
    to_device,
    uint32,
    uint64,
    xp,
)
from debruijn_gpu.backends.sequences import scalars
from debruijn_gpu.backends.sequences.containers import as_word, letters_of, packed_words, symbol_dtype

_ONE, _EIGHT, _ALL = np.uint64(1), np.uint64(8), np.uint64(64)
_ZERO = np.uint64(0)
_MOST_LETTERS = 64  # of a word: 2^64 symbols at most
_MOST_SUMS = _MOST_LETTERS + 1
#: Symbols that a thread writes, a multiple of 8: so many that it takes longer than to find where they begin; fewer, if
#: there were not enough threads.
_MOST_SEGMENT, _LEAST_SEGMENT = (8, 8) if SIMULATED else (8192, 256)
_THREADS = 1 << 16


@device_function
def _trailing_zeros(bits):
    """Zero bits below the lowest one. (The simulator's ``ffs`` is of 32 bits.)"""
    return np.uint64(cuda.popc((bits - _ONE) & ~bits))


_compiled = compile_module(device_function, scalars, number=np.uint64, index=np.int64, trailing_zeros=_trailing_zeros)
next_necklace = _compiled.next_necklace
next_packed = _compiled.next_packed
place_root = _compiled.place_root


@kernel
def _write_packed(start, length, size, segment, last, numbers, letters, out):
    """Symbols from a position on, if words fit into 64 bits. One thread per segment.

    Parameters
    ----------
    start, length : uint64
        The position of the first symbol; symbols of a round, modulo 2^64.
    size, segment, last : int64
        Symbols that are written, and by one thread (a multiple of 8); k - 1.
    numbers : in, uint64 (6,); see `packed_words`
    letters : in, uint8 (k,)
    out : out, uint64 (size / 8, rounded up); eight symbols each, the first in the lowest byte
    """
    lasts, n_symbols, bits, reciprocal, dividing = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    n, mask = np.int64(n_symbols), (_ONE << bits) - _ONE
    word = cuda.local.array(_MOST_LETTERS, uint32)
    weights = cuda.local.array(_MOST_SUMS, uint64)
    sums = cuda.local.array(_MOST_SUMS, uint64)
    for i in range(cuda.grid(1), (size + segment - 1) // segment, cuda.gridsize(1)):
        begin = i * segment
        left = min(segment, size - begin)
        period, offset = place_root(length, start + np.uint64(begin), n, last, word, weights, sums)
        packed = _ZERO
        for j in range(n):
            packed = (packed << bits) | np.uint64(word[j])
        at, gathered, n_gathered = begin // 8, _ZERO, _ZERO
        while True:
            n_written = min(period - offset, left)
            shift = np.uint64(n - 1 - offset) * bits
            for _ in range(n_written):
                gathered |= np.uint64(letters[(packed >> shift) & mask]) << n_gathered
                shift -= bits
                n_gathered += _EIGHT
                if n_gathered == _ALL:
                    out[at] = gathered
                    at, gathered, n_gathered = at + 1, _ZERO, _ZERO
            left -= n_written
            if left == 0:
                break
            packed, periods = next_packed(packed, lasts, n_symbols, bits, reciprocal)
            while (dividing >> (periods - _ONE)) & _ONE == _ZERO:
                packed, periods = next_packed(packed, lasts, n_symbols, bits, reciprocal)
            period, offset = np.int64(periods), np.int64(0)
        if n_gathered:
            out[at] = gathered


@kernel
def _write_unpacked(start, length, segment, n, last, letters, out):
    """Symbols from a position on. One thread per segment.

    Parameters
    ----------
    start, length, segment, last : see `_write_packed`
    n : int64
    letters : in, uint8 (k,); empty for codes
    out : out, unsigned (size,)
    """
    word = cuda.local.array(_MOST_LETTERS, uint32)
    weights = cuda.local.array(_MOST_SUMS, uint64)
    sums = cuda.local.array(_MOST_SUMS, uint64)
    size = out.size
    for i in range(cuda.grid(1), (size + segment - 1) // segment, cuda.gridsize(1)):
        at = i * segment
        end = min(at + segment, size)
        period, offset = place_root(length, start + np.uint64(at), n, last, word, weights, sums)
        while True:
            n_written = min(period - offset, end - at)
            for j in range(n_written):
                code = word[offset + j]
                out[at + j] = letters[code] if letters.size else code
            at += n_written
            if at == end:
                break
            period, offset = next_necklace(word, n, last), np.int64(0)


@guarded
def lyndon_symbols(n_symbols: int, order: int, start: int, stop: int, letters: NDArray[np.uint8] | None) -> Array:
    """See `SequenceOperations.lyndon_symbols`."""
    size = stop - start
    segment = min(max(size // _THREADS, _LEAST_SEGMENT), _MOST_SEGMENT) // 8 * 8
    place = as_word(start), as_word(n_symbols**order)
    spelled = to_device(letters_of(n_symbols, letters))
    numbers, last = packed_words(n_symbols, order), np.int64(n_symbols - 1)
    if numbers is None:
        out = xp.empty(size, symbol_dtype(n_symbols, letters))
        launch(_write_unpacked, -(-size // segment), *place, np.int64(segment), np.int64(order), last, spelled, out)
        return out
    words = xp.empty(-(-size // 8), np.uint64)
    sizes = np.int64(size), np.int64(segment)
    launch(_write_packed, -(-size // segment), *place, *sizes, last, to_device(numbers), spelled, words)
    return words.view(np.uint8)[:size]
