"""Scalar functions of `core` compiled for the CPU, and words of eight bytes handled at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.core import kmer_scalars, scalars
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel
from debruijn_gpu.backends.core.cpu.intrinsics import load_unaligned, trailing_zeros, with_word


def _splat(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101010101010101)


_NEWLINES = _splat(ord("\n"))
_ONES, _TOPS = _splat(0x01), _splat(0x80)
_NO_CASE, _LETTER_A = _splat(0xDF), _splat(ord("A"))
_FIRST_PRINTABLE = _splat(33)
_PAIRS, _CONCATENATE_PAIRS = np.uint64(0x000F000F000F000F), np.uint64((1 << 60) + (1 << 40) + (1 << 20) + 1)
_U0 = np.uint64(0)
_WORD_1, _WORD_2, _WORD_6, _WORD_8, _WORD_11, _WORD_48 = (np.uint64(n) for n in (1, 2, 6, 8, 11, 48))


@kernel
def load_chunk(text, at):
    """Eight bytes of `text` from `at` on; beyond its end they read as newlines."""
    if at + 8 <= text.size:
        return load_unaligned(text, at)
    chunk = _NEWLINES
    for i in range(text.size - 1, at - 1, -1):
        chunk = (chunk << _WORD_8) | np.uint64(text[i])
    return chunk


@kernel
def first_flag(flags):
    """Index of the first byte that is flagged; 8 if there is none."""
    return np.int64(trailing_zeros(flags)) >> 3


@kernel
def find_newline(text, at):
    """Position of the first newline from `at` on; the size of `text` if there is none."""
    while at < text.size:
        chunk = load_chunk(text, at) ^ _NEWLINES
        flags = (chunk - _ONES) & ~chunk & _TOPS
        if flags:
            return min(at + first_flag(flags), text.size)
        at += 8
    return text.size


@kernel
def find_blank(text, at):
    """Position of the first blank or control byte (below 33) from `at` on; the size of `text` if none is."""
    while at + 32 <= text.size:  # lines are long: look at four chunks, then which of them it is
        flags = _U0
        for i in range(4):
            chunk = load_unaligned(text, at + 8 * i)
            flags |= (chunk - _FIRST_PRINTABLE) & ~chunk
        if flags & _TOPS:
            break
        at += 32
    while at < text.size:
        chunk = load_chunk(text, at)
        flags = (chunk - _FIRST_PRINTABLE) & ~chunk & _TOPS
        if flags:
            return min(at + first_flag(flags), text.size)
        at += 8
    return text.size


@kernel
def base_codes(chunk):
    """Two-bit codes of eight letters, one per byte; sense only where `not_bases` has no flag."""
    return ((chunk >> _WORD_1) ^ (chunk >> _WORD_2)) & (_ONES | _ONES << _WORD_1)


@kernel
def not_bases(chunk, codes):
    """Flags where a byte is none of ACGTU in either case.

    The letter that each code stands for is rebuilt (A 0x41, C +2, G +6, T +19) and compared; U is T + 1.
    """
    low, high = codes & _ONES, (codes >> _WORD_1) & _ONES
    is_t = low & high
    letters = _LETTER_A + low * _WORD_2 + high * _WORD_6 + is_t * _WORD_11
    return ((chunk & _NO_CASE) ^ letters) & ~is_t


@kernel
def squeeze_codes(codes):
    """Eight codes of a byte each in the low 16 bits, the first base on top."""
    pairs = ((codes << _WORD_2) | (codes >> _WORD_8)) & _PAIRS
    return (pairs * _CONCATENATE_PAIRS) >> _WORD_48


_compiled = compile_module(kernel, kmer_scalars, scalars, with_word=with_word)

# these take an array: else they would count references to it
bases_from = inlined_kernel(kmer_scalars.bases_from)
symbol_at = inlined_kernel(scalars.symbol_at)
without_mate = inlined_kernel(scalars.without_mate)


def __getattr__(name: str) -> Any:
    """Return the compiled function of a name."""
    return getattr(_compiled, name)
