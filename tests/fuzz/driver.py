"""Run mutated files through the parsers, and report those that end otherwise than in a result or in a `DbgError`.

Case i of a target depends on the seed, the target and i alone, so that each can be repeated. A case that crashes or
hangs leaves its file behind.
"""

from __future__ import annotations

import faulthandler
import functools
import os
import random
import resource
import signal
import threading
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from debruijn_gpu.errors import DbgError
from tests.fuzz.corpus import kept_files
from tests.fuzz.mutators import mutated
from tests.fuzz.outcomes import check_error
from tests.fuzz.targets import TARGETS, Target

#: Seconds that a case may take, those after which the process ends with a traceback, and those between looks at it
MOST_SECONDS, END_AFTER, REARM_AFTER = 20, 60, 30
#: Bytes by which a case may raise the peak of resident memory
MOST_GROWTH = 300 << 20


class HangError(Exception):
    """A case takes too long."""


@dataclass
class Findings:
    """What many cases came to.

    Attributes
    ----------
    n_cases : Counter of str
        Cases by target.
    outcomes : Counter of (str, int)
        Cases by target and exit code, 0 for a result.
    failures : list of str
        Target, seed and number of cases that failed, and why.
    """

    n_cases: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[tuple[str, int]] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def content_of(name: str, seed: int, number: int) -> tuple[bytes, random.Random]:
    """The file of a case, and the generator that chooses the options of reading."""
    rng = random.Random(zlib.crc32(f"{name} {seed} {number}".encode()))
    target = TARGETS[name]
    sound = _sound(name)
    return mutated(rng, rng.choice(sound), rng.choice(sound), target.own, target.packs), rng


@functools.cache
def _sound(name: str) -> list[bytes]:
    return TARGETS[name].seeds() + kept_files(name)


def run_case(target: Target, path: Path, rng: random.Random) -> int:
    """Read a file; return the exit code that its error has, 0 if it has none.

    Raises
    ------
    AssertionError
        If the error is not one line with a documented exit code, a thread is left, or memory has grown.
    Exception
        Any other error of the parser.
    """
    before = _peak_bytes()
    code = 0
    try:
        with time_limit(MOST_SECONDS):
            target.read(path, rng)
    except DbgError as error:
        check_error(error)
        code = error.exit_code
    growth = _peak_bytes() - before
    assert growth < MOST_GROWTH, f"took {growth >> 20:,} MiB"
    left = [thread.name for thread in threading.enumerate() if thread.name == "dbg-reader"]
    assert not left, "left a thread that reads"
    return code


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise HangError in a case that takes longer."""

    def stop(_number, _frame):
        raise HangError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run_cases(
    directory: Path, names: list[str], seed: int, n_cases: int, first: int = 0, end: float = float("inf")
) -> Findings:
    """Run cases of targets in turn, by their weights, up to `n_cases` or the time (`time.monotonic`) that ends them."""
    findings = Findings()
    turns, armed_until = _turns(names), 0.0
    try:
        for i in range(first, first + n_cases):
            now = time.monotonic()
            if now > end:
                break
            if now > armed_until:  # not for each case: this starts a thread
                faulthandler.dump_traceback_later(END_AFTER + REARM_AFTER, exit=True)
                armed_until = now + REARM_AFTER
            _run_one(findings, directory, turns[i % len(turns)], seed, i)
    finally:
        faulthandler.cancel_dump_traceback_later()
    return findings


def _turns(names: list[str]) -> list[str]:
    """Names as often as their weights, mixed."""
    each = [((i + 0.5) / TARGETS[name].weight, name) for name in names for i in range(TARGETS[name].weight)]
    return [name for _, name in sorted(each)]


def _run_one(findings: Findings, directory: Path, name: str, seed: int, number: int) -> None:
    content, rng = content_of(name, seed, number)
    path = directory / "input"
    path.write_bytes(content)
    findings.n_cases[name] += 1
    try:
        code = run_case(TARGETS[name], path, rng)
    except Exception as error:
        kept = directory / f"{name}-{seed}-{number}"
        os.replace(path, kept)
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {str(error)[:300]} ({Path(place.filename).name}:{place.lineno})"
        findings.failures.append(f"{name}, seed {seed}, case {number}: {what}; file: {kept}")
    else:
        findings.outcomes[name, code] += 1
