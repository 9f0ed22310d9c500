"""Numbers as text, and records of numbers, the slow and obvious way. A record is a tuple of int and float."""

from __future__ import annotations

import math
import re
from functools import cmp_to_key

_INTEGER = re.compile(r"[+-]?\d+$", re.ASCII)


def parse(text: str) -> list[tuple[int | float, ...]]:
    """Records of a text without faults; a column with any float is of floats.

    Raises
    ------
    ValueError
        If such a column has an integer that no float is equal to.
    """
    rows = []
    for line in text.split("\n"):
        stripped = line.strip(" \t\r")
        if stripped and not stripped.startswith("#"):
            rows.append(re.split(r"[ \t]*[,;][ \t]*|[ \t]+", stripped))
    columns = [_column(words) for words in zip(*rows, strict=True)]
    return list(zip(*columns, strict=True))


def _column(words: tuple[str, ...]) -> list[int] | list[float]:
    if all(_INTEGER.match(word) for word in words):
        return [int(word) for word in words]
    if any(_INTEGER.match(word) and int(word) != float(word) for word in words):
        raise ValueError("an integer that no float is equal to")
    return [float(word) + 0.0 if _INTEGER.match(word) else float(word) for word in words]


def compare(a: float, b: float) -> int:
    """-1, 0 or 1; NaN is the greatest number, and equal to itself."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) - math.isnan(b)
    return (a > b) - (a < b)


def compare_records(a: tuple[float, ...], b: tuple[float, ...], keys: list[tuple[int, bool]]) -> int:
    """As `compare`, by keys of a column and whether it is descending."""
    for column, descending in keys:
        order = compare(a[column], b[column])
        if order:
            return -order if descending else order
    return 0


def sort(records: list[tuple[float, ...]], keys: list[tuple[int, bool]]) -> list[tuple[float, ...]]:
    """Stable."""
    return sorted(records, key=cmp_to_key(lambda a, b: compare_records(a, b, keys)))


def groups(records: list[tuple[float, ...]], keys: list[tuple[int, bool]]) -> list[list[tuple[float, ...]]]:
    """Records with equal keys, in the order of the keys."""
    result: list[list[tuple[float, ...]]] = []
    for record in sort(records, keys):
        if result and compare_records(result[-1][0], record, keys) == 0:
            result[-1].append(record)
        else:
            result.append([record])
    return result


def meets(value: float, comparison: str, threshold: float) -> bool:
    """Whether a condition holds."""
    return {
        "nonzero": value != 0,
        ">": value > threshold,
        "<": value < threshold,
        ">=": value >= threshold,
        "<=": value <= threshold,
        "==": value == threshold,
        "!=": value != threshold,
    }[comparison]
