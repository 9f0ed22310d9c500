"""Formatting records as text, against Python's own formatting."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from debruijn_gpu.backends.text.containers import NumberField, TextField

any_record = st.tuples(st.integers(0, 2**63 - 1), st.floats(0, 2.0**50), st.text("ACGT", max_size=9), st.integers(0, 2))
settings = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
WORDS = (b"", b"+", b" and\n")


def formatted(backend, records, decimals):
    """Records of a number, a float, a text and a choice, one after another; and where each begins."""
    numbers, floats, texts, choices = (list(column) for column in zip(*records, strict=True)) if records else ([],) * 4
    fields = [
        b"<",
        NumberField(np.array(numbers, np.int64)),
        b"",
        NumberField(np.array(floats, np.float64), decimals),
        TextField(np.frombuffer("".join(texts).encode(), np.uint8), np.cumsum([0, *map(len, texts)])),
        TextField(np.frombuffer(b"".join(WORDS), np.uint8), np.cumsum([0, *map(len, WORDS)]), np.array(choices, int)),
        b">",
    ]
    offsets, text = backend.text.format_records(fields)
    return [text[start:stop].tobytes() for start, stop in pairwise(offsets)]


@settings
@given(records=st.lists(any_record, max_size=20), decimals=st.sampled_from([1, 2, 3]))
@example(records=[(0, 0.0, "", 0), (10, 9.995, "A", 1), (99, 0.125, "", 2), (100, 0.375, "", 0)], decimals=2)
@example(
    records=[(1, 0.25, "", 0), (1, 0.75, "", 0), (1, 0.05, "", 0), (1, 1e-300, "", 0), (1, 5e-324, "", 0)], decimals=1
)
@example(records=[(1, 2.0**50, "", 0), (1, 2.0**52, "", 0), (1, 2.0**53 + 2, "", 0)], decimals=3)
def test_records_are_those_of_python(backend, records, decimals):
    expected = [
        b"<%d%.*f%s%s>" % (number, decimals, value, text.encode(), WORDS[choice])
        for number, value, text, choice in records
    ]
    assert formatted(backend, records, decimals) == expected


@pytest.mark.parametrize("decimals", [1, 2])
def test_ratios_of_counts_are_rounded_as_python_does(backend, decimals):
    rng = np.random.default_rng(decimals)
    values = rng.integers(0, 100_000, 20_000) / rng.integers(1, 200, 20_000)
    offsets, text = backend.text.format_records([NumberField(values, decimals), b"\n"])
    assert text.tobytes().decode() == "".join(f"{value:.{decimals}f}\n" for value in values)
    assert offsets[-1] == len(text)


@settings
@given(texts=st.lists(st.text("ACGT", min_size=1, max_size=100), max_size=9), skip=st.sampled_from([0, 32, 64]))
def test_leading_bases(backend, texts, skip):
    letters = np.frombuffer("".join(texts).encode(), np.uint8)
    chosen = np.arange(len(texts))[::-1].copy()
    found = backend.text.leading_bases(letters, np.cumsum([0, *map(len, texts)]), chosen, skip)
    expected = [(text[skip:] + 32 * text[-1])[:32] for text in reversed(texts)]
    assert found.tolist() == [sum("ACGT".index(base) << 2 * (31 - i) for i, base in enumerate(e)) for e in expected]
