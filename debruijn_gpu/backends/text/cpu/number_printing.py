"""Format columns of numbers as text."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import bit_length
from debruijn_gpu.backends.text.cpu.floats import shortest_digits
from debruijn_gpu.run import log

#: Bytes of a number in text:
MOST_BYTES = 25  # -2.2250738585072014e-308 and what follows it
SIGNED, UNSIGNED, DOUBLE, SINGLE = range(4)

_PAIRS = np.frombuffer(b"".join(b"%02d" % n for n in range(100)), np.uint8)
_POWERS = np.array([10**n for n in range(20)], np.uint64)
_NAN_WORD, _INFINITY_WORD = (np.frombuffer(word, np.uint8) for word in (b"nan", b"inf"))
_NEWLINE, _MINUS, _PLUS, _POINT, _LETTER_E, _ZERO = (np.uint8(ord(c)) for c in "\n-+.e0")
_U0, _U1, _U10, _U100 = (np.uint64(n) for n in (0, 1, 10, 100))
_SIGN_64, _INFINITY_64 = np.uint64(1 << 63), np.uint64(0x7FF << 52)
_SIGN_32, _INFINITY_32 = np.uint64(1 << 31), np.uint64(0xFF << 23)


def number_lines(columns, separator, start, stop, decimals=()):
    """Records as lines; see `TextOperations.number_lines`."""
    with log.cpu_time("print"):
        bits, kinds = take_columns(columns, start, stop)
        text = np.empty((stop - start) * len(columns) * MOST_BYTES, np.uint8)
        n_decimals = np.array(decimals or [0] * len(columns), np.int64)
        return text[: _print_lines(bits, kinds, n_decimals, np.uint8(separator[0]), text)]


def take_columns(columns, start, stop):
    """Bits (uint64 (n_columns, n)) and kinds (int64 (n_columns,)) of the records start..stop."""
    bits = np.empty((len(columns), stop - start), np.uint64)
    kinds = np.empty(len(columns), np.int64)
    for i, column in enumerate(columns):
        kinds[i] = _take_bits(column[start:stop], bits[i])
    return bits, kinds


def _take_bits(column, bits):
    """Widen numbers to 64 bits, singles excepted; returns what the bits are."""
    if column.dtype == np.float32:
        bits[:] = column.view(np.uint32)
        return SINGLE
    kind, wide = {"i": (SIGNED, np.int64), "u": (UNSIGNED, np.uint64), "f": (DOUBLE, np.float64)}[column.dtype.kind]
    bits.view(wide)[:] = column
    return kind


@inlined_kernel
def count_digits(value):
    """Digits of a number; 1 of 0. (1233 / 4096 is just above log10(2).)"""
    n = (bit_length(value | _U1) * 1233) >> 12
    return n + (value >= _POWERS[n]) if n < 20 else 20


@inlined_kernel
def put_digits(text, at, value, n_digits):
    """Write the lowest `n_digits` digits of a number; returns the position after them."""
    end = at + n_digits
    position = end
    while position - at >= 2:
        position -= 2
        pair = np.int64(value % _U100) * 2
        value //= _U100
        text[position] = _PAIRS[pair]
        text[position + 1] = _PAIRS[pair + 1]
    if position > at:
        text[at] = _ZERO + np.uint8(value % _U10)
    return end


@inlined_kernel
def put_integer(text, at, value, negative, decimals):
    """An integer, in units of the last of so many decimals."""
    if negative:
        text[at] = _MINUS
        at += 1
        value = _U0 - value
    if decimals:
        whole = value // _POWERS[decimals]
        at = put_digits(text, at, whole, count_digits(whole) if whole else 1)
        text[at] = _POINT
        return put_digits(text, at + 1, value - whole * _POWERS[decimals], decimals)
    return put_digits(text, at, value, count_digits(value) if value else 1)


@lean_kernel
def _put_zeros(text, at, n_zeros):
    for i in range(at, at + n_zeros):
        text[i] = _ZERO
    return at + n_zeros


@lean_kernel
def _put_fixed(text, at, digits, n_digits, n_whole):
    """Digits with a point after the first `n_whole`, which may be none or more than there are."""
    if n_whole <= 0:
        text[at] = _ZERO
        text[at + 1] = _POINT
        at = _put_zeros(text, at + 2, -n_whole)
        return put_digits(text, at, digits, n_digits)
    n_after = max(0, n_digits - n_whole)
    shift = _POWERS[n_after]
    at = put_digits(text, at, digits // shift, n_digits - n_after)
    at = _put_zeros(text, at, n_whole - (n_digits - n_after))
    text[at] = _POINT
    return put_digits(text, at + 1, digits % shift, max(1, n_after))


@lean_kernel
def _put_scientific(text, at, digits, n_digits, power):
    """Digits with a point after the first and the power of ten of that one, of two digits at least."""
    shift = _POWERS[n_digits - 1]
    at = put_digits(text, at, digits // shift, 1)
    if n_digits > 1:
        text[at] = _POINT
        at = put_digits(text, at + 1, digits % shift, n_digits - 1)
    text[at] = _LETTER_E
    text[at + 1] = _MINUS if power < 0 else _PLUS
    size = np.uint64(abs(power))
    return put_digits(text, at + 2, size, max(2, count_digits(size)))


@lean_kernel
def _put_word(text, at, word):
    for i in range(word.size):
        text[at + i] = word[i]
    return at + word.size


@lean_kernel
def put_float(text, at, bits, is_single):
    """A float as Python's repr has it."""
    sign, infinity = (_SIGN_32, _INFINITY_32) if is_single else (_SIGN_64, _INFINITY_64)
    size = bits & (sign - _U1)
    if size > infinity:
        return _put_word(text, at, _NAN_WORD)
    if bits & sign:
        text[at] = _MINUS
        at += 1
    if size == infinity:
        return _put_word(text, at, _INFINITY_WORD)
    if size == _U0:
        return _put_fixed(text, at, _U0, 1, 1)
    digits, power = shortest_digits(size, is_single)
    for n_zeros in (8, 8, 4, 2, 1):  # a short number comes with up to 16 of them
        if digits % _POWERS[n_zeros] == _U0:
            digits //= _POWERS[n_zeros]
            power += n_zeros
    n_digits = count_digits(digits)
    n_whole = n_digits + power
    if -4 < n_whole <= 16:
        return _put_fixed(text, at, digits, n_digits, n_whole)
    return _put_scientific(text, at, digits, n_digits, n_whole - 1)


@lean_kernel
def put_number(text, at, value, kind):
    """A number of any kind."""
    if kind >= DOUBLE:
        return put_float(text, at, value, kind == SINGLE)
    return put_integer(text, at, value, kind == SIGNED and value >= _SIGN_64, 0)


@lean_kernel
def _print_lines(bits, kinds, decimals, separator, text):
    """Print records.

    Parameters
    ----------
    bits : in, uint64, shape (n_columns, n)
    kinds, decimals : in, int64, shape (n_columns,)
    separator : uint8
    text : out, uint8, shape (n * n_columns * MOST_BYTES,)

    Returns
    -------
    int64
        The number of bytes.
    """
    n_columns, n_rows = bits.shape
    at = 0
    for row in range(n_rows):
        for column in range(n_columns):
            value, kind = bits[column, row], kinds[column]
            if kind >= DOUBLE:
                at = put_float(text, at, value, kind == SINGLE)
            else:
                at = put_integer(text, at, value, kind == SIGNED and value >= _SIGN_64, decimals[column])
            text[at] = separator
            at += 1
        text[at - 1] = _NEWLINE
    return at
