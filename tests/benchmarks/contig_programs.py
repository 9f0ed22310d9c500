"""Assemblers of the tables of contig quality: `dbg` and its peers."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from debruijn_gpu import __version__
from tests.benchmarks.machine import ROOT
from tests.benchmarks.tasks import DBG

THREADS = 2
OURS, NO_LOCAL, BEFORE_REPEATS = "dbg", "MEGAHIT, no local assembly", "SPAdes, before repeat resolution"


@dataclass(frozen=True)
class Program:
    """An assembler as it is run.

    Attributes
    ----------
    name : str
        How ``--programs`` names it.
    start : tuple of str
        What starts it.
    options : tuple of str
        ``{reads}`` stands for the reads.
    single : tuple of str
        Options before a file of single reads.
    outputs : dict of str to str
        FASTA files that it writes, by name of the row; not all need exist.
    """

    name: str
    start: tuple[str, ...]
    options: tuple[str, ...]
    single: tuple[str, ...]
    outputs: dict[str, str]

    @property
    def is_ours(self) -> bool:
        return self.name == OURS

    def command(self, reads: Sequence[Path]) -> list[str]:
        """Words of the command, to run in a directory of its own."""
        return [*self.start, *self._arguments([str(path) for path in reads])]

    def described(self, n_files: int) -> str:
        """Command without the paths of the machine: what results are kept by."""
        words = ["dbg"] if self.is_ours else list(self.start)
        return " ".join([*words, *self._arguments([f"READS_{number + 1}" for number in range(n_files)])])

    def _arguments(self, files: list[str]) -> list[str]:
        reads = [*self.single, files[0]] if len(files) == 1 else ["-1", files[0], "-2", files[1]]
        return [word for option in self.options for word in (reads if option == "{reads}" else [option])]

    def version(self) -> str | None:
        """Version for display and for keeping; none if the program is not installed."""
        if self.is_ours:
            return f"{__version__}, sources {_sources_digest()}"
        if shutil.which(self.start[0]) is None:
            return None
        done = subprocess.run([self.start[0], "--version"], capture_output=True, text=True, check=False)
        lines = (done.stdout + done.stderr).splitlines()
        return next((line.strip() for line in lines if any(map(str.isdigit, line))), "unknown")


def _peer(name: str, start: str, options: tuple[str, ...], single: str, outputs: dict[str, str]) -> Program:
    return Program(name, (start,), (*options, "-t", str(THREADS), "{reads}", "-o", "o"), (single,), outputs)


PROGRAMS = (
    Program(
        OURS,
        DBG,
        ("assemble", "-v", "-t", str(THREADS), "{reads}", "-o", "a"),
        ("-s",),
        {OURS: "a/contigs.fasta", "dbg, scaffolds": "a/scaffolds.fasta"},
    ),
    _peer("megahit-no-local", "megahit", ("--no-local",), "-r", {NO_LOCAL: "o/final.contigs.fa"}),
    _peer("megahit", "megahit", (), "-r", {"MEGAHIT": "o/final.contigs.fa"}),
    _peer(
        "spades",
        "spades.py",
        ("--isolate",),
        "-s",
        {
            BEFORE_REPEATS: "o/before_rr.fasta",
            "SPAdes": "o/contigs.fasta",
            "SPAdes, scaffolds": "o/scaffolds.fasta",
        },
    ),
)


def _sources_digest() -> str:
    """Digest of the Python sources of the package: a changed checkout has a version of its own."""
    whole = hashlib.sha256()
    for path in sorted((ROOT / "debruijn_gpu").rglob("*.py")):
        whole.update(path.read_bytes())
    return whole.hexdigest()[:12]


def count_circular(path: Path) -> tuple[int, int | None]:
    """Number of sequences of a FASTA file, and of circular ones where the names say it (dbg, MEGAHIT)."""
    names = [line for line in path.read_bytes().splitlines() if line.startswith(b">")]
    if any(b"circular=" in name for name in names):
        return len(names), sum(b"circular=true" in name for name in names)
    if any(b" flag=" in name for name in names):
        return len(names), sum(b" flag=2" in name or b" flag=3" in name for name in names)
    return len(names), None
