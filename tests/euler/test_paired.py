"""Strings of paired k-mers, against all strings and published examples."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.errors import NotEulerianError, ParameterError
from debruijn_gpu.euler.paired import paired_strings
from tests.helpers import first_quick, n_examples

#: Rosalind BA3J, k = 4, d = 2
SAMPLE = "GAGA|TTGA TCGT|GATG CGTG|ATGT TGGT|TGAG GTGA|TGTT GTGG|GTGA TGAG|GTTG GGTC|GAGA GTCG|AGAT"


def pairs_of(text, k, gap):
    return [(text[i : i + k], text[i + k + gap : i + 2 * k + gap]) for i in range(len(text) - 2 * k - gap + 1)]


def test_published_example():
    found = list(paired_strings([tuple(pair.split("|")) for pair in SAMPLE.split()], 2))
    assert found == ["GTGGTCGTGAGATGTTGA"]


@given(text=st.text("AB", min_size=4, max_size=11), k=st.integers(1, 3), gap=st.integers(0, 3), seed=st.integers(0, 9))
@settings(max_examples=n_examples(200), deadline=None)
def test_all_strings_with_these_pairs_are_found(text, k, gap, seed):
    pairs = pairs_of(text, k, gap)
    if len(pairs) <= gap:
        return
    expected = [
        "".join(letters)
        for letters in product("AB", repeat=len(text))
        if Counter(pairs_of("".join(letters), k, gap)) == Counter(pairs)
    ]
    random.Random(seed).shuffle(pairs)
    found = list(paired_strings(pairs, gap))
    assert sorted(found) == expected
    assert len(set(found)) == len(found)


def test_the_first_euler_path_need_not_agree():
    """The repeat AC is left in two ways, and only one has strings that agree."""
    text = "ACTACGTTACTACAACTG"
    for k, gap in product((2, 3), (0, 1, 2, 3)):
        pairs = sorted(pairs_of(text, k, gap))
        assert text in list(paired_strings(pairs, gap))


@pytest.mark.parametrize(("n", "k", "gap"), first_quick([(5000, 12, 30), (5000, 8, 100), (20_000, 15, 200)], 2))
def test_thousands_of_pairs(n, k, gap):
    rng = random.Random(n + k)
    text = "".join(rng.choices("ACGT", k=n))
    text = text[: n // 2] + text[n // 4 : n // 4 + 50] + text[n // 2 :] + text[n // 3 : n // 3 + 60]
    pairs = pairs_of(text, k, gap)
    rng.shuffle(pairs)
    found = next(paired_strings(pairs, gap))
    assert Counter(pairs_of(found, k, gap)) == Counter(pairs)
    assert found == text


def test_closed_paths_begin_anywhere():
    pairs = pairs_of("ABCABCABC", 2, 1)
    assert next(paired_strings(pairs, 1))
    for text in paired_strings(pairs, 1):
        assert Counter(pairs_of(text, 2, 1)) == Counter(pairs)


def test_pairs_of_no_string():
    with pytest.raises(NotEulerianError, match="not as many pairs begin as end with"):
        next(paired_strings([("AA", "CC"), ("GG", "TT"), ("GT", "TA"), ("AG", "CT"), ("AT", "CG")], 0))
    with pytest.raises(NotEulerianError, match=r"nothing connects A\|C and G\|T"):
        next(paired_strings([("AA", "CC"), ("GG", "TT")], 0))
    assert list(paired_strings([("AC", "GT"), ("CA", "TG"), ("AC", "GT")], 0)) == []
    with pytest.raises(ParameterError, match="2 pairs with a gap of 2 letters"):
        next(paired_strings([("AA", "CC"), ("AG", "CT")], 2))


def test_searches_end():
    pairs = [("Z", letter) for letter in "ABCDEFGHIJKLMNOPQ"]
    with pytest.raises(ParameterError, match="no string was found in 1,000 steps"):
        next(paired_strings(pairs, 15, most_steps=1000))
