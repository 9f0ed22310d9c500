"""Compute in GF(2^n), n up to 64, with words for elements; see `rings`.

The coefficient of x^i is bit i.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.sequences.cpu.windows import find_slot

_ONE = np.uint64(1)


@kernel
def pack(element):
    """An element (uint32 (n,)) as a word."""
    word = np.uint64(0)
    for i in range(element.size - 1, -1, -1):
        word = (word << _ONE) | np.uint64(element[i])
    return word


@kernel
def unpack(word, out):
    """A word as an element (uint32 (n,))."""
    for i in range(out.size):
        out[i] = (word >> np.uint64(i)) & _ONE


@kernel
def low_part(ring):
    """x^n modulo f, as a word."""
    word = np.uint64(0)
    for t in range(ring.taps.size):
        word |= _ONE << np.uint64(ring.taps[t])
    return word


@kernel
def times_x(a, low, last):
    """A word times x; ``low`` is `low_part`, ``last`` is n - 1 (uint64)."""
    top = a >> last
    return ((a ^ (top << last)) << _ONE) ^ (low & (np.uint64(0) - top))


@kernel
def multiply(a, b, low, last):
    """The product of two words."""
    product = np.uint64(0)
    for i in range(np.int64(last), -1, -1):
        bit = (a >> np.uint64(i)) & _ONE
        product = times_x(product, low, last) ^ (b & (np.uint64(0) - bit))
    return product


@kernel
def power(base, exponent, low, last):
    """A word to a power (uint8 bits)."""
    out = _ONE
    for i in range(exponent.size):
        if out != _ONE:
            out = multiply(out, out, low, last)
        if exponent[i]:
            out = multiply(out, base, low, last)
    return out


@kernel
def small_power(base, exponent, low, last):
    """A word to a power (int64)."""
    out = _ONE
    for bit in range(63, -1, -1):
        if exponent >> bit:
            out = multiply(out, out, low, last)
            if (exponent >> bit) & 1:
                out = multiply(out, base, low, last)
    return out


@kernel
def binary_powers(ring, bases, exponent):
    """See `HostSequenceOperations.ring_powers`."""
    out, low, last = np.empty(bases.shape, np.uint32), low_part(ring), np.uint64(ring.n - 1)
    for i in range(bases.shape[0]):
        unpack(power(pack(bases[i]), exponent, low, last), out[i])
    return out


@kernel
def binary_powers_of_x(ring, exponents):
    """See `HostSequenceOperations.ring_powers_of_x`."""
    out, low, last = np.empty((exponents.shape[0], ring.n), np.uint32), low_part(ring), np.uint64(ring.n - 1)
    for i in range(exponents.shape[0]):
        word = _ONE
        for j in range(exponents.shape[1]):
            if word != _ONE:
                word = multiply(word, word, low, last)
            if exponents[i, j]:
                word = times_x(word, low, last)
        unpack(word, out[i])
    return out


@kernel
def binary_steps(ring, base, inverse, n_steps, n_bits):
    """See `SequenceOperations.make_steps`."""
    low, last = low_part(ring), np.uint64(ring.n - 1)
    keys, exponents = np.zeros(1 << n_bits, np.uint64), np.zeros(1 << n_bits, np.uint32)
    stride = np.empty(ring.n, np.uint32)
    word, factor = _ONE, pack(base)
    for i in range(n_steps):
        slot = find_slot(keys, word)
        keys[slot] = word
        exponents[slot] = i
        word = multiply(factor, word, low, last)
    unpack(small_power(pack(inverse), n_steps, low, last), stride)
    return keys, exponents, stride


@kernel
def _log(word, prime, steps, stride, n_steps, low, last):
    """The logarithm of a word to the base of a table, of order ``prime`` (Shanks 1971); -1 if there is none."""
    for passed in range(0, prime, n_steps):
        slot = find_slot(steps.keys, word)
        if steps.keys[slot] == word:
            return passed + np.int64(steps.exponents[slot])
        word = multiply(stride, word, low, last)
    return np.int64(-1)


@kernel
def binary_logs(ring, values, roots, prime, steps, n_steps):
    """See `HostSequenceOperations.find_logs`."""
    low, last, n_digits = low_part(ring), np.uint64(ring.n - 1), roots.shape[0]
    digits, stride = np.empty((values.shape[0], n_digits), np.int64), pack(steps.stride)
    for i in range(values.shape[0]):
        rest = pack(values[i])
        for k in range(n_digits):
            word = rest
            for _ in range(n_digits - 1 - k):
                word = small_power(word, prime, low, last)
            digit = _log(word, prime, steps, stride, n_steps, low, last)
            digits[i, k] = digit
            rest = multiply(small_power(pack(roots[k]), digit, low, last), rest, low, last)
    return digits
