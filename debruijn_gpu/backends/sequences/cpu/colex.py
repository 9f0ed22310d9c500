"""Generate the grandmama sequence (necklaces in colexicographic order); see `HostSequenceOperations.follow_colex`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel
from debruijn_gpu.backends.sequences.containers import (
    RootPlace,
    letters_of,
    packed_words,
    spelling_table,
    symbol_dtype,
)
from debruijn_gpu.backends.sequences.cpu.words import OVERSHOOT, pack, unpack, write_first, write_some

_ZERO, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(64)


@inlined_kernel
def _period(word, n):
    """The period of a necklace; 0 if the word (uint32 (n,)) is none."""
    period = 1
    for i in range(1, n):
        if word[i] != word[i - period]:
            if word[i] < word[i - period]:
                return 0
            period = i + 1
    return period if n % period == 0 else 0


@inlined_kernel
def _next(word, n, last):
    """Advance a necklace to the next one; return its period. It is not the last, of n letters ``last``.

    The least letter is counted up and set back to 0 if that gives no necklace, as the digits of a number are.
    """
    i = 0
    while True:
        if word[i] < last:
            word[i] += 1
            period = _period(word, n)
            if period:
                return period
        word[i] = 0
        i += 1


@kernel
def _skip(word, period, offset, last, n_skipped):
    """Bring a place ``n_skipped`` symbols further; arguments and result as in `_follow`."""
    offset += n_skipped
    while offset > period:
        offset -= period
        period = _next(word, word.size, last)
    return period, offset


@kernel
def _follow(word, period, offset, last, letters, out):
    """Symbols from a place on.

    Parameters
    ----------
    word : in and out, uint32 (n,)
    period, offset, last : int64
    letters : in, uint8 (k,); empty for codes
    out : out, unsigned (size,)

    Returns
    -------
    period, offset : int64
        Of the place behind the symbols.
    """
    at, size = 0, out.size
    while True:
        n_written = min(period - offset, size - at)
        for i in range(n_written):
            out[at + i] = letters[word[offset + i]] if letters.size else word[offset + i]
        at += n_written
        offset += n_written
        if at == size:
            return period, offset
        period, offset = _next(word, word.size, last), 0


@inlined_kernel
def _packed_period(word, n_bits, bits):
    """Bits of the root of a packed necklace; 0 if the word is none. All uint64."""
    full = ~_ZERO >> (_ALL - n_bits)
    step = bits
    while step < n_bits:
        rotated = ((word << step) & full) | (word >> (n_bits - step))
        if rotated <= word:
            return step if rotated == word else _ZERO
        step += bits
    return n_bits


@inlined_kernel
def _next_packed(word, n_bits, bits, last):
    """`_next` of a packed word; returns the bits of the root as well. All uint64."""
    shift, rest = n_bits - bits, word
    while True:
        one = _ONE << shift
        if rest >> shift < last:
            n_root_bits = _packed_period(rest + one, n_bits, bits)
            if n_root_bits:
                return rest + one, n_root_bits
        rest &= one - _ONE
        shift -= bits


@kernel
def _skip_packed(word, period, offset, last, numbers, n_skipped):
    """`_skip` for words that fit into 64 bits."""
    bits, n_bits = numbers[2], numbers[1] * numbers[2]
    packed = pack(word, numbers)
    offset += n_skipped
    while offset > period:
        offset -= period
        packed, n_root_bits = _next_packed(packed, n_bits, bits, np.uint64(last))
        period = np.int64((n_root_bits * numbers[3]) >> np.uint64(16))
    unpack(packed, numbers, word)
    return period, offset


@kernel
def _follow_packed(word, period, offset, last, numbers, letters, texts, out):
    """`_follow` for words that fit into 64 bits; see `packed_words`."""
    bits, n_bits = numbers[2], numbers[1] * numbers[2]
    packed, at, n = pack(word, numbers), 0, word.size
    while True:
        if offset == 0 and at + n + OVERSHOOT <= out.size:
            write_first(packed, period, numbers, texts, out, at)
            at, offset = at + period, period
        else:
            end = min(period, offset + out.size - at)
            write_some(packed, offset, end, numbers, letters, out, at)
            at, offset = at + end - offset, end
            if at == out.size:
                unpack(packed, numbers, word)
                return period, offset
        packed, n_root_bits = _next_packed(packed, n_bits, bits, np.uint64(last))
        period, offset = np.int64((n_root_bits * numbers[3]) >> np.uint64(16)), 0


def follow_colex(place: RootPlace, n_symbols: int, n: int, letters: NDArray[np.uint8] | None) -> NDArray[Any]:
    """See `HostSequenceOperations.follow_colex`."""
    out = np.empty(n, symbol_dtype(n_symbols, letters))
    spelled, numbers = letters_of(n_symbols, letters), packed_words(n_symbols, len(place.word))
    begin = place.word, place.period, place.offset, n_symbols - 1
    if numbers is None:
        place.period, place.offset = _follow(*begin, spelled, out)
    else:
        texts = spelling_table(numbers, spelled)
        place.period, place.offset = _follow_packed(*begin, numbers, spelled, texts, out)
    return out


def skip_colex(place: RootPlace, n_symbols: int, n: int) -> None:
    """See `HostSequenceOperations.skip_colex`."""
    numbers = packed_words(n_symbols, len(place.word))
    begin = place.word, place.period, place.offset, n_symbols - 1
    place.period, place.offset = _skip(*begin, n) if numbers is None else _skip_packed(*begin, numbers, n)
