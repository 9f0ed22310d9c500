"""The examples of help pages run, in a directory with the files that they name, and write something."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from debruijn_gpu.backends.core import cache_place
from debruijn_gpu.cli.examples import EXAMPLES
from tests.cli.test_help import EVERY
from tests.docs import running
from tests.docs.pages import ROOT, Example
from tests.helpers import RINGS

LEAST, MOST = 2, 3
MOST_COLUMNS = 80 - len("  ")
PROGRAM = f'"{sys.executable}" -m debruijn_gpu'

#: Files that examples read, by name; texts, or files in data/
TEXTS = {
    "edges.txt": RINGS,
    "reads.txt": "TAATGCCATGGGATGTT\n",
    "numbers.txt": "3\n0\n7\n3\n",
    "table.tsv": "1\t20\n5\t3\n2\t20\n9\t11\n",
    "keys.txt": "9\n20\n1\n",
    "codes.txt": "1234\n0000\n",
    "sequence.txt": "0000100110101111\n",
    "spectrum.txt": "0 113 114 128 129 227 242 242 257 355 356 370 371 484\n",
    "noisy.txt": "0 99 113 114 128 129 227 242 257 299 355 356 370 371 384 484\n",
    "peptides.txt": "NQEL\nVal-Orn-Leu\n",
    "samples.tsv": "reads\treads_1.fq.gz,reads_2.fq.gz\ngenome\tgenome.fasta\n",
    "adapters.fasta": ">truseq\nAGATCGGAAGAGCACACGTCTGAACTCCAGTCA\n",
    "pairs.fq": "@p/1\nACGTTGCA\n+\nIIIIIIII\n@p/2\nTGCAACGT\n+\nIIIIIIII\n",
    "other.tsv": "ACGTACGTACGTACGTACGTA\t3\nTTTTTTTTTTTTTTTTTTTTT\t1\n",
    "graph.gfa": "H\tVN:Z:1.0\nS\t1\tACGTA\nS\t2\tGTACC\nL\t1\t+\t2\t+\t3M\n",
}
LINKS = {
    "reads_1.fq.gz": "phix174_R1.fastq.gz",
    "reads_2.fq.gz": "phix174_R2.fastq.gz",
    "reads.fq.gz": "phix174_R1.fastq.gz",
    "genome.fasta": "phix174_J02482.fa",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A directory with all of these files, and the directory of an assembly."""
    place = tmp_path_factory.mktemp("examples")
    running.prepare(place, PROGRAM)
    for name, text in TEXTS.items():
        (place / name).write_text(text)
    for name, source in LINKS.items():
        (place / name).symlink_to(place / "data" / source)
    genome = "".join((ROOT / "data" / LINKS["genome.fasta"]).read_text().splitlines()[1:])
    (place / "contigs.fasta").write_text(f">a\n{genome[:4000]}\n>b\n{genome[4000:]}\n")
    for name, source in (("a", "reads_1.fq.gz"), ("b", "reads_2.fq.gz"), ("c", "genome.fasta")):
        done = run(f"dbg count {source} -o {name}.dbgk", place)
        assert done.returncode == 0, done.stderr
    done = run("dbg color a.dbgk b.dbgk c.dbgk -o abc.dbgc", place)
    assert done.returncode == 0, done.stderr
    done = run("dbg assemble -1 reads_1.fq.gz -2 reads_2.fq.gz -k 31 -o assembly", place)
    assert done.returncode == 0, done.stderr
    return place


def run(line: str, place: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path, "HOME": str(place)}
    if root := cache_place.cache_root():  # what was compiled before need not be compiled for each example
        environment["DBG_CACHE_DIR"] = str(root.parent)
    return running.run(Example("sh", line, None), place, sys.executable, environment)


def sizes(place: Path) -> dict[Path, tuple[int, int]]:
    """Time and size, decompressed, of the files in a directory."""
    found = {}
    for path in place.rglob("*"):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            found[path] = path.stat().st_mtime_ns, len(gzip.decompress(data) if path.suffix == ".gz" else data)
    return found


@pytest.mark.process
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_a_help_page_run(inputs, tmp_path, name):
    place = tmp_path / "here"
    shutil.copytree(inputs, place, symlinks=True)
    (place / "data").unlink()
    (place / "data").symlink_to(ROOT / "data")
    for _purpose, line in EXAMPLES[name]:
        before = sizes(place)
        done = run(line, place)
        assert done.returncode == 0, line + done.stderr
        assert "error:" not in done.stderr, line
        written = [found[1] for path, found in sizes(place).items() if before.get(path) != found]
        assert all(written), line
        assert written or (done.stderr if name == "warmup" else done.stdout), line


@pytest.mark.parametrize("name", EVERY)
def test_every_command_has_examples_of_its_own(name):
    examples = EXAMPLES[name]
    assert LEAST <= len(examples) <= MOST
    for purpose, line in examples:
        assert f"dbg {name}" in line
        assert len(f"# {purpose}") <= MOST_COLUMNS
        assert len(line) <= MOST_COLUMNS


def test_every_example_is_of_a_command():
    assert set(EXAMPLES) <= set(EVERY)
