"""Compile the CUDA kernels of tests for a GPU, without one: ``python -m tests.kernels.check_cuda [TESTS]``.

The simulator runs kernels as Python, which takes any types. Here the types of arguments that it saw are compiled for
real, by numba-cuda (extra cuda13 or cuda12). ``TESTS`` are paths for pytest; all tests by default.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from debruijn_gpu.backends.core import build
from debruijn_gpu.backends.core.ahead import n_processes
from tests.kernels.record import record_simulated

TARGET = "sm_90"


def main(tests: list[str]) -> None:
    """Record and compile; exit with 1 and a line for each kernel that does not compile, or if there is none."""
    with tempfile.TemporaryDirectory() as name:
        rows = record_simulated(Path(name), tests)
    problems = build.compile_rows(rows, TARGET, n_processes(), lambda done, total: None)
    for request, problem in problems.items():
        print(f"{request}: {problem}", file=sys.stderr)
    print(f"{len(rows)} CUDA kernels for {TARGET}, {len(problems)} do not compile")
    sys.exit(bool(problems) or not rows)


if __name__ == "__main__":
    main(sys.argv[1:])
