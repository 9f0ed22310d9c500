"""What the CPU does with the elements of a field GF(q^n), to find places in sequences of shift registers.

An element is a polynomial of degree below n over GF(q), taken modulo f(x) = x^n - (c_0 + c_a x^a + ...): its
coefficients, that of x^0 first, uint32 (n,). The elements of GF(q), q = p^m, are 0..q-1; their digits to the base p are
the coefficients of polynomials over GF(p), so that they are added digit by digit.

The sequence s that belongs to an element v is s[i] = the coefficient of x^(n-1) in v x^i. It obeys
s[i + n] = c_0 s[i] + c_a s[i + a] + ..., and its first n symbols, the window, tell which element it is.

Exponents are bits (uint8), the highest first, in rows of equal length, because they may exceed 64.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Elements = NDArray[np.uint32]


class Ring(NamedTuple):
    """Polynomials over GF(q) modulo x^n - (c_0 + c_a x^a + ...), as kernels take them.

    Attributes
    ----------
    p, q, n : int
    logs : ndarray, dtype=int32, shape=(q,)
        The logarithm of each element of GF(q) but 0 to the base of a primitive one.
    powers : ndarray, dtype=int32, shape=(2 * q,)
        The powers of this base, more than twice around.
    sums : ndarray, dtype=uint8, shape=(q * q,)
        a + b is ``sums[q a + b]``, if there is no faster way and q is at most 256; else empty.
    taps : ndarray, dtype=int64, shape=(n_taps,)
        0, a, ...: ascending.
    coefficients : ndarray, dtype=int64, shape=(n_taps,)
        c_0, c_a, ...: none is 0.
    """

    p: int
    q: int
    n: int
    logs: NDArray[np.int32]
    powers: NDArray[np.int32]
    sums: NDArray[np.uint8]
    taps: NDArray[np.int64]
    coefficients: NDArray[np.int64]


class StepTable(NamedTuple):
    """Small powers of an element g of prime order, to find logarithms to the base g (Shanks 1971).

    Attributes
    ----------
    keys : ndarray, dtype=uint64, shape=(2^b,)
        A hash table: keys of g^0..g^(T-1), 0 where there is none.
    exponents : ndarray, dtype=uint32, shape=(2^b,)
    stride : ndarray, dtype=uint32, shape=(n,)
        g^-T.
    """

    keys: NDArray[np.uint64]
    exponents: NDArray[np.uint32]
    stride: Elements


class RingBackend(Protocol):
    """A module with these names."""

    def ring_product(self, ring: Ring, a: Elements, b: Elements) -> Elements:
        """The product of two elements (n,)."""

    def ring_powers(self, ring: Ring, bases: Elements, exponent: NDArray[np.uint8]) -> Elements:
        """Elements (m, n) to one power (n_bits,)."""

    def ring_powers_of_x(self, ring: Ring, exponents: NDArray[np.uint8]) -> Elements:
        """x to the power ``exponents[i]`` (m, n_bits)."""

    def ring_windows(self, ring: Ring, elements: Elements) -> Elements:
        """The first n symbols of the sequence of each element (m, n)."""

    def ring_elements(self, ring: Ring, windows: Elements, negated: NDArray[np.int64]) -> Elements:
        """The element to which each window belongs: the inverse of `ring_windows`. ``negated`` are the negatives of the
        coefficients."""

    def is_primitive(self, ring: Ring, cofactors: NDArray[np.uint8]) -> bool:
        """Whether the powers of x are all elements but 0. ``cofactors`` are q^n and then (q^n - 1) / r for each prime
        factor r."""

    def make_steps(self, ring: Ring, base: Elements, inverse: Elements, n_steps: int) -> StepTable:
        """The table of the first ``n_steps`` powers of an element (n,) of prime order."""

    def find_logs(
        self, ring: Ring, values: Elements, roots: Elements, prime: int, steps: StepTable, n_steps: int
    ) -> NDArray[np.int64]:
        """Logarithms of ``values`` (m, n) to the base g of order prime^e: their digits (m, e) to the base ``prime``,
        the lowest first (Pohlig and Hellman 1978). ``roots[k]`` is g^-(prime^k); ``steps`` are those of
        g^(prime^(e-1))."""


def bits_of(numbers: Any, n_bits: int) -> NDArray[np.uint8]:
    """Exponents of at most ``n_bits`` bits as kernels take them (len(numbers), n_bits rounded up to bytes)."""
    n_bytes = -(-n_bits // 8)
    data = b"".join(number.to_bytes(n_bytes, "big") for number in numbers)
    return np.unpackbits(np.frombuffer(data, np.uint8).reshape(-1, n_bytes), axis=1)
