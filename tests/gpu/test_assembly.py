"""Reads become the same k-mers, unitigs and contigs on both backends, byte by byte."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.cli import main
from debruijn_gpu.errors import DbgError
from debruijn_gpu.pipeline import assemble
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.options import RunOptions

pytestmark = pytest.mark.gpu

DATA = Path(__file__).parents[2] / "data"
PAIR = ["-1", DATA / "phix174_R1.fastq.gz", "-2", DATA / "phix174_R2.fastq.gz"]
ASSEMBLIES = {
    "k auto": [],
    "one word": ["-k", "31"],
    "two words": ["-k", "33"],
    "three words": ["-k", "95", "--min-contig", "50"],
    "four words": ["-k", "97", "--min-contig", "50"],
    "raw": ["-k", "25", "--min-count", "1", "--no-clean", "--min-contig", "1"],
    "Euler walks": ["-k", "27", "--walk", "euler"],
    "several k": ["-k", "21,33,65,97", "--min-contig", "50"],
    "several k, raw": ["-k", "21,41", "--min-count", "1", "--no-clean", "--min-contig", "1"],
    "little memory": ["-k", "63", "--gpu-memory", "300M"],
}
OTHERS = {
    "unitigs": ["unitigs", "-k", "21"],
    "raw unitigs": ["unitigs", "-k", "63", "--min-count", "1", "--no-clean", "--format", "gfa"],
    "eulertigs": ["unitigs", "-k", "29", "--min-count", "1", "--no-clean", "--tigs", "eulertigs"],
    "count": ["count", "-k", "31", "--min-count", "2"],
    "count forward": ["count", "-k", "97", "--forward"],
    "count even k": ["count", "-k", "64"],
    "count palindromes": ["count", "-k", "4"],
    "count bases": ["count", "-k", "1", "--forward"],
    "count two bases": ["count", "-k", "2"],
    "spectrum even k": ["spectrum", "-k", "32", "--json"],
    "spectrum": ["spectrum", "-k", "21", "--json"],
}


def write_reads(path, reads, line_end="\n", width=0, fastq=True):
    """Reads as FASTQ, or FASTA in lines of a width."""
    records = []
    for i, read in enumerate(reads):
        if fastq:
            records.append([f"@read{i} of some", read, "+", "F" * len(read)])
        else:
            records.append([f">read{i}", *(read[at : at + width] for at in range(0, len(read), width))])
    text = "".join(line + line_end for record in records for line in record).encode()
    path.write_bytes(gzip.compress(text, 1) if path.suffix == ".gz" else text)
    return path


@pytest.fixture(scope="module")
def genome():
    """100,000 random bases with two repeats of 1,000, a long homopolymer and a palindrome."""
    codes = np.random.default_rng(1).integers(0, 4, 100_000)
    codes[70_000:71_000] = codes[20_000:21_000]
    codes[90_000:91_000] = 3 - codes[20_000:21_000][::-1]
    codes[50_000:50_300] = 0
    codes[60_000:60_100] = 3 - codes[60_100:60_200][::-1]
    return "".join("ACGT"[code] for code in codes)


@pytest.fixture(scope="module")
def sets(genome, tmp_path_factory):
    """Input files of several kinds, by name."""
    directory = tmp_path_factory.mktemp("reads")
    rng = np.random.default_rng(2)
    reads = []
    for start in rng.integers(0, len(genome) - 150, 20_000):
        letters = list(genome[start : start + int(rng.integers(20, 151))])
        for at in rng.integers(0, len(letters), rng.binomial(len(letters), 0.004)):
            letters[at] = "ACGTN"[rng.integers(0, 5)]
        reads.append("".join(letters))
    return {
        "phage": PAIR,
        "FASTQ": [write_reads(directory / "a.fq", reads)],
        "FASTQ, CR LF": [write_reads(directory / "b.fq", reads, "\r\n")],
        "FASTQ, lower case, gz": [write_reads(directory / "c.fq.gz", [read.lower() for read in reads])],
        "FASTA in lines of 60": [write_reads(directory / "d.fa", reads, width=60, fastq=False)],
        "long FASTA": [write_reads(directory / "e.fa", [genome, genome[5_000:40_000]] * 4, width=70, fastq=False)],
    }


def run(command, output, backend):
    """Exit code of a command."""
    with pytest.raises(SystemExit) as caught:
        main([*map(str, command), "--backend", backend, "-q", "-o", str(output)])
    return caught.value.code


def contents(directory):
    timed = ("dbg.log", "report.html", "run.json")
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name not in timed}


@pytest.mark.parametrize("options", ASSEMBLIES)
@pytest.mark.parametrize("name", ["phage", "FASTQ", "long FASTA"])
def test_same_assembly(sets, name, options, tmp_path):
    for backend in ("cuda", "cpu"):
        assert run(["assemble", *ASSEMBLIES[options], *sets[name]], tmp_path / backend, backend) == 0
    assert contents(tmp_path / "cuda") == contents(tmp_path / "cpu")


PROGRAMS = {
    "pairs": ["-k", "21,41", "--keep-variants", "--min-contig", "50"],
    "no pairs": ["-k", "31", "--no-pairs", "--checkpoint"],
    "Euler walks": ["-k", "27", "--walk", "euler"],
    "rotated": ["-k", "31", "--rotate", DATA / "phix174_J02482.fa"],
}


@pytest.mark.process
@pytest.mark.parametrize("options", PROGRAMS)
def test_same_assembly_of_a_program(options, tmp_path):
    """A process of its own, which gives the device back before it writes."""
    for backend in ("cuda", "cpu"):
        command = ["assemble", *PROGRAMS[options], *PAIR, "--backend", backend, "-o", tmp_path / backend]
        program = [sys.executable, "-m", "debruijn_gpu", *map(str, command)]
        done = subprocess.run(program, capture_output=True, check=False, text=True)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        assert "rror" not in done.stderr.replace("erroneous", "")
    assert contents(tmp_path / "cuda") == contents(tmp_path / "cpu")


WITHOUT_COMPILER = """
from cupy.cuda import compiler
def refuse(*args, **options):
    raise AssertionError("CuPy compiles a kernel of its own")
compiler._compile_module_with_cache = refuse
from debruijn_gpu.__main__ import main
main()
"""


@pytest.mark.process
@pytest.mark.parametrize("options", PROGRAMS)
def test_cupy_compiles_nothing(options, tmp_path):
    """Loading its compiler takes 0.03 s."""
    command = ["assemble", *PROGRAMS[options], *PAIR, "--backend", "cuda", "-o", tmp_path / "cuda"]
    program = [sys.executable, "-c", WITHOUT_COMPILER, *map(str, command)]
    done = subprocess.run(program, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", OTHERS)
@pytest.mark.parametrize("name", ["phage", "FASTQ", "FASTQ, CR LF", "FASTQ, lower case, gz", "FASTA in lines of 60"])
def test_same_bytes(sets, name, command, tmp_path):
    for backend in ("cuda", "cpu"):
        assert run([*OTHERS[command], *sets[name]], tmp_path / backend, backend) == 0
    assert (tmp_path / "cuda").read_bytes() == (tmp_path / "cpu").read_bytes()


@pytest.mark.parametrize("line", ["ACGT\n+\nFFF\n", "AC!T\n+\nFFFF\n", "ACGT\nFFFF\n", "ACGT\n+\nFF"])
def test_same_complaint(line, tmp_path, capsys):
    """A fault far behind the beginning, where the GPU reads."""
    path = tmp_path / "reads.fq"
    path.write_text("@r\nACGTACGT\n+\nFFFFFFFF\n" * 50_000 + "@last\n" + line)
    said = []
    for backend in ("cuda", "cpu"):
        assert run(["count", "-k", "5", path], tmp_path / "out", backend) == 64
        said.append(capsys.readouterr().err)
    assert said[0] == said[1]
    assert "record 50,001" in said[0]


@st.composite
def read_sets(draw):
    """Reads of a short genome that is rich in repeats."""
    unit = draw(st.text("ACGT", min_size=1, max_size=30))
    genome = "".join(
        draw(st.lists(st.sampled_from([unit, unit[::-1], "ACGTTGCA", "A" * 9, "C"]), min_size=1, max_size=12))
    )
    starts = draw(st.lists(st.integers(0, max(0, len(genome) - 1)), min_size=1, max_size=30))
    reads = [genome[start : start + draw(st.integers(1, 60))] for start in starts]
    return [read if draw(st.booleans()) else read[:7] + "N" + read[7:] for read in reads]


@given(reads=read_sets(), k=st.sampled_from([3, 5, 7, 11, 33]), walk=st.sampled_from(["unitigs", "euler"]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_same_contigs_of_any_reads(reads, k, walk, tmp_path):
    path = write_reads(tmp_path / "reads.fa", reads, width=30, fastq=False)
    options = AssembleOptions(ks=(k,), min_count=1, min_contig_bp=0, walk=walk)
    inputs = ReadInputs(single=(str(path),))
    assert outcome(inputs, options, "cuda") == outcome(inputs, options, "cpu")


def outcome(inputs, options, backend):
    """Contigs, or why there are none."""
    try:
        contigs = assemble(inputs, options, RunOptions(backend=backend)).contigs
    except DbgError as error:
        return str(error)
    sequences = [contigs.sequence(i) for i in range(len(contigs))]
    return sequences, contigs.links.tolist(), contigs.circular.tolist(), contigs.kmer_counts.tolist()
