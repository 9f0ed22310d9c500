"""`dbg sort` and its siblings beside the tools that people use, and the rates of reading and writing text.

    python -m tests.benchmarks.commands -n 10000000 [--threads 2]

Commands run one after another on the same file; elapsed time, CPU seconds and peak memory are those of the whole
pipeline. Rates of text are MB per CPU second, the best of three after one call to warm up.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.io.numbers.files import BLOCK_BYTES
from debruijn_gpu.run.options import RunOptions

DBG = f"{sys.executable} -m debruijn_gpu"

#: (what, with dbg, with other tools)
COMMANDS = (
    ("smallest of all", "{dbg} sort {options} {file} | head", "sort -n {file} | head"),
    ("sort", "{dbg} sort {options} {file} | md5sum", "sort -n {file} | md5sum"),
    ("distinct, counts", "{dbg} distinct --count {options} {file} | md5sum", "sort -n {file} | uniq -c | md5sum"),
    ("above a threshold", "{dbg} compact --where '>5' {options} {file} | md5sum", "awk '$1 > 5' {file} | md5sum"),
)


def run_in_shell(command: str) -> tuple[float, float, float]:
    """Elapsed and CPU seconds, and peak memory in MiB, of a pipeline; in a process of its own that counts these."""
    script = (
        "import resource, subprocess, sys\n"
        "subprocess.run(['bash', '-c', sys.argv[1]], stdout=subprocess.DEVNULL, check=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
    )
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script, command], capture_output=True, text=True, check=True)
    elapsed = time.perf_counter() - start
    cpu, memory = map(float, done.stdout.split())
    return elapsed, cpu, memory


def print_commands(path: str, options: str) -> None:
    run_in_shell(f"{DBG} sort {path}")  # compile
    print(f"{'':<20}{'dbg':>30}{'others':>30}{'dbg wins':>18}")
    print(f"{'':<20}" + f"{'wall s':>10}{'CPU s':>10}{'MiB':>10}" * 2 + f"{'wall':>9}{'CPU':>9}")
    for name, ours, theirs in COMMANDS:
        results = [run_in_shell(each.format(dbg=DBG, options=options, file=path)) for each in (ours, theirs)]
        figures = "".join(f"{value:10.1f}" for result in results for value in result)
        print(f"{name:<20}{figures}{results[1][0] / results[0][0]:8.1f}x{results[1][1] / results[0][1]:8.1f}x")


def cpu_seconds(function: Callable[[], object]) -> float:
    function()
    spent = []
    for _ in range(3):
        start = time.process_time()
        function()
        spent.append(time.process_time() - start)
    return min(spent)


def print_rates(n: int) -> None:
    """How fast one core parses and prints."""
    backend = backends.load(RunOptions(backend="cpu", threads=1))
    rng = np.random.default_rng(1)
    columns = {
        "1 to 8 digits": rng.integers(0, 10**8, n),
        "any int64": rng.integers(-(2**63), 2**63 - 1, n),
        "floats of 4 digits": np.round(rng.random(n), 4),
        "random floats": rng.random(n),
    }
    print(f"\n{'text, MB per CPU s':<20}{'parse':>10}{'print':>10}")
    for name, column in columns.items():
        n_rows = min(n, BLOCK_BYTES // 20)
        text = backend.text.number_lines([column], b"\t", 0, n_rows).copy()
        parse = cpu_seconds(lambda text=text: backend.text.parse_numbers(text, 1))
        write = cpu_seconds(lambda column=column, n_rows=n_rows: backend.text.number_lines([column], b"\t", 0, n_rows))
        print(f"{name:<20}{len(text) / parse / 1e6:10.0f}{len(text) / write / 1e6:10.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=10_000_000, help="numbers")
    parser.add_argument("--threads", type=int, default=0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "numbers.txt")
        subprocess.run(f"shuf -i 1-{chosen.n} > {path}", shell=True, check=True)
        print_commands(path, f"-t {chosen.threads}")
    print_rates(min(chosen.n, 1_000_000))


if __name__ == "__main__":
    main()
