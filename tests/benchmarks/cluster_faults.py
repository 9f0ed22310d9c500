"""Compact the reads of a genome with one process, and on workers of little memory while one is killed.

    python -m tests.benchmarks.cluster_faults [--genome 5] [--depth 30] [--workers 4] [--memory 1] [--kill shuffle]

Generates reads of 150 bp with 0.5 % substitutions in several files, runs `dbg unitigs` without and with `--dask
local:N`, and compares the bytes. A worker is killed when the log of the second run names a stage (`--kill none`: no
worker is). Prints elapsed time, CPU seconds of all processes, and the largest resident size of the command and of the
workers; fails if the bytes differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_READ_BP, _ERRORS, _AT_ONCE = 150, 0.005, 50_000
_LETTERS = np.frombuffer(b"ACGT", np.uint8)


@dataclass
class ClusterRun:
    """A run of a command and of the processes that it started.

    Attributes
    ----------
    name : str
    wall_s, cpu_s : float
    peak_bytes, worker_bytes : int
        Largest resident size of the command, and of any of its workers.
    n_killed : int
    digest : str
        SHA-256 of the result.
    stages : list of str
        Lines of the log.
    """

    name: str
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_bytes: int = 0
    worker_bytes: int = 0
    n_killed: int = 0
    digest: str = ""
    stages: list[str] = field(default_factory=list)


def write_reads(path: Path, genome: NDArray[np.uint8], n_reads: int, seed: int) -> None:
    """Write FASTQ of random reads of a genome (uint8 (n,), 0 to 3), from both strands."""
    rng = np.random.default_rng(seed)
    with open(path, "wb") as stream:
        for first in range(0, n_reads, _AT_ONCE):
            n = min(_AT_ONCE, n_reads - first)
            bases = genome[rng.integers(0, len(genome) - _READ_BP, n)[:, None] + np.arange(_READ_BP)]
            is_reverse = rng.random(n) < 0.5
            bases[is_reverse] = 3 - bases[is_reverse, ::-1]
            n_errors = rng.binomial(bases.size, _ERRORS)
            bases.reshape(-1)[rng.integers(0, bases.size, n_errors)] = rng.integers(0, 4, n_errors)
            record = np.empty((n, 14 + 2 * _READ_BP), np.uint8)
            record[:, :10] = np.frombuffer(b"".join(b"@%08d\n" % i for i in range(first, first + n)), np.uint8).reshape(
                n, 10
            )
            record[:, 10 : 10 + _READ_BP] = _LETTERS[bases]
            record[:, 10 + _READ_BP : 13 + _READ_BP] = np.frombuffer(b"\n+\n", np.uint8)
            record[:, 13 + _READ_BP : -1] = ord("I")
            record[:, -1] = ord("\n")
            stream.write(record)


def write_files(place: Path, options: argparse.Namespace) -> list[Path]:
    """Write the reads in files of equal size, by as many processes."""
    genome = np.random.default_rng(1).integers(0, 4, int(options.genome * 1e6)).astype(np.uint8)
    n_reads = int(len(genome) * options.depth / _READ_BP / options.files)
    paths = [place / f"reads_{i}.fq" for i in range(options.files)]
    with ProcessPoolExecutor(min(options.files, len(os.sched_getaffinity(0)))) as pool:
        list(pool.map(write_reads, paths, [genome] * len(paths), [n_reads] * len(paths), range(2, 2 + len(paths))))
    return paths


def run_command(name: str, arguments: list[str], output: Path, stage: str | None) -> ClusterRun:
    """Run `dbg`, and kill one of its workers when its log names a stage."""
    found, begun, before = ClusterRun(name), time.perf_counter(), os.times()
    program = [sys.executable, "-m", "debruijn_gpu", *arguments, "-o", str(output), "-v"]
    process = subprocess.Popen(program, stderr=subprocess.PIPE, text=True)
    ended = threading.Event()
    watch = threading.Thread(target=_watch, args=(process.pid, found, ended))
    watch.start()
    assert process.stderr is not None
    for line in process.stderr:
        found.stages.append(line.rstrip())
        if stage is not None and stage in line and not found.n_killed:
            os.kill(_workers(process.pid)[0], signal.SIGKILL)
            found.n_killed = 1
    if process.wait():
        sys.exit("\n".join([f"{name}: exit code {process.returncode}", *found.stages]))
    ended.set()
    watch.join()
    after = os.times()
    found.wall_s = time.perf_counter() - begun
    found.cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    found.digest = _digest(output)
    return found


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _watch(pid: int, found: ClusterRun, ended: threading.Event) -> None:
    """Measure the largest resident sizes until the command ends."""
    while not ended.wait(0.2):
        found.peak_bytes = max(found.peak_bytes, _status(pid, "VmHWM") * 1024)
        for worker in _workers(pid):
            found.worker_bytes = max(found.worker_bytes, _status(worker, "VmHWM") * 1024)


def _workers(pid: int) -> list[int]:
    """Worker processes of a command: those that Python's `multiprocessing` started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            is_worker = b"spawn_main" in path.read_bytes()
        except OSError:
            continue
        if is_worker and _status(int(path.parent.name), "PPid") == pid:
            found.append(int(path.parent.name))
    return sorted(found)


def _status(pid: int, name: str) -> int:
    """A number of ``/proc/PID/status``; 0 if the process has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(name + ":")), 0)


def runs_of(paths: list[Path], place: Path, options: argparse.Namespace) -> list[ClusterRun]:
    """Run the command alone, and on workers."""
    common = ["unitigs", *map(str, paths), "-k", "31", "--min-count", "3", "--tmp-dir", str(place), "--backend", "cpu"]
    alone = [*common, "-t", str(options.threads)]
    memory = f"{2 * options.workers * options.memory:g}G"  # half of it is the workers'
    cluster = [*common, "-t", str(options.workers), "-m", memory, "--dask", f"local:{options.workers}"]
    stage = None if options.kill == "none" else options.kill
    found = [run_command("one process", alone, place / "one.gfa", None)]
    found.append(run_command(f"{options.workers} workers", cluster, place / "cluster.gfa", stage))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--genome", type=float, default=5, help="Mbp")
    parser.add_argument("--depth", type=float, default=30)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--threads", type=int, default=4, help="of the one process")
    parser.add_argument("--memory", type=float, default=1, help="GiB of each worker")
    parser.add_argument("--kill", default="shuffle", help="text of the log at which a worker is killed, or none")
    parser.add_argument("--tmp-dir", type=Path)
    parser.add_argument("--output", type=Path, help="write JSON, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.tmp_dir) as name:
        paths = write_files(Path(name), options)
        found = runs_of(paths, Path(name), options)
    print("| run | elapsed, s | CPU, s | command, MiB | worker, MiB | killed |")
    print("|---|---|---|---|---|---|")
    for run in found:
        sizes = f"{run.peak_bytes / 2**20:,.0f} | {run.worker_bytes / 2**20:,.0f}"
        print(f"| {run.name} | {run.wall_s:.1f} | {run.cpu_s:.1f} | {sizes} | {run.n_killed} |")
    if options.output:
        options.output.write_text(json.dumps([asdict(run) for run in found], indent=2) + "\n")
    if len({run.digest for run in found}) > 1:
        sys.exit("the bytes differ")
    print("same bytes")


if __name__ == "__main__":
    main()
