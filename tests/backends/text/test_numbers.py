"""Numbers to text and back, against Python's int(), float() and repr()."""

from __future__ import annotations

import math
import struct
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.backends.text.containers import NumberFault, NumberKind, ParsedNumbers
from debruijn_gpu.peptides.spectrum import format_units

DTYPES = {NumberKind.SIGNED: np.int64, NumberKind.UNSIGNED: np.uint64, NumberKind.DOUBLE: np.float64}
DOUBLES = st.floats() | st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("d", struct.pack("Q", bits))[0])
SINGLES = st.floats(width=32)
I64, U64 = st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**64 - 1)


def parse(text: str, n_columns: int = 1) -> ParsedNumbers:
    return CPU.text.parse_numbers(np.frombuffer(text.encode(), np.uint8), n_columns)


def columns_of(parsed: ParsedNumbers) -> list[list[float]]:
    assert parsed.fault is None
    return [bits.view(DTYPES[kind]).tolist() for bits, kind in zip(parsed.bits, parsed.kinds, strict=True)]


def lines(*columns: np.ndarray, separator: bytes = b"\t", start: int = 0, stop: int | None = None) -> list[str]:
    text = CPU.text.number_lines(columns, separator, start, len(columns[0]) if stop is None else stop)
    return text.tobytes().decode().splitlines()


def same(a: float, b: float) -> bool:
    """Whether two floats have the same bits, NaN excepted."""
    return struct.pack("d", a) == struct.pack("d", b) or (math.isnan(a) and math.isnan(b))


@given(st.lists(I64))
def test_signed_integers(values: list[int]) -> None:
    assert lines(np.array(values, np.int64)) == list(map(str, values))
    assert columns_of(parse("".join(f"{value}\n" for value in values))) == [values]


@given(st.lists(U64))
def test_unsigned_integers(values: list[int]) -> None:
    assert lines(np.array(values, np.uint64)) == list(map(str, values))
    assert columns_of(parse("\n".join(map(str, values)))) == [values]


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_narrow_integers(dtype: type) -> None:
    limits = np.iinfo(dtype)
    values = [limits.min, 0, 7, limits.max]
    assert lines(np.array(values, dtype)) == list(map(str, values))


@pytest.mark.parametrize("n_digits", range(1, 21))
def test_integers_of_every_length(n_digits: int) -> None:
    values = [v for v in (10 ** (n_digits - 1), 10**n_digits - 1, int("9876543210" * 2) % 10**n_digits) if v < 2**64]
    assert lines(np.array(values, np.uint64)) == list(map(str, values))
    assert columns_of(parse("\n".join(f"000{value}" for value in values))) == [values]


@given(st.lists(DOUBLES))
def test_doubles(values: list[float]) -> None:
    assert lines(np.array(values, np.float64)) == list(map(repr, values))
    (column,) = columns_of(parse("0.5\n" + "".join(f"{value!r}\n" for value in values)))
    assert all(map(same, column, [0.5, *values]))


@given(st.lists(SINGLES))
def test_singles(values: list[float]) -> None:
    array = np.array(values, np.float32)
    printed = lines(array)
    for word, value in zip(printed, array, strict=True):
        if np.isfinite(value):  # NumPy's digits, but not its choice of when to write an exponent
            assert Decimal(word) == Decimal(np.format_float_scientific(value))
    assert np.array_equal(np.array(printed, np.float32), array, equal_nan=True)


@pytest.mark.parametrize("power", range(-330, 312, 7))
def test_powers_of_ten_and_two(power: int) -> None:
    near = [float(f"{digits}e{power}") for digits in (1, 5, 9.999999999999999, 1.7976931348623157)]
    near += [math.ldexp(1, exponent) for exponent in range(max(power * 3, -1074), min(power * 3 + 21, 1024))]
    values = [v for value in near for v in (value, math.nextafter(value, 0), math.nextafter(value, math.inf))]
    assert lines(np.array(values)) == list(map(repr, values))
    assert all(map(same, columns_of(parse(".5\n" + "\n".join(map(repr, values))))[0][1:], values))


@given(
    st.text("0123456789", min_size=1, max_size=30),
    st.text("0123456789", max_size=30),
    st.integers(-400, 400) | st.none(),
    st.sampled_from(["", "+", "-"]),
)
def test_any_decimal(whole: str, fraction: str, power: int | None, sign: str) -> None:
    word = f"{sign}{whole}.{fraction}" + ("" if power is None else f"e{power}")
    if math.isinf(float(word)):
        fault = parse(f"1\n2\n{word}\n3\n").fault
        assert fault == NumberFault(2, word.encode(), 4, is_too_large=True)
    else:
        assert same(columns_of(parse(word))[0][0], float(word))


@given(st.integers(2**53, 2**64 - 1), st.integers(-60, 60))
def test_halfway_between_doubles(digits: int, power: int) -> None:
    word = f"{digits}e{power}"
    value = float(word)
    middle = (int(value) + int(math.nextafter(value, math.inf))) // 2 if abs(value) < 1e300 else digits
    for text in (word, f"{middle}.0", f"{middle}.5e0", f"{middle + 1}e0"):
        assert same(columns_of(parse(text))[0][0], float(text))


@pytest.mark.parametrize(
    "word",
    [
        "1.",
        ".5",
        "-.5e1",
        "1e5",
        "1E+05",
        "1e-0005",
        "nan",
        "NaN",
        "-nan",
        "inf",
        "-Infinity",
        "-0.0",
        "0." + "0" * 400 + "1e401",
        "1" * 400 + "e-400",
        "1e00000000000000000000001",
        "0e99999999",
        "1e-99999999",
    ],
)
def test_spellings(word: str) -> None:
    assert same(columns_of(parse(word))[0][0], float(word))
    assert same(columns_of(parse(f" \t{word} \r\n"))[0][0], float(word))


@pytest.mark.parametrize(
    "word", ["abc", "1x", "--1", "+", "-", ".", "e5", "1e", "1e+", "0x10", "1_000", "1.2.3", "infin", "1\r2", "½", "1;"]
)
def test_what_is_no_number(word: str) -> None:
    parsed = parse(f"1\n\n# 2\n{word}\n4\n")
    assert parsed.fault is not None
    assert parsed.bits.tolist() == [[1]]
    if parsed.fault.word is not None:
        assert parsed.fault.word.decode() in word
    assert parsed.fault.line == 3


def test_lines_between_the_records() -> None:
    text = "# a comment\n\n  1,2\r\n \t\r\n3 \t 4\n  # 5 6\n7\t,\t8 \n\n9 10"
    parsed = parse(text, 2)
    assert columns_of(parsed) == [[1, 3, 7, 9], [2, 4, 8, 10]]
    assert parsed.n_lines == 9


@pytest.mark.parametrize("text", ["1 2\n3\n4 5\n", "1 2\n3 4 5\n", "1 2\n3,4,\n", "1 2\n,3\n", "1 2\n3,\n", "1 2\n3,"])
def test_ragged_records(text: str) -> None:
    fault = parse(text, 2).fault
    assert fault is not None
    assert (fault.line, fault.start) == (1, 4)


def test_what_was_seen() -> None:
    parsed = (
        parse("1\n-2\n3\n").negative,
        parse("1\n\n9223372036854775808\n2\n"),
        parse("1\n2\n18446744073709551616\n1e3\n"),
    )
    assert parsed[0].tolist() == [True]
    assert (parsed[1].kinds, parsed[1].large_line.tolist()) == ((NumberKind.UNSIGNED,), [2])
    assert (parsed[2].kinds, parsed[2].huge_line.tolist()) == ((NumberKind.DOUBLE,), [2])
    assert parsed[2].fractional.tolist() == [True]


def test_column_that_becomes_floats() -> None:
    text = "1 5\n18446744073709551615 -6\n2.5 7\n-3 8e1\n"
    assert columns_of(parse(text, 2)) == [[1.0, 2.0**64, 2.5, -3.0], [5.0, -6.0, 7.0, 80.0]]
    assert parse(text, 2).inexact_line.tolist() == [1, -1]
    assert columns_of(parse("-1\n18446744073709551615\n1")) == [[-1.0, 2.0**64, 1.0]]


def test_more_hard_floats_than_fit_at_once() -> None:
    assert columns_of(parse("5e-324 1e-310\n" * 3000, 2)) == [[5e-324] * 3000, [1e-310] * 3000]


def test_part_of_mixed_columns() -> None:
    columns = np.arange(5), np.arange(5) / 4, np.arange(5, dtype=np.float32) / np.float32(10)
    assert lines(*columns, separator=b",", start=1, stop=4) == ["1,0.25,0.1", "2,0.5,0.2", "3,0.75,0.3"]
    assert lines(*columns, start=2, stop=2) == []


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20), st.integers(0, 18))
def test_units_are_printed_with_all_decimals(units, decimals):
    text = CPU.text.number_lines((np.array(units, np.int64), np.ones(len(units))), b"\t", 0, len(units), (decimals, 0))
    assert text.tobytes().decode() == "".join(f"{format_units(unit, decimals)}\t1.0\n" for unit in units)
