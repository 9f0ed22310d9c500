"""Fuzz the parsers: ``python -m tests.fuzz --cases 1000000 --seconds 3600``; exit code 1 if a case fails.

Cases are counted in a tally file. A later run with the same seed and targets continues behind the last case counted, so
that ``--cases`` may be reached in several runs. Several processes may run with seeds of their own.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import tempfile
import time
import warnings
from pathlib import Path

from tests.fuzz.driver import run_cases
from tests.fuzz.tally import TallyFile, default_file
from tests.fuzz.targets import TARGETS

_AT_ONCE = 2000  # cases between two lines


def main() -> int:
    options = _options()
    faulthandler.enable()
    directory = options.keep or Path(tempfile.mkdtemp(prefix="dbg-fuzz-"))
    directory.mkdir(parents=True, exist_ok=True)
    names = "all targets" if options.only == list(TARGETS) else " ".join(options.only)
    path = options.tally or default_file() or directory / "fuzz.json"
    if options.first is not None:  # some cases are repeated, and not counted again
        path = Path(tempfile.mkdtemp(prefix="dbg-fuzz-")) / "fuzz.json"
    counted = TallyFile(path, f"seed {options.seed}, {names}")
    tally, first = counted.tally, options.first or 0
    print(f"seed {options.seed}; files in {directory}; {tally.n_cases:,} cases counted in {path}", flush=True)
    start, n_failed = time.monotonic(), tally.n_failed
    while tally.n_cases < options.cases and time.monotonic() - start < options.seconds:
        n, began = min(_AT_ONCE, options.cases - tally.n_cases), time.process_time()
        end = start + options.seconds
        found = run_cases(directory, options.only, options.seed, n, first + tally.n_cases, end)
        tally.add(found.outcomes, found.failures, time.process_time() - began)
        counted.save()
        print(*found.failures, sep="\n", end="\n" if found.failures else "")
        print(
            f"{tally.n_cases:,} cases, {tally.n_failed:,} failed, {tally.cpu_s:.0f} CPU s, "
            f"{tally.n_cases / max(tally.cpu_s, 1e-9):.0f} cases/CPU s; {counted.total():,} cases of all seeds",
            flush=True,
        )
    return int(tally.n_failed > n_failed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=100_000, help="number of cases in sum (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="time limit of this run (default: none)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default: %(default)s)")
    parser.add_argument("--first", type=int, help="repeat cases from this number on, without counting them")
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=list(TARGETS), help="targets (default: all)")
    parser.add_argument("--keep", type=Path, help="directory of files that fail (default: a temporary one)")
    parser.add_argument("--tally", type=Path, help="file that counts cases (default: beside the compiled kernels)")
    return parser.parse_args()


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of NumPy and XML, about the files themselves
    sys.exit(main())
