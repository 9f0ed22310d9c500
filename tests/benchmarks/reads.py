"""How fast reads become k-mers and contigs on a GPU, beside the CPU cores of the same machine.

    python -m tests.benchmarks.reads [--reference genome.fasta] [--only count] [--huge] [--repeats 3]

Reads are simulated, of the reference (REFERENCE) or of a random genome: pairs of 150 bases, 100-fold for counting and
60-fold for assembly. Rows "in memory" are best of ``--repeats`` calls after one to warm up, from text in memory of the
host, or packed reads on the device, to sorted counts on the device. Rows of commands are whole processes from start to
exit, with compiled kernels and files in the page cache, and what each stage took of the best. Peers (KMC, BCALM 2,
Minia) run on the same files where they are on PATH. ``--huge`` counts the 31-mers of a random genome of 3 Gbp at depth
10.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from xopen import xopen

from debruijn_gpu import backends
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.io.fastx.records import read_records
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.options import RunOptions
from tests.benchmarks.measure import Run, measure, stage_times
from tests.benchmarks.tasks import ASSEMBLY_JOB, COUNT_JOB, DBG, UNITIG_JOB, peer_tasks, program_version

COUNT_DEPTH, ASSEMBLY_DEPTH = 100, 60
ROOT = Path(__file__).resolve().parents[2]
RANDOM_BP = 4_600_000
HUGE_BP, HUGE_PARTS = 3_000_000_000, 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("REFERENCE") or None
    parser.add_argument("--reference", type=lambda text: Path(text).resolve(), default=default, metavar="FILE")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--backends", nargs="+", default=["cuda", "cpu"])
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose name has one of these in it")
    parser.add_argument("--huge", action="store_true", help="nothing but the large genome")
    parser.add_argument("--work", type=Path, help="where to put reads and results")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dbg-bench-", dir=options.work) as work:
        rows = huge_rows(options, Path(work)) if options.huge else all_rows(options, Path(work))
        for name, unit, n_items, seconds in rows:
            rate = f"{n_items / seconds / 1e9:8.3f} G {unit}/s" if n_items else ""
            print(f"{name:64} {seconds:9.3f} s {rate}", flush=True)


Row = tuple[str, str, int, float]


def all_rows(options: argparse.Namespace, work: Path) -> Iterator[Row]:
    """What is measured on two sets of reads."""
    options.reference = options.reference or _random_genome(work / "genome.fa")
    wanted = lambda name: any(part in name for part in options.only)  # noqa: E731
    if any(map(wanted, ("in memory", "count"))):
        deep = simulated(options.reference, COUNT_DEPTH, work / "deep")
        if wanted("in memory") and "cuda" in options.backends:
            yield from memory_rows(deep, options)
        if wanted("count"):
            plain, zipped = ([str(path) for path in reads] for reads in deep)
            arguments = ["-k", "31", "--min-count", "2", "-o", "x.npz"]
            yield from command_rows("count, k = 31, plain", ["count", *arguments, *plain], options, work)
            yield from command_rows("count, k = 31, gz", ["count", *arguments, *zipped], options, work)
            spectrum = ["spectrum", "-k", "21", "-o", "x.hist", *plain]
            yield from command_rows("count: spectrum, k = 21, plain", spectrum, options, work)
            yield from peer_rows(deep, (COUNT_JOB,), options, work)
    if wanted("assemble"):
        reads = simulated(options.reference, ASSEMBLY_DEPTH, work / "reads")
        for kind, pair in zip(("plain", "gz"), reads, strict=True):
            mates = ["-1", str(pair[0]), "-2", str(pair[1]), "-o", "out"]
            yield from command_rows(
                f"assemble, k = 63, {kind}", ["assemble", "-k", "63", *mates], options, work, "out/assembly_graph.gfa"
            )
        mates = ["-1", str(reads[0][0]), "-2", str(reads[0][1]), "-o", "out"]
        yield from command_rows(
            "assemble, k auto, plain", ["assemble", *mates], options, work, "out/assembly_graph.gfa"
        )
        few = ["assemble", "-k", "63", "--gpu-memory", "1G", *mates]
        yield from command_rows("assemble, k = 63, plain, 1 GiB", few, options, work, "out/assembly_graph.gfa")
        tigs = ["unitigs", "-k", "31", "--min-count", "3", "--no-clean", "-o", "u.fa", *map(str, reads[0])]
        yield from command_rows("assemble: unitigs, k = 31, plain", tigs, options, work, "u.fa")
        yield from peer_rows(reads, (UNITIG_JOB, ASSEMBLY_JOB), options, work)


def _random_genome(path: Path) -> Path:
    """A genome of the size of a bacterium's, in a file."""
    codes = np.random.default_rng(1).integers(0, 4, RANDOM_BP)
    path.write_bytes(b">random\n" + np.frombuffer(b"ACGT", np.uint8)[codes].tobytes() + b"\n")
    return path


def simulated(reference: Path, depth: int, directory: Path) -> tuple[list[Path], list[Path]]:
    """Pairs of reads, plain and gzipped: several processes simulate a share of the depth each."""
    directory.mkdir()
    n_parts = len(os.sched_getaffinity(0))
    command = [*DBG, "simulate", str(reference), "--circular", "--paired", "--depth", str(depth / n_parts), "-q"]
    parts = [
        subprocess.Popen([*command, "--seed", str(part), "-o", f"part{part}"], cwd=directory) for part in range(n_parts)
    ]
    if any(part.wait() for part in parts):
        sys.exit("reads could not be simulated")
    with ThreadPoolExecutor(2) as pool:
        pairs = list(pool.map(lambda mate: _concatenated(directory, mate, n_parts), (1, 2)))
    return [plain for plain, _ in pairs], [zipped for _, zipped in pairs]


def _concatenated(directory: Path, mate: int, n_parts: int) -> tuple[Path, Path]:
    """The parts of one mate in one file, plain and gzipped; both are in the page cache then."""
    plain, zipped = directory / f"reads_R{mate}.fastq", directory / f"reads_R{mate}.fastq.gz"
    with open(plain, "wb") as text, xopen(zipped, "wb", compresslevel=1, threads=0) as packed:
        for part in range(n_parts):
            path = directory / f"part{part}_R{mate}.fastq.gz"
            with xopen(path, "rb", threads=0) as source:
                while block := source.read(1 << 22):
                    text.write(block)
                    packed.write(block)
            path.unlink()
    return plain, zipped


def best_of(work: Callable[[], Any], repeats: int, synchronize: Callable[[], None]) -> float:
    """Least time of several calls, after one that is not counted."""
    times = []
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        work()
        synchronize()
        times.append(time.perf_counter() - begin)
    return min(times[1:])


def memory_rows(reads: tuple[list[Path], list[Path]], options: argparse.Namespace) -> Iterator[Row]:
    """Text in memory of the host to counts on the device, and packed reads on the device to counts."""
    run = RunOptions(backend="cuda", threads=options.threads)
    cuda = backends.load_cuda(run)
    inputs = ReadInputs(single=tuple(map(str, reads[0])))
    texts = [
        found.text[: found.parsed.n_consumed]
        for path in inputs.paths
        for found in read_records(path, cuda, cuda.reads.block_bytes, 1)
    ]
    n_bytes = sum(map(len, texts))

    def parse() -> list[ReadBatch]:
        parsed = (cuda.reads.parse_reads(text, True, True) for text in texts)
        return [ReadBatch(found.bases, found.offsets, found.ambiguous_positions) for found in parsed]

    seconds = best_of(parse, options.repeats, cuda.synchronize)
    yield "in memory: text to packed reads", "bytes", n_bytes, seconds
    whole = lambda: count_kmers(parse(), CountOptions(k=31, min_count=2), run, cuda)  # noqa: E731
    seconds = best_of(whole, options.repeats, cuda.synchronize)
    yield "in memory: text to sorted counts, k = 31", "bytes", n_bytes, seconds
    batches = parse()
    for k in (31, 63, 95, 127, 191):
        counted: list[Any] = []

        def count(k: int = k, counted: list[Any] = counted) -> None:
            counted[:] = [count_kmers(batches, CountOptions(k=k, min_count=2), run, cuda)]

        seconds = best_of(count, options.repeats, cuda.synchronize)
        yield f"in memory: packed reads to sorted counts, k = {k}", "k-mers", counted[0].n_kmers, seconds
        counted.clear()


def command_rows(
    name: str, command: list[str], options: argparse.Namespace, work: Path, result: str = ""
) -> Iterator[Row]:
    """A command on each backend; what it writes must be the same."""
    written: dict[str, bytes] = {}
    for backend in options.backends:
        directory = work / "run"
        runs = [
            _checked([*DBG, *command, "-v", "-t", str(options.threads), "--backend", backend], directory)
            for _ in range(options.repeats + 1)
        ]
        best = min(runs[1:], key=lambda run: run.wall_s)
        yield f"{name}, {backend}", "", 0, best.wall_s
        print(f"    {best.cpu_s:.1f} CPU s; " + "; ".join(f"{s.name} {s.wall_s:g}" for s in stage_times(best.text)))
        if result:
            written[backend] = (directory / result).read_bytes()
        shutil.rmtree(directory)
    if len(set(written.values())) > 1:
        sys.exit(f"{name}: the backends give different bytes")


def peer_rows(
    reads: tuple[list[Path], list[Path]], jobs: tuple[str, ...], options: argparse.Namespace, work: Path
) -> Iterator[Row]:
    """Other programs at these jobs, once each."""
    for kind, files in zip(("plain", "gz"), reads, strict=True):
        tasks, missing = peer_tasks(files, options.threads, work)
        for task in tasks:
            if task.job in jobs:
                run = _checked(list(task.command), work / "run")
                yield f"{task.job}, {kind}, {task.program}", "", 0, run.wall_s
                print(f"    {run.cpu_s:.1f} CPU s; {run.peak_bytes >> 20:,} MiB; {program_version(task.program)}")
    if missing:
        print(f"    not on PATH: {', '.join(missing)}")


def _checked(command: list[str], directory: Path) -> Run:
    shutil.rmtree(directory, ignore_errors=True)
    run = measure(command, directory)
    if run.exit_code:
        sys.exit(f"{' '.join(command)}\nended with {run.exit_code}:\n{run.text[-2000:]}")
    return run


def huge_rows(options: argparse.Namespace, work: Path) -> Iterator[Row]:
    """A genome of the size of a mammal's, at low depth, in as many files as there are processes to write them."""
    files = [work / f"{part}.fa" for part in range(HUGE_PARTS)]
    make = [sys.executable, "-m", "tests.benchmarks.big_reads", "--genome", str(HUGE_BP)]
    begin = time.perf_counter()
    writers = []
    for part, path in enumerate(files):
        with open(path, "wb") as file:
            writers.append(subprocess.Popen([*make, "--part", f"{part + 1}/{HUGE_PARTS}"], cwd=ROOT, stdout=file))
    if any(writer.wait() for writer in writers):
        sys.exit("reads could not be written")
    print(f"{sum(path.stat().st_size for path in files):,} bytes written in {time.perf_counter() - begin:.0f} s")
    command = ["spectrum", "-k", "31", "-v", "-o", "x.hist", *map(str, files)]
    for backend in options.backends:
        run = _checked([*DBG, *command, "-t", str(options.threads), "--backend", backend], work / "run")
        print(run.text)
        print(f"peak memory of the host {run.peak_bytes / 2**30:.1f} GiB")
        yield f"spectrum, k = 31, 3 Gbp at depth 10, {backend}", "", 0, run.wall_s


if __name__ == "__main__":
    main()
