"""Linear recurrences, and integers of many digits."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.arithmetic.long_numbers import digits_of, find_recurrence, nth_term, to_decimal, to_int

SMALL = st.integers(-4, 4)


def extended(first, coefficients, n):
    terms = list(first)
    while len(terms) < n:
        terms.append(sum(c * terms[-j] for j, c in enumerate(coefficients, 1)))
    return terms


@given(data=st.data(), coefficients=st.lists(SMALL, min_size=1, max_size=6), n=st.integers(0, 200))
def test_terms_far_out_are_those_one_by_one(data, coefficients, n):
    first = data.draw(st.lists(SMALL, min_size=len(coefficients), max_size=len(coefficients)))
    assert nth_term(first, coefficients, n) == extended(first, coefficients, n + 1)[n]


@given(data=st.data(), coefficients=st.lists(SMALL, min_size=1, max_size=6))
def test_the_recurrence_of_a_sequence_is_found(data, coefficients):
    first = data.draw(st.lists(SMALL, min_size=len(coefficients), max_size=len(coefficients)))
    terms = extended(first, coefficients, 3 * len(coefficients) + 10)
    found = find_recurrence(terms, len(coefficients))
    assert len(found) <= len(coefficients)
    assert extended(terms[: len(found)], found, len(terms)) == terms


def test_no_recurrence():
    with pytest.raises(ValueError, match="no recurrence"):
        find_recurrence([1, 2, 4, 8, 16, 33, 1, 7, 5], 3)


@given(number=st.integers() | st.builds(lambda a, b: a * 10**b, st.integers(), st.integers(0, 3000)))
def test_conversion(number):
    assert to_decimal(number) == Decimal(number)
    assert to_int(to_decimal(number)) == number
    assert digits_of(number) == format(Decimal(number), "f")


def test_conversion_of_a_hundred_thousand_digits():
    number = 3**210_000
    text = digits_of(number)
    assert len(text) == 100_196
    assert int(text[-18:]) == number % 10**18
    assert to_int(Decimal(text)) == number
