"""Fuzz the parsers: ``python -m tests.fuzz --cases 1000000 --seconds 3600``; exit code 1 if a case fails."""

from __future__ import annotations

import argparse
import faulthandler
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.driver import run_cases
from tests.fuzz.targets import TARGETS

_AT_ONCE = 2000  # cases between two lines


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000, help="number of cases (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="time limit (default: none)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="random seed (default: the time)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (default: 0)")
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=list(TARGETS), help="targets (default: all)")
    parser.add_argument("--keep", type=Path, help="directory of files that fail (default: a temporary one)")
    options = parser.parse_args()
    faulthandler.enable()
    directory = options.keep or Path(tempfile.mkdtemp(prefix="dbg-fuzz-"))
    directory.mkdir(parents=True, exist_ok=True)
    print(f"seed {options.seed}; files in {directory}", flush=True)
    start, n_cases, n_failed = time.monotonic(), 0, 0
    while n_cases < options.cases and time.monotonic() - start < options.seconds:
        n = min(_AT_ONCE, options.cases - n_cases)
        end = start + options.seconds
        found = run_cases(directory, options.only, options.seed, n, options.first + n_cases, end)
        n_cases, n_failed = n_cases + found.n_cases.total(), n_failed + len(found.failures)
        print(*found.failures, sep="\n", end="\n" if found.failures else "")
        took = time.monotonic() - start
        print(f"{n_cases:,} cases, {n_failed:,} failed, {took:.0f} s, {time.process_time():.0f} CPU s", flush=True)
    return int(n_failed > 0)


if __name__ == "__main__":
    sys.exit(main())
