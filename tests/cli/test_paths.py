"""Files that a command line names: none is empty, and no output is an input."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from debruijn_gpu.cli import COMMANDS, group, paths

ROOT = Path(__file__).parents[2]
READS = ROOT / "data" / "phix174_R1.fastq.gz"
DBG = [sys.executable, "-m", "debruijn_gpu"]

#: What each command needs to get as far as the parameter that is tried
NEEDED = {
    "join": ["keys.txt"],
    "compact": ["--where", ">1"],
    "generate": ["random", "-n", "10"],
    "lookandsay": ["1", "-n", "1"],
    "simulate": ["reads.fa"],
    "cyclospec sequence": ["masses.txt"],
    "cyclospec score": ["NQEL", "masses.txt"],
    "cyclospec trim": ["NQEL", "masses.txt", "--top", "1"],
    "cyclospec convolve": ["masses.txt"],
    "cyclospec count": ["100"],
}
#: Words that name a file in a help page
FILE_WORDS = {"FILE", "DIR", "PREFIX", "[REF]", "KEYS", "SPECTRUM", "[SPECTRUM]"}
FILE_WORDS |= {
    "smallest|FASTA",
    "INDEX|DIR",
    "SAMPLES...",
    "[SAMPLES]...",
    "[READS]...",
    "GRAPH|CONTIGS",
    "[CONTIGS]...",
    "CONTIGS",
    "[TABLE]...",
    "ASSEMBLY...",
    "[INPUT]",
    "[GRAPH]",
    "[FILE]",
    "REF",
    "[SET]",
    "[SET]...",
    "[NAME=]SET...",
    "[[NAME=]SET]...",
}


def all_commands() -> Iterator[tuple[str, click.Command]]:
    for name in COMMANDS:
        command = group.get_command(None, name)
        yield name, command
        for sub in getattr(command, "commands", {}):
            yield f"{name} {sub}", command.commands[sub]


def path_parameters() -> Iterator[tuple[str, click.Parameter]]:
    for name, command in all_commands():
        for parameter in command.params:
            if isinstance(parameter.type, paths._PathType):
                yield name, parameter


NAMES_OF_FILES = ("output", "source", "sources", "outdir", "plot", "tmp_dir", "index")


def test_every_parameter_that_names_a_file_has_a_type_of_path():
    of_paths = {(name, parameter.name) for name, parameter in path_parameters()}
    named = {
        (name, parameter.name)
        for name, command in all_commands()
        for parameter in command.params
        if parameter.metavar in FILE_WORDS or parameter.name in NAMES_OF_FILES
    }
    others = {(f"cyclospec {name}", "peptides") for name in ("spectrum", "score", "trim")} | {("lookandsay", "seed")}
    others |= {("debruijn at", "positions"), ("debruijn locate", "windows"), ("compact", "arguments")}
    others |= {("matrix", "soft_min")}
    assert of_paths - others == named
    assert len(of_paths) > 60


OPTIONS = [
    (name, option)
    for name, parameter in path_parameters()
    if isinstance(parameter, click.Option)
    for option in parameter.opts
]


@pytest.mark.parametrize("command", dict(OPTIONS))
def test_empty_path_of_an_option(dbg, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    for option in (option for name, option in OPTIONS if name == command):
        code, out, err = dbg(*command.split(), option, "", *NEEDED.get(command, []))
        assert (code, out) == (2, ""), option
        assert "the path is empty" in err or option == "--soft-min", option  # which may be a number
        assert list(tmp_path.iterdir()) == [], option


@pytest.mark.parametrize("command", ["assemble", "count", "stats", "sort", "graph", "euler", "report", "simulate"])
def test_empty_path_of_an_argument(dbg, command):
    code, out, err = dbg(command, "")
    assert (code, out) == (2, "")
    assert "the path is empty" in err


@pytest.mark.parametrize("value", ["a,", ",a", "a,,b"])
def test_empty_path_in_a_list(dbg, value):
    code, _, err = dbg("count", "-1", value)
    assert code == 2
    assert "the path is empty" in err


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A directory with an input of each kind, under several names."""
    monkeypatch.chdir(tmp_path)
    reads = "".join(f">r{i}\nACGTACGTTGCATGCAAGTCCATTG\n" for i in range(3))
    files = {"reads.fa": reads, "edges.txt": "1 2\n2 1\n", "numbers.txt": "3\n1\n2\n", "keys.txt": "1\n"}
    files |= {
        "masses.txt": "0\n97\n99\n196\n",
        "words.txt": "00\n01\n10\n11\n",
        "table.txt": "A 71\n",
        "NQEL": "NQEL\n",
    }
    files |= {"peptides.txt": "NQEL\n", "reads_R1.fastq.gz": reads, "reads_R2.fq": reads}
    files |= {"sheet.tsv": "a\treads.fa\nb\tkmers.tsv\n", "kmers.tsv": "ACGTA\t1\n"}
    files |= {"kmtricks.txt": "a : reads.fa ; reads_R2.fq\n", "mins.txt": "1\n"}
    files |= {"kmc.kmc_pre": "KMCP", "kmc.kmc_suf": "KMCS", "kmc_sheet.tsv": "a\tkmc\nb\treads.fa\n"}
    for name, text in files.items():
        Path(name).write_text(text)
        os.link(name, f"hard.{name}")
        Path(f"link.{name}").symlink_to(name)
    Path("dir").mkdir()
    Path("dir/contigs.fasta").write_text(reads)
    Path("dir/params.json").write_text("{}")
    Path("dir/other.html").write_text(reads)
    Path("bins").mkdir()
    Path("bins/bin_1.fasta").write_text(reads)
    Path("bins/contigs.tsv").write_text(reads)
    Path("graph").mkdir()
    for name in ("meta.json", "col.npy", "row_ptr.npy"):
        Path("graph", name).write_text("{}")
    return tmp_path


REFUSED = [
    "count reads.fa -o reads.fa",
    "count reads.fa -o ./reads.fa",
    "count reads.fa -o hard.reads.fa",
    "count reads.fa -o link.reads.fa",
    "count link.reads.fa -o hard.reads.fa",
    "count -o reads.fa reads.fa",
    "count reads.fa --histogram reads.fa",
    "count keys.txt -s reads.fa -o reads.fa",
    "count -1 reads.fa -2 keys.txt -o keys.txt",
    "count -1 keys.txt,reads.fa -2 keys.txt,keys.txt -o reads.fa",
    "count --12 reads.fa -o reads.fa",
    "unitigs reads.fa -o reads.fa",
    "spectrum reads.fa -o reads.fa",
    "spectrum reads.fa --plot reads.fa",
    "stats reads.fa --plot reads.fa",
    "assemble dir/contigs.fasta -o dir --force",
    "assemble dir/contigs.fasta -o ./dir/../dir",
    "simulate reads_R1.fastq.gz --paired -o reads",
    "simulate reads_R1.fastq.gz -o reads_R1.fastq.gz",
    "simulate reads_R1.fastq.gz -o reads_R1",
    "simulate reads_R2.fq -o reads_R2.fq",
    "simulate reads_R2.fq --paired -o reads.fq",
    "color sheet.tsv -k 5 -o reads.fa",
    "color sheet.tsv -k 5 -o hard.kmers.tsv --format dbgc",
    "color kmtricks.txt -k 5 -o link.reads_R2.fq --format fasta",
    "matrix sheet.tsv -k 5 -o kmers.tsv",
    "matrix sheet.tsv -k 5 --prevalence kmers.tsv",
    "matrix reads.fa -k 5 --soft-min mins.txt -o mins.txt",
    "matrix reads.fa -k 5 --soft-min mins.txt --prevalence hard.mins.txt",
    "matrix kmc -o kmc.kmc_suf --format tsv",
    "matrix kmc_sheet.tsv -o kmc.kmc_pre --format tsv",
    "kmers info kmc -o kmc.kmc_pre",
    "kmers info kmc.kmc_pre -o hard.kmc.kmc_suf",
    "kmers union kmers.tsv kmc -o kmc.kmc_suf",
    "kmers expr a+b a=kmers.tsv b=kmc -o kmc.kmc_suf",
    "bin bins/bin_1.fasta -o bins --force",
    "bin reads.fa --coverage bins/contigs.tsv -o bins --force",
    "join keys.txt numbers.txt -o keys.txt",
    "histogram numbers.txt -o numbers.txt",
    "histogram keys.txt numbers.txt -o numbers.txt",
    "graph edges.txt -o edges.txt",
    "graph edges.txt --convert npz -o edges.txt",
    "graph graph --convert directory -o graph",
    "graph graph -o graph/col.npy",
    "graph graph/col.npy --convert directory -o graph",
    "euler edges.txt -o edges.txt",
    "debruijn verify words.txt -o words.txt",
    "cyclospec score NQEL masses.txt -o masses.txt",
    "cyclospec convolve masses.txt -o masses.txt",
    "cyclospec sequence masses.txt -o masses.txt",
    "draw edges.txt --format dot -o edges.txt",
    "debruijn --words words.txt -o words.txt",
    "report dir -o dir/contigs.fasta",
    "report dir reads.fa -o dir/params.json",
    "report reads.fa --quast keys.txt -o keys.txt",
    "cyclospec peptides.txt -o peptides.txt",
    "cyclospec --masses table.txt NQEL -o table.txt",
    "cyclospec NQEL --against masses.txt --plot masses.txt",
]


@pytest.mark.parametrize("line", REFUSED)
def test_output_that_is_an_input_is_refused(dbg, here, line):
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    code, out, err = dbg(*line.split())
    assert (code, out) == (2, "")
    assert "is the same file as the input " in err
    assert len(err.splitlines()) == 2
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "line",
    [
        "sort numbers.txt -o numbers.txt",
        "sort keys.txt numbers.txt -o keys.txt",
        "filter nonzero keys.txt numbers.txt -o keys.txt",
        "distinct numbers.txt -o hard.numbers.txt",
        "compact numbers.txt --where >1 -o link.numbers.txt",
        "join keys.txt numbers.txt -o numbers.txt",
        "cyclospec NQEL -o NQEL",
        "report dir -o dir/report.html",
        "report dir -o dir/other.html",
        "count reads.fa -o /dev/null --histogram /dev/null -k 5",
        "simulate reads_R2.fq -o reads.fq --length 9",
        "matrix sheet.tsv -k 5 -o sheet.npz --prevalence reads.tsv",
    ],
)
def test_output_that_may_be_where_an_input_is(dbg, here, line):
    code, _, err = dbg(*line.split())
    assert code == 0, err


def test_sort_in_place(dbg, here):
    assert dbg("sort", "numbers.txt", "-o", "numbers.txt")[0] == 0
    assert Path("numbers.txt").read_text() == "1\n2\n3\n"


@pytest.mark.parametrize(
    "line", ["count reads.fa -k 5 -o x --histogram ./x", "spectrum reads.fa -o x.svg --plot x.svg"]
)
def test_two_outputs_of_one_name(dbg, here, line):
    code, _, err = dbg(*line.split())
    assert code == 2
    assert "both --" in err
    assert not Path("x").exists()


@pytest.mark.process
@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("dbg count - -o reads.fa < reads.fa", "--output reads.fa: is the same file as standard input"),
        ("dbg count /dev/stdin -o hard.reads.fa < reads.fa", "is the same file as the input /dev/stdin"),
        ("dbg count reads.fa >> link.reads.fa", "standard output is the same file as the input reads.fa"),
        ("dbg count < reads.fa - 1<> reads.fa", "standard output is the same file as standard input"),
        ("dbg graph < edges.txt >> edges.txt", "standard output is the same file as standard input"),
        ("dbg debruijn at -n 3 < numbers.txt >> numbers.txt", "standard output is the same file as standard input"),
        ("dbg cyclospec < peptides.txt >> peptides.txt", "standard output is the same file as standard input"),
    ],
)
def test_redirected_streams(here, line, what):
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    script = line.replace("dbg", f"'{sys.executable}' -m debruijn_gpu")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert what in done.stderr.decode()
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


def test_links_of_old_temporary_names_are_not_followed(dbg, here):
    """0.1 wrote to ``.NAME.part``."""
    Path(".out.txt.part").symlink_to("reads.fa")
    Path(".new.part").symlink_to("dir")
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    assert dbg("sort", "numbers.txt", "-o", "out.txt")[0] == 0
    assert dbg("graph", "edges.txt", "--convert", "directory", "-o", "new", "-q")[0] == 0
    after = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    assert {path for path in after if path not in before} == {here / "out.txt", *(here / "new").iterdir()}
    assert {path: after[path] for path in before} == before


@pytest.mark.process
def test_second_assembly_into_a_directory(here):
    command = [*DBG, "assemble", "-k", "31", "-v", "-o", str(here / "out")]
    with subprocess.Popen([*command, "-"], cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as first:
        while b"backend: " not in first.stderr.readline():
            assert first.poll() is None
        second = subprocess.run([*command, READS, "--force"], cwd=ROOT, capture_output=True, check=False, timeout=60)
        assert second.returncode == 66
        holder = f"process {first.pid} on {os.uname().nodename}"
        assert second.stderr.decode().splitlines()[0] == f"dbg: {here / 'out'}: another run is writing there ({holder})"
        first.communicate(READS.read_bytes(), timeout=120)
    assert first.returncode == 0
    assert len(list((here / "out").iterdir())) == 13


@pytest.mark.process
@pytest.mark.parametrize("line", ["assemble - -k 31 -o out", "count - -o out"])
def test_killed_run_is_no_obstacle_and_its_files_go(here, line):
    with subprocess.Popen(
        [*DBG, *line.split(), "-v"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        while b"backend: " not in process.stderr.readline():
            assert process.poll() is None
        process.kill()
    again = subprocess.run(
        [*DBG, *line.replace(" - ", f" {READS} ").split()],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert again.returncode == 0
    assert [path for path in here.rglob(".*") if path.name.endswith((".part", ".lock"))] == []
