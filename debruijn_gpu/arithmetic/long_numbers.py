"""Integers of millions of digits: conversion between binary and decimal in subquadratic time.

`int` and `decimal` both convert between bases in quadratic time, but `decimal` multiplies by number-theoretic
transforms. So numbers are split in halves, which are converted and put together.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact, InvalidOperation, Overflow

#: Context of exact arithmetic on integers
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact, InvalidOperation, Overflow])

_FEW_BITS = 1 << 11  # that are converted directly
_FEW_DIGITS = 600


def to_decimal(number: int) -> Decimal:
    """Convert an integer of any size."""
    powers: dict[int, Decimal] = {}

    def power_of_two(n_bits: int) -> Decimal:
        if n_bits not in powers:
            half = n_bits >> 1
            few = n_bits <= _FEW_BITS
            powers[n_bits] = (
                Decimal(1 << n_bits) if few else EXACT.multiply(power_of_two(half), power_of_two(n_bits - half))
            )
        return powers[n_bits]

    def convert(part: int, n_bits: int) -> Decimal:
        if n_bits <= _FEW_BITS:
            return Decimal(part)
        low_bits = n_bits >> 1
        high = part >> low_bits
        low = convert(part - (high << low_bits), low_bits)
        return EXACT.fma(convert(high, n_bits - low_bits), power_of_two(low_bits), low)

    converted = convert(abs(number), abs(number).bit_length())
    return converted if number >= 0 else converted.copy_negate()


def to_int(number: Decimal) -> int:
    """Convert a decimal integer of any size."""
    digits = format(number.copy_abs(), "f")
    powers: dict[int, int] = {}

    def power_of_ten(n: int) -> int:
        if n not in powers:
            half = n >> 1
            powers[n] = 10**n if n <= _FEW_DIGITS else power_of_ten(half) * power_of_ten(n - half)
        return powers[n]

    def convert(start: int, stop: int) -> int:
        if stop - start <= _FEW_DIGITS:
            return int(digits[start:stop])
        low = (stop - start) >> 1
        return convert(start, stop - low) * power_of_ten(low) + convert(stop - low, stop)

    converted = convert(0, len(digits))
    return -converted if number.is_signed() else converted


def digits_of(number: int) -> str:
    """Write an integer of any size in decimal digits."""
    return format(to_decimal(number), "f")
