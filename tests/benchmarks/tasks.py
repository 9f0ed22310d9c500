"""Define the measured tasks: the same job by `dbg` and by the programs it is compared with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PEERS = ("kmc", "bcalm", "minia")
PEER_MEMORY_MB = 8000
UNITIG_K = 31
ASSEMBLY_K = 63
COUNT_JOB, UNITIG_JOB, ASSEMBLY_JOB = "count 31-mers", f"unitigs, k = {UNITIG_K}", f"assemble, k = {ASSEMBLY_K}"
DBG = (sys.executable, "-m", "debruijn_gpu")


@dataclass(frozen=True)
class Task:
    """A job for one program.

    Attributes
    ----------
    job : str
        What is done; rows of one job stand together.
    program : str
    command : tuple of str
        To be run in a directory of its own.
    sequences : str
        FASTA file that it writes there; empty if it writes none.
    """

    job: str
    program: str
    command: tuple[str, ...]
    sequences: str = ""

    @property
    def name(self) -> str:
        return f"{self.job}, {self.program}"


def dbg_tasks(reads: list[Path], threads: int) -> list[Task]:
    """The three jobs of dbg."""
    files = tuple(map(str, reads))
    pair = ("-1", files[0], "-2", files[1]) if len(files) == 2 else files
    common = ("-t", str(threads), "-v")
    return [
        Task(COUNT_JOB, "dbg", (*DBG, "count", *common, "-k", "31", "--min-count", "2", "-o", "k.npz", *files)),
        Task(
            UNITIG_JOB,
            "dbg",
            (*DBG, "unitigs", *common, "-k", "31", "--min-count", "3", "--no-clean", "-o", "u.fa", *files),
            "u.fa",
        ),
        Task(ASSEMBLY_JOB, "dbg", (*DBG, "assemble", *common, "-k", "63", "-o", "a", *pair), "a/contigs.fasta"),
    ]


def peer_tasks(reads: list[Path], threads: int, directory: Path) -> tuple[list[Task], list[str]]:
    """Jobs for the programs on PATH, and those that are not there."""
    listing = directory / "reads.txt"
    listing.write_text("".join(f"{path}\n" for path in reads))
    (directory / "kmc-bins").mkdir(exist_ok=True)
    gatb = ("-nb-cores", str(threads), "-max-memory", str(PEER_MEMORY_MB))
    kmc = ("-k31", "-ci2", f"-m{PEER_MEMORY_MB // 1000}", f"-t{threads}", "-hp")
    every = [
        Task(COUNT_JOB, "kmc", ("kmc", *kmc, f"@{listing}", "k31", str(directory / "kmc-bins"))),
        Task(
            UNITIG_JOB,
            "bcalm",
            ("bcalm", "-in", str(listing), "-kmer-size", "31", "-abundance-min", "3", *gatb, "-out", "u"),
            "u.unitigs.fa",
        ),
        Task(
            ASSEMBLY_JOB,
            "minia",
            ("minia", "-in", str(listing), "-kmer-size", "63", "-abundance-min", "3", *gatb, "-out", "m"),
            "m.contigs.fa",
        ),
    ]
    there = [task for task in every if shutil.which(task.program)]
    return there, [task.program for task in every if task not in there]


def program_version(program: str) -> str:
    """First line with a digit in what a peer says about itself; BCALM 2 of some packages says nothing."""
    arguments = {"bcalm": ["-version"], "minia": ["-version"]}.get(program, [])
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, errors="replace")
    lines = (done.stdout + done.stderr).splitlines()
    return next((line.strip() for line in lines if any(map(str.isdigit, line))), "unknown")
