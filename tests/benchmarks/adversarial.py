"""Time and memory of commands on reads that are hard for assemblers, at n, 2n and 4n bases: both are to stay linear.

    python -m tests.benchmarks.adversarial [--bases 4000000] [--only 'one repeat' poly-A] [--commands count unitigs]

A row gives CPU seconds and peak memory at each size, and by how much the last exceeds four times the first.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.adversarial_reads import INPUTS
from tests.benchmarks.machine import commit, machine
from tests.benchmarks.measure import Run, measure

COMMANDS = {
    "count": "count -k 31 {reads} -o {out}",
    "unitigs": "unitigs -k 31 --min-count 1 {reads} -o {out}",
    "unitigs -k 11": "unitigs -k 11 --min-count 1 {reads} -o {out}",
    "assemble": "assemble -k 21,41 --min-count 1 {reads} -o {out}",
    "graph": "graph -k 21 {reads} -o {out}",
    "euler": "euler -k 21 --trails {reads} -o {out}",
}
#: Exit codes of commands that did what they can: a result, or nothing to assemble
GOOD = (0, 69)
SIZES = (1, 2, 4)


@dataclass(frozen=True)
class Row:
    """Runs of a command on an input of growing size."""

    name: str
    command: str
    runs: list[Run]

    def cells(self) -> list[str]:
        """The row of the table."""
        seconds = [f"{run.cpu_s:.1f}" for run in self.runs]
        peaks = [f"{run.peak_bytes / 1e6:.0f}" for run in self.runs]
        growth = f"{self.runs[-1].cpu_s / (SIZES[-1] * self.runs[0].cpu_s):.2f}"
        codes = "" if all(run.exit_code == 0 for run in self.runs) else f" ({self.runs[-1].exit_code})"
        return [self.name, f"`{self.command}`{codes}", ", ".join(seconds), ", ".join(peaks), growth]


def run_row(name: str, command: str, n_bases: int, work: Path) -> Row:
    """Run a command on an input at all sizes."""
    runs = []
    for size in SIZES:
        reads = work / f"{name.replace(' ', '_')}-{size * n_bases}.fa"
        if not reads.exists():
            generate = [sys.executable, "-m", "tests.benchmarks.adversarial_reads"]
            # in a process of its own: the peak memory of a child begins with that of its parent
            subprocess.run([*generate, str(reads), name, str(size * n_bases)], check=True)
        line = COMMANDS[command].format(reads=reads, out="result").split()
        run = measure([sys.executable, "-m", "debruijn_gpu", *line, "-q"], Path(tempfile.mkdtemp(dir=work)))
        if run.exit_code not in GOOD:
            raise SystemExit(f"{name}: dbg {' '.join(line)} ended with {run.exit_code}: {run.text}")
        runs.append(run)
    return Row(name, command, runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bases", type=int, default=4_000_000, help="bases of the smallest size")
    parser.add_argument("--only", nargs="+", choices=INPUTS, default=list(INPUTS))
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args()
    print(f"{machine()}; commit {commit()}; {options.bases:,} bases, and {SIZES[1]} and {SIZES[2]} times as many\n")
    print("| reads | command (exit code) | CPU s | peak MB | growth |\n|---|---|---|---|---|")
    rows = []
    with tempfile.TemporaryDirectory(prefix="dbg-adversarial-") as work:
        for name in options.only:
            for command in options.commands:
                rows.append(run_row(name, command, options.bases, Path(work)))
                print(f"| {' | '.join(rows[-1].cells())} |", flush=True)
    if options.json:
        found = [
            {"reads": row.name, "command": row.command, "runs": [run.figures() for run in row.runs]} for row in rows
        ]
        options.json.write_text(json.dumps({"machine": machine(), "bases": options.bases, "rows": found}, indent=1))


if __name__ == "__main__":
    main()
