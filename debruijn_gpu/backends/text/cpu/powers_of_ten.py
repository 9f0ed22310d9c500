"""Tables of powers of ten to 128 bits, for `floats`. Compilers import them: machine code holds them already."""

from __future__ import annotations

import numpy as np

SMALLEST_READ, LARGEST_READ = -342, 308  # powers of ten that can matter to a 19-digit number
SMALLEST_WRITTEN, LARGEST_WRITTEN = -292, 324  # and those that bring a double to 17 digits
SAFE_READ = (-27, 55)  # here 128 bits of a power are enough always


def _leading_128_bits(numerator, denominator, round_up):
    """The 128 leading bits of a ratio, rounded down or up, in two words."""
    shift = 128 - numerator.bit_length() + denominator.bit_length()
    scaled, divisor = (numerator << max(0, shift)), (denominator << max(0, -shift))
    if scaled // divisor >> 128:
        divisor <<= 1
    bits = -(-scaled // divisor) if round_up else scaled // divisor
    return bits >> 64, bits & (2**64 - 1)


def _powers_of_ten(smallest, largest, rounded_up):
    """Leading bits of the powers of ten of `smallest` to `largest`, shape (n, 2); rounded up where asked for."""
    rows = [
        _leading_128_bits(10 ** max(0, power), 10 ** max(0, -power), rounded_up(power))
        for power in range(smallest, largest + 1)
    ]
    return np.array(rows, np.uint64)


READING = _powers_of_ten(SMALLEST_READ, LARGEST_READ, lambda power: SAFE_READ[0] <= power < 0)
WRITING = _powers_of_ten(SMALLEST_WRITTEN, LARGEST_WRITTEN, lambda power: True)
