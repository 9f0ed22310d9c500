"""Compute in GF(q^n); see `HostSequenceOperations`.

Coefficients are uint32 in elements and uint64 where sums of products gather. Over a prime field these are plain
integers until the end, without overflow: p is below 2^16 and n below 2^32.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.intrinsics import copy_items
from debruijn_gpu.backends.core.cpu.scalars import add_elements
from debruijn_gpu.backends.sequences.cpu.binary_rings import binary_powers, binary_powers_of_x


@kernel
def _times(ring, a, b):
    """The product of two elements of GF(q), any integers; int64."""
    if a == 0 or b == 0:
        return np.int64(0)
    return np.int64(ring.powers[ring.logs[a] + ring.logs[b]])


@kernel
def _plus(ring, a, b):
    """The sum of two elements of GF(q), any integers; int64."""
    if ring.sums.size:
        return np.int64(ring.sums[np.int64(a) * ring.q + np.int64(b)])
    return add_elements(np.int64(a), np.int64(b), ring.p, ring.q)


@kernel
def _reduce(ring, wide, out):
    """A polynomial of degree up to 2n - 2 (uint64 (2n - 1,), changed) modulo f to out (uint32 (n,))."""
    n, p = ring.n, np.uint64(ring.p)
    if ring.p == ring.q:
        for k in range(2 * n - 2, n - 1, -1):
            value = wide[k] % p
            if value:
                for t in range(ring.taps.size):
                    wide[k - n + ring.taps[t]] += value * np.uint64(ring.coefficients[t])
        for k in range(n):
            out[k] = wide[k] % p
    else:
        for k in range(2 * n - 2, n - 1, -1):
            if wide[k]:
                for t in range(ring.taps.size):
                    at = k - n + ring.taps[t]
                    wide[at] = _plus(ring, wide[at], _times(ring, wide[k], ring.coefficients[t]))
        for k in range(n):
            out[k] = wide[k]


@kernel
def multiply(ring, a, b, wide, out):
    """The product of two elements to out, which may be one of them; ``wide`` (uint64 (2n - 1,)) is scratch."""
    wide[:] = np.uint64(0)
    for i in range(ring.n):
        factor, row = np.uint64(a[i]), wide[i : i + ring.n]
        if factor and ring.p == ring.q:
            for j in range(ring.n):
                row[j] += factor * np.uint64(b[j])
        elif factor:
            log = ring.logs[a[i]]
            for j in range(ring.n):
                if b[j] and ring.p == 2:
                    row[j] ^= np.uint64(ring.powers[log + ring.logs[b[j]]])
                elif b[j]:
                    row[j] = _plus(ring, row[j], ring.powers[log + ring.logs[b[j]]])
    _reduce(ring, wide, out)


@kernel
def _square(ring, a, wide, out):
    """The square of an element to out, which may be the same; ``wide`` as in `multiply`."""
    if ring.p != 2:
        multiply(ring, a, a, wide, out)
        return
    wide[:] = np.uint64(0)
    for i in range(ring.n):
        wide[2 * i] = _times(ring, a[i], a[i])
    _reduce(ring, wide, out)


@kernel
def _times_x(ring, a):
    """An element times x, in its place."""
    last = ring.n - 1
    top = a[last]
    for i in range(last, 0, -1):
        a[i] = a[i - 1]
    a[0] = 0
    if top:
        for t in range(ring.taps.size):
            at = ring.taps[t]
            a[at] = _plus(ring, a[at], _times(ring, top, ring.coefficients[t]))


@kernel
def _power_of_x(ring, exponent, wide, out):
    """x to a power (uint8 bits) to out."""
    out[:] = 0
    out[0] = 1
    started = False
    for i in range(exponent.size):
        if started:
            _square(ring, out, wide, out)
        if exponent[i]:
            _times_x(ring, out)
            started = True


@kernel
def _power(ring, base, exponent, wide, out):
    """An element to a power (uint8 bits) to out, which is not the element."""
    out[:] = 0
    out[0] = 1
    started = False
    for i in range(exponent.size):
        if started:
            _square(ring, out, wide, out)
        if exponent[i]:
            multiply(ring, out, base, wide, out)
            started = True


@kernel
def small_power(ring, base, exponent, wide, out):
    """An element to a power (int64) to out, which is not the element."""
    out[:] = 0
    out[0] = 1
    for bit in range(63, -1, -1):
        if exponent >> bit:
            _square(ring, out, wide, out)
            if (exponent >> bit) & 1:
                multiply(ring, out, base, wide, out)


@kernel
def ring_product(ring, a, b):
    """See `HostSequenceOperations.ring_product`."""
    out = np.empty(ring.n, np.uint32)
    multiply(ring, a, b, np.empty(2 * ring.n - 1, np.uint64), out)
    return out


@kernel
def _powers(ring, bases, exponent):
    """See `HostSequenceOperations.ring_powers`."""
    out, wide = np.empty(bases.shape, np.uint32), np.empty(2 * ring.n - 1, np.uint64)
    for i in range(bases.shape[0]):
        _power(ring, bases[i], exponent, wide, out[i])
    return out


@kernel
def _powers_of_x(ring, exponents):
    """See `HostSequenceOperations.ring_powers_of_x`."""
    out, wide = np.empty((exponents.shape[0], ring.n), np.uint32), np.empty(2 * ring.n - 1, np.uint64)
    for i in range(exponents.shape[0]):
        _power_of_x(ring, exponents[i], wide, out[i])
    return out


@kernel
def ring_windows(ring, elements):
    """See `HostSequenceOperations.ring_windows`: symbol after symbol, times x."""
    out, element = np.empty(elements.shape, np.uint32), np.empty(ring.n, np.uint32)
    for i in range(elements.shape[0]):
        copy_items(elements[i], element)
        for j in range(ring.n):
            out[i, j] = element[ring.n - 1]
            _times_x(ring, element)
    return out


@kernel
def ring_elements(ring, windows, negated):
    """See `HostSequenceOperations.ring_elements`: symbol j of a window is the coefficient n - 1 - j, plus what the taps
    have added since, which the symbols before it tell."""
    out, last = np.empty(windows.shape, np.uint32), ring.n - 1
    for i in range(windows.shape[0]):
        for j in range(ring.n):
            value = np.int64(windows[i, j])
            for t in range(ring.taps.size):
                back = ring.n - ring.taps[t]
                if back <= j:
                    value = _plus(ring, value, _times(ring, windows[i, j - back], negated[t]))
            out[i, last - j] = value
    return out


@kernel
def is_symbol(element, place, symbol):
    """Whether an element is a multiple of a power of x: that symbol at that place, and zeros elsewhere."""
    n_others = 0
    for i in range(element.size):
        n_others += element[i] != (np.uint32(symbol) if i == place else np.uint32(0))
    return n_others == 0


@kernel
def is_primitive(ring, cofactors):
    """See `HostSequenceOperations.is_primitive`. Most that are not fail the first test."""
    power, wide = np.empty(ring.n, np.uint32), np.empty(2 * ring.n - 1, np.uint64)
    _power_of_x(ring, cofactors[0], wide, power)
    if not (is_symbol(power, 1, 1) if ring.n > 1 else is_symbol(power, 0, ring.coefficients[0])):
        return False
    for i in range(1, cofactors.shape[0]):
        _power_of_x(ring, cofactors[i], wide, power)
        if is_symbol(power, 0, 1):
            return False
    return True


def is_binary(ring):
    """Whether elements fit into words of bits, for `binary_rings`."""
    return ring.q == 2 and ring.n <= 64


def over_rows(function, n, work):
    """Rows of results, on all threads; ``function(start, stop)`` computes some of them, `work` steps are for all."""
    parts = threads.over_ranges(n, function, work=work)
    return np.concatenate(parts) if parts else function(0, 0)


def _power_steps(ring, n):
    """About the steps of raising n elements to a power: a product for each bit of the exponent."""
    return n * ring.n**2 * (1 if is_binary(ring) else ring.n)


def ring_powers(ring, bases, exponent):
    """See `HostSequenceOperations.ring_powers`."""
    compute = binary_powers if is_binary(ring) else _powers
    n = len(bases)
    return over_rows(lambda start, stop: compute(ring, bases[start:stop], exponent), n, _power_steps(ring, n))


def ring_powers_of_x(ring, exponents):
    """See `HostSequenceOperations.ring_powers_of_x`."""
    compute = binary_powers_of_x if is_binary(ring) else _powers_of_x
    n = len(exponents)
    return over_rows(lambda start, stop: compute(ring, exponents[start:stop]), n, _power_steps(ring, n))
