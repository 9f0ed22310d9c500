"""Alphabets."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.errors import OptionValueError, ParameterError
from debruijn_gpu.sequences.symbols import Symbols, code_dtype, parse_symbols


@pytest.mark.parametrize(
    ("text", "names", "separator"),
    [
        ("1", "0", ""),
        ("A", "A", ""),
        ("2", "01", ""),
        ("10", "0123456789", ""),
        ("12", "0123456789ab", ""),
        ("36", "0123456789abcdefghijklmnopqrstuvwxyz", ""),
        ("01", "01", ""),
        ("1,0", "10", ""),
        ("ACGT", "ACGT", ""),
        ("αβγ", "αβγ", ""),
        ("red, green,blue", ["red", "green", "blue"], " "),
        ("10,2", ["10", "2"], " "),
    ],
)
def test_what_an_alphabet_may_be(text, names, separator):
    symbols = parse_symbols(text)
    assert symbols.names == tuple(names)
    assert symbols.separator == separator


def test_many_symbols_are_numbers():
    symbols = parse_symbols("300")
    assert len(symbols) == 300
    assert symbols.separator == " "
    assert symbols.spell([0, 299, 17]) == "0 299 17"
    assert symbols.encode("0 299,17").tolist() == [0, 299, 17]
    assert symbols.dtype == np.uint16


@pytest.mark.parametrize("text", ["00", "ACGA", "a,b,a", "a,,b", "a b", "a,b c", "99999999999", ","])
def test_what_it_may_not_be(text):
    with pytest.raises(ParameterError):
        parse_symbols(text)


@pytest.mark.parametrize("text", ["", "0", "-2", "+3", "1.5", "1e3"])
def test_numbers_that_are_no_size_are_usage_errors(text):
    with pytest.raises(OptionValueError):
        parse_symbols(text)


def test_text_is_encoded_and_spelled():
    symbols = Symbols(tuple("ACGT"))
    assert symbols.encode("GATTACA").tolist() == [2, 0, 3, 3, 0, 1, 0]
    assert symbols.spell([2, 0, 3]) == "GAT"
    assert symbols.letters.tobytes() == b"ACGT"
    with pytest.raises(ParameterError, match="symbol 3, 'N', is not in the alphabet ACGT"):
        symbols.encode("GANT")


def test_letters_beyond_ascii_are_no_bytes():
    assert parse_symbols("αβ").letters is None
    assert parse_symbols("αβ").encode("βα").tolist() == [1, 0]


@pytest.mark.parametrize(("k", "dtype"), [(2, np.uint8), (256, np.uint8), (257, np.uint16), (65537, np.uint32)])
def test_dtypes_of_codes(k, dtype):
    assert code_dtype(k) == dtype
