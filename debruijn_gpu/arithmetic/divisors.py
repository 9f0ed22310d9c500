"""Divisors of integers and multiplicative functions of them, by trial division."""

from __future__ import annotations

import math


def prime_powers(n: int) -> list[tuple[int, int]]:
    """Factorize n (1 or more): its primes, ascending, with their exponents. Takes sqrt(n) steps."""
    powers, prime = [], 2
    while n > 1:
        if prime * prime > n:
            prime = n
        exponent = 0
        while n % prime == 0:
            n, exponent = n // prime, exponent + 1
        if exponent:
            powers.append((prime, exponent))
        prime += 1
    return powers


def divisors(n: int) -> list[int]:
    """List the divisors of n (1 or more), ascending."""
    found = [1]
    for prime, exponent in prime_powers(n):
        found = [divisor * prime**i for divisor in found for i in range(exponent + 1)]
    return sorted(found)


def totient(n: int) -> int:
    """Count the numbers in 1..n that are coprime to n (Euler)."""
    return math.prod((prime - 1) * prime ** (exponent - 1) for prime, exponent in prime_powers(n))


def moebius(n: int) -> int:
    """Return 0 if a square divides n, else 1 or -1 for an even or odd number of primes (Möbius)."""
    powers = prime_powers(n)
    return 0 if any(exponent > 1 for _prime, exponent in powers) else (-1) ** len(powers)
