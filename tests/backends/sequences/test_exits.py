"""Walks by the order of exits: operations of the CPU alone."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.intrinsics import count_ones, nth_one
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.sequences.symbols import code_dtype
from tests.naive.exits import prefer_same, windows

#: Alphabets whose exits are in fields of all sizes, in a word, and in several
ALPHABETS = [*range(2, 18), 27, 28, 57, 58, 63, 64, 65, 127, 128, 129, 200, 256, 257, 700, 1000]
SMALL = [(k, n) for k, n in product(ALPHABETS, range(1, 20)) if k**n <= 1_000_000]


def is_de_bruijn(codes, k, n):
    """Whether the windows are all words, the first one zeros."""
    cyclic = np.concatenate((codes, np.resize(codes, n))).astype(np.int64)
    numbers = sum(cyclic[place : place + len(codes)] * k ** (n - 1 - place) for place in range(n))
    return len(codes) == k**n and numbers[0] == 0 and (np.bincount(numbers, minlength=k**n) == 1).all()


def random_codes(k, n, seed):
    codes = np.empty(k**n, code_dtype(k))
    CPU.sequences.walk_at_random(k, n, seed, codes)
    return codes


def prefer_same_codes(k, n):
    codes = np.empty(k**n, code_dtype(k))
    CPU.sequences.walk_prefer_same(k, n, codes)
    return codes


def test_all_small_ones_have_every_window_once():
    for k, n in SMALL:
        assert is_de_bruijn(prefer_same_codes(k, n), k, n), (k, n)
        assert is_de_bruijn(random_codes(k, n, 1), k, n), (k, n)


@pytest.mark.slow
def test_alphabets_beyond_two_bytes():
    """A word of one symbol has all others as exits."""
    k = 70_000
    for codes in (prefer_same_codes(k, 1), random_codes(k, 1, 3)):
        assert codes.dtype == np.uint32
        assert is_de_bruijn(codes, k, 1)


def test_prefer_same():
    for k, n in SMALL:
        if k**n <= 3000:
            np.testing.assert_array_equal(prefer_same_codes(k, n), prefer_same(k, n), f"k={k}, n={n}")


def test_the_known_sequence_of_two_symbols():
    """Up to rotation and complement."""
    known = [int(symbol) for symbol in "1110000110100101"]
    found = prefer_same_codes(2, 4).tolist()
    rotations = {tuple(known[at:] + known[:at]) for at in range(16)}
    assert tuple(found) in rotations | {tuple(1 - symbol for symbol in rotation) for rotation in rotations}


@pytest.mark.parametrize(("k", "n", "n_sequences"), [(2, 3, 2), (2, 4, 16), (3, 2, 24), (4, 1, 6)])
def test_random_ones_are_uniform(k, n, n_sequences):
    """Chi square with n - 1 degrees of freedom, below six standard deviations; the seeds are always the same."""
    each = 300
    counts = Counter(random_codes(k, n, seed).tobytes() for seed in range(each * n_sequences))
    assert len(counts) == n_sequences
    chi_square = sum((count - each) ** 2 / each for count in counts.values())
    degrees = n_sequences - 1
    assert abs(chi_square - degrees) < 6 * (2 * degrees) ** 0.5


def test_seeds_stand_for_sequences():
    """They are in reports: a change to these bytes is a change for users."""
    assert "".join(map(str, random_codes(2, 5, 1))) == "00000110011111010110111000101001"
    assert random_codes(60, 2, -7)[-8:].tolist() == [56, 32, 55, 16, 54, 43, 8, 45]


@pytest.mark.slow
def test_random_ones_of_a_wide_alphabet_are_uniform():
    """All symbols but 0 are as likely to be the last; see above."""
    k, each = 130, 10
    last = Counter(int(random_codes(k, 2, seed)[-1]) for seed in range(each * (k - 1)))
    chi_square = sum((last[symbol] - each) ** 2 / each for symbol in range(1, k))
    assert abs(chi_square - (k - 2)) < 6 * (2 * (k - 2)) ** 0.5


@kernel
def _bits_of(word, half):
    places = np.empty(np.int64(count_ones(word)), np.uint64)
    for n in range(places.size):
        places[n] = nth_one(word, np.uint64(n), half)
    return places


@given(word=st.integers(0, 2**64 - 1))
def test_bits(word):
    expected = [place for place in range(64) if word >> place & 1]
    assert _bits_of(np.uint64(word), np.uint64(32)).tolist() == expected


def test_the_naive_twin():
    assert len(set(windows(prefer_same(3, 3), 3))) == 27
