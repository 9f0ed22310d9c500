"""Time, CPU seconds and memory of `dbg`, beside other programs where they are installed.

    python tests/benchmarks/run.py --reads-1 R1.fastq.gz --reads-2 R2.fastq.gz --reference genome.fasta

Without reads they are simulated: from the reference at 60-fold depth, or else from data/phix174 until there are 20
million bases. Every program runs in a process and a directory of its own, one after the other, in rounds; a row shows
the fastest round. The first run of dbg is measured apart, with a cache of its own: it compiles.
Writes results.json and results.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import quality
import table
from machine import commit, machine
from measure import Run, measure, stage_times
from tasks import ASSEMBLY_JOB, DBG, PEERS, UNITIG_JOB, UNITIG_K, Task, dbg_tasks, peer_tasks, program_version

from debruijn_gpu import __version__

ROOT = Path(__file__).resolve().parents[2]
PHAGE = ROOT / "data"
PHAGE_DEPTH, GENOME_DEPTH = 3700, 60
HELP_ROUNDS = 5


def main() -> None:
    options = parse()
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="dbg-bench-", dir=options.work) as work:
        bench = Bench(options, Path(work))
        results = {"machine": machine(), "versions": versions(options.peers), "threads": options.threads, **bench.run()}
    table.write(results, options.output)
    say(f"results are in {options.output / 'results.md'} and results.json")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    named = {name: os.environ.get(name) or None for name in ("READS_1", "READS_2", "REFERENCE", "QUAST")}
    path = {"type": lambda text: Path(text).resolve(), "metavar": "FILE"}
    parser.add_argument("--reads-1", default=named["READS_1"], help="reads, or first mates (READS_1)", **path)
    parser.add_argument("--reads-2", default=named["READS_2"], help="second mates (READS_2)", **path)
    parser.add_argument("--reference", default=named["REFERENCE"], help="the genome (REFERENCE)", **path)
    parser.add_argument("--quast", default=named["QUAST"], help="quast.py, if not on PATH (QUAST)", metavar="FILE")
    parser.add_argument("--threads", type=int, default=2, help="of every program (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="of every program (%(default)s)")
    parser.add_argument("--no-cold", dest="cold", action="store_false", help="leave the compiling first run out")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="measure dbg only")
    parser.add_argument("--work", type=Path, help="where to put temporary files")
    parser.add_argument("--output", type=Path, default=ROOT / "bench", help="where to put the results (bench)")
    options = parser.parse_args()
    if options.reads_2 and not options.reads_1:
        parser.error("--reads-2 without --reads-1")
    return options


class Bench:
    """All measurements on one data set.

    Parameters
    ----------
    options : argparse.Namespace
    work : Path
        For everything that is temporary; compiled code of dbg goes there too.
    """

    def __init__(self, options: argparse.Namespace, work: Path) -> None:
        self.options = options
        self.work = work
        self.environment = dict(os.environ)

    def run(self) -> dict[str, Any]:
        """Measure everything."""
        reads = self._reads()
        tasks = dbg_tasks(reads, self.options.threads)
        missing: list[str] = []
        if self.options.peers:
            peers, missing = peer_tasks(reads, self.options.threads, self.work)
            tasks = sorted(tasks + peers, key=lambda task: [mine.job for mine in tasks].index(task.job))
        for program in missing:
            say(f"{program} is not on PATH: skipped")
        for path in reads:
            with open(path, "rb") as file, open(os.devnull, "wb") as nowhere:
                shutil.copyfileobj(file, nowhere)  # into the page cache, for the first program as for the others
        cold = [self._cold(task) for task in tasks if task.program == "dbg"] if self.options.cold else []
        best = self._rounds(tasks)
        assemblies, unitigs = self._sequences(tasks, ASSEMBLY_JOB), self._sequences(tasks, UNITIG_JOB)
        return {
            "data": self._describe(reads),
            "skipped": missing,
            "runs": [{"job": task.job, "program": task.program, **best[task].figures()} for task in tasks],
            "first_runs": cold,
            "small": self._small(),
            "stages": {task.job: stage_times(best[task].text) for task in tasks if task.program == "dbg"},
            "unitigs": quality.compare_unitigs(unitigs, UNITIG_K),
            "quality": quality.judge(assemblies, self.options, self.work),
        }

    def _reads(self) -> list[Path]:
        if self.options.reads_1:
            return [path for path in (self.options.reads_1, self.options.reads_2) if path]
        genome = self.options.reference or PHAGE / "phix174_J02482.fa"
        depth = GENOME_DEPTH if self.options.reference else PHAGE_DEPTH
        self.options.reference = genome
        say(f"simulating reads of {genome.name}, {depth}-fold")
        command = [*DBG, "simulate", str(genome), "--circular", "--paired", "--depth", str(depth), "-o", "reads"]
        self._checked("simulate", command, self.work)
        return [self.work / "reads_R1.fastq.gz", self.work / "reads_R2.fastq.gz"]

    def _describe(self, reads: list[Path]) -> dict[str, Any]:
        reference = self.options.reference
        return {
            "reads": [path.name for path in reads],
            "reads_bytes": sum(path.stat().st_size for path in reads),
            "simulated": not self.options.reads_1,
            "reference": reference.name if reference else None,
        }

    def _cold(self, task: Task) -> dict[str, Any]:
        """The first run ever of a command: everything is compiled."""
        with tempfile.TemporaryDirectory(dir=self.work) as cache:
            run = self._measured(task, {**self.environment, "DBG_CACHE_DIR": cache}, " (first run)")
        return {"job": task.job, **run.figures()}

    def _rounds(self, tasks: list[Task]) -> dict[Task, Run]:
        """The fastest run of each task; rounds, so that a busy minute of the machine strikes all alike."""
        best: dict[Task, Run] = {}
        for number in range(self.options.rounds):
            for task in tasks:
                run = self._measured(task, self._warm, f" ({number + 1} of {self.options.rounds})")
                if "compiling (" in run.text:
                    run = self._measured(task, self._warm, " (again: it compiled)")
                if task not in best or run.wall_s < best[task].wall_s:
                    best[task] = run
        return best

    @property
    def _warm(self) -> dict[str, str]:
        return {**self.environment, "DBG_CACHE_DIR": str(self.work / "cache")}

    def _small(self) -> dict[str, Any]:
        """How long the smallest things take: help, and a phage from nothing and with compiled code."""
        reads = ["-1", str(PHAGE / "phix174_R1.fastq.gz"), "-2", str(PHAGE / "phix174_R2.fastq.gz")]
        phage = [*DBG, "assemble", "-t", str(self.options.threads), *reads, "-o", "phage", "--force"]
        fresh = {**self.environment, "DBG_CACHE_DIR": str(self.work / "phage-cache")}
        helps = [self._checked("help", [*DBG, "--help"], self.work / "help") for _ in range(HELP_ROUNDS)]
        first = self._checked("assemble a phage, first run", phage, self.work / "phage", fresh)
        later = [self._checked("assemble a phage", phage, self.work / "phage", fresh) for _ in range(HELP_ROUNDS)]
        return {
            "dbg --help": fastest(helps).figures(),
            "assemble a phage, first run": first.figures(),
            "assemble a phage": fastest(later).figures(),
        }

    def _sequences(self, tasks: list[Task], job: str) -> dict[str, Path]:
        """What each program wrote in its last round of a job."""
        return {task.program: self._directory(task) / task.sequences for task in tasks if task.job == job}

    def _directory(self, task: Task) -> Path:
        return self.work / "".join(letter if letter.isalnum() else "-" for letter in task.name)

    def _measured(self, task: Task, environment: dict[str, str], note: str) -> Run:
        directory = self._directory(task)
        if directory.exists():
            shutil.rmtree(directory)
        return self._checked(task.name + note, list(task.command), directory, environment)

    def _checked(
        self, name: str, command: list[str], directory: Path, environment: dict[str, str] | None = None
    ) -> Run:
        run = measure(command, directory, environment or self.environment)
        if run.exit_code:
            sys.exit(f"{name} failed with exit code {run.exit_code}:\n{run.text[-2000:]}")
        say(f"{name}: {run.wall_s:.2f} s, {run.cpu_s:.2f} CPU s, {run.peak_bytes / 2**20:.0f} MiB")
        return run


def fastest(runs: list[Run]) -> Run:
    return min(runs, key=lambda run: run.wall_s)


def versions(peers: bool) -> dict[str, str]:
    """Return the versions of dbg, of its libraries, and of the installed peers."""
    found = {"dbg": __version__, "commit": commit(), "Python": platform.python_version()}
    found |= {name: metadata.version(name) for name in ("numpy", "numba", "llvmlite", "xopen")}
    return found | {name: program_version(name) for name in PEERS if peers and shutil.which(name)}


def say(text: str) -> None:
    print(f"[bench] {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
