"""Inputs that can be opened once (FIFOs, ``<(...)``, ``/dev/stdin``) give what files give, in every command."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "data"
GENOME = DATA / "phix174_J02482.fa"
READS, MATES = DATA / "phix174_R1.fastq.gz", DATA / "phix174_R2.fastq.gz"

SPECTRUM = b"0 113 114 128 129 227 242 242 257 355 356 370 371 484\n"
GFA = b"H\tVN:Z:1.0\nS\ta\tACGTACGT\tDP:f:3\nS\tb\tCGTACC\tDP:f:2\nL\ta\t+\tb\t+\t4M\n"
CONTENTS = {
    "reads": READS.read_bytes(),
    "mates": MATES.read_bytes(),
    "genome": GENOME.read_bytes(),
    "gfa": GFA,
    "numbers": b"3\n1\n2\n1\n",
    "keys": b"1\n2\n",
    "rings": b"a -> b, c\nb -> d\nc -> d\nd -> a, a\n",
    "sequence": b"00010111\n",
    "packed": gzip.compress(b"00010111\n"),
    "bits": b"\x17",
    "words": b"00\n01\n10\n",
    "spectrum": SPECTRUM,
    "peptides": b"NQEL\nLEQN\n",
    "table": b"Xyz 100\n",
    "quast": b"Assembly\tgenome\nGenome fraction (%)\t99\n",
}

COMMANDS = [
    "assemble {reads} -k 31",
    "assemble -1 {reads} -2 {mates} -k 31",
    "unitigs {reads} {mates} -k 31",
    "count {reads}",
    "spectrum {reads}",
    "map {genome} -1 {reads} -2 {mates}",
    "screen {reads} --against {genome}",
    "screen {reads} --against {set}",
    "query {set} {reads}",
    "query {colors} {reads}",
    "matrix {reads} {genome}",
    "color {reads} {genome}",
    "stats {genome}",
    "stats {gfa}",
    "report {genome}",
    "report {gfa}",
    "report {genome} --quast {quast}",
    "report {genome} {gfa}",
    "simulate {genome} --depth 1",
    "sort {numbers}",
    "distinct {numbers}",
    "compact {numbers} --where nonzero",
    "histogram {numbers} --integers",
    "join {keys} {numbers}",
    "graph {rings}",
    "graph {reads} -k 31",
    "graph {gfa}",
    "graph {npz}",
    "graph {npy}",
    "euler {rings}",
    "euler {npz}",
    "draw {rings} --format dot",
    "draw {rings} --format html",
    "draw {gfa} --format html",
    "debruijn --words {words}",
    "debruijn verify {sequence}",
    "debruijn verify {packed}",
    "debruijn verify {sequence} --alphabet 2",
    "debruijn verify {sequence} --alphabet 2 -n 3",
    "debruijn verify {bits} --from bits -n 3",
    "cyclospec {peptides}",
    "cyclospec NQEL --masses {table}",
    "cyclospec sequence {spectrum}",
    "cyclospec sequence {spectrum} --alphabet spectrum --frequent 5 --method leaderboard",
    "cyclospec score NQEL {spectrum}",
    "cyclospec convolve {spectrum}",
]


@pytest.fixture
def files(tmp_path, dbg) -> dict[str, Path]:
    """Files of all contents, in a directory ``file``."""
    place = tmp_path / "file"
    place.mkdir()
    for name, content in CONTENTS.items():
        (place / name).write_bytes(content)
    for file_format in ("npz", "npy"):
        dbg("graph", place / "rings", "--convert", file_format, "-q", "-o", place / file_format)
    dbg("count", place / "genome", "--format", "dbgk", "-q", "-o", place / "set")
    dbg("color", place / "genome", place / "reads", "--format", "dbgc", "-q", "-o", place / "colors")
    return {name: place / name for name in (*CONTENTS, "npz", "npy", "set", "colors")}


@pytest.fixture
def limit():
    """An end to a command that waits for a writer who does not come."""

    def stop(signum, frame):
        raise TimeoutError("the command opens the FIFO more than once")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def feed(source: Path, fifo: Path) -> threading.Thread:
    """A thread that writes a file into a FIFO, once."""

    def write() -> None:
        with open(source, "rb") as data, open(fifo, "wb") as pipe:
            shutil.copyfileobj(data, pipe)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("command", COMMANDS)
def test_fifos_are_read_as_files(dbg, tmp_path, files, limit, command):
    """In a directory of their own, so that names of files, which some results hold, are the same."""
    names = re.findall(r"{(\w+)}", command)
    expected = dbg(*command.format(**files).split(), "-q")
    kept = tmp_path / "kept"
    files["reads"].parent.rename(kept)
    files["reads"].parent.mkdir()
    for name in names:
        os.mkfifo(files[name])
    writers = [feed(kept / name, files[name]) for name in names]
    assert dbg(*command.format(**files).split(), "-q") == expected
    assert expected[0] == 0
    for writer in writers:
        writer.join(10)
        assert not writer.is_alive()


@pytest.mark.parametrize("options", ["-1 {reads} -2 {mates}", "{reads} -k 31 --checkpoint"])
def test_assembly_directories_of_fifos(dbg, tmp_path, files, limit, options):
    """Which are not opened to see whether the run can be continued: that would end who writes to them."""
    fifos = {name: tmp_path / name for name in ("reads", "mates")}
    for name, fifo in fifos.items():
        os.mkfifo(fifo)
        feed(files[name], fifo)
    for outdir, names in (("expected", files), ("found", fifos)):
        assert dbg("assemble", *options.format(**names).split(), "-o", tmp_path / outdir, "-q")[0] == 0
    contigs = [(tmp_path / outdir / "contigs.fasta").read_bytes() for outdir in ("expected", "found")]
    assert contigs[0] == contigs[1] != b""


def shell(script: str, place: Path) -> subprocess.CompletedProcess[str]:
    script = script.replace("dbg ", f"{sys.executable} -m debruijn_gpu ")
    path = os.pathsep.join((str(DATA.parent), os.environ.get("PYTHONPATH", "")))
    return subprocess.run(
        ["bash", "-c", script],
        cwd=place,
        capture_output=True,
        check=False,
        timeout=120,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.mark.process
@pytest.mark.parametrize(
    "verify",
    [
        "dbg debruijn verify <(dbg debruijn --alphabet ACGT -n 3 -q)",
        "dbg debruijn --alphabet ACGT -n 3 -q | dbg debruijn verify",
        "dbg debruijn --alphabet ACGT -n 3 -q | dbg debruijn verify -",
        "dbg debruijn --alphabet ACGT -n 3 -q | dbg debruijn verify /dev/stdin",
        "dbg debruijn --alphabet ACGT -n 3 -q | gzip | dbg debruijn verify --alphabet ACGT /dev/stdin",
        "dbg debruijn --alphabet ACGT -n 3 -q > x; dbg debruijn verify /dev/stdin < x",
        "dbg debruijn --alphabet ACGT -n 3 -q --format 2bit | dbg debruijn verify --from 2bit --alphabet ACGT",
    ],
)
def test_verify_takes_any_input(tmp_path, verify):
    done = shell(verify, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "yes: each of the 64 words of 3 symbols is there once\n"


@pytest.mark.process
@pytest.mark.parametrize("source", ["<(printf '')", "- < /dev/null", "/dev/null"])
def test_empty_input_of_verify_is_named(tmp_path, source):
    done = shell(f"dbg debruijn verify {source}", tmp_path)
    assert (done.returncode, done.stdout) == (64, "")
    assert "the file is empty" in done.stderr
    assert "/tmp/dbg-" not in done.stderr


@pytest.mark.process
def test_full_disk_of_the_temporary_copy(tmp_path):
    done = shell("dbg debruijn -n 12 -q > x; ulimit -f 1; cat x | dbg debruijn verify", tmp_path)
    assert (done.returncode, done.stdout) == (66, "")
    assert "temporary copy: File too large" in done.stderr


@pytest.mark.process
def test_faults_of_a_pipe_have_its_name(tmp_path):
    done = shell("printf '00010110' | dbg debruijn verify", tmp_path)
    assert (done.returncode, done.stdout) == (64, "repeated\t000\t2\t0,7\nmissing\t111\n")
    assert done.stderr.startswith("dbg: standard input: no: ")
    done = shell("dbg debruijn verify <(printf '0000')", tmp_path)
    assert done.stderr.startswith("dbg: /dev/fd/")
