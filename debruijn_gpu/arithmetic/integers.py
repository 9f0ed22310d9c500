"""Factor integers within about a second, and sum over their divisors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import cache

#: Steps of Pollard's method on a number before it counts as too hard: about a second.
MOST_STEPS = 1 << 19
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
_TRIAL_LIMIT = 1000


class TooHardError(ArithmeticError):
    """A number has two prime factors that are too large to be found."""


def is_prime(n: int) -> bool:
    """Whether n is a prime: Miller and Rabin's test with the first 12 primes, which is proof below 3.3e24 (Sorenson and
    Webster 2017) and beyond leaves room for numbers that nobody has met."""
    if n < 2:
        return False
    for prime in _WITNESSES:
        if n % prime == 0:
            return n == prime
    twos = (n - 1 & 1 - n).bit_length() - 1
    for witness in _WITNESSES:
        power = pow(witness, n - 1 >> twos, n)
        if power in (1, n - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % n
            if power == n - 1:
                break
        else:
            return False
    return True


def _find_factor(n: int) -> int:
    """A proper factor of an odd composite number. (Brent 1980, after Pollard 1975: products of many differences are
    tested at once.)"""
    steps = 0
    for addend in range(1, 50):
        y, factor, run = 2, 1, 1
        x = kept = y
        while factor == 1:
            x = y
            for _ in range(run):
                y = (y * y + addend) % n
            done = 0
            while done < run and factor == 1:
                kept, product = y, 1
                for _ in range(min(128, run - done)):
                    y = (y * y + addend) % n
                    product = product * abs(x - y) % n
                factor = math.gcd(product, n)
                done += 128
            steps += run
            if steps > MOST_STEPS and factor == 1:
                raise TooHardError(n)
            run *= 2
        if factor == n:  # several factors at once: one by one
            factor = 1
            while factor == 1:
                kept = (kept * kept + addend) % n
                factor = math.gcd(abs(x - kept), n)
        if factor < n:
            return factor
    raise TooHardError(n)


def _prime_factors(n: int) -> Iterator[int]:
    """The prime factors of n, each as often as it occurs."""
    for divisor in range(2, min(_TRIAL_LIMIT, math.isqrt(n) + 1)):
        while n % divisor == 0:
            yield divisor
            n //= divisor
    waiting = [n] if n > 1 else []
    while waiting:
        n = waiting.pop()
        root = math.isqrt(n)
        if is_prime(n):
            yield n
        elif root * root == n:
            waiting += [root, root]
        else:
            factor = _find_factor(n)
            waiting += [factor, n // factor]


def factorize(n: int) -> dict[int, int]:
    """The exponent of each prime factor of n (at least 1), in ascending order.

    Raises
    ------
    TooHardError
        If factors are too large to be found.
    """
    return dict(sorted(Counter(_prime_factors(n)).items()))


@cache
def factorize_less_one(base: int, exponent: int) -> dict[int, int]:
    """`factorize` of ``base ** exponent - 1``, by way of its cyclotomic factors: those of the divisors of the exponent.

    Raises
    ------
    TooHardError
        If factors are too large to be found.
    """
    cyclotomic: dict[int, int] = {}
    for order in range(1, exponent + 1):
        if exponent % order == 0:
            value = base**order - 1
            for smaller, factor in cyclotomic.items():
                if order % smaller == 0:
                    value //= factor
            cyclotomic[order] = value
    counts: Counter[int] = Counter()
    for value in cyclotomic.values():
        counts.update(_prime_factors(value))
    return dict(sorted(counts.items()))


def prime_power(n: int) -> tuple[int, int] | None:
    """The prime p and m with p^m == n (at least 2); None if there are none."""
    for divisor in range(2, math.isqrt(n) + 1):
        if n % divisor == 0:
            m = 0
            while n % divisor == 0:
                n //= divisor
                m += 1
            return (divisor, m) if n == 1 else None
    return n, 1


def prime_powers(n: int) -> list[int]:
    """The powers of different primes whose product is n, ascending."""
    return sorted(prime**exponent for prime, exponent in factorize(n).items())


def chinese_remainder(remainders: list[int], moduli: list[int]) -> int:
    """The number from 0 to the product of the moduli (coprime) less 1 that leaves these remainders."""
    total, product = 0, 1
    for remainder, modulus in zip(remainders, moduli, strict=True):
        total += product * ((remainder - total) * pow(product, -1, modulus) % modulus)
        product *= modulus
    return total


def prime_exponents(n: int) -> list[tuple[int, int]]:
    """Factorize n (1 or more): its primes, ascending, with their exponents."""
    return sorted(factorize(n).items())


def divisors(n: int) -> list[int]:
    """List the divisors of n (1 or more), ascending."""
    found = [1]
    for prime, exponent in prime_exponents(n):
        found = [divisor * prime**i for divisor in found for i in range(exponent + 1)]
    return sorted(found)


def totient(n: int) -> int:
    """Count the numbers in 1..n that are coprime to n (Euler)."""
    return math.prod((prime - 1) * prime ** (exponent - 1) for prime, exponent in prime_exponents(n))


def moebius(n: int) -> int:
    """Return 0 if a square divides n, else 1 or -1 for an even or odd number of primes (Möbius)."""
    powers = prime_exponents(n)
    return 0 if any(exponent > 1 for _prime, exponent in powers) else (-1) ** len(powers)
