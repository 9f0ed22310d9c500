"""Make the manifest of kernels anew: ``python -m tests.kernels.record cpu|cuda|simulator``, or ``make kernels``.

Runs all commands of `scenarios`, each in a process of its own that notes which kernels it asks for. Rows of the other
backend stay as they are. ``cuda`` needs a GPU; ``simulator`` adds kernels that only tests reach, which belong to no
command: they are compiled for wheels and by ``dbg warmup --all``.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from debruijn_gpu.backends.core import kernel_names, kernel_store, manifest
from debruijn_gpu.backends.core.deferred import Function
from debruijn_gpu.backends.core.manifest import Row
from tests.cli.forty_commands import COMMANDS, ON_CPU_ALONE
from tests.kernels import scenarios

ROOT = Path(__file__).parents[2]
_FILE = "DBG_TEST_KERNELS"
_NOT_KEPT = "DBG_TEST_NOT_KEPT"
_WITHOUT_BACKEND = ("simulate", "stats", "report", "draw", "doctor")


def note(function: Function, signature: str) -> None:
    """Append a kernel to the file that the environment names."""
    found = kernel_names.name(function)
    if found is None:
        raise LookupError(f"{function.py_func.__qualname__} is in no module of the backends")
    backend = "cuda" if ".cuda." in f".{found[0]}." else "cpu"
    with open(os.environ[_FILE], "a") as stream:
        stream.write("\t".join((backend, *found, signature)) + "\n")


def note_not_kept(function: Function, error: Exception) -> None:
    """Append a kernel that cannot be kept to the file that the environment names, and why."""
    with open(os.environ[_NOT_KEPT], "a") as stream:
        stream.write(f"{function.py_func.__module__}.{function.py_func.__qualname__}: {error}\n")


def run(arguments: list[str]) -> None:
    """Run a command, and note its kernels."""
    from debruijn_gpu import cli

    kernel_store.on_use, kernel_store.on_not_kept = note, note_not_kept
    cli.main(arguments)


def record(backend: str, directory: Path) -> list[tuple[str, list[Row]]]:
    """Run all commands; return the scenario and the kernels of each.

    Raises
    ------
    SystemExit
        If a kernel cannot be kept: every process of every user would compile it.
    """
    (directory / "data").symlink_to(ROOT / "data")
    scenarios.write_inputs(directory)
    (directory / "not_kept.txt").write_text("")
    runs: list[Future[tuple[str, list[Row]]]] = []
    last: dict[str, Future[tuple[str, list[Row]]]] = {}  # that writes what begins with a name
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        for number, line in enumerate(scenarios.commands()):
            needed = [run for name, run in last.items() if name in line]
            runs.append(pool.submit(_record_one, backend, directory, line, f"used-{number}.tsv", needed))
            last |= dict.fromkeys(_made_by(line), runs[-1])
    if refused := sorted(set((directory / "not_kept.txt").read_text().splitlines())):
        sys.exit("kernels that would be compiled in each process:\n" + "\n".join(refused))
    return [run.result() for run in runs]


def _made_by(line: str) -> list[str]:
    """Names, without endings, of what a command writes."""
    command, _, output = line.partition(" > ")
    words = shlex.split(command)
    made = [word for option, word in pairwise(words) if option in ("-o", "--save-index", "--report")]
    return [name.split(".")[0] for name in [*made, *filter(None, [output])]]


def _record_one(
    backend: str, directory: Path, line: str, noted: str, needed: list[Future[tuple[str, list[Row]]]]
) -> tuple[str, list[Row]]:
    """Run a command when those that write its inputs have ended."""
    wait(needed)
    command, _, output = line.partition(" > ")
    arguments = shlex.split(command)
    if backend == "cuda" and _runs_on_gpu(command, arguments):
        arguments += ["--backend", "cuda"]
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": paths, _FILE: str(directory / noted)}
    environment[_NOT_KEPT] = str(directory / "not_kept.txt")
    (directory / noted).write_text("")
    result = subprocess.run(
        [sys.executable, "-m", "tests.kernels.record", "run", *arguments],
        cwd=directory, env=environment, capture_output=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if output:
        (directory / output).write_bytes(result.stdout)
    if result.returncode:
        print(f"dbg {command}: exit code {result.returncode}: {result.stderr.decode()[-300:]}", file=sys.stderr)
    used = dict.fromkeys((directory / noted).read_text().splitlines())
    return scenarios.scenario_of(arguments), [Row(*kernel.split("\t")) for kernel in used]


def record_simulated(directory: Path, tests: Sequence[str] = ()) -> list[Row]:
    """Run tests in the simulator, all by default; return their kernels, of no scenario."""
    noted = directory / "used.tsv"
    noted.write_text("")
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", _FILE: str(noted)}
    options = ["-q", "-m", "simulator", "-p", "tests.kernels.simulated", "-n", "auto"]
    subprocess.run([sys.executable, "-m", "pytest", *options, *tests], cwd=ROOT, env=environment, check=False)
    rows = [Row(*kernel.split("\t")) for kernel in set(noted.read_text().splitlines())]
    return sorted(
        {wide for row in rows for wide in of_all_widths(row)}, key=lambda row: (row.module, row.path, row.signature)
    )


def of_all_widths(row: Row) -> list[Row]:
    """The same kernel for k-mers of each number of words, if it is made for one."""
    widths = range(1, len(scenarios.K_OF_WORDS) + 1)
    name, is_family, rest = row.path.partition("(")
    rest = rest.partition(")")[2]
    return [replace(row, path=f"{name}({n}){rest}") for n in widths] if is_family else [row]


def _runs_on_gpu(line: str, arguments: list[str]) -> bool:
    on_cpu = {COMMANDS[name].split("{out}")[0] for name in ON_CPU_ALONE}
    return arguments[0] not in _WITHOUT_BACKEND and not any(line.startswith(start) for start in on_cpu)


def merged(recorded: list[tuple[str, list[Row]]]) -> list[Row]:
    """Each kernel once, in the order of first use, with all its scenarios."""
    used: dict[Row, set[str]] = {}
    for scenario, rows in recorded:
        for row in rows:
            used.setdefault(row, set()).add(scenario)
    return [Row(row.backend, row.module, row.path, row.signature, frozenset(names)) for row, names in used.items()]


def main(arguments: list[str]) -> None:
    """Write the manifest anew, or run a command for that."""
    what, *rest = arguments
    if what == "run":
        run(rest)
        return
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        rows = record_simulated(directory) if what == "simulator" else merged(record(what, directory))
    backend = "cpu" if what == "cpu" else "cuda"
    before = manifest.read()
    rows = [row for row in rows if row.backend == backend]
    others = [row for row in before if row.backend != backend]
    if backend == "cuda":
        rows = joined(rows, before) if what == "cuda" else joined([row for row in before if row.scenarios], rows)
    manifest.write([*rows, *others] if backend == "cpu" else [*others, *rows])
    print(f"{len(rows)} kernels of {backend}, {len(others)} others")


def joined(of_commands: list[Row], of_tests: list[Row]) -> list[Row]:
    """Rows of CUDA: those of commands, then those that only tests reach, as those for huge inputs, of no scenario."""
    of_commands = [row for row in of_commands if row.backend == "cuda"]
    keys = {replace(row, scenarios=frozenset()) for row in of_commands}
    bare = dict.fromkeys(replace(row, scenarios=frozenset()) for row in of_tests if row.backend == "cuda")
    return [*of_commands, *(row for row in bare if row not in keys)]


if __name__ == "__main__":
    main(sys.argv[1:])
