"""Ranks of words against sorted bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.primitives.words import PADDING, Words, rank_words
from debruijn_gpu.run.options import RunOptions

CPU = backends.load(RunOptions(backend="cpu", threads=2))

LETTERS = st.binary(max_size=20).map(lambda word: word.replace(b"\0", b"\1"))
#: Words that have long beginnings in common
ALIKE = st.builds(lambda n, end: b"ab" * n + end, st.sampled_from([0, 3, 4, 8, 127, 128, 129, 300]), LETTERS)


def words_of(words: list[bytes]) -> Words:
    sizes = np.array([len(word) for word in words], np.int64)
    text = b"|".join(words) + bytes(PADDING)
    starts = np.cumsum(sizes + 1) - sizes - 1
    return Words(np.frombuffer(text, np.uint8), starts, sizes)


@settings(max_examples=60)
@given(columns=st.lists(st.lists(LETTERS | ALIKE, max_size=20), min_size=1, max_size=3))
def test_ranks_are_those_of_all_words(columns):
    everything = sorted(word for words in columns for word in words)
    ranks = rank_words([words_of(words) for words in columns], CPU)
    assert [found.tolist() for found in ranks] == [[everything.index(word) for word in words] for words in columns]


@pytest.mark.parametrize("n", [0, 1, 1000, 100_000])
def test_many_words(n):
    rng = np.random.default_rng(n)
    words = [bytes(word) for word in rng.choice(list(b"ACGT"), (n, 21)).astype(np.uint8)]
    (ranks,) = rank_words([words_of(words)], CPU)
    assert [words[i] for i in np.argsort(ranks, kind="stable")] == sorted(words)
    assert ranks.dtype == np.int32


def test_nothing():
    assert rank_words([], CPU) == []
