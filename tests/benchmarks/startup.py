"""What the start of a command takes: imports, the device, and the first use of kernels.

    python -m tests.benchmarks.startup [--backend cuda] [--repeats 5] [--cold]

Prints milliseconds of each phase, one after another in a fresh process, the least of ``--repeats`` processes; then
those of whole commands. Steps on arrays are done twice: the first loads what was compiled before, the second shows what
the work takes. ``--cold`` begins with an empty cache of compiled code, whose first process compiles.

Each phase is the time that it adds: what an earlier one has imported costs nothing. ``--beside`` opens the device in a
thread meanwhile, as commands do.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Phase = tuple[str, Callable[[], object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cold", action="store_true", help="begin with an empty cache")
    parser.add_argument("--beside", action="store_true", help="open the device beside the imports")
    parser.add_argument("--scipy", action="store_true", help="let numba import SciPy")
    parser.add_argument("--in-process", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.in_process:
        print(json.dumps(_timed(args)))
        return
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(os.environ)
        if args.cold:
            environment["DBG_CACHE_DIR"] = directory
            _print("first process, which compiles", _processes(1, environment))
        _print(f"fresh process, least of {args.repeats}", _processes(args.repeats, environment))
        _print("whole commands", _commands(args, environment, Path(directory)))


def _processes(n: int, environment: dict[str, str]) -> dict[str, float]:
    """Least milliseconds of each phase."""
    runs = []
    for _ in range(n):
        command = [sys.executable, "-m", "tests.benchmarks.startup", *sys.argv[1:], "--in-process"]
        begin = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment)
        runs.append(json.loads(done.stdout) | {"the whole process": _ms_since(begin)})
    return {name: min(run[name] for run in runs) for name in runs[0]}


def _commands(args: argparse.Namespace, environment: dict[str, str], directory: Path) -> dict[str, float]:
    """Milliseconds of commands that have next to nothing to do."""
    numbers, reads = directory / "numbers.txt", directory / "reads.fasta"
    numbers.write_text("1\n")
    reads.write_text(">one\n" + "ACGTTGCATGCCATGACTTGAC" * 4 + "\n")
    commands = {"dbg --help": ["--help"], "dbg sort": ["sort", str(numbers), "--backend", args.backend]}
    if args.backend == "cpu":
        commands["dbg count"] = ["count", "-q", str(reads)]
    found = {}
    for name, words in commands.items():
        seconds = []
        for _ in range(args.repeats + 1):
            begin = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "debruijn_gpu", *words], stdout=subprocess.DEVNULL, check=True, env=environment
            )
            seconds.append(_ms_since(begin))
        found[name] = min(seconds)
    return found


def _timed(args: argparse.Namespace) -> dict[str, float]:
    """Milliseconds of each phase of this process."""
    found = {}
    for name, work in _phases(args):
        begin = time.perf_counter()
        work()
        found[name] = _ms_since(begin)
    return found


def _phases(args: argparse.Namespace) -> Iterator[Phase]:
    """What a start consists of, in order."""
    yield _import("debruijn_gpu.cli")
    from debruijn_gpu.backends.core import startup

    if not args.scipy:
        startup.leave_out_scipy()
    cuda = args.backend == "cuda"
    if cuda and args.beside:
        startup.open_device()
    elif cuda:
        yield from _device(startup.DRIVER)
    yield _import("numpy")
    yield _import("numba")
    yield _import("debruijn_gpu.backends.cpu")
    if cuda:
        yield _import("numba.cuda")
        yield _import("cupy")
        yield _import("debruijn_gpu.backends.core.cuda.runtime")
        yield _import("debruijn_gpu.backends.cuda")
    if not args.scipy:
        yield "SciPy has been imported" if "scipy" in sys.modules else "SciPy has been left out", lambda: None
    yield from _steps(args.backend)


def _import(name: str) -> Phase:
    return f"import {name}", lambda: importlib.import_module(name)


def _device(library: str) -> Iterator[Phase]:
    """Driver and context by themselves."""
    import ctypes

    driver: Any = None

    def load() -> None:
        nonlocal driver
        driver = ctypes.CDLL(library)

    yield "load the driver", load
    yield "cuInit", lambda: driver.cuInit(0)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    driver.cuDeviceGet(ctypes.byref(device), 0)
    yield "open the context", lambda: driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)


def _steps(name: str) -> Iterator[Phase]:
    """The first uses of operations, each of them twice."""
    import numpy as np

    from debruijn_gpu import backends
    from debruijn_gpu.run.options import RunOptions

    backend: Any = None

    def load() -> None:
        nonlocal backend
        run = RunOptions(backend=name)
        backend = backends.load_cuda(run) if name == "cuda" else backends.load(run)

    yield "load the backend", load
    values: Any = None

    def move() -> None:
        nonlocal values
        values = backend.to_device(np.random.default_rng(1).integers(0, 1 << 40, 5000, np.uint64))
        backend.synchronize()

    def once(operation: Callable[[], object]) -> Callable[[], object]:
        return lambda: (operation(), backend.synchronize())

    mask: Any = None

    def compare() -> None:
        nonlocal mask
        mask = backend.arrays.matches(values, ">", 1 << 39)

    steps: dict[str, Callable[[], object]] = {
        "to the device": move,
        "sort": lambda: backend.arrays.sort(values),
        "sort with positions": lambda: backend.arrays.order_by([values]),
        "scan": lambda: backend.arrays.exclusive_scan(values),
        "sum": lambda: backend.arrays.reduce(values, "sum"),
        "greatest": lambda: backend.arrays.reduce(values, "max"),
        "compare": compare,
        "compact": lambda: backend.arrays.compact(values, mask),
        "distinct, counted": lambda: backend.arrays.distinct_counts(values),
        "histogram": lambda: backend.arrays.histogram(values, 0.0, float(1 << 40), 10),
        "to the host": lambda: backend.to_host(values),
    }
    for step, operation in steps.items():
        yield step, once(operation)
        yield f"{step}, again", once(operation)


def _ms_since(begin: float) -> float:
    return 1000 * (time.perf_counter() - begin)


def _print(heading: str, found: dict[str, float]) -> None:
    print(f"{heading}, ms")
    for name, ms in found.items():
        print(f"  {name:40}{ms:9.1f}", flush=True)


if __name__ == "__main__":
    main()
