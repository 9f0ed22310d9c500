"""Translate, pack and unpack arrays of symbols; see `SequenceOperations`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import draw
from debruijn_gpu.backends.sequences.containers import unpacked_bytes

#: A product with it gathers the lowest bits of eight bytes, the first in the highest place
_GATHER = np.uint64(0x8040201008040201)
_LOWEST = np.uint64(0x0101010101010101)


@kernel
def _translate(codes, letters, start, stop, out):
    """Write the letters (uint8) of the codes start..stop (uint8, uint16 or uint32)."""
    for i in range(start, stop):
        out[i] = letters[codes[i]]


def translate_symbols(codes: Array, letters: NDArray[np.uint8]) -> Array:
    """See `SequenceOperations.translate_symbols`."""
    out = np.empty(len(codes), np.uint8)
    threads.over_ranges(len(codes), lambda start, stop: _translate(codes, letters, start, stop, out))
    return out


@kernel
def _pack_bits(words, start, stop, packed):
    """Write the bytes (uint8) start..stop, each of the 8 codes in one word (uint64, little-endian)."""
    for i in range(start, stop):
        packed[i] = ((words[i] & _LOWEST) * _GATHER) >> np.uint64(56)


def _as_words(data: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Bytes as words of eight; a copy if they do not begin where words may."""
    return np.require(data.view("<u8"), np.uint64, ["A"])


@kernel
def _pack_pairs(codes, start, stop, packed):
    """Write the bytes (uint8) start..stop, each of 4 codes (uint8)."""
    for i in range(start, stop):
        four = codes[4 * i : 4 * i + 4]
        packed[i] = four[0] << 6 | four[1] << 4 | four[2] << 2 | four[3]


def pack_symbols(codes: Array, n_bits: int) -> Array:
    """See `SequenceOperations.pack_symbols`."""
    per_byte = 8 // n_bits
    n_whole, n_left = divmod(len(codes), per_byte)
    packed = np.empty(n_whole + (n_left > 0), np.uint8)
    whole = np.ascontiguousarray(codes[: n_whole * per_byte])
    if n_bits == 1:
        words = _as_words(whole)
        threads.over_ranges(n_whole, lambda start, stop: _pack_bits(words, start, stop, packed))
    else:
        threads.over_ranges(n_whole, lambda start, stop: _pack_pairs(whole, start, stop, packed))
    if n_left:
        left = codes[n_whole * per_byte :].tolist()
        packed[-1] = sum(code << (8 - n_bits * (place + 1)) for place, code in enumerate(left))
    return packed


@kernel
def _unpack(packed, table, start, stop, words):
    """Write what a table (256,) has for the packed bytes (uint8) start..stop."""
    for i in range(start, stop):
        words[i] = table[packed[i]]


def unpack_symbols(packed: Array, n_bits: int, n_symbols: int, letters: NDArray[np.uint8]) -> Array:
    """See `SequenceOperations.unpack_symbols`."""
    table = unpacked_bytes(n_bits, letters)
    n_bytes = -(-n_symbols * n_bits // 8)
    words = np.empty(n_bytes, table.dtype)
    threads.over_ranges(n_bytes, lambda start, stop: _unpack(packed, table, start, stop, words))
    return words.view(np.uint8)[:n_symbols]


@kernel
def _sum_of_words(words, first, start, stop):
    """The sum over words (uint64) start..stop, each mixed with its number; that of the first is ``first``."""
    total = np.uint64(0)
    for i in range(start, stop):
        total += draw(words[i], first + np.uint64(i))
    return total


def checksum_bytes(data: Array, position: int) -> int:
    """See `SequenceOperations.checksum_bytes`."""
    n_bytes = len(data)
    if n_bytes % 8:
        data = np.concatenate((data, np.zeros(-n_bytes % 8, np.uint8)))
    words, first = _as_words(np.ascontiguousarray(data)), np.uint64(position // 8)
    sums = threads.over_ranges(len(words), lambda start, stop: int(_sum_of_words(words, first, start, stop)))
    return sum(sums) % (1 << 64)
