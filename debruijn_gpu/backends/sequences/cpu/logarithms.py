"""Compute discrete logarithms in GF(q^n); see `HostSequenceOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.sequences.containers import StepTable
from debruijn_gpu.backends.sequences.cpu.binary_rings import binary_logs, binary_steps
from debruijn_gpu.backends.sequences.cpu.hash_tables import find_slot
from debruijn_gpu.backends.sequences.cpu.rings import is_binary, is_symbol, multiply, over_rows, small_power

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@kernel
def _key(ring, element, base):
    """A number (uint64) that stands for an element: itself to the base q where q^n is at most 2^64."""
    key = np.uint64(0)
    for i in range(element.size):
        key = key * base + np.uint64(element[i])
    return key


@kernel
def _key_base(ring):
    """The base for `_key`, and whether different elements have different keys."""
    most = np.uint64(0xFFFFFFFFFFFFFFFF)
    for _ in range(ring.n):
        most //= np.uint64(ring.q)
    return (np.uint64(ring.q), True) if most else (_SPREAD, False)


@kernel
def _make_steps(ring, base, inverse, n_steps, n_bits):
    """See `HostSequenceOperations.make_steps`; the table has 2^n_bits slots, twice as many as steps or more."""
    keys, exponents = np.zeros(1 << n_bits, np.uint64), np.zeros(1 << n_bits, np.uint32)
    power, wide = np.zeros(ring.n, np.uint32), np.empty(2 * ring.n - 1, np.uint64)
    key_base, _ = _key_base(ring)
    power[0] = 1
    for i in range(n_steps):
        key = _key(ring, power, key_base)
        slot = find_slot(keys, key)
        keys[slot] = key
        exponents[slot] = i
        multiply(ring, power, base, wide, power)
    small_power(ring, inverse, n_steps, wide, power)
    return keys, exponents, power


def make_steps(ring, base, inverse, n_steps):
    """See `HostSequenceOperations.make_steps`."""
    make = binary_steps if is_binary(ring) else _make_steps
    return StepTable(*make(ring, base, inverse, n_steps, (2 * n_steps).bit_length()))


@kernel
def _log(ring, value, inverse, prime, steps, n_steps, wide, scratch):
    """The logarithm to the base of a table (Shanks 1971); -1 if there is none.

    Parameters
    ----------
    value, scratch : in, out, uint32 (n,); both are changed
    inverse : in, uint32 (n,); the inverse of the base
    prime : int64; the order of the base
    steps, n_steps : see `HostSequenceOperations.make_steps`
    wide : scratch as in `multiply`
    """
    key_base, is_exact = _key_base(ring)
    for passed in range(0, prime, n_steps):
        key = _key(ring, value, key_base)
        slot = find_slot(steps.keys, key)
        if steps.keys[slot] == key:
            found = np.int64(steps.exponents[slot])
            if is_exact:
                return passed + found
            small_power(ring, inverse, found, wide, scratch)
            multiply(ring, scratch, value, wide, scratch)
            if is_symbol(scratch, 0, 1):
                return passed + found
        multiply(ring, value, steps.stride, wide, value)
    return np.int64(-1)


@kernel
def _find_logs(ring, values, roots, prime, steps, n_steps):
    """See `HostSequenceOperations.find_logs`."""
    n_digits = roots.shape[0]
    digits, wide = np.empty((values.shape[0], n_digits), np.int64), np.empty(2 * ring.n - 1, np.uint64)
    rest, value, scratch = np.empty(ring.n, np.uint32), np.empty(ring.n, np.uint32), np.empty(ring.n, np.uint32)
    for i in range(values.shape[0]):
        rest[:] = values[i]
        for k in range(n_digits):
            value[:] = rest
            for _ in range(n_digits - 1 - k):
                small_power(ring, value, prime, wide, scratch)
                value[:] = scratch
            digit = _log(ring, value, roots[n_digits - 1], prime, steps, n_steps, wide, scratch)
            digits[i, k] = digit
            small_power(ring, roots[k], digit, wide, scratch)
            multiply(ring, rest, scratch, wide, rest)
    return digits


def find_logs(ring, values, roots, prime, steps, n_steps):
    """See `HostSequenceOperations.find_logs`."""
    compute = binary_logs if is_binary(ring) else _find_logs
    find = lambda start, stop: compute(ring, values[start:stop], roots, prime, steps, n_steps)  # noqa: E731
    n_products = len(roots) * (len(roots) + int(prime) // int(n_steps) + 64)
    return over_rows(find, len(values), len(values) * n_products * ring.n)
