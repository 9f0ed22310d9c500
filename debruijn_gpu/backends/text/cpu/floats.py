"""Convert exactly between decimal digits and floats, without large tables or big numbers.

Reading is the algorithm of Eisel and Lemire, writing is Schubfach. Both multiply by a power of ten that is kept to 128
bits, which is nearly always enough to be certain; where it is not, `nearest_double` says so.

Sources: D. Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51 (2021). R. Giulietti,
The Schubfach way to render doubles (2020); A. Bolz, Drachennest (the variant with one multiplication per boundary).
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.intrinsics import leading_zeros, multiply_to_128_bits
from debruijn_gpu.backends.core.deferred import Deferred

_HIDDEN_64, _HIDDEN_32 = np.uint64(1 << 52), np.uint64(1 << 23)
_EXPONENT_64, _EXPONENT_32 = np.uint64(0x7FF), np.uint64(0xFF)
_U0, _U1, _U2, _U4, _U10, _U40 = (np.uint64(n) for n in (0, 1, 2, 4, 10, 40))
_ALL, _BELOW_55_BITS = np.uint64(2**64 - 1), np.uint64((2**64 - 1) >> 55)

_SMALLEST_READ, _LARGEST_READ, _SMALLEST_WRITTEN, _SAFE_READ, _READING, _WRITING = (
    Deferred("debruijn_gpu.backends.text.cpu.powers_of_ten", name)
    for name in ("SMALLEST_READ", "LARGEST_READ", "SMALLEST_WRITTEN", "SAFE_READ", "READING", "WRITING")
)


@kernel
def nearest_double(digits, power):
    """The double nearest to ``digits * 10**power``.

    Parameters
    ----------
    digits : uint64
    power : int64

    Returns
    -------
    tuple of (bits : uint64, certain : bool)
        The double's bits; not certain also where it is subnormal or infinite.
    """
    if digits == _U0:
        return _U0, True
    if power < _SMALLEST_READ or power > _LARGEST_READ:
        return _U0, False
    n_zeros = leading_zeros(digits)
    scaled = digits << n_zeros
    row = power - _SMALLEST_READ
    high, low = multiply_to_128_bits(scaled, _READING[row, 0])
    if high & _BELOW_55_BITS == _BELOW_55_BITS:
        more, _rest = multiply_to_128_bits(scaled, _READING[row, 1])
        low += more
        if low < more:
            high += _U1
    if low == _ALL and not _SAFE_READ[0] <= power <= _SAFE_READ[1]:
        return _U0, False
    upper = high >> np.uint64(63)
    shift = upper + np.uint64(9)
    mantissa = high >> shift
    exponent = ((217706 * power) >> 16) + 63 + np.int64(upper) - np.int64(n_zeros) + 1023
    if exponent <= 0 or exponent >= 0x7FE:
        return _U0, False
    halfway = low <= _U1 and -4 <= power <= 23 and mantissa & np.uint64(3) == _U1
    if halfway and mantissa << shift == high:
        mantissa &= ~_U1
    mantissa = (mantissa + (mantissa & _U1)) >> _U1
    if mantissa >> np.uint64(53):
        mantissa >>= _U1
        exponent += 1
    return (np.uint64(exponent) << np.uint64(52)) | (mantissa & (_HIDDEN_64 - _U1)), True


@kernel
def _scale(high, low, boundary):
    """The upper word of a power of ten times a boundary, its last bit set if anything is below (round to odd)."""
    below, _rest = multiply_to_128_bits(low, boundary)
    upper, middle = multiply_to_128_bits(high, boundary)
    middle += below
    if middle < below:
        upper += _U1
    return upper | np.uint64(middle > _U1)


@kernel
def shortest_digits(bits, is_single):
    """The fewest digits that read as this number and no other, the nearest of these.

    Parameters
    ----------
    bits : uint64
        Of a positive finite double, or of a single in the low half.
    is_single : bool

    Returns
    -------
    tuple of (digits : uint64, power : int64)
        The number is ``digits * 10**power``; digits may end in zeros.
    """
    hidden, shift, bias = (_HIDDEN_32, np.uint64(23), 150) if is_single else (_HIDDEN_64, np.uint64(52), 1075)
    fraction = bits & (hidden - _U1)
    exponent = np.int64((bits >> shift) & (_EXPONENT_32 if is_single else _EXPONENT_64))
    mantissa = hidden | fraction if exponent else fraction
    binary = max(exponent, 1) - bias
    if -64 < binary <= 0 and exponent and mantissa & ((_U1 << np.uint64(-binary)) - _U1) == _U0:
        return mantissa >> np.uint64(-binary), 0  # an integer
    odd = mantissa & _U1
    is_closer = fraction == _U0 and exponent > 1  # the lower neighbour is: its exponent is one less
    power = (binary * 1262611 - (524031 if is_closer else 0)) >> 22
    up = np.uint64(binary + ((-power * 1741647) >> 19) + 1)
    high, low = _WRITING[-power - _SMALLEST_WRITTEN, 0], _WRITING[-power - _SMALLEST_WRITTEN, 1]
    lower = _scale(high, low, (_U4 * mantissa - _U2 + np.uint64(is_closer)) << up) + odd
    value = _scale(high, low, (_U4 * mantissa) << up)
    upper = _scale(high, low, (_U4 * mantissa + _U2) << up) - odd
    whole = value >> _U2
    if whole >= _U10:
        short = whole // _U10
        low_fits, high_fits = lower <= _U40 * short, _U40 * short + _U40 <= upper
        if low_fits != high_fits:
            return short + np.uint64(high_fits), power + 1
    low_fits, high_fits = lower <= _U4 * whole, _U4 * whole + _U4 <= upper
    if low_fits != high_fits:
        return whole + np.uint64(high_fits), power
    middle = _U4 * whole + _U2
    return whole + np.uint64(value > middle or (value == middle and whole & _U1 != _U0)), power
