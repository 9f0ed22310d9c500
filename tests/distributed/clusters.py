"""Schedulers and workers of Dask in processes of this machine, and commands that use them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import distributed
from distributed.utils import json_load_robust

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
RANGE_BYTES = 100_000
PROGRAM = f"""
import sys
from debruijn_gpu.cli import main
from debruijn_gpu.run.tuning import tuned
if __name__ == "__main__":
    with tuned(range_bytes={RANGE_BYTES}):
        main(sys.argv[1:])
"""
#: Runs a command for each line of standard input, in which tabs separate words; fails with the first that fails
PROGRAM_OF_LINES = f"""
import sys
from debruijn_gpu.cli import main
from debruijn_gpu.run.tuning import tuned
if __name__ == "__main__":
    with tuned(range_bytes={RANGE_BYTES}):
        for line in sys.stdin.read().splitlines():
            try:
                main(line.split("\\t"))
            except SystemExit as end:
                if end.code:
                    print(line, file=sys.stderr)
                    raise
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])}
PATIENCE_S = 120
#: What a worker does before it works
PRELOADS = {
    "scratch": "import debruijn_gpu.distributed.held as held\nheld._SHARE = 0\n",
    "full disk": (
        "import resource\nimport debruijn_gpu.distributed.held as held\nheld._SHARE = 0\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
    ),
    "slow": (
        "import functools, time\nimport debruijn_gpu.distributed.tasks as tasks\n"
        "def slowed(function):\n"
        "    @functools.wraps(function)\n"
        "    def work(*arguments):\n"
        "        time.sleep(1)\n"
        "        print('slow', function.__name__, flush=True)\n"
        "        return function(*arguments)\n"
        "    return work\n"
        "for name in ('split', 'count', 'scatter', 'apply'):\n"
        "    if not hasattr(getattr(tasks, name), '__wrapped__'):\n"
        "        setattr(tasks, name, slowed(getattr(tasks, name)))\n"
    ),
    "old": "import debruijn_gpu.version as version\nversion.__version__ = '0.0.1'\n",
}


class Cluster:
    """A scheduler and its workers, which are given up when they have been silent for some seconds.

    The scheduler takes a free port, and writes its address into a file. A port that was free before may be taken by a
    client that is earlier than the scheduler: connected to itself, it waits for an answer.
    """

    def __init__(self, place: Path, host: str = "127.0.0.1", silence_s: int = PATIENCE_S) -> None:
        self.place = place
        self._environment = {**ENVIRONMENT, "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": f"{silence_s}s"}
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self._file = ["--scheduler-file", str(place / "scheduler.json")]
        arguments = ["--host", f"tcp://{host}", "--port", "0", *self._file]
        self.scheduler = self._start("dask_scheduler", *arguments, "--no-dashboard")

    @cached_property
    def address(self) -> str:
        """Wait for the address of the scheduler."""
        return str(json_load_robust(self._file[1], timeout=PATIENCE_S)["address"])

    def _start(self, module: str, *arguments: str, way: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        program = [*way, sys.executable, "-m", f"distributed.cli.{module}", *arguments]
        with open(self.place / f"{module}.log", "ab") as log:
            return subprocess.Popen(program, env=self._environment, cwd=self.place, stdout=log, stderr=log)

    def add(self, name: str, preload: str = "", way: Sequence[str] = ()) -> None:
        """Start a worker without a process that would start it again, perhaps by another program."""
        more = []
        if preload:
            path = self.place / f"{name}.py"
            path.write_text(PRELOADS[preload])
            more = ["--preload", str(path)]
        options = ["--no-nanny", "--no-dashboard", "--nthreads", "1", "--memory-limit", "1GiB", "--name", name]
        directory = ["--local-directory", str(self.place)]
        self.workers[name] = self._start("dask_worker", *self._file, *options, *directory, *more, way=way)

    def ready(self) -> str:
        """Wait until the workers have joined; return the address of the scheduler."""
        with distributed.Client(self.address, timeout=PATIENCE_S) as client:
            client.wait_for_workers(len(self.workers), timeout=PATIENCE_S)
        return self.address

    def wait_for_tasks(self, name: str) -> None:
        """Wait until the scheduler has given tasks to a worker."""
        deadline = time.monotonic() + PATIENCE_S
        with distributed.Client(self.address, timeout=PATIENCE_S) as client:
            workers = client.scheduler_info(n_workers=-1)["workers"]
            (address,) = (address for address, worker in workers.items() if worker["id"] == name)
            while not client.processing()[address]:
                assert time.monotonic() < deadline, f"{name} gets no tasks"
                time.sleep(0.05)

    def close(self) -> None:
        for process in (*self.workers.values(), self.scheduler):
            process.kill()
            process.wait()


def started(arguments: list[str], place: Path) -> subprocess.Popen[str]:
    program = [sys.executable, "-c", PROGRAM, *arguments, "--backend", "cpu"]
    return subprocess.Popen(
        program, env=ENVIRONMENT, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(arguments: list[str], place: Path) -> tuple[int, str]:
    process = started(arguments, place)
    _out, errors = process.communicate(timeout=PATIENCE_S)
    return process.returncode, errors


def run_all(lines: list[list[str]], place: Path) -> tuple[int, str]:
    """Run commands one after another in one process; its exit code and standard error."""
    text = "".join("\t".join([*line, "--backend", "cpu"]) + "\n" for line in lines)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM_OF_LINES],
        env=ENVIRONMENT, cwd=place, input=text, capture_output=True, text=True, check=False, timeout=2 * PATIENCE_S,
    )  # fmt: skip
    return done.returncode, done.stderr


def digests(place: Path) -> dict[str, str]:
    free = {"dbg.log", "report.html", "run.json"}
    paths = [path for path in sorted(place.rglob("*")) if path.is_file() and path.name not in free]
    return {str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def matches(place: Path, expected: dict[str, str]) -> bool:
    found = digests(place)
    return bool(found) and found == {name: expected[name] for name in found}


def wait_for(process: subprocess.Popen[str], text: str) -> str:
    """Read the log of a command until a line of it holds a text."""
    assert process.stderr is not None
    seen = ""
    while text not in seen:
        line = process.stderr.readline()
        assert line, seen
        seen += line
    return seen
