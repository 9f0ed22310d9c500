"""The look-and-say sequence: terms, and their lengths by elements where they are too long to build."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import groupby, islice, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.arithmetic.long_numbers import find_recurrence, nth_term
from debruijn_gpu.errors import OptionValueError, OutOfMemoryError
from debruijn_gpu.run import log, progress
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import SequenceBackend

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


#: By how much terms grow in the long run (Conway 1987), whatever the first is, unless it is 22
GROWTH = 1.303577269034296
#: Steps after which a length is computed in about a minute
MOST_STEPS = 10_000_000
_MOST_DIGITS = 1 << 60
_FORECAST_DIGITS = 1 << 20  # of a term from which lengths of later ones are computed before these are made
_SHORT_RUN = 9
_QUIET_TERMS = 3  # without longer runs, after which terms split into elements


def digit_fault(term: NDArray[np.uint8]) -> str:
    """Describe why a text is not a term (one digit or more); empty if it is one."""
    if not len(term):
        return "there are no digits"
    wrong = np.flatnonzero((term < ord("0")) | (term > ord("9")))
    if not len(wrong):
        return ""
    return f"{chr(term[wrong[0]])!a} at place {wrong[0] + 1:,} is not a digit"


def expected_digits(n_digits: int, n_steps: int) -> int:
    """About as many digits as a term has some steps later."""
    exponent = math.log2(max(1, n_digits)) + min(n_steps, 1000) * math.log2(GROWTH)
    return _MOST_DIGITS if exponent >= 60 else round(2**exponent)


def made_digits(n_digits: int, n_steps: int, only_length: bool) -> int:
    """About how many digits the longest term has that `term_after` or `length_after` makes."""
    if not only_length:
        return expected_digits(n_digits, n_steps)
    expected = expected_digits(n_digits, n_steps - 1)
    return expected if expected <= tuning().counted_digits else n_digits


def term_after(term: Array, n_steps: int, backend: SequenceBackend, n_bytes_allowed: int | None = None) -> Array:
    """Compute the term some steps after a term.

    Memory is taken for two terms at once. How long the next one is is known before it is made.

    Parameters
    ----------
    term : array of the backend, dtype=uint8
        Digits as text, one at least.
    n_steps : int
    backend : SequenceBackend
    n_bytes_allowed : int, optional
        Memory that two terms may take.

    Raises
    ------
    OutOfMemoryError
        If it does not suffice.
    """
    n_quiet = 0
    with progress.running(f"{n_steps} steps") as steps:
        for step in range(1, n_steps + 1):
            if _is_fixed(term, backend):
                break
            if n_bytes_allowed is not None and n_quiet < _QUIET_TERMS and len(term) <= _FORECAST_DIGITS:
                n_quiet = _count_quiet(term, n_quiet, backend)
                if n_quiet == _QUIET_TERMS:
                    _check_forecast(_text(term, backend), step, n_steps, n_bytes_allowed)
            _note_done(steps, len(term), n_steps - step + 1)
            with log.stage(f"step {step}", unit="digits") as stage:
                read = backend.sequences.look_at_term(term)
                _check_memory(len(read.term), read.n_said, step, n_bytes_allowed)
                term = backend.sequences.say_term(read)
                backend.synchronize()
                stage.items = read.n_said
                del read  # and with it the term before
    return term


def _note_done(steps: progress.Step, n_digits: int, n_left: int) -> None:
    """Say how much of the work is done: digits of all terms up to one of so many, and of those that come, by the growth
    of terms."""
    total = expected_digits(n_digits, n_left) / (1 - 1 / GROWTH)
    steps.update(round(n_digits / (1 - 1 / GROWTH)), round(total), "digits")


def length_after(term: Array, n_steps: int, backend: SequenceBackend, n_bytes_allowed: int | None = None) -> int:
    """Count the digits of the term some steps after a term.

    Terms of few digits are made, up to the last but one; the length of longer ones follows from their elements.

    Parameters
    ----------
    term, n_steps, backend, n_bytes_allowed
        As for `term_after`.

    Raises
    ------
    OptionValueError
        If computing it takes longer than about a minute.
    OutOfMemoryError
        If memory does not suffice for the first terms.
    """
    if not n_steps or _is_fixed(term, backend):
        return len(term)
    if expected_digits(len(term), n_steps - 1) <= tuning().counted_digits:
        before = term_after(term, n_steps - 1, backend, n_bytes_allowed)
        with log.stage(f"step {n_steps}, counted", unit="digits") as stage:
            stage.items = backend.sequences.look_at_term(before).n_said
        return stage.items
    if n_steps > MOST_STEPS:
        raise OptionValueError(
            f"--length: expected at most {MOST_STEPS:,} steps, which take about a minute, got {n_steps:,}",
            "choose a smaller -n",
        )
    n_quiet = _count_quiet(term, 0, backend)
    while n_quiet < _QUIET_TERMS and n_steps:
        term, n_steps = term_after(term, 1, backend, n_bytes_allowed), n_steps - 1
        n_quiet = _count_quiet(term, n_quiet, backend)
    with log.stage("length by elements", n_steps, "steps"):
        return length_by_elements(_text(term, backend), n_steps)


def _count_quiet(term: Array, n_quiet: int, backend: SequenceBackend) -> int:
    """Number of terms, up to this one, after which none had a run of ten or more, given the number before."""
    if n_quiet:
        return n_quiet + 1  # counts of one digit make no runs of more than three
    digits = backend.to_host(term)
    ends = np.flatnonzero(digits[1:] != digits[:-1])
    runs = np.diff(np.concatenate(([-1], ends, [len(digits) - 1])))
    return int(runs.max() <= _SHORT_RUN)


def _text(term: Array, backend: SequenceBackend) -> str:
    digits: NDArray[np.uint8] = backend.to_host(term)
    return digits.tobytes().decode("ascii")


def _is_fixed(term: Array, backend: SequenceBackend) -> bool:
    """Whether all further terms are equal: only 22 describes itself."""
    return len(term) == 2 and backend.to_host(term).tobytes() == b"22"


def _check_forecast(text: str, step: int, n_steps: int, n_bytes_allowed: int) -> None:
    """Raise if one of the next terms will not fit into memory, before they are made.

    Parameters
    ----------
    text : str
        The term before that of `step`.
    """
    for later, (before, after) in zip(range(step, n_steps + 1), pairwise(lengths(text)), strict=False):
        _check_memory(before, after, later, n_bytes_allowed)


def _check_memory(n_digits: int, n_said: int, step: int, n_bytes_allowed: int | None) -> None:
    needed = n_digits + n_said
    if n_bytes_allowed is not None and needed > n_bytes_allowed:
        raise OutOfMemoryError(
            f"Out of memory: the term of step {step} has {n_said:,} digits, with the one before "
            f"{format_bytes(needed)}, and {format_bytes(n_bytes_allowed)} are allowed",
            f"choose a smaller -n (--length counts to {MOST_STEPS:,}), or allow more (-m)",
        )
