"""Options of tables of numbers: columns, conditions, sorting, histograms."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from debruijn_gpu.errors import UsageError
from debruijn_gpu.primitives.keys import COLUMN, Key
from debruijn_gpu.run.checks import Checked, between, ensure, needs, one_of
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.quantities import split_range

FORMATS = ("text", "tsv", "csv", "npy", "raw")
DTYPES = ("u32", "i32", "u64", "i64", "f32", "f64")

Comparison: TypeAlias = Literal["nonzero", ">", "<", ">=", "<=", "==", "!="]
COMPARISONS: tuple[Comparison, ...] = (">=", "<=", ">", "<", "==", "!=")


#: Most columns of a table: each is an array of its own
MOST_COLUMNS = 1 << 20

#: Bins of a histogram, or integers that are counted one by one: 2 GiB of counts
MOST_BINS = 1 << 28

_COLUMN = re.compile(COLUMN, re.ASCII)


@dataclass(frozen=True)
class Condition:
    """A comparison with a number (``nonzero`` needs none), and a second one: at most ``highest``."""

    comparison: Comparison
    threshold: int | float = 0
    highest: int | float | None = None


def parse_fields(text: str) -> tuple[int, ...]:
    """``2,3`` gives columns 1 and 2; an empty text all, which is ()."""
    if not text:
        return ()
    columns = _parse_columns(text)
    if columns is None:
        raise UsageError(f"--fields {shorten(text)}: not a list of columns", "give columns from 1, such as 2,3")
    return columns


def parse_number(text: str) -> int | float | None:
    """Parse an integer, or a float that is not NaN; None for anything else, and for 1e400, which is no float."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        is_too_large = math.isinf(number) and any(c.isdigit() for c in text) if kind is float else False
        return None if number != number or "_" in text or is_too_large else number
    return None


def _parse_columns(text: str) -> tuple[int, ...] | None:
    """Parse ``2,3`` to (1, 2); None if a part is no column."""
    parts = text.split(",")
    if not all(_COLUMN.fullmatch(part) for part in parts):
        return None
    return tuple(int(part) - 1 for part in parts)


def parse_condition(text: str) -> Condition:
    """Parse ``nonzero``, a comparison and a number (``>=5``), or an interval (``10:20``, ``10:``, ``:20``)."""
    stripped = text.strip()
    if stripped == "nonzero":
        return Condition("nonzero")
    for comparison in COMPARISONS:
        if stripped.startswith(comparison):
            threshold = parse_number(stripped[len(comparison) :])
            if threshold is not None:
                return Condition(comparison, threshold)
    if ":" in stripped:
        return _parse_interval(stripped)
    raise _no_condition(text)


def _parse_interval(text: str) -> Condition:
    """``10:20`` is from 10 to 20, both included; an end that is missing is open."""
    words = split_range(text, ":") or ("", "")
    ends = [parse_number(end) if end else None for end in words]
    given = list(map(bool, words))
    if not any(given) or given != [end is not None for end in ends]:
        raise _no_condition(text)
    low, high = ends
    if low is None and high is not None:
        return Condition("<=", high)
    if low is not None and high is not None and low > high:
        raise UsageError(f"condition {shorten(text)}: no number is in it", "give the smaller number first")
    return Condition(">=", low if low is not None else 0, high)


def _no_condition(text: str) -> UsageError:
    fix = "give nonzero, '>5', '>=5', '<5', '<=5', '==5' or '!=5' (quoted), or 5:10, before the files or with --where"
    return UsageError(f"{shorten(text)}: not a condition", fix)


def parse_range(text: str) -> tuple[int | float, int | float]:
    """``0:100`` gives 0 and 100; ``0,100``, as in version 0.1, too."""
    low, high = map(parse_number, split_range(text, ",") or ("", ""))
    if low is None or high is None:
        raise UsageError(f"--range {shorten(text)}: not two numbers", "give LOW:HIGH, such as 0:100")
    return low, high


@dataclass(frozen=True, kw_only=True)
class TableOptions(Checked):
    """Options of reading and writing columns of numbers."""

    dtype: str | None = None  # of raw input
    n_columns: int = 1  # of raw input
    to: str | None = None  # None: the format of the input
    fields: tuple[int, ...] = ()  # columns to write; (): all
    header: bool = False  # the first line of text names the columns

    option_names: ClassVar = {"n_columns": "--columns", "to": "--format"}
    checks = (
        one_of("dtype", DTYPES, "type"),
        between("n_columns", 1, MOST_COLUMNS),
        needs("n_columns", "dtype", remedy="name the type of the numbers (--dtype)"),
        one_of("to", FORMATS, "format"),
    )


@dataclass(frozen=True, kw_only=True)
class SortOptions:
    """Options of sorting records."""

    keys: tuple[Key, ...] = (Key(0),)
    unique: bool = False  # only the first record of each key


@dataclass(frozen=True, kw_only=True)
class DistinctOptions:
    """Options of distinct records."""

    keys: tuple[Key, ...] = (Key(0),)
    count: bool = False  # add the number of records


@dataclass(frozen=True, kw_only=True)
class CompactOptions:
    """Options of filtering records."""

    condition: Condition
    column: int = 0
    indices: bool = False  # positions instead of records


@dataclass(frozen=True, kw_only=True)
class HistogramOptions(Checked):
    """Options of histograms."""

    column: int = 0
    n_bins: int = 10
    low: int | float | None = None  # None: the least value
    high: int | float | None = None
    integers: bool = False  # each integer, not bins

    option_names: ClassVar = {"n_bins": "--bins"}
    checks = (
        between("n_bins", 1, MOST_BINS),
        ensure(
            lambda options: all(end is None or math.isfinite(end) for end in (options.low, options.high)),
            lambda options: f"--range is {options.low}:{options.high}",
            "give finite numbers",
        ),
        ensure(
            lambda options: (
                None in (options.low, options.high)
                or options.low < options.high
                or (options.integers and options.low == options.high)
            ),
            lambda options: f"--range is {options.low}:{options.high}",
            "give a greater number second",
        ),
    )


@dataclass(frozen=True, kw_only=True)
class JoinOptions:
    """Options of semi-joins."""

    keys: tuple[Key, ...] = (Key(0),)
    unmatched: bool = False  # records whose key is not wanted
