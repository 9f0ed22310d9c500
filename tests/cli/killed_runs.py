"""Kill runs of `dbg assemble` at random moments, and continue them: ``python -m tests.cli.killed_runs``.

Runs are forked from one process, which has imported all modules, so that fifty of them take seconds. Moments are
numbered: calls and returns of Python functions and built-in ones in the main thread, or operations that change files.
The result is printed as one JSON object per line.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

import debruijn_gpu.pairs.contigs
import debruijn_gpu.pairs.resolution
import debruijn_gpu.pipeline
import debruijn_gpu.reports.making  # noqa: F401
from debruijn_gpu.cli import main
from debruijn_gpu.run.tuning import tuned

#: Results that hold times and paths
FREE = {"dbg.log", "run.json", "report.html"}
KINDS = ("calls", "files")
_OPERATIONS = {
    *("open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "shutil.rmtree"),
    "fcntl.flock",
}
_LEAST_MOMENTS = 50  # less than of any run, however early it fails


def run(arguments: list[str], kind: str = "", last: int = 0) -> tuple[int, int]:
    """Run a command in a child that kills itself at a moment; return exit code, or -9, and the moments it counted."""
    results, result = os.pipe()
    child = os.fork()
    if not child:
        code = 99
        try:
            code = _counted(arguments, kind, last, result)
        finally:
            os._exit(code)
    os.close(result)
    with open(results, "rb") as stream:
        n_moments = int(stream.read() or b"0")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), n_moments


def _counted(arguments: list[str], kind: str, last: int, result: int) -> int:
    n = 0

    def count(*_event: object) -> None:
        nonlocal n
        n += 1
        if n == last:
            os.kill(os.getpid(), signal.SIGKILL)

    if kind == "calls":
        sys.setprofile(count)
    elif kind == "files":
        sys.addaudithook(lambda event, _arguments: count() if event in _OPERATIONS else None)
    code = 0
    try:
        main(arguments)
    except SystemExit as end:
        code = int(end.code or 0)
    sys.setprofile(None)
    os.write(result, b"%d" % n)
    return code


def digests(directory: Path) -> dict[str, str]:
    """SHA-256 of the results that depend on input and options alone, and the names of all other files."""
    return {
        path.name: "" if path.name in FREE or path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in directory.iterdir()
    }


def _resumed(rng: random.Random) -> list[str]:
    """Options of a run that continues, with other threads and memory."""
    return ["--continue", "--threads", rng.choice("12"), "--memory", rng.choice(("0.5", "300M"))]


def _partitions(n_partitions: int, rng: random.Random) -> int:
    """Partitions of a run that continues, as if it had more or less memory."""
    return rng.choice((0, n_partitions, n_partitions + 3)) if n_partitions else 0


def stories(
    arguments: list[str], place: Path, n_stories: int, seed: int, most_kills: int, n_partitions: int = 0
) -> None:
    """Kill runs once or more often, and continue until they end; print what happened and the digests in the end.

    The k-mer graph is built in partitions, if their number is given; runs that continue take others, or none.
    """
    rng = random.Random(seed)
    with suppress(SystemExit):
        main([*arguments, "-o", str(place / "parent")])  # loads modules and kernels, which children share
    assert threading.active_count() == 1
    with tuned(partitions=n_partitions):
        moments = {kind: run([*arguments, "-o", str(place / kind)], kind)[1] for kind in KINDS}
    for number in range(n_stories):
        outdir, kind, kills, codes = place / str(number), KINDS[number % len(KINDS)], [], []
        command = [*arguments, "-o", str(outdir)]
        for _ in range(rng.randint(1, most_kills)):
            last = rng.randrange(1, moments[kind] if not kills else max(_LEAST_MOMENTS, moments[kind] // 2))
            with tuned(partitions=_partitions(n_partitions, rng) if kills else n_partitions):
                code, _n = run([*command, *_resumed(rng)] if kills else command, kind, last)
            kills.append(last)
            codes.append(code)
        with tuned(partitions=_partitions(n_partitions, rng)):
            codes.append(run([*command, *_resumed(rng)])[0])
        story = {"kind": kind, "kills": kills, "codes": codes, "digests": digests(outdir)}
        story["resumed"] = json.loads((outdir / "run.json").read_text())["resumed"] if codes[-1] == 0 else None
        print(json.dumps(story), flush=True)
        shutil.rmtree(outdir)


if __name__ == "__main__":
    stories(json.loads(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:]))
