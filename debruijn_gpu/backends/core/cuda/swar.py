"""Compute bits for bytes of text, eight at a time (SWAR: SIMD within a register).

Bit b of word w stands for byte 32 w + b. Such words make an `arrays.cuda.masks.Selection`, which tells the number of
marked bytes before any other.

Source: H. S. Warren, Hacker's Delight, second edition, section 6-1 (find first 0-byte).
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function


def _splat(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101010101010101)


_PRINTABLES = _splat(33)
_TOPS, _NOT_TOPS = _splat(0x80), _splat(0x7F)
_GATHER_BITS = np.uint64(0x0102040810204080)  # the lowest bits of eight bytes to the highest byte
_U7, _U8, _U56 = (np.uint64(n) for n in (7, 8, 56))
_ONE, _NONE, _ALL = np.uint32(1), np.uint32(0), np.uint32(0xFFFFFFFF)

NEWLINES, GREATERS = _splat(ord("\n")), _splat(ord(">"))


@device_function
def _bits_of(flags):
    """The highest bits of eight bytes (uint64) as eight bits."""
    return ((flags >> _U7) * _GATHER_BITS) >> _U56


@device_function
def equal_bytes(eights, word, pattern):
    """Which of 32 bytes are equal to one, as uint32.

    Parameters
    ----------
    eights : in, uint64 (at least 4 * word + 4,); the text
    word : int; number of the 32 bytes
    pattern : uint64; the byte, eight times
    """
    bits = np.uint64(0)
    for i in range(4):
        chunk = eights[4 * word + i] ^ pattern
        flags = ~(((chunk & _NOT_TOPS) + _NOT_TOPS) | chunk) & _TOPS
        bits |= _bits_of(flags) << (_U8 * np.uint64(i))
    return np.uint32(bits)


@device_function
def low_bytes(eights, word):
    """Which of 32 bytes are blanks or control bytes (below 33), as uint32; parameters as in `equal_bytes`."""
    bits = np.uint64(0)
    for i in range(4):
        chunk = eights[4 * word + i]
        flags = ~(((chunk | _TOPS) - _PRINTABLES) | chunk) & _TOPS
        bits |= _bits_of(flags) << (_U8 * np.uint64(i))
    return np.uint32(bits)


@device_function
def bits_inside(word, n_bytes):
    """Which of 32 bytes are among the first ``n_bytes`` (int64), as uint32."""
    n_left = n_bytes - 32 * word
    if n_left >= 32:
        return _ALL
    return np.uint32((_ONE << np.uint32(n_left)) - _ONE) if n_left > 0 else _NONE


@device_function
def n_marked_before(words, ends, position):
    """Count the marked bytes before a position (int64).

    Parameters
    ----------
    words, ends : in, uint32 and int64; as in `arrays.cuda.masks.Selection`
    """
    word = position >> 5
    chunk = word >> 3
    n_marked = np.int64(0)
    if chunk > 0:
        n_marked += ends[chunk - 1]
    for i in range(chunk * 8, word):
        n_marked += np.int64(cuda.popc(words[i]))
    below = (_ONE << np.uint32(position & 31)) - _ONE
    return n_marked + np.int64(cuda.popc(np.uint32(words[word] & below)))


@device_function
def lowest_bit(bits):
    """Number of the lowest bit that is set, of at least one (uint32)."""
    return np.int64(cuda.popc(np.uint32(~bits & np.uint32(bits - _ONE))))
