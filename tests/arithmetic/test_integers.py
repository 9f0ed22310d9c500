"""Multiplicative functions equal their definitions."""

from __future__ import annotations

import math

import pytest

from debruijn_gpu.arithmetic.integers import divisors, moebius, prime_exponents, totient


@pytest.mark.parametrize("n", [*range(1, 200), 2**31 - 1, 2**40, 2 * 3**2 * 5**3 * 10007])
def test_prime_exponents_divisors_and_totient(n):
    powers = prime_exponents(n)
    assert math.prod(prime**exponent for prime, exponent in powers) == n
    assert [prime for prime, _exponent in powers] == sorted({prime for prime, _exponent in powers})
    assert sum(map(totient, divisors(n))) == n
    assert sum(map(moebius, divisors(n))) == (n == 1)


@pytest.mark.parametrize("n", range(1, 200))
def test_small_numbers_by_their_definitions(n):
    assert divisors(n) == [d for d in range(1, n + 1) if n % d == 0]
    assert totient(n) == sum(math.gcd(i, n) == 1 for i in range(1, n + 1))
    assert all(prime == 2 or prime % 2 for prime, _exponent in prime_exponents(n))


def test_moebius_of_the_first_numbers():
    assert [moebius(n) for n in range(1, 13)] == [1, -1, -1, 0, -1, 1, -1, 0, 0, 1, -1, 0]  # OEIS A008683
