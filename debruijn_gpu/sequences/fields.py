"""Finite fields GF(q), q up to 65536, and primitive polynomials over them.

The elements of GF(p^m) are the numbers 0..q-1. Their digits to the base p are the coefficients of polynomials over
GF(p), the lowest that of x^0, modulo the polynomial that `primitive_polynomial` finds for p and m. So 0 is 0, 1 is 1,
and addition goes digit by digit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.arithmetic.integers import TooHardError, factorize, factorize_less_one, prime_power
from debruijn_gpu.backends.sequences.containers import Ring, bits_of
from debruijn_gpu.errors import OptionValueError

MOST_ELEMENTS = 1 << 16
_TABLE_ELEMENTS = 1 << 8
#: How many choices of coefficients are tried for given exponents, per degree: about one in ``degree`` is primitive, or
#: none at all.
MOST_TRIES = 16
#: Of q^n, so that no time goes into factors that will not be found.
MOST_BITS = 256


@dataclass(frozen=True, eq=False)
class Field:
    """GF(q).

    Attributes
    ----------
    p, m, q : int
        q = p^m.
    powers : ndarray, dtype=int32, shape=(2 * q,)
        Powers of a primitive element, more than twice around.
    logs : ndarray, dtype=int32, shape=(q,)
        Logarithms to its base; that of 0 means nothing.
    """

    p: int
    m: int
    q: int
    powers: NDArray[np.int32]
    logs: NDArray[np.int32]

    def sums(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.int64]:
        """a + b of arrays of elements."""
        if self.p == 2:
            return np.asarray(a ^ b, np.int64)
        total, place = np.zeros(np.broadcast_shapes(a.shape, b.shape), np.int64), 1
        while place < self.q:
            total += (a // place + b // place) % self.p * place
            place *= self.p
        return total

    def multiples(self, a: int) -> NDArray[np.int32]:
        """a times 0, 1, ..., q - 1."""
        products: NDArray[np.int32] = self.powers[self.logs + self.logs[a]]
        products[0 if a else slice(None)] = 0
        return products

    def multiply(self, a: int, b: int) -> int:
        """a b."""
        return int(self.powers[self.logs[a] + self.logs[b]]) if a and b else 0

    def negate(self, a: int) -> int:
        """-a: a times -1, which is the power halfway around if p is odd."""
        return a if self.p == 2 else self.multiply(a, int(self.powers[(self.q - 1) // 2]))

    def invert(self, a: int) -> int:
        """1 / a; a is not 0."""
        return int(self.powers[self.q - 1 - self.logs[a]])

    @property
    def primitive_elements(self) -> list[int]:
        """The elements whose powers are all others but 0, by their logarithms."""
        return [int(self.powers[i]) for i in range(1, self.q) if math.gcd(i, self.q - 1) == 1]


@cache
def field(q: int) -> Field:
    """GF(q), for a power of a prime.

    Raises
    ------
    OptionValueError
        If q is above `MOST_ELEMENTS`.
    """
    found = prime_power(q)
    if q > MOST_ELEMENTS or found is None:
        raise OptionValueError(f"a field of {q:,} elements is out of reach", "take --method lyndon")
    p, m = found
    powers = np.empty(2 * q, np.int32)
    powers[: q - 1] = _powers_of_root(p) if m == 1 else _powers_of_x(primitive_polynomial(p, m), p)
    powers[q - 1 :] = np.resize(powers[: q - 1], q + 1)
    logs = np.zeros(q, np.int32)
    logs[powers[: q - 1]] = np.arange(q - 1)
    return Field(p, m, q, powers, logs)


def _powers_of_root(p: int) -> list[int]:
    """The powers of the least primitive root modulo a prime."""
    cofactors = [(p - 1) // prime for prime in factorize(p - 1)]
    root = next(a for a in range(1, p) if all(pow(a, cofactor, p) != 1 for cofactor in cofactors))
    powers = [1]
    while len(powers) < p - 1:
        powers.append(powers[-1] * root % p)
    return powers


def _powers_of_x(polynomial: Polynomial, p: int) -> list[int]:
    """The powers of x modulo a primitive polynomial over GF(p), as numbers to the base p."""
    base, m = field(p), polynomial.degree
    places = [p**t for t in range(m)]
    terms = list(zip(polynomial.taps, polynomial.coefficients, strict=True))
    multiples = [sum(base.multiply(a, c) * places[t] for t, c in terms) for a in range(p)]
    powers = [1]
    while len(powers) < p**m - 1:
        shifted, added = powers[-1] % places[-1] * p, multiples[powers[-1] // places[-1]]
        total = shifted ^ added if p == 2 else sum((shifted // place + added // place) % p * place for place in places)
        powers.append(total)
    return powers


@dataclass(frozen=True)
class Polynomial:
    """x^degree = c_0 + c_a x^a + ... over GF(q).

    Attributes
    ----------
    degree : int
    taps, coefficients : tuple of int
        Exponents 0, a, ..., ascending, and c_0, c_a, ..., none of them 0.
    """

    degree: int
    taps: tuple[int, ...]
    coefficients: tuple[int, ...]


def make_ring(base: Field, polynomial: Polynomial) -> Ring:
    """Polynomials over a field modulo one of them, for kernels."""
    elements = np.arange(base.q if 2 < base.p < base.q <= _TABLE_ELEMENTS else 0)
    return Ring(
        base.p,
        base.q,
        polynomial.degree,
        base.logs,
        base.powers,
        base.sums(elements[:, np.newaxis], elements).astype(np.uint8).ravel(),
        np.array(polynomial.taps, np.int64),
        np.array(polynomial.coefficients, np.int64),
    )


@cache
def primitive_polynomial(q: int, degree: int) -> Polynomial:
    """The first primitive polynomial of a degree over GF(q), in this order: those with fewer terms first; then by the
    largest exponent below the degree, the second largest and so on; then by the coefficients in the same order, that
    of x^0 last and by its logarithm. Only the first ``MOST_TRIES * degree`` choices of coefficients are looked at.

    Raises
    ------
    OptionValueError
        If q^degree is too large, or q^degree - 1 too hard to factorize.
    """
    base = field(q)
    primes = prime_factors(q, degree)
    numbers = [q**degree, *((q**degree - 1) // prime for prime in primes)]
    cofactors = bits_of(numbers, (q**degree).bit_length())
    is_primitive = backends.host().sequences.is_primitive
    return next(found for found in _candidates(base, degree) if is_primitive(make_ring(base, found), cofactors))


def prime_factors(q: int, n: int) -> dict[int, int]:
    """The exponents of the prime factors of q^n - 1.

    Raises
    ------
    OptionValueError
        If they are out of reach.
    """
    fix = "take --method lyndon, which needs no factors"
    if n * math.log2(q) > MOST_BITS:
        raise OptionValueError(f"lfsr: {q}^{n} is above 2^{MOST_BITS}", fix)
    p, m = prime_power(q) or (q, 1)
    try:
        return factorize_less_one(p, m * n)
    except TooHardError:
        raise OptionValueError(
            f"lfsr needs the prime factors of {q}^{n} - 1, and they are too large to be found", fix
        ) from None


def _candidates(base: Field, degree: int) -> Iterator[Polynomial]:
    """Polynomials in the order of `primitive_polynomial`, without those that cannot be primitive: the norm of x, which
    is c_0 or, for even degrees, -c_0, must be primitive in GF(q), and the exponents must not have a common factor."""
    constants = [a if degree % 2 or base.p == 2 else base.negate(a) for a in base.primitive_elements]
    if degree == 1:
        yield Polynomial(1, (0,), (constants[0],))
    for n_taps in range(1, degree):
        if base.q == 2 and n_taps % 2 == 0:  # 1 is a root
            continue
        for taps in _falling(degree, n_taps):
            if math.gcd(degree, *taps) > 1:
                continue
            choices = product(*[range(1, base.q)] * n_taps, constants)
            for choice in islice(choices, MOST_TRIES * degree):
                yield Polynomial(degree, (0, *reversed(taps)), choice[::-1])


def _falling(limit: int, size: int) -> Iterator[tuple[int, ...]]:
    """Falling sequences of numbers from 1 to limit - 1, in ascending order."""
    if not size:
        yield ()
        return
    for first in range(size, limit):
        for rest in _falling(first, size - 1):
            yield (first, *rest)
