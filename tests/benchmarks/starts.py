"""How fast commands start: first runs and later ones, from a checkout and from a wheel.

    python -m tests.benchmarks.starts [--wheel FILE] [--reads FILE] [--rounds 5]

First runs have an empty store of kernels each, and compile what the installation lacks; "then another" is what the next
command compiles. Later runs are the fastest of ``--rounds``. A wheel is unpacked into a directory of its own; what it
depends on is that of this interpreter. Last comes an operation on 100 numbers in Python.
"""

from __future__ import annotations

import argparse
import compileall
import os
import shlex
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.benchmarks.machine import machine
from tests.benchmarks.measure import Run, measure

ROOT = Path(__file__).resolve().parents[2]
_PHAGE = "data/phix174_R1.fastq.gz data/phix174_R2.fastq.gz"
_COMMANDS = {
    "NumPy alone": "",
    "dbg --help": "--help",
    "dbg sort, three numbers": "sort {numbers}",
    "dbg distinct, three numbers": "distinct {numbers}",
    "dbg cyclospec NQEL": "cyclospec NQEL",
    "dbg debruijn --alphabet 10 -n 4": "debruijn --alphabet 10 -n 4",
    "dbg assemble of a phage": "assemble -q {reads} -o {out}",
    "dbg unitigs of a phage": "unitigs -q -k 31 {reads} -o {out}.gfa",
}
_OPERATION = """
import time, numpy as np
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.cpu import CPU
threads.configure(16)
values = np.random.default_rng(1).integers(0, 50, 100)
CPU.arrays.distinct(values)
seconds = []
for _ in range(200):
    begin = time.perf_counter()
    CPU.arrays.distinct(values)
    seconds.append(time.perf_counter() - begin)
print(f"{1e3 * sorted(seconds)[100]:.3f}")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="measure this wheel, too")
    parser.add_argument("--reads", help="single reads to assemble, with -k 97 --no-pairs, in place of data/phix174")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        places = {"checkout": ROOT}
        if options.wheel:
            zipfile.ZipFile(options.wheel).extractall(work / "wheel")
            compileall.compile_dir(work / "wheel", quiet=1)  # as pip does
            places["wheel"] = work / "wheel"
        for place, path in places.items():
            print(f"\nFrom a {place}; seconds (CPU seconds)\n\n| command | first run | later |\n|---|---|---|")
            for row in table(Starts(path, work / place, options.reads), options.rounds):
                print(row, flush=True)
        print(f"\nCPU.arrays.distinct of 100 numbers, 16 threads: {operation(ROOT, work)} ms")


class Starts:
    """Commands from one installation, each in a process of its own.

    Parameters
    ----------
    package : Path
        The directory that holds the package.
    work : Path
    reads : str or None
        Reads in place of the package's.
    """

    def __init__(self, package: Path, work: Path, reads: str | None) -> None:
        work.mkdir(parents=True, exist_ok=True)
        (work / "three.txt").write_text("3\n1\n2\n")
        inputs = f"-k 97 --no-pairs {reads}" if reads else " ".join(str(ROOT / path) for path in _PHAGE.split())
        self._work = work
        self._package = package
        self._words = {"numbers": str(work / "three.txt"), "reads": inputs, "out": "out"}
        self._n = 0

    def run(self, command: str, store: str) -> Run:
        """Run a command with a store of kernels of that name."""
        self._n += 1
        environment = os.environ | {
            "PYTHONPATH": str(self._package),
            "DBG_CACHE_DIR": str(self._work / "stores" / store),
            "PYTHONSAFEPATH": "1",
        }
        arguments = (
            ["-m", "debruijn_gpu", *shlex.split(command.format(**self._words))] if command else ["-c", "import numpy"]
        )
        run = measure([sys.executable, *arguments], self._work / f"run-{self._n}", environment)
        if run.exit_code:
            raise RuntimeError(f"{command}: exit code {run.exit_code}: {run.text[-500:]}")
        return run


def table(starts: Starts, rounds: int) -> list[str]:
    """Rows of a table: each command first with a store of its own, then again."""
    rows = []
    for i, (name, command) in enumerate(_COMMANDS.items()):
        if "unitigs" in command and "-k 97" in starts._words["reads"]:
            continue
        first = starts.run(command, str(i))
        later = min((starts.run(command, str(i)) for _ in range(rounds)), key=lambda run: run.cpu_s)
        rows.append(f"| {name} | {_seconds(first)} | {_seconds(later)} |")
    return rows


def _seconds(run: Run) -> str:
    return f"{run.wall_s:.2f} ({run.cpu_s:.2f})"


def operation(package: Path, work: Path) -> str:
    """Milliseconds of an operation on few numbers, the median of many."""
    environment = os.environ | {"PYTHONPATH": str(package)}
    found = subprocess.run(
        [sys.executable, "-c", _OPERATION], capture_output=True, text=True, check=True, cwd=work, env=environment
    )
    return found.stdout.strip()


if __name__ == "__main__":
    main()
