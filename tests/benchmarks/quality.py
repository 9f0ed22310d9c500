"""Score assemblies with QUAST, if it is there."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

#: rows of QUAST's report to keep
ROWS = (
    "# contigs",
    "Largest contig",
    "Total length",
    "N50",
    "NGA50",
    "Genome fraction (%)",
    "# misassemblies",
    "# mismatches per 100 kbp",
    "# indels per 100 kbp",
)


def judge(assemblies: dict[str, Path], options: argparse.Namespace, work: Path) -> dict[str, Any]:
    """Rows of QUAST's report for each program; nothing without QUAST or a reference."""
    quast = shutil.which(options.quast or "quast.py")
    if quast is None or options.reference is None:
        missing = "a reference" if quast else "quast.py (QUAST=)"
        print(f"[bench] quality: skipped, there is no {missing}", file=sys.stderr)
        return {}
    command = [quast, *map(str, assemblies.values()), "--labels", ",".join(assemblies), "-r", str(options.reference)]
    command += ["-o", str(work / "quast"), "--threads", str(options.threads), "--no-plots", "--no-html", "--no-icarus"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"[bench] quast.py failed:\n{done.stdout[-2000:]}", file=sys.stderr)
        return {}
    return _report(work / "quast" / "report.tsv")


def _report(path: Path) -> dict[str, Any]:
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    rows = {line[0]: line[1:] for line in lines}
    programs = rows["Assembly"]
    return {
        program: {name: rows[name][column] for name in ROWS if name in rows} for column, program in enumerate(programs)
    }
