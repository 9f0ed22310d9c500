"""Counts and ranges as users write them."""

from __future__ import annotations

import pytest

from debruijn_gpu.errors import OptionValueError, UsageError
from debruijn_gpu.run.quantities import parse_count, split_range


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("-3", -3),
        ("+3", 3),
        ("1,500", 1500),
        ("1_500", 1500),
        ("2.0", 2),
        ("10k", 10_000),
        ("10K", 10_000),
        ("1.5M", 1_500_000),
        ("2G", 2 * 10**9),
        ("1T", 10**12),
        ("1e3", 1000),
        ("2.5e+2", 250),
        ("2^10", 1024),
        ("2**10", 1024),
        ("2^5000", 2**5000),
    ],
)
def test_counts_have_units_powers_and_separators(text, number):
    assert parse_count(text, "-n") == number


@pytest.mark.parametrize(
    "text", ["", "k", "1.5", "1.0001k", "1.5^2", "ten", "1kk", "nan", "inf", "1e-3", "1e999999k", "0x10", "1 0", "٣"]
)
def test_other_text_is_no_count(text):
    with pytest.raises(UsageError, match="not a number"):
        parse_count(text, "-n")


@pytest.mark.parametrize("text", ["9" * 5001, "9" * 4999 + "^999", "1" + "0" * 4990 + "e9999"])
def test_counts_beyond_all_sequences_are_refused_at_once(text):
    with pytest.raises(OptionValueError, match="beyond all sequences"):
        parse_count(text, "-n")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("5:10", ("5", "10")),
        (" 5 : 10 ", ("5", "10")),
        ("5:", ("5", "")),
        (":", ("", "")),
        ("5..10", ("5", "10")),
        ("5..", ("5", "")),
        ("5", None),
        ("", None),
    ],
)
def test_ranges_have_two_ends(text, ends):
    assert split_range(text, "..") == ends
