"""Regular expressions that read files: a long line must not take time that grows with its square."""

from __future__ import annotations

import importlib
import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import debruijn_gpu

pytestmark = pytest.mark.slow

PACKAGE = Path(debruijn_gpu.__file__).parent
ROOMS = ("assembly_dir", "io", "peptides", "samples", "sequences", "sets")
BEGINNINGS = ("", "1", "a", ">a ", "f,", "a: ", "1 ")
UNITS = ("1", "a", "A", " ", "\t", ".", "/", ":", "-", "+", ",", "_", "#", "1M", "=", "L:+:", "->", "\n", ";", "1,")
ENDS = ("x", "!", "[", "\n", "1", "\0")
SHORT, FACTOR = 3000, 4


def patterns() -> Iterator[tuple[str, re.Pattern]]:
    for file in sorted(itertools.chain.from_iterable((PACKAGE / room).rglob("*.py") for room in ROOMS)):
        name = ".".join(("debruijn_gpu", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        for variable, value in vars(importlib.import_module(name)).items():
            yield from ((f"{name}.{variable}", pattern) for pattern in within(value))


def within(value: object) -> Iterator[re.Pattern]:
    """Patterns of a variable: itself, or those of its fields and members."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from within(tuple(value.values()))
    elif isinstance(value, tuple | list):
        yield from itertools.chain.from_iterable(map(within, value))
    elif hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        yield from within(tuple(getattr(value, field) for field in value.__dataclass_fields__))


def seconds(pattern: re.Pattern, parts: tuple[str, str, str], n: int) -> float:
    """CPU time of a match and a full match of a text with n units."""
    text = parts[0] + parts[1] * n + parts[2]
    given = text.encode() if isinstance(pattern.pattern, bytes) else text
    start = time.process_time()
    pattern.match(given)
    pattern.fullmatch(given)
    return time.process_time() - start


def is_quadratic(pattern: re.Pattern, parts: tuple[str, str, str]) -> bool:
    """Whether four times the text takes more than eight times the time, the least of three; short times are no sign."""
    if seconds(pattern, parts, SHORT) < 0.01:
        return False
    short, long = (min(seconds(pattern, parts, n) for _ in range(3)) for n in (SHORT, FACTOR * SHORT))
    return long > max(0.1, 2 * FACTOR * short)


def test_quadratic_patterns_are_noticed():
    assert is_quadratic(re.compile(r"[0-9]+\.?[0-9]*"), ("", "1", "x"))
    assert not is_quadratic(re.compile(r"[0-9]+(\.[0-9]*)?"), ("", "1", "x"))


def test_patterns_take_linear_time():
    found = dict(patterns())
    assert len(found) > 50
    probes = list(itertools.product(BEGINNINGS, UNITS, ENDS))
    first = {name: next((parts for parts in probes if is_quadratic(p, parts)), None) for name, p in found.items()}
    assert not {name: parts for name, parts in first.items() if parts is not None}
