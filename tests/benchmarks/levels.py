"""Time the hottest kernels of an assembly by what they were compiled for: each level of processors, and this very one.

    python -m tests.benchmarks.levels [--rounds 3] -- assemble -1 R1.fastq.gz -2 R2.fastq.gz

CPU seconds of each kernel that Python calls, the least of ``--rounds``; compiled first, into a store of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from debruijn_gpu.backends.core.cpu import levels
from tests.benchmarks.machine import machine

_N_HOTTEST = 10
FILE = "DBG_BENCH_KERNELS"
_NATIVE = "native"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("command", nargs="+", help="command line of dbg")
    options = parser.parse_args()
    here = list(levels.X86_LEVELS)[list(levels.X86_LEVELS).index(levels.level()) : -1]
    with tempfile.TemporaryDirectory() as store:
        os.environ["DBG_CACHE_DIR"] = store
        found = {level: _least(level, options.command, options.rounds) for level in [*here, _NATIVE]}
    print(f"{machine()}\n\n| kernel | {' | '.join(found)} |\n|---|{'---|' * len(found)}")
    for kernel, _ in found[here[0]].most_common(_N_HOTTEST):
        print(f"| `{kernel}` | {' | '.join(f'{times[kernel]:.2f}' for times in found.values())} |")
    print(f"| all kernels | {' | '.join(f'{sum(times.values()):.2f}' for times in found.values())} |")


def _least(level: str, command: list[str], rounds: int) -> Counter[str]:
    """Least CPU seconds by kernel."""
    runs = [_run(level, command) for _ in range(rounds + 1)][1:]  # the first one compiles
    return Counter({kernel: min(run.get(kernel, 0.0) for run in runs) for kernel in runs[0]})


def _run(level: str, command: list[str]) -> dict[str, float]:
    """CPU seconds by kernel of one run, with code for a level alone."""
    chosen = {"DBG_CPU_LEVEL": level} if level != _NATIVE else {}
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "times.json"
        if level == _NATIVE:
            warm_up = [sys.executable, "-m", "debruijn_gpu", "warmup", "-q", "--native", "--backend", "cpu", command[0]]
            subprocess.run(warm_up, check=True)
        arguments = [sys.executable, "-m", "tests.benchmarks.levels_timed", *command, "-q", "-o", f"{directory}/out"]
        subprocess.run(arguments, check=True, env=os.environ | chosen | {FILE: str(file)})
        return dict(json.loads(file.read_text()))


def time_kernels() -> Counter[str]:
    """Add up the CPU seconds of each kernel that is called from Python, from now on."""
    from debruijn_gpu.backends.core.cpu.decorators import Kernel

    seconds: Counter[str] = Counter()
    call = Kernel.__call__

    def timed(self: Kernel, *args: object) -> object:
        begin = time.thread_time()
        result = call(self, *args)
        name = f"{self.__module__.removeprefix('debruijn_gpu.backends.')}.{self.__name__}"
        seconds[name] += time.thread_time() - begin
        return result

    Kernel.__call__ = timed  # type: ignore[method-assign]
    return seconds


if __name__ == "__main__":
    main()
