"""Cyclic sequences of any length by shift registers."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.errors import OutOfMemoryError, ParameterError
from debruijn_gpu.sequences.cutdown import CutDownCircuit, CutDownRegister, kept_words, largest_prime_power
from tests.helpers import first_quick
from tests.naive import fields as naive
from tests.sequences.properties import bits_of, symbols_of, window_numbers


@pytest.mark.parametrize("k", first_quick([5, 6, 8, 9, 10, 2, 3, 4], 5))
def test_all_lengths(k):
    for order in range(1, 9):
        most = largest_prime_power(k) ** order
        for length in range(1, most + 1 if most <= 300 else 0):
            codes = symbols_of(CutDownRegister(k, order, length))
            assert len(codes) == length
            assert codes.max() < k
            assert naive.has_different_windows(codes.tolist(), order)


@pytest.mark.parametrize(
    ("k", "order", "length"), [(2, 18, 123_456), (4, 9, 262_143), (10, 6, 400_001), (300, 2, 80_000)]
)
def test_large(k, order, length):
    codes = symbols_of(CutDownRegister(k, order, length))
    numbers = window_numbers(codes, k, order)
    assert len(codes) == length
    assert np.bincount(numbers).max() == 1


@pytest.mark.parametrize("length", [1000, 4095, 4096])
def test_ranges_and_bits(length):
    sequence = CutDownRegister(2, 12, length)
    whole = symbols_of(sequence)
    np.testing.assert_array_equal(symbols_of(sequence, 100, 900, block=64), whole[100:900])
    np.testing.assert_array_equal(bits_of(sequence, 100, 900, block=128), whole[100:900])


@pytest.mark.parametrize(
    ("k", "order", "length"), [(2, 40, 10**12), (2, 127, 10**30), (3, 30, 10**14), (10, 12, 9**12 - 1)]
)
def test_the_ends_meet_far_out(k, order, length):
    """The last symbols, followed by the first, go on as the register does."""
    sequence = CutDownRegister(k, order, length)
    around = np.concatenate((symbols_of(sequence, length - 2 * order, length), symbols_of(sequence, 0, order - 1)))
    recurrence = sequence.register.recurrence
    terms = list(zip(recurrence.lags, recurrence.products.tolist(), strict=True))
    m = 2 if recurrence.q == 9 else 1
    assert naive.recurrent(around[:order].tolist(), terms, recurrence.p, m, len(around)) == around.tolist()


def test_orders_out_of_reach():
    with pytest.raises(ParameterError, match="above"):
        CutDownRegister(3, 100_000, 5)


@pytest.mark.parametrize("length", [0, -1, 9**3 + 1, 10**3])
def test_lengths_that_are_not(length):
    with pytest.raises(ParameterError, match="different windows") as caught:
        CutDownRegister(10, 3, length)
    assert "729" in caught.value.fix


CPU = backends.host()


@pytest.mark.slow
@pytest.mark.parametrize(("k", "n", "step"), [(6, 1, 1), (6, 2, 1), (6, 3, 1), (10, 2, 1), (6, 4, 23), (12, 3, 31)])
def test_windows_differ_at_every_length(k, n, step):
    for length in [*range((k - 1) ** n + 1, k**n, step), k**n]:
        codes = CutDownCircuit(k, n, length, CPU, 1 << 30).codes.astype(np.int64)
        assert len(codes) == length
        around = np.concatenate((codes, np.resize(codes, n - 1)))
        numbers = np.zeros(length, np.int64)
        for i in range(n):
            numbers = numbers * k + around[i : i + length]
        numbers.sort()
        np.testing.assert_array_equal(numbers, kept_words(k, n, length, CPU))
        assert (np.diff(numbers) > 0).all()


def test_lack_of_memory_is_told_before():
    with pytest.raises(OutOfMemoryError, match=r"a graph of 10\^7 words"):
        CutDownCircuit(10, 7, 10**7 - 1, CPU, 1 << 20)
