"""Pack words of letters into 64 bits, the last letter lowest, and write them.

In all: ``numbers`` is that of `containers.packed_words`, ``letters`` (uint8 (k,)) are those of the codes, and
``texts`` is that of `spelling_table`.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel
from debruijn_gpu.backends.core.cpu.swar import store_unaligned

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
