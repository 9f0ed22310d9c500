"""What cannot be printed is an error, whatever the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from debruijn_gpu.cli import COMMANDS, group
from tests.cli.small_inputs import color_index
from tests.helpers import first_quick

ROOT = Path(__file__).parents[2]
READS = ROOT / "data" / "phix174_R1.fastq.gz"
GENOME = ROOT / "data" / "phix174_J02482.fa"
DBG = [sys.executable, "-m", "debruijn_gpu"]

#: Every command that prints to standard output, at work
PRINTING = {
    "assemble": [f"{READS} -k 31"],
    "unitigs": [f"{READS} -k 31"],
    "count": [f"{READS}"],
    "spectrum": [f"{READS}", f"{READS} --json"],
    "map": [f"{READS} {GENOME}"],
    "query": [f"counted.tsv {READS} --min-ratio 0", f"counted.tsv {READS} --per-file --format matrix"],
    "screen": [f"{READS} --against {GENOME} --keep all"],
    "bin": [f"{GENOME} --min-bin 0"],
    "matrix": [f"{GENOME} {READS}"],
    "som": ["numbers.txt --map 2x2"],
    "report": [f"{GENOME}"],
    "stats": [f"{GENOME}", f"{GENOME} --json", f"{GENOME} --tsv"],
    "simulate": [f"{GENOME} --depth 0.1"],
    "sort": ["numbers.txt"],
    "distinct": ["numbers.txt"],
    "compact": ["numbers.txt --where nonzero"],
    "histogram": ["numbers.txt --integers"],
    "join": ["numbers.txt numbers.txt"],
    "graph": ["edges.txt", "edges.txt --json", "edges.txt --components weak", "edges.txt --pagerank"]
    + [f"edges.txt --convert {file_format}" for file_format in ("text", "npz", "gfa")],
    "euler": ["edges.txt", "edges.txt --count"],
    "draw": ["edges.txt --format dot", "edges.txt --format html"],
    "generate": ["random -n 10"],
    "debruijn": ["-n 3", "-n 3 --length"],
    "debruijn locate": ["0101"],
    "debruijn at": ["1 -n 3"],
    "debruijn verify": ["ring.txt"],
    "debruijn count": ["-n 3"],
    "lookandsay": ["1 -n 3", "1 -n 3 --length"],
    "cyclospec": ["NQEL"],
    "cyclospec spectrum": ["NQEL"],
    "cyclospec sequence": ["masses.txt", "masses.txt --method leaderboard"],
    "cyclospec score": ["NQEL masses.txt", "NQEL GA masses.txt"],
    "cyclospec trim": ["NQEL masses.txt --top 1"],
    "cyclospec convolve": ["masses.txt"],
    "cyclospec count": ["200"],
    "kmers": [""],
    **{f"kmers {name}": ["counted.tsv"] for name in ("union", "intersect", "subtract", "difference", "symmetric")},
    "kmers expr": ["a a=counted.tsv"],
    "kmers info": ["counted.tsv", "counted.tsv --format json"],
    "kmers dump": [f"counted.tsv --format {file_format}" for file_format in ("tsv", "dbgk", "kff", "fasta")],
    "kmers histogram": ["counted.tsv"],
    "kmers compare": ["counted.tsv", "counted.tsv --pairs", "counted.tsv --format svg"],
    "color": [f"{GENOME}"],
    "color build": [f"{GENOME} --format {file_format}" for file_format in ("fasta", "gfa", "tsv", "kmers", "dbgc")],
    "color grep": ["genome.dbgc --min-samples 1"],
    "color sets": ["genome.dbgc"],
    "color samples": ["genome.dbgc"],
    "bench": ["sort --sizes 100 --repeats 1", "sort --sizes 100 --repeats 1 --json"],
    "doctor": ["", "--json"],
    "help": ["", "sort", "debruijn verify --all"],
    "completion": ["bash"],
}
LINES = [f"{name} {line}" for name, lines in PRINTING.items() for line in lines]
LINES += [f"{name} --help" for name in PRINTING] + ["--help", "--version"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "edges.txt": "1 2\n2 1\n",
        "numbers.txt": "3\n1\n2\n",
        "masses.txt": "0\n57\n71\n128\n",
        "ring.txt": "0011\n",
        "counted.tsv": "ACGTT\t3\nCATGC\t20\n",
    }
    for name, text in files.items():
        Path(name).write_text(text)
    Path("genome.dbgc").write_bytes(color_index())


def test_every_command_is_tried():
    every = set(COMMANDS) - {"warmup"}  # which prints nothing
    for name in COMMANDS:
        every |= {f"{name} {sub}" for sub in getattr(group.get_command(None, name), "commands", {})}
    assert set(PRINTING) == every


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("line", first_quick(LINES, 50))
def test_closed_standard_output(dbg, monkeypatch, line):
    monkeypatch.setattr(sys, "stdout", None)
    code, _, err = dbg(*line.split())
    assert code == 66
    assert err.splitlines()[-2] == "dbg: standard output: is closed"


@pytest.mark.slow
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("line", LINES)
def test_full_standard_output(dbg, monkeypatch, line):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        code, _, err = dbg(*line.split())
    assert code == 66
    assert err.splitlines()[-2] == "dbg: standard output: No space left on device"


@pytest.mark.process
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1), (0, 1, 2)])
@pytest.mark.parametrize("line", ["sort numbers.txt -o x", "sort -o x", "count - -o x", "sort numbers.txt"])
def test_closed_descriptors_in_a_process_of_its_own(closed, line):
    """No file of the run gets a standard stream's number, which would be read or written instead."""
    done = subprocess.run(
        [*DBG, *line.split()],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: [os.close(descriptor) for descriptor in closed],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )
    reads, prints = line in ("sort -o x", "count - -o x"), "-o" not in line
    if reads and 0 in closed:
        expected = 66
    elif line.startswith("count"):
        expected = 64  # empty
    else:
        expected = 66 if prints and 1 in closed else 0
    assert done.returncode == expected
    if not reads and not prints:
        assert Path("x").read_text() == "1\n2\n3\n"
