"""Parse one number: digits eight at a time, then their kind.

Source of the eight digits at a time: D. Lemire, Number parsing at a gigabyte per second, Software: Practice and
Experience 51 (2021).
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.scalars import first_flag, load_chunk
from debruijn_gpu.backends.text.cpu.floats import nearest_double

# What a word of the text is; UNSURE is a float that only Python can be sure about
INTEGER, LARGE, HUGE, FRACTIONAL, UNSURE, ALIEN = range(6)

_MOST_EXPONENT_DIGITS = 6

NEWLINE, COMMA, SEMICOLON, HASH = (np.uint8(ord(c)) for c in "\n,;#")
RETURN, MINUS, _PLUS, _POINT, _LETTER_E, ZERO, _CASE = (np.uint8(ord(c)) for c in "\r-+.e0 ")

_ZEROS, _THREES, _SIXES, _HIGH_HALVES = (np.uint64(byte * 0x0101010101010101) for byte in (0x30, 0x33, 0x06, 0xF0))
_PAIRS, _FOURS, _EIGHTS = (np.uint64(mask) for mask in (0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0xFFFFFFFF))
_TEN, _HUNDRED, _TEN_THOUSAND, _HUNDRED_MILLION = (np.uint64(10**n) for n in (1, 2, 4, 8))
_IS_BLANK, _ENDS_WORD = (np.isin(np.arange(256), list(some)) for some in (b" \t", b" \t\r\n,;"))
_U0, _W4, _W8, _W16, _W32, _W63, _W64 = (np.uint64(n) for n in (0, 4, 8, 16, 32, 63, 64))
_POWERS = np.array([10**n for n in range(20)], np.uint64)
_LEAST_OF_20_DIGITS = np.uint64(10**19)
_SIGN_BIT = np.uint64(1 << 63)
#: Doubles hold all integers up to this one
MOST_EXACT = np.uint64(1 << 53)
_INFINITY, _NAN = np.uint64(0x7FF << 52), np.uint64(0xFFF << 51)
_NAN_WORD, _INF_WORD, _INFINITY_WORD = (np.frombuffer(word, np.uint8) for word in (b"nan", b"inf", b"infinity"))


@inlined_kernel
def _eight_digits(values):
    """The number that eight bytes of 0 to 9 spell, the first byte the highest digit."""
    values = (values * _TEN + (values >> _W8)) & _PAIRS
    values = (values * _HUNDRED + (values >> _W16)) & _FOURS
    return (values * _TEN_THOUSAND + (values >> _W32)) & _EIGHTS


@inlined_kernel
def read_digits(text, at):
    """The number, modulo 2^64, that the digits from `at` on spell, and the position after them."""
    value = _U0
    while True:
        chunk = load_chunk(text, at)
        flags = ((chunk & _HIGH_HALVES) | (((chunk + _SIXES) & _HIGH_HALVES) >> _W4)) ^ _THREES  # 0 of a digit
        n_new = first_flag(flags)
        if n_new == 8:
            value = value * _HUNDRED_MILLION + _eight_digits(chunk ^ _ZEROS)
            at += 8
            continue
        if n_new:
            digits = (chunk ^ _ZEROS) << (_W64 - _W8 * np.uint64(n_new))
            value = value * _POWERS[n_new] + _eight_digits(digits)
        return value, at + n_new


@inlined_kernel
def ends_word(text, at):
    """Return whether a number ends at `at`."""
    return at >= text.size or _ENDS_WORD[text[at]]


@inlined_kernel
def skip_blanks(text, at):
    """Position of the next byte that is no blank; a carriage return is one only at the end of a line."""
    while at < text.size:
        ends_line = at + 1 == text.size or text[at + 1] == NEWLINE
        if not (_IS_BLANK[text[at]] or (text[at] == RETURN and ends_line)):
            break
        at += 1
    return at


@inlined_kernel
def is_mark(text, at):
    """Return whether a comma or a semicolon is at `at`."""
    return at < text.size and (text[at] == COMMA or text[at] == SEMICOLON)


@inlined_kernel
def is_blank(text, at):
    """Return whether a blank or a tab is at `at`."""
    return _IS_BLANK[text[at]]


@lean_kernel
def _is_word(text, at, end, word):
    """Whether ``text[at:end]`` is a word of small letters, in either case."""
    same = end - at == word.size
    for i in range(min(end - at, word.size)):
        same &= text[at + i] | _CASE == word[i]
    return same


@lean_kernel
def _read_name(text, at, negative):
    """nan, inf and infinity: as `read_number`, after the sign."""
    end = at
    while not ends_word(text, end):
        end += 1
    if _is_word(text, at, end, _NAN_WORD):
        return FRACTIONAL, end, _NAN
    if _is_word(text, at, end, _INF_WORD) or _is_word(text, at, end, _INFINITY_WORD):
        return FRACTIONAL, end, _INFINITY | (_SIGN_BIT if negative else _U0)
    return ALIEN, end, _U0


@lean_kernel
def _count_significant(text, at, end):
    """Digits from the first that is not 0 on, in digits with or without a point; and where that one is."""
    has_point = 0
    while at < end and (text[at] == ZERO or text[at] == _POINT):
        at += 1
    for i in range(at, end):
        has_point |= text[i] == _POINT
    return end - at - has_point, at


@lean_kernel
def _read_power(text, at):
    """The exponent at the ``e`` at `at`, and the position after it; that is `at` if there is none."""
    first = at + 1
    negative = first < text.size and text[first] == MINUS
    if negative or (first < text.size and text[first] == _PLUS):
        first += 1
    value, end = read_digits(text, first)
    if end == first:
        return 0, at
    power = np.int64(value) if end - first <= _MOST_EXPONENT_DIGITS else np.int64(10**_MOST_EXPONENT_DIGITS)
    return (-power if negative else power), end


@lean_kernel
def _as_integer(text, start, end, value, negative):
    """Classify a word of digits as an integer, and return its bits; `value` is right modulo 2^64."""
    n_digits, first = _count_significant(text, start, end)
    wraps = n_digits == 20 and (text[first] != ZERO + 1 or value < _LEAST_OF_20_DIGITS)
    if n_digits > 20 or wraps or (negative and value > _SIGN_BIT):
        return HUGE, _U0
    if negative:
        return INTEGER, _U0 - value
    return (LARGE if value >= _SIGN_BIT else INTEGER), value


@lean_kernel
def is_exact_double(magnitude):
    """Whether a double is equal to an integer (uint64): from the highest to the lowest set bit are at most 53."""
    return magnitude <= MOST_EXACT or magnitude // (magnitude & (_U0 - magnitude)) <= MOST_EXACT


@lean_kernel
def read_number(text, at):
    """Any number: what it is, the position after it, and its bits unless these are unsure or huge."""
    if at >= text.size:
        return ALIEN, at, _U0
    negative = text[at] == MINUS
    start = at + (negative or text[at] == _PLUS)
    value, end = read_digits(text, start)
    n_digits, power, is_fractional = end - start, 0, False
    if end < text.size and text[end] == _POINT:
        fraction, after = read_digits(text, end + 1)
        n_fraction = after - end - 1
        value = value * _POWERS[min(n_fraction, 19)] + fraction  # beyond 19 it counts only where value is 0
        n_digits, power, is_fractional, end = n_digits + n_fraction, -n_fraction, True, after
    if n_digits == 0:
        return _read_name(text, start, negative)
    digits_end = end
    if end < text.size and text[end] | _CASE == _LETTER_E:
        exponent, end = _read_power(text, end)
        power, is_fractional = power + exponent, end > digits_end
    if not ends_word(text, end):
        while not ends_word(text, end):
            end += 1
        return ALIEN, end, _U0
    if not is_fractional:
        what, bits = _as_integer(text, start, end, value, negative)
        return what, end, bits
    if n_digits > 19 and _count_significant(text, start, digits_end)[0] > 19:
        return UNSURE, end, _U0
    bits, certain = nearest_double(value, power)
    return (FRACTIONAL if certain else UNSURE), end, bits | (_SIGN_BIT if negative else _U0)
