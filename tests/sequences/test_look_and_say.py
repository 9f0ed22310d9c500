"""Terms of the look-and-say sequence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.sequences.look_and_say import GROWTH, digit_fault, expected_digits, length_after, term_after
from tests.helpers import with_operations
from tests.naive.look_and_say import say

#: OEIS A005341: digits of the terms 1, 11, 21, ...
A005341 = [1, 2, 2, 4, 6, 6, 8, 10, 14, 20, 26, 34, 46, 62, 78, 102, 134, 176, 226, 302, 408, 528, 678, 904, 1182]


def digits(text):
    return np.frombuffer(text.encode(), np.uint8)


def test_lengths():
    assert [length_after(digits("1"), n, CPU) for n in range(len(A005341))] == A005341
    assert length_after(digits("1"), 40, CPU) == 82350
    assert length_after(digits("1"), 50, CPU) == 1166642


@given(seed=st.text("0123456789", min_size=1, max_size=30), n_steps=st.integers(0, 8))
def test_steps(seed, n_steps):
    expected = seed
    for _ in range(n_steps):
        expected = say(expected)
    assert term_after(digits(seed), n_steps, CPU).tobytes().decode() == expected
    assert length_after(digits(seed), n_steps, CPU) == len(expected)


def test_the_term_that_says_itself():
    for n_steps in (0, 1, 10**9, 10**30):
        assert term_after(digits("22"), n_steps, CPU).tobytes() == b"22"
        assert length_after(digits("22"), n_steps, CPU) == 2


def test_memory_is_known_before_it_is_taken():
    with pytest.raises(OutOfMemoryError, match=r"step 50 has 1,166,642 digits") as caught:
        term_after(digits("1"), 10**9, CPU, n_bytes_allowed=2_000_000)
    assert "ask for the --length alone" in caught.value.fix
    assert length_after(digits("1"), 50, CPU, n_bytes_allowed=2_000_000) == 1_166_642


@pytest.mark.slow
def test_terms_that_will_not_fit_are_not_made():
    """The forecast from elements comes after a few steps: no term near the limit is made."""
    made = []
    say_term = CPU.sequences.say_term
    backend = with_operations(CPU, "sequences", say_term=lambda read: made.append(read.n_said) or say_term(read))
    n_digits = length_after(digits("1"), 61, backend)
    made.clear()
    with pytest.raises(OutOfMemoryError, match=f"step 61 has {n_digits:,} digits"):
        term_after(digits("1"), 100, backend, n_bytes_allowed=30_000_000)
    assert sum(made) < 1000
    with pytest.raises(OutOfMemoryError, match="the term of step"):
        term_after(digits("8" * 123456789), 10**12, backend, n_bytes_allowed=1_000_000_000)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("0123456789", ""),
        ("", "there are no digits"),
        ("1a", "'a' at place 2 is not a digit"),
        ("/", "'/' at place 1 is not a digit"),
        ("11:", "':' at place 3 is not a digit"),
        ("1\n", r"'\n' at place 2 is not a digit"),
    ],
)
def test_faults(text, fault):
    assert digit_fault(digits(text)) == fault


def test_expected_digits():
    assert expected_digits(1, 0) == 1
    assert expected_digits(1, 70) == pytest.approx(GROWTH**70, rel=1e-6)
    assert 1.5 < length_after(digits("1"), 50, CPU) / expected_digits(1, 50) < 2.5
    assert expected_digits(10**9, 10**30) == 1 << 60
