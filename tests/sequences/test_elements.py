"""Lengths of look-and-say terms from their elements."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.arithmetic.long_numbers import digits_of
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run.tuning import tuned
from debruijn_gpu.sequences import look_and_say
from debruijn_gpu.sequences.look_and_say import length_after, length_by_elements, lengths
from tests.helpers import first_quick, n_examples
from tests.naive.look_and_say import say


def digits(text):
    return np.frombuffer(text.encode(), np.uint8)


def after(seed, n_steps):
    for _ in range(n_steps):
        seed = say(seed)
    return seed


SEEDS = st.text("0123456789", min_size=1, max_size=20) | st.text("123", min_size=1, max_size=20)


@given(seed=SEEDS | st.sampled_from(["22", "2" * 22, "7777777779", "100110", "1" * 130, "0" * 1000]))
@settings(max_examples=n_examples(60), deadline=None)
def test_lengths_are_those_of_the_terms(seed):
    """Terms after the first steps split by Conway's theorem, whatever the digits of the seed are."""
    term = after(seed, 6)
    found = list(islice(lengths(term), 18))
    for length in found:
        assert length == len(term)
        term = say(term)


@given(seed=SEEDS, n_steps=st.integers(0, 14))
@settings(max_examples=n_examples(60), deadline=None)
def test_short_terms_and_elements_agree(seed, n_steps):
    expected = len(after(seed, n_steps))
    assert length_after(digits(seed), n_steps, CPU) == expected
    with tuned(counted_digits=0):
        assert length_after(digits(seed), n_steps, CPU) == expected


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", "3", "22", "23", "40", "0123456789", "2" * 16])
def test_far_terms_follow_from_a_recurrence(seed):
    term = after(seed, 6)
    one_by_one = [length_by_elements(term, n) for n in (350, 351, 499)]
    with tuned(few_steps=40):
        assert [length_by_elements(term, n) for n in (350, 351, 499)] == one_by_one


def test_there_are_92_elements():
    """Conway (1987); and two for each further digit."""
    for seed, n_elements in (("1", 92), ("4", 94), ("40", 96), ("22", 1)):
        become = {}
        parts = look_and_say._parts(after(seed, 6))
        for _ in range(look_and_say._SETTLED):
            parts = look_and_say._next_parts(parts, become)
        assert look_and_say._count_reachable(parts, become) == n_elements


def test_term_100000_agrees_with_powers_of_the_transition_matrix():
    """Modulo primes, and in its number of digits by Conway's constant."""
    parts, become = look_and_say._parts(after("1", 6)), {}
    for _ in range(60):
        parts = look_and_say._next_parts(parts, become)
    number = {part: i for i, part in enumerate(become)}
    found = length_after(digits("1"), 100_000, CPU)
    for prime in (134_217_689, 99_999_989):
        step = np.zeros((len(number), len(number)), np.int64)
        for part, others in become.items():
            for other, n in others.items():
                step[number[other], number[part]] = n
        counts = np.zeros(len(number), np.int64)
        for part, n in look_and_say._parts(after("1", 6)).items():
            counts[number[part]] = n
        left = 100_000 - 6
        while left:
            if left & 1:
                counts = step @ counts % prime
            step, left = step @ step % prime, left >> 1
        assert sum(len(part) * int(counts[i]) for part, i in number.items()) % prime == found % prime
    assert abs(len(digits_of(found)) - 100_000 * np.log10(look_and_say.GROWTH)) < 2


def test_memory_bounds_the_digits_of_a_length():
    with pytest.raises(OutOfMemoryError, match=r"the length of term 1,000,000,000 has about 115,1\d\d,\d\d\d digits"):
        length_after(digits("1"), 10**9, CPU, 1 << 30)
    assert length_after(digits("22"), 10**12, CPU) == 2


@pytest.mark.slow
def test_lengths_of_terms_beyond_a_million_steps_grow_by_conways_constant():
    found = [length_after(digits("3"), n, CPU) for n in (1_000_000, 1_000_001)]
    assert len(digits_of(found[0])) == 115_138
    assert found[1] * 10**15 // found[0] == 1_303_577_269_034_296


@pytest.mark.parametrize("seed", first_quick(["12", "333", "1", "2", "3", "5", "0", "1113122113"], 2))
def test_lengths_by_elements_and_by_writing_agree(seed):
    steps = (0, 3, 12, 33, 40, 43)
    expected = [len(after(seed, n)) for n in steps]
    with tuned(counted_digits=0, few_steps=38):
        assert [length_after(digits(seed), n, CPU) for n in steps] == expected
