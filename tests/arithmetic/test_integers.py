"""Multiplicative functions equal their definitions."""

from __future__ import annotations

import math

from debruijn_gpu.arithmetic.integers import divisors, moebius, prime_exponents, totient


def test_prime_exponents_divisors_and_totient():
    for n in (*range(1, 200), 2**31 - 1, 2**40, 2 * 3**2 * 5**3 * 10007):
        powers = prime_exponents(n)
        assert math.prod(prime**exponent for prime, exponent in powers) == n
        assert [prime for prime, _exponent in powers] == sorted({prime for prime, _exponent in powers}), n
        assert sum(map(totient, divisors(n))) == n
        assert sum(map(moebius, divisors(n))) == (n == 1), n


def test_small_numbers_by_their_definitions():
    for n in range(1, 200):
        assert divisors(n) == [d for d in range(1, n + 1) if n % d == 0]
        assert totient(n) == sum(math.gcd(i, n) == 1 for i in range(1, n + 1)), n
        assert all(prime == 2 or prime % 2 for prime, _exponent in prime_exponents(n)), n


def test_moebius_of_the_first_numbers():
    assert [moebius(n) for n in range(1, 13)] == [1, -1, -1, 0, -1, 1, -1, 0, 0, 1, -1, 0]  # OEIS A008683
