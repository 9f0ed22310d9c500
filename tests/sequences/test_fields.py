"""Finite fields, primitive polynomials and the factors that these need."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.arithmetic import integers
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.sequences.fields import field, primitive_polynomial
from tests.helpers import first_quick
from tests.naive import fields as naive


@given(st.integers(1, 10**12))
def test_factors(n):
    factors = integers.factorize(n)
    assert math.prod(prime**exponent for prime, exponent in factors.items()) == n
    assert all(integers.is_prime(prime) for prime in factors)
    assert list(factors) == sorted(factors)


@pytest.mark.parametrize("n", [4_295_098_369, 65537**2 * 65539, 2**61 - 1, 3_215_031_751, 1_000_003 * 4_294_967_291])
def test_factors_of_hard_numbers(n):
    factors = integers.factorize(n)
    assert math.prod(prime**exponent for prime, exponent in factors.items()) == n
    assert all(all(prime % divisor for divisor in range(2, min(prime, 70_000))) for prime in factors)


@pytest.mark.parametrize("base", [2, 3, 5, 7, 16, 251, 65521])
def test_factors_of_powers_less_one(base):
    for exponent in range(1, int(64 / math.log2(base)) + 1):
        factors = integers.factorize_less_one(base, exponent)
        assert math.prod(prime**count for prime, count in factors.items()) == base**exponent - 1
        assert all(integers.is_prime(prime) for prime in factors)


def test_primes():
    found = [n for n in range(2000) if integers.is_prime(n)]
    assert found == [n for n in range(2, 2000) if all(n % divisor for divisor in range(2, n))]


def test_prime_powers():
    for n in range(2, 1000):
        factors = integers.factorize(n)
        assert integers.prime_power(n) == (next(iter(factors.items())) if len(factors) == 1 else None)
        assert math.prod(integers.prime_powers(n)) == n


@pytest.mark.slow
def test_too_hard():
    with pytest.raises(integers.TooHardError):
        integers.factorize((10**18 + 9) * (10**18 + 3))


@given(st.lists(st.integers(0, 10**9), min_size=4, max_size=4))
def test_chinese_remainders(numbers):
    moduli = [64, 729, 5**20, 7]
    remainders = [number % modulus for number, modulus in zip(numbers, moduli, strict=True)]
    found = integers.chinese_remainder(remainders, moduli)
    assert 0 <= found < math.prod(moduli)
    assert [found % modulus for modulus in moduli] == remainders


@pytest.mark.parametrize("q", [2, 3, 4, 7, 8, 9, 16, 25, 27])
def test_tables_are_those_of_polynomials(q):
    found = field(q)
    p, m = found.p, found.m
    modulus = [0] * m
    if m > 1:
        polynomial = primitive_polynomial(p, m)
        for tap, coefficient in zip(polynomial.taps, polynomial.coefficients, strict=True):
            modulus[tap] = coefficient
    elements = np.arange(q)
    sums = found.sums(elements[:, np.newaxis], elements)
    for a, b in itertools.product(range(q), repeat=2):
        assert sums[a, b] == naive.add(a, b, p, m)
        assert found.multiply(a, b) == found.multiples(a)[b] == naive.multiply(a, b, p, m, modulus)
    assert not found.sums(elements, np.array([found.negate(a) for a in range(q)])).any()


@pytest.mark.parametrize("q", [128, 243, 257, 4096, 6561, 65521, 65536])
def test_powers_of_a_primitive_element_are_all(q):
    found = field(q)
    assert sorted(found.powers[: q - 1].tolist()) == list(range(1, q))
    np.testing.assert_array_equal(found.powers[found.logs[1:]], np.arange(1, q))
    assert found.powers[0] == 1


def test_fields_that_are_not():
    for q in (6, 65537, 1 << 17):
        with pytest.raises(ParameterError, match="out of reach"):
            field(q)


@pytest.mark.parametrize(
    ("q", "degree", "taps"),
    [
        (2, 2, (0, 1)),
        (2, 8, (0, 2, 3, 4)),
        (2, 31, (0, 3)),
        (2, 36, (0, 11)),
        (2, 40, (0, 3, 4, 5)),
        (2, 64, (0, 1, 3, 4)),
    ],
)
def test_known_polynomials(q, degree, taps):
    """As in Zierler and Brillhart (1968) and the tables of Stahnke (1973)."""
    assert primitive_polynomial(q, degree).taps == taps


@pytest.mark.parametrize("q", first_quick([2, 3, 4, 5, 16, 25, 256, 257, 343, 8, 9, 27, 49, 64], 9))
def test_orders_up_to_64_bits(q):
    for degree in range(1, int(64 / math.log2(q)) + 1):
        polynomial = primitive_polynomial(q, degree)
        assert polynomial.taps[0] == 0
        assert 0 not in polynomial.coefficients
        assert len(polynomial.taps) <= 4


@pytest.mark.parametrize(
    ("q", "degree"), [pytest.param(2, 101, marks=pytest.mark.slow), (2, 10_000), (2, 10**12), (65536, 17), (3, 10**9)]
)
def test_orders_out_of_reach(q, degree):
    with pytest.raises(ParameterError) as caught:
        primitive_polynomial(q, degree)
    assert "lyndon" in caught.value.fix
