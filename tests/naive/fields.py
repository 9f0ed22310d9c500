"""Slow obvious twins: finite fields as polynomials over GF(p), and recurrences over them."""

from __future__ import annotations


def digits(a: int, p: int, m: int) -> list[int]:
    return [a // p**i % p for i in range(m)]


def number(some: list[int], p: int) -> int:
    return sum(digit * p**i for i, digit in enumerate(some))


def add(a: int, b: int, p: int, m: int) -> int:
    return number([(x + y) % p for x, y in zip(digits(a, p, m), digits(b, p, m), strict=True)], p)


def multiply(a: int, b: int, p: int, m: int, power: list[int]) -> int:
    """The product modulo x^m - power (the coefficients of a polynomial of lower degree, all m of them)."""
    wide = [0] * (2 * m - 1)
    for i, x in enumerate(digits(a, p, m)):
        for j, y in enumerate(digits(b, p, m)):
            wide[i + j] += x * y
    for i in range(2 * m - 2, m - 1, -1):
        for j, c in enumerate(power):
            wide[i - m + j] += wide[i] * c
    return number([value % p for value in wide[:m]], p)


def recurrent(state: list[int], terms: list[tuple[int, list[int]]], p: int, m: int, n: int) -> list[int]:
    """n symbols of a sequence that begins with a state; ``terms`` are lags and multiples of each element."""
    out = list(state[:n])
    while len(out) < n:
        value = 0
        for lag, multiples in terms:
            value = add(value, multiples[out[-lag]], p, m)
        out.append(value)
    return out


def has_different_windows(codes: list[int], order: int) -> bool:
    """Whether no two windows of a cyclic sequence are the same."""
    length = len(codes)
    windows = {tuple(codes[(i + j) % length] for j in range(order)) for i in range(length)}
    return len(windows) == length
