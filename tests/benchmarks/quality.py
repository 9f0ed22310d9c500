"""Whether results are right: unitigs of two programs compared, assemblies scored with QUAST if it is there."""

from __future__ import annotations

import argparse
import itertools
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from xopen import xopen

_COMPLEMENT = bytes.maketrans(b"ACGT", b"TGCA")

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


def compare_unitigs(files: dict[str, Path], k: int) -> list[dict[str, Any]]:
    """How many unitigs each two programs have, and how many are the same, whatever their strand.

    Cycles, which each program cuts where it likes, are compared by length.
    """
    unitigs = {program: set(_strandless(path, k)) for program, path in files.items()}
    return [
        {
            "programs": [first, second],
            "n_unitigs": [len(unitigs[first]), len(unitigs[second])],
            "n_same": len(unitigs[first] & unitigs[second]),
        }
        for first, second in itertools.combinations(unitigs, 2)
    ]


def _strandless(path: Path, k: int) -> Iterator[bytes]:
    """Sequences of a FASTA file of one line each, in their smaller strand."""
    for line in path.read_bytes().splitlines():
        if line.startswith(b">"):
            continue
        if len(line) >= k and line[: k - 1] == line[1 - k :]:
            yield b"circle of %d" % len(line)
        else:
            yield min(line, line.translate(_COMPLEMENT)[::-1])


def judge(assemblies: dict[str, Path], options: argparse.Namespace, work: Path) -> dict[str, Any]:
    """Rows of QUAST's report for each program; nothing without QUAST or a reference."""
    quast = find_quast(options.quast)
    if quast is None or options.reference is None:
        missing = "a reference" if quast else "quast.py (QUAST=)"
        print(f"[bench] quality: skipped, there is no {missing}", file=sys.stderr)
        return {}
    return score(quast, assemblies, options.reference, options.threads, work / "quast")


def find_quast(named: str | None) -> str | None:
    """Return the path of quast.py: the one that the user names, or the one on PATH."""
    return shutil.which(named or "quast.py")


def score(quast: str, assemblies: dict[str, Path], reference: Path, threads: int, directory: Path) -> dict[str, Any]:
    """Run QUAST on contigs of at least 500 bases; return rows of its report for each assembly, none if it fails."""
    command = [quast, *map(str, assemblies.values()), "--labels", ",".join(assemblies), "-r", str(reference)]
    command += ["-o", str(directory), "--threads", str(threads), "--no-plots", "--no-html", "--no-icarus"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"[bench] quast.py failed:\n{done.stdout[-2000:]}", file=sys.stderr)
        return {}
    return _report(directory / "report.tsv")


def longest_sequence(path: Path) -> int:
    """Return the length of the longest sequence of a FASTA file, compressed or not; 0 if there is none."""
    records = plain_fasta(path).split(b">")[1:]
    return max((len(b"".join(record.split(b"\n")[1:])) for record in records), default=0)


def plain_fasta(path: Path) -> bytes:
    """Return the text of a FASTA file, decompressed, with a line break at its end."""
    with xopen(path, "rb", threads=0) as file:
        text: bytes = file.read()
    return text.rstrip() + b"\n"


def _report(path: Path) -> dict[str, Any]:
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    rows = {line[0]: line[1:] for line in lines}
    programs = rows["Assembly"]
    return {
        program: {name: rows[name][column] for name in ROWS if name in rows} for column, program in enumerate(programs)
    }
