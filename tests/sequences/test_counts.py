from __future__ import annotations

import math
from decimal import Decimal
from itertools import product

import pytest

from debruijn_gpu.arithmetic.long_numbers import digits_of
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.sequences import counts
from debruijn_gpu.sequences.counts import count_lyndon_words, count_necklaces, count_sequences


def test_numbers_of_oeis():
    assert [count_sequences(2, n).exact for n in range(1, 7)] == [1, 1, 2, 16, 2048, 67108864]  # A016031
    assert [count_sequences(3, n).exact for n in range(1, 4)] == [2, 24, 373248]
    assert [count_necklaces(2, n).exact for n in range(1, 9)] == [2, 3, 4, 6, 8, 14, 20, 36]  # A000031
    assert [count_lyndon_words(2, n).exact for n in range(1, 9)] == [2, 1, 2, 3, 6, 9, 18, 30]  # A001037


@pytest.mark.parametrize(("k", "n"), [(2, 12), (3, 7), (4, 6), (5, 4), (7, 2), (9, 1)])
def test_words_counted_one_by_one(k, n):
    words = {word: [word[i:] + word[:i] for i in range(n)] for word in product(range(k), repeat=n)}
    assert count_necklaces(k, n).exact == sum(word == min(turns) for word, turns in words.items())
    assert count_lyndon_words(k, n).exact == sum(
        word == min(turns) and turns.count(word) == 1 for word, turns in words.items()
    )


def test_long_numbers_are_written_out():
    """More digits than `str` of an integer gives."""
    count = count_sequences(10, 5)
    assert count.exact == math.factorial(10) ** 10**4 // 10**5
    assert len(str(count)) == 65593
    assert str(count) == str(Decimal(count.exact))
    assert count.about == "about 4.27e65592"
    assert count.formula == "10!^(10^4) / 10^5"
    assert digits_of(10**5000) == "1" + "0" * 5000
    assert len(str(count_necklaces(2, 332_000))) == 99937


@pytest.mark.parametrize(
    ("k", "n", "about"),
    [
        (2, 6, "67108864"),
        (2, 7, "about 1.44e17"),
        (2, 20, "about 2.48e157820"),
        (1 << 24, 1, "about 4.90e113924430"),
        (2, 60, "about 2.10e173531977766354892"),
        (10, 1000, "about 10^(6.56e999)"),
        (10, 10**30, "about 10^(10^(1.00e30))"),
    ],
)
def test_numbers_that_are_too_long(k, n, about):
    assert count_sequences(k, n).about == about
    assert n < 20 or str(count_sequences(k, n)) == about


def test_words_that_are_too_many():
    assert str(count_lyndon_words(2, 10**6)) == "about 9.90e301023"
    assert str(count_necklaces(7, 10**30)) == "about 10^(8.45e29)"


def test_logarithms_of_factorials():
    exact = counts._log10(math.factorial(1500))
    assert abs(counts._log10_factorial(1500) - exact) < Decimal("1e-33")


@pytest.mark.parametrize("count", [count_sequences, count_necklaces, count_lyndon_words])
def test_order_of_none(count):
    with pytest.raises(ParameterError):
        count(2, 0)
