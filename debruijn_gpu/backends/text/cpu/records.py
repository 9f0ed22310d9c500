"""Format records as text: compute lengths, then write one field after another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import lean_kernel
from debruijn_gpu.backends.text.containers import Field, NumberField, TextField
from debruijn_gpu.backends.text.cpu.number_printing import count_digits, put_digits
from debruijn_gpu.run import log

_MANTISSA_BITS = np.uint64(52)
_U0, _U1 = np.uint64(0), np.uint64(1)
_POINT = np.uint8(ord("."))
_ALL = np.empty(0, np.int64)  # stands for no choice of texts


@lean_kernel
def _round_floats(bits, power, rounded):
    """Round numbers to integers, half to even.

    Parameters
    ----------
    bits : in, uint64 (n,); of float64, 0 or more
    power : uint64; at most 1000, by which numbers are multiplied without rounding
    rounded : out, uint64 (n,)
    """
    for i in range(bits.size):
        exponent = np.int64(bits[i] >> _MANTISSA_BITS)
        mantissa = bits[i] & ((_U1 << _MANTISSA_BITS) - _U1)
        if exponent:
            mantissa |= _U1 << _MANTISSA_BITS
        scaled = mantissa * power
        shift = 1075 - max(exponent, 1)
        if shift <= 0:
            rounded[i] = scaled << np.uint64(-shift)
        elif shift > 63:
            rounded[i] = _U0
        else:
            whole = scaled >> np.uint64(shift)
            rest = scaled - (whole << np.uint64(shift))
            half = _U1 << np.uint64(shift - 1)
            rounded[i] = whole + np.uint64(rest > half or (rest == half and whole & _U1 == _U1))


@lean_kernel
def _add_number_lengths(numbers, power, n_decimals, lengths):
    """Add the characters of numbers (in, uint64 (n,)), in units of the last decimal, to lengths (int64 (n,))."""
    for i in range(numbers.size):
        lengths[i] += max(1, count_digits(numbers[i] // power)) + n_decimals + (n_decimals > 0)


@lean_kernel
def _put_numbers(numbers, power, n_decimals, at, text):
    """Write numbers (see `_add_number_lengths`) at positions (int64 (n,), in and out) of a text (out)."""
    for i in range(numbers.size):
        whole = numbers[i] // power
        end = put_digits(text, at[i], whole, max(1, count_digits(whole)))
        if n_decimals:
            text[end] = _POINT
            end = put_digits(text, end + 1, numbers[i] - whole * power, n_decimals)
        at[i] = end


@lean_kernel
def _add_text_lengths(offsets, chosen, lengths):
    """Add the lengths of texts to lengths (int64 (n,)); without a choice text i is of record i."""
    for i in range(lengths.size):
        j = chosen[i] if chosen.size else i
        lengths[i] += offsets[j + 1] - offsets[j]


@lean_kernel
def _put_texts(source, offsets, chosen, at, text):
    """Write texts (see `_add_text_lengths`) at positions (int64 (n,), in and out) of a text (out)."""
    for i in range(at.size):
        j = chosen[i] if chosen.size else i
        to = at[i]
        for position in range(offsets[j], offsets[j + 1]):
            text[to] = source[position]
            to += 1
        at[i] = to


def format_records(fields: Sequence[Field]):
    """See `TextOperations.format_records`."""
    with log.cpu_time("print"):
        columns = [_column(field) for field in fields]
        n = next(column.n for column in columns if column.n >= 0)
        lengths = np.zeros(n, np.int64)
        for column in columns:
            column.add_lengths(lengths)
        offsets = np.zeros(n + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        text = np.empty(offsets[-1], np.uint8)
        at = offsets[:-1].copy()
        for column in columns:
            column.put(at, text)
        return offsets, text


def _column(field: Field):
    """A field as kernels take it."""
    if isinstance(field, NumberField):
        return _Numbers(field)
    if isinstance(field, TextField):
        if field.chosen is None:
            return _Texts(field.text, field.offsets, _ALL, len(field.offsets) - 1)
        return _Texts(field.text, field.offsets, field.chosen, len(field.chosen))
    return _Texts(np.frombuffer(field, np.uint8), np.array([0, len(field)], np.int64), None, -1)


class _Numbers:
    """Numbers of n records."""

    def __init__(self, field: NumberField) -> None:
        self.n = len(field.values)
        self._decimals = np.int64(field.decimals)
        self._power = np.uint64(10**field.decimals)
        if field.values.dtype == np.float64:
            self._numbers = np.empty(self.n, np.uint64)
            _round_floats(np.ascontiguousarray(field.values).view(np.uint64), self._power, self._numbers)
        else:
            self._numbers = np.ascontiguousarray(field.values, np.int64).view(np.uint64)

    def add_lengths(self, lengths) -> None:
        _add_number_lengths(self._numbers, self._power, self._decimals, lengths)

    def put(self, at, text) -> None:
        _put_numbers(self._numbers, self._power, self._decimals, at, text)


class _Texts:
    """Texts of n records, or one text of all of them (chosen is None, and n -1)."""

    def __init__(self, text, offsets, chosen, n: int) -> None:
        self.n = n
        self._text, self._offsets = (np.require(array, array.dtype, ["C", "W"]) for array in (text, offsets))
        self._chosen = chosen

    def _chosen_of(self, n: int):
        return np.zeros(n, np.int64) if self._chosen is None else np.require(self._chosen, np.int64, ["C", "W"])

    def add_lengths(self, lengths) -> None:
        _add_text_lengths(self._offsets, self._chosen_of(len(lengths)), lengths)

    def put(self, at, text) -> None:
        _put_texts(self._text, self._offsets, self._chosen_of(len(at)), at, text)


@lean_kernel
def _leading_bases(text, offsets, chosen, skip, words):
    """Write words (out, uint64 (n,)) of 32 bases; see `TextOperations.leading_bases`."""
    for i in range(chosen.size):
        last = offsets[chosen[i] + 1] - 1
        first = offsets[chosen[i]] + skip
        word = _U0
        for position in range(first, first + 32):
            letter = np.uint64(text[min(position, last)])
            word = (word << np.uint64(2)) | (((letter >> _U1) ^ (letter >> np.uint64(2))) & np.uint64(3))
        words[i] = word


def leading_bases(text, offsets, chosen, skip: int):
    """See `TextOperations.leading_bases`."""
    words = np.empty(len(chosen), np.uint64)
    _leading_bases(*(np.require(array, array.dtype, ["C", "W"]) for array in (text, offsets, chosen)), skip, words)
    return words
