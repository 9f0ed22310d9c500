"""How near `dbg assemble --estimate` comes to what an assembly takes.

    python -m tests.benchmarks.estimates --reference ecoli.fa.gz [--output estimates.json] [--only "ecoli 10x"]

Simulates reads of the phage in `data/`, of the reference at 10x, 60x and 100x, and of a random genome of 20 Mbp at
30x, single and paired, plain and compressed, some in little memory; estimates and assembles each, and prints estimate,
what was taken, and their ratio, of memory, temporary files, results and time. Ratios beyond 1.5 are marked. Memory is
the largest resident size of the process and its children, and temporary files are those that have no name.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.helpers import random_sequence

PHIX = Path(__file__).parents[2] / "data" / "phix174_J02482.fa"
GENOME_BP = 20_000_000
FACTOR = 1.5
_INTERVAL_S = 0.05
_LEAST_BYTES = 16 << 20  # smaller numbers of bytes are not compared
DBG = [sys.executable, "-m", "debruijn_gpu"]


@dataclass(frozen=True)
class Case:
    """Reads to simulate, and the memory that is allowed."""

    name: str
    genome: str
    depth: int
    paired: bool
    ending: str
    memory: str = "0.8"


CASES = [
    Case("phage 30x", "phage", 30, False, "fq"),
    *(
        Case(f"reference {depth}x {'pairs' if paired else 'single'} {ending}", "reference", depth, paired, ending)
        for depth in (10, 60, 100)
        for paired, ending in ((False, "fq"), (True, "fq.gz"))
    ),
    Case("reference 100x pairs fq.gz, -m 1G", "reference", 100, True, "fq.gz", "1G"),
    Case("reference 60x pairs fq.gz, -m 500M", "reference", 60, True, "fq.gz", "500M"),
    Case("random 20 Mbp 30x", "random", 30, True, "fq.gz"),
    Case("random 20 Mbp 30x, -m 1G", "random", 30, True, "fq.gz", "1G"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", type=Path, required=True, help="FASTA of a genome of some Mbp")
    parser.add_argument("--output", type=Path, help="write JSON, too")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--threads", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        genomes = {"phage": PHIX, "reference": args.reference, "random": place / "random.fa"}
        rows = []
        for case in CASES:
            if args.only in case.name:
                if case.genome == "random" and not genomes["random"].exists():
                    text = random_sequence(np.random.default_rng(1), GENOME_BP)
                    genomes["random"].write_text(f">random\n{text}\n")
                rows.append(measured(case, genomes[case.genome], place, args.threads))
                print_row(rows[-1])
    if args.output:
        args.output.write_text(json.dumps(rows, indent=2) + "\n")


def measured(case: Case, genome: Path, place: Path, threads: int) -> dict[str, object]:
    """Estimate and assemble one case."""
    reads = place / f"reads.{case.ending}"
    simulate = [*DBG, "simulate", str(genome), "--depth", str(case.depth), "-o", str(reads), "-q"]
    subprocess.run([*simulate, *(["--paired"] if case.paired else [])], check=True)
    mates = [str(reads).replace("reads.", f"reads_R{mate}.") for mate in (1, 2)]
    inputs = ["-1", mates[0], "-2", mates[1]] if case.paired else [str(reads)]
    command = [*DBG, "assemble", *inputs, "-t", str(threads), "-m", case.memory, "-q"]
    estimate = subprocess.run([*command, "--estimate", "--format", "json"], check=True, stdout=subprocess.PIPE)
    found = json.loads(estimate.stdout)
    out = place / "out"
    peak, temporary = watched([*command, "-f", "-o", str(out)])
    record = json.loads((out / "run.json").read_text())
    written = sum(path.stat().st_size for path in out.iterdir())
    taken = {"memory_bytes": peak, "temporary_bytes": temporary, "output_bytes": written}
    taken |= {"cpu_s": record["cpu_s"], "wall_s": record["wall_s"]}
    for path in mates if case.paired else [str(reads)]:
        Path(path).unlink()
    return {"case": case.name, "taken": taken, "estimated": {name: found[name] for name in taken}}


def watched(command: list[str]) -> tuple[int, int]:
    """Run a command; largest resident size of its process tree, and bytes of its files without a name."""
    peak = temporary = 0
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            pids = [process.pid, *descendants(process.pid)]
            peak = max(peak, sum(map(resident, pids)))
            temporary = max(temporary, sum(map(nameless_bytes, pids)))
            time.sleep(_INTERVAL_S)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return peak, temporary


def descendants(pid: int) -> list[int]:
    """List the processes below one."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, rest = [], [pid]
    while rest:
        children = parents.get(rest.pop(), [])
        found += children
        rest += children
    return found


def resident(pid: int) -> int:
    """Resident size in bytes; 0 of a process that has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def nameless_bytes(pid: int) -> int:
    """Sum the sizes of open files that have been deleted."""
    total = 0
    try:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            if os.readlink(link).endswith(" (deleted)"):
                total += link.stat().st_size
    except OSError:
        pass
    return total


def print_row(row: dict[str, object]) -> None:
    """Print estimates, what was taken, and the ratios."""
    print(row["case"])
    taken, estimated = row["taken"], row["estimated"]
    assert isinstance(taken, dict)
    assert isinstance(estimated, dict)
    for name, value in taken.items():
        if name.endswith("_bytes") and max(value, estimated[name]) < _LEAST_BYTES:
            continue
        ratio = estimated[name] / max(value, 1e-9)
        mark = "" if 1 / FACTOR <= ratio <= FACTOR else "  <--"
        unit, scale = ("MiB", 1 << 20) if name.endswith("_bytes") else ("s", 1)
        print(
            f"  {name:16} {estimated[name] / scale:10.1f} {value / scale:10.1f} {unit:4} {ratio:6.2f}{mark}", flush=True
        )


if __name__ == "__main__":
    main()
