"""Operations on arrays in the slowest obvious way: Python lists, sorted by a key that says what the order is."""

from __future__ import annotations

import math
from collections import Counter
from itertools import groupby

import numpy as np


def plain(value):
    """The number as it is ordered and compared: -0.0 is 0.0, and NaN is one thing above all numbers."""
    value = value.item() if isinstance(value, np.generic) else value
    return (1, 0) if isinstance(value, float) and math.isnan(value) else (0, value)


def canonical(array: np.ndarray) -> np.ndarray:
    """0.0 for -0.0, and one NaN for all."""
    result = array.copy()
    if array.dtype.kind == "f":
        result[result == 0] = 0
        result[np.isnan(result)] = np.nan
    return result


def order_by(columns) -> list[int]:
    return sorted(range(len(columns[0])), key=lambda i: [plain(column[i]) for column in columns])


def sort(keys):
    return canonical(keys[np.array(order_by([keys]), np.int64)])


def distinct(values):
    """Distinct values, their counts and first positions."""
    values = canonical(values)
    counts = Counter(map(plain, values))
    first = {key: i for i, key in reversed(list(enumerate(map(plain, values))))}
    keys = sorted(counts)
    positions = np.array([first[key] for key in keys], np.int64)
    return values[positions], np.array([counts[key] for key in keys], np.int64), positions


def run_lengths(values):
    values = canonical(values)
    lengths = [len(list(run)) for _, run in groupby(map(plain, values))]
    starts = np.cumsum([0, *lengths])[:-1].astype(np.int64)
    return values[starts], np.array(lengths, np.int64)


def compare(value, comparison: str, threshold) -> bool:
    """Python compares an int and a float exactly."""
    value = value.item()
    if comparison == "nonzero":
        return value != 0
    return {
        ">": value > threshold,
        "<": value < threshold,
        ">=": value >= threshold,
        "<=": value <= threshold,
        "==": value == threshold,
        "!=": value != threshold,
    }[comparison]


def scan(values) -> list:
    """Sums before each value, and of all."""
    total = 0.0 if values.dtype.kind == "f" else 0
    sums = [total]
    for value in values:
        total += value.item()
        sums.append(total)
    return sums


def lookup(table, keys):
    first = {}
    for i, key in enumerate(table):
        first.setdefault(plain(key), i)
    return np.array([first.get(plain(key), -1) for key in keys], np.int64)


def csr_from_edges(tails, heads, n_vertices: int):
    rows = [[] for _ in range(n_vertices)]
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        rows[tail].append(head)
    row_ptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return row_ptr, np.array([head for row in rows for head in row], heads.dtype)


def distinct_rows(rows):
    """Number of each row, and the first row of each number."""
    numbers: dict[tuple[int, ...], int] = {}
    ids = [numbers.setdefault(tuple(row), len(numbers)) for row in rows]
    return ids, [ids.index(number) for number in range(len(numbers))]
