"""Compute lengths of look-and-say terms that are too long to be built.

A term splits where the digits on both sides never affect each other again. From some term on only 92 segments occur,
and two for each of the digits 0 and 4 to 9: Conway's elements. Each of them becomes a few others in the next term, so
lengths follow from how often each occurs, and obey a linear recurrence. (J. H. Conway, The weird and wonderful
chemistry of audioactive decay, in: Open Problems in Communication and Computation, Springer 1987.)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import groupby, islice

from debruijn_gpu.arithmetic.recurrences import find_recurrence, nth_term
from debruijn_gpu.run import progress
from debruijn_gpu.run.tuning import tuning

_SETTLED = 32  # steps after which only elements occur; Conway: 24

# Conway's splitting theorem; 0 is a digit like 4 to 9, as no term counts 0 of anything. A part that begins like
# `_NOT_2` never begins with 2 in a later term.
_NOT_2 = (
    r"(?:1(?!1)(?P<{0}1>.)(?!(?P={0}1))|111(?!1)|3(?!3)(?!(?P<{0}2>.)(?P={0}2){{2}}(?!(?P={0}2)))"
    r"|(?P<{0}3>[04-9])(?!(?P={0}3)))"
)
_SPLITS = re.compile(
    r"(?<=[04-9])(?=[1-3])"
    rf"|(?<=2)(?={_NOT_2.format('a')})"
    rf"|(?<=[^2])(?=22(?!2)(?:$|{_NOT_2.format('b')}))"
)


def length_by_elements(term: str, n_steps: int) -> int:
    """Compute the number of digits of a term some steps later, from the segments of both.

    Parameters
    ----------
    term : str
        Digits, two steps or more after a term without a run of ten or more.
    n_steps : int
        0 or more.
    """
    if n_steps <= tuning().few_steps:
        return next(islice(lengths(term), n_steps, None))
    parts = _parts(term)
    become: dict[str, Counter[str]] = {}
    for _ in range(_SETTLED):
        parts = _next_parts(parts, become)
    n_elements = _count_reachable(parts, become)
    with progress.running("digits"):
        terms = list(islice(_lengths(parts, become), 3 * n_elements))
        return nth_term(terms, find_recurrence(terms, n_elements), n_steps - _SETTLED)


def _say(term: str) -> str:
    return "".join(f"{len(list(run))}{digit}" for digit, run in groupby(term))


def _parts(term: str) -> Counter[str]:
    """The segments into which a term splits."""

    def segments() -> Iterator[str]:
        start = 0
        for split in _SPLITS.finditer(term):
            yield term[start : split.start()]
            start = split.start()
        yield term[start:]

    return Counter(segments())


def _next_parts(parts: Counter[str], become: dict[str, Counter[str]]) -> Counter[str]:
    """The segments of the next term; what each becomes is kept."""
    following: Counter[str] = Counter()
    for part, n in parts.items():
        if part not in become:
            become[part] = _parts(_say(part))
        for after, times in become[part].items():
            following[after] += n * times
    return following


def lengths(term: str) -> Iterator[int]:
    """Numbers of digits of a term, as `length_by_elements` takes it, and of all terms after it."""
    return _lengths(_parts(term), {})


def _lengths(parts: Counter[str], become: dict[str, Counter[str]]) -> Iterator[int]:
    while True:
        yield sum(len(part) * n for part, n in parts.items())
        parts = _next_parts(parts, become)


def _count_reachable(parts: Counter[str], become: dict[str, Counter[str]]) -> int:
    """Number of different segments that occur in a term and after it."""
    seen, step = set(parts), partial(_next_parts, become=become)
    new = parts
    while new:
        new = Counter({part: 1 for part in step(new) if part not in seen})
        seen.update(new)
    return len(seen)
