"""What users of other programs type is answered with what it is called here."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from debruijn_gpu.cli import COMMANDS, group, synonyms
from debruijn_gpu.cli.synonyms import SYNONYMS, SYSTEM, hint_for
from tests.cli.test_help import EVERY

DATA = Path(__file__).parents[2] / "data"
GENERAL = "--help' lists the options"


def context_of(name: str) -> click.Context:
    context = click.Context(group, info_name="dbg")
    for word in name.split():
        context = click.Context(context.command.get_command(context, word), info_name=word, parent=context)
    return context


def names_of(command: click.Command, hidden: bool = True) -> set[str]:
    options = [p for p in command.params if isinstance(p, click.Option) and (hidden or not p.hidden)]
    return {name for option in options for name in (*option.opts, *option.secondary_opts)}


@pytest.mark.parametrize("name", EVERY)
def test_hints_name_options_that_the_command_has(name):
    context, known = context_of(name), names_of(EVERY[name], hidden=False)
    for synonym in SYNONYMS:
        if synonym in known:
            continue
        hint = hint_for(synonym, context)
        others = hint.replace("dbg --version", "")
        named = set(re.findall(r"(?<![\w-])--?[a-z0-9][a-z0-9-]*", others))
        assert named <= known, (synonym, hint)


def test_candidates_are_options_of_some_command():
    every = set().union(*(names_of(command) for command in EVERY.values()))
    conditions = {c[0] if isinstance(c, tuple) else c.split()[0] for found in SYNONYMS.values() for c in found}
    assert conditions - every == {"", "INPUT", "READS", "CONTIGS"}


def test_words_of_other_programs_are_no_commands():
    words = [word for line in synonyms.COMMANDS.values() for word in line.split()]
    assert not set(words) & set(COMMANDS)
    assert not set(SYSTEM) & {*words, *COMMANDS}
    assert set(synonyms.COMMANDS) <= set(COMMANDS)


ASSEMBLE = {
    "--kmer 31": "use -k", "--kmer-size 31": "use -k", "--k-list 21,31": "use -k", "--coverage 30": "use --max-depth",
    "--fastq x": "reads are arguments", "--reads x": "reads are arguments", "--in x": "reads are arguments",
    "--input x": "reads are arguments", "-i x": "reads are arguments", "--out x": "use -o/--outdir DIR",
    "--prefix x": "use -o/--outdir DIR", "--output x": "use -o/--outdir DIR", "--cpus 2": "use -t/--threads N",
    "--cores 2": "use -t/--threads N", "--procs 2": "use -t/--threads N", "--num-threads 2": "use -t/--threads N",
    "--num-cpu-threads 2": "use -t/--threads N", "-j 2": "use -t/--threads N", "--mem 4": "use -m/--memory SIZE",
    "--ram 4": "use -m/--memory SIZE", "--gpu": "use --backend cuda", "--device cuda": "use --backend auto|cpu|cuda",
    "--min-abundance 2": "use --min-count", "--abundance-min 2": "use --min-count", "--min-cov 2": "use --min-count",
    "-abundance-min 2": "use --min-count", "--cutoff 2": "use --min-count", "--cov-cutoff 2": "use --min-count",
    "--paired": "-1 FILE -2 FILE", "-p": "-1 FILE -2 FILE", "--pe1 a --pe2 b": "use -1/--r1 FILE",
    "--pe2 b": "use -2/--r2 FILE", "--pe-1 1 a": "use -1/--r1 FILE", "--pe1-2 b": "use -2/--r2 FILE",
    "--pe12 a": "use --12 FILE", "--s1 a": "use -s/--single FILE", "-r a": "use -s/--single FILE",
    "--isolate": "--preset isolate is the default", "--careful": "leave it out", "--meta": "use --preset meta",
    "--sc": "use --preset single-cell", "--plasmid": "use --preset plasmid", "--only-assembler": "leave it out",
    "--min-contig-len 500": "use --min-contig", "--presets meta-large": "use --preset", "--thread 2": "-t/--threads N",
    "--tmp /tmp": "use --tmp-dir", "--test": "'dbg doctor' checks", "--version": "'dbg --version'",
}  # fmt: skip
OTHERS = {
    "count -kmer-size 21 x": "use -k K", "count --kmer 21 x": "use -k K", "count --min-cov 2 x": "use --min-count N",
    "count -C x": "leave it out", "spectrum --kmer 21 x": "use -k K", "simulate x --coverage 30": "use --depth X",
    "simulate x --prefix y": "use -o/--output PREFIX", "simulate x --read-len 9": "use --length BP",
    "stats --single x": "of its own: dbg stats", "stats --in x": "of its own: dbg stats", "stats -a x": "leave it out",
    "stats -T x": "tsv", "graph --input x": "dbg graph [GRAPH]", "draw --input x": "dbg draw [GRAPH]",
    "sort --numeric-sort": "always compared by value", "sort --field 2": "--key chooses the columns",
    "sort --delimiter ,": "auto-detected", "sort --separator ,": "auto-detected", "sort -t ,": "columns",
    "sort -t ';' x": "columns", "sort -d ,": "auto-detected", "compact -t ,": "columns",
    "sort --parallel=2": "use -t/--threads N", "sort --rev": "did you mean --reverse?",
    "sort --revrese": "did you mean --reverse?", "sort --outdir x": "use -o/--output FILE",
    "compact --cutoff 5": "use --where '>N'", "distinct -c": "use --count", "debruijn --kmer 3": "-n N",
    "generate random --vertices 9": "use -n N", "bench --gpu": "use --backends cuda",
    "cyclospec sequence --in x": "of its own: dbg cyclospec sequence", "doctor --kmer 3": "'dbg doctor --help' lists",
    "sort --frobnicate": "'dbg sort --help' lists", "sort -1 x": "'dbg sort --help' lists",
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "hint"), [*((f"assemble x {line}", hint) for line, hint in ASSEMBLE.items()), *OTHERS.items()]
)
def test_synonyms_of_options_are_answered_with_the_option(dbg, line, hint):
    code, out, err = dbg(*shlex.split(line))
    assert (code, out) == (2, "")
    what, fix = err.splitlines()
    assert what.startswith("dbg: ")
    assert hint in fix


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("spades.py", "did you mean 'dbg assemble'?"),
        ("megahit", "did you mean 'dbg assemble'?"),
        ("jellyfish", "did you mean 'dbg count'?"),
        ("uniq", "did you mean 'dbg distinct'?"),
        ("quast", "did you mean 'dbg stats'?"),
        ("hist", "did you mean 'dbg spectrum' or 'dbg histogram'?"),
        ("head", "'head' is a program of its own: dbg ... | head"),
        ("whatever", "'dbg --help' lists the commands"),
    ],
)
def test_words_of_other_programs_are_answered_with_the_command(dbg, word, hint):
    code, out, err = dbg(word, "-x")
    assert (code, out) == (2, "")
    assert err.startswith(f"dbg: dbg {word}: no such command\n     {hint}")


@pytest.mark.parametrize(
    ("line", "extra", "usage"),
    [("doctor x", "x", "dbg doctor"), ("lookandsay 1 2 3 -n 1", "2 3", "dbg lookandsay [SEED]")],
)
def test_extra_arguments_are_named_with_the_usage(dbg, line, extra, usage):
    name = " ".join(line.split()[:1])
    expected = f"dbg: dbg {name}: unexpected extra argument: {extra}\n     usage: {usage}; 'dbg {name} --help' lists"
    code, out, err = dbg(*line.split())
    assert (code, out) == (2, "")
    assert err == f"{expected} the options\n"


def test_words_of_other_programs_mean_no_subcommands(dbg):
    assert "did you mean" not in dbg("debruijn", "kmers")[2]


#: What somebody types who knows SPAdes, MEGAHIT, seqkit and coreutils: what it prints, or the hint
GUESSES = {
    "dbg": "Genomes:",
    "dbg -h": "Genomes:",
    "dbg --version": "dbg ",
    "dbg help assemble": "--preset isolate|meta",
    "dbg sort --help": "Examples:",
    "dbg spades.py -1 r1.fq.gz -2 r2.fq.gz -o out": "'dbg assemble'",
    "dbg assemble --pe1-1 r1.fq.gz --pe1-2 r2.fq.gz -o out": "-1/--r1 FILE",
    "dbg assemble -1 r1.fq.gz -2 r2.fq.gz -t 2 -m 4G -k 31": ">contig_1 length=5386",
    "dbg assemble -1 r1.fq.gz -2 r2.fq.gz --isolate -o out": "isolate is the default",
    "dbg assemble -1 r1.fq.gz -2 r2.fq.gz --careful": "leave it out",
    "dbg assemble -r r1.fq.gz --num-cpu-threads 2": "-s/--single FILE",
    "dbg assemble --12 r1.fq.gz --mem 4": "-m/--memory SIZE",
    "dbg stats genome.fa": "N50",
    "dbg stats -T genome.fa": "tsv",
    "dbg stats -j 2 genome.fa": "lists the options",
    "dbg sort numbers.txt": "3\n20\n100",
    "dbg sort -t , table.csv": "columns",
    "dbg sort --numeric-sort numbers.txt": "always compared by value",
    "dbg uniq numbers.txt": "'dbg distinct'",
    "dbg distinct numbers.txt": "3\n20\n100",
    "dbg wc numbers.txt": "dbg ... | wc",
    "dbg seq genome.fa": "'seq' is a program of its own",
    "dbg count --kmer-size 21 r1.fq.gz": "-k K",
    "dbg simulate genome.fa --coverage 20": "--depth X",
    "dbg asemble r1.fq.gz": "'dbg assemble'",
}


@pytest.mark.parametrize("line", GUESSES)
def test_guesses_work_or_get_the_right_hint(dbg, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    for name, source in (("r1.fq.gz", "R1.fastq.gz"), ("r2.fq.gz", "R2.fastq.gz"), ("genome.fa", "J02482.fa")):
        Path(name).symlink_to(DATA / f"phix174_{source}")
    Path("numbers.txt").write_text("100\n3\n20\n")
    Path("table.csv").write_text("1,2\n")
    code, out, err = dbg(*shlex.split(line)[1:])
    assert code in (0, 2)
    assert GUESSES[line] in (out if code == 0 else err)
