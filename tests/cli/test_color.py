"""`dbg color` through its entry point."""

from __future__ import annotations

import random
import re

import pytest

from tests.naive import colors as naive
from tests.naive.kmers import reverse_complement

K = 11
NAMES = ("a", "b", "c")


@pytest.fixture
def genomes(tmp_path, monkeypatch):
    """Three genomes in the current directory, and a sheet of them."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(5)
    base = "".join(rng.choices("ACGT", k=300))
    found = []
    for i, name in enumerate(NAMES):
        genome = base[:100] + rng.choice("ACGT") + base[100 + i :]
        (tmp_path / f"{name}.fa").write_text(f">{name}\n{genome}\n")
        found.append([genome])
    (tmp_path / "sheet.tsv").write_text("".join(f"{name}\t{name}.fa\n" for name in NAMES))
    return found


def records(text):
    """Headers and sequences of FASTA."""
    lines = text.splitlines()
    return list(zip(lines[::2], lines[1::2], strict=True))


def runs_of(header, sets):
    return [(sets[int(color)], int(n)) for color, n in re.findall(r" C:(\d+):(\d+)", header)]


def color_sets(dbg, index):
    code, out, _ = dbg("color", "sets", index, "-q")
    assert code == 0
    rows = [line.split("\t") for line in out.splitlines()[1:]]
    return [tuple(NAMES.index(name) for name in row[3].split(",")) for row in rows], [int(row[1]) for row in rows]


def run(dbg, *words):
    code, out, err = dbg("color", *words, "-q")
    assert (code, err) == (0, "")
    return out


@pytest.mark.parametrize("source", [("sheet.tsv",), ("a.fa", "b.fa", "c.fa")])
def test_unitigs_have_the_colours_of_their_kmers(dbg, genomes, source):
    colored = naive.colors(genomes, K)
    run(dbg, *source, "-k", K, "-o", "x.dbgc")
    sets, n_kmers = color_sets(dbg, "x.dbgc")
    assert sets == list(naive.number_sets(colored))
    assert sum(n_kmers) == len(colored)
    plain = run(dbg, *source, "-k", K)
    assert plain == run(dbg, "x.dbgc") == run(dbg, "build", *source, "-k", K, "-m", "300M", "-t", 1)
    for header, sequence in records(plain):
        assert runs_of(header, sets) == naive.runs(sequence, K, colored)
    split = run(dbg, "x.dbgc", "--split-by-color")
    assert all(len(runs_of(header, sets)) == 1 for header, _ in records(split))
    assert sum(header.count(" C:") for header, _ in records(plain)) == len(records(split))


def test_a_directory_holds_what_single_files_do(dbg, genomes):
    run(dbg, "sheet.tsv", "-k", K, "-o", "out/", "--split-by-color")
    for name, file_format in (("unitigs.fasta", "fasta"), ("graph.gfa", "gfa"), ("matrix.tsv", "tsv")):
        with open(f"out/{name}") as file:
            assert file.read() == run(dbg, "out", "--format", file_format, "--split-by-color")
    with open("out/samples.tsv") as file:
        text = file.read()
    assert text == run(dbg, "samples", "out")
    kmers = [naive.canonical_kmers(one[0], K) for one in genomes]
    assert text == "sample\tkmers\n" + "".join(f"{n}\t{len(k)}\n" for n, k in zip(NAMES, kmers, strict=True))
    with open("out/color_sets.tsv") as file:
        assert file.read() == run(dbg, "sets", "out/colors.dbgc")


def test_gfa_has_runs_as_tags(dbg, genomes):
    fasta, gfa = run(dbg, "sheet.tsv", "-k", K), run(dbg, "sheet.tsv", "-k", K, "--format", "gfa")
    tags = [re.search(r"\tCS:Z:(\S+)", line)[1].split(",") for line in gfa.splitlines() if line[0] == "S"]
    assert tags == [re.findall(r" C:(\S+)", header) for header, _ in records(fasta)]


@pytest.mark.parametrize("values", ["count", "fraction"])
def test_the_matrix_counts_kmers(dbg, genomes, values):
    matrix = [
        line.split("\t") for line in run(dbg, "sheet.tsv", "-k", K, "--format", "tsv", "--values", values).splitlines()
    ]
    unitigs = records(run(dbg, "sheet.tsv", "-k", K))
    kmers = [naive.canonical_kmers(one[0], K) for one in genomes]
    assert matrix[0] == ["unitig", "length", "kmers", *NAMES]
    for row, (header, sequence) in zip(matrix[1:], unitigs, strict=True):
        windows = [sequence[i : i + K] for i in range(len(sequence) - K + 1)]
        held = [sum(min(w, reverse_complement(w)) in one for w in windows) for one in kmers]
        shown = [str(n) if values == "count" else f"{n / len(windows):.3f}" for n in held]
        assert row == [header[1:].split()[0], str(len(sequence)), str(len(windows)), *shown]


def test_grep_keeps_kmers_by_samples(dbg, genomes):
    colored = naive.colors(genomes, K)
    run(dbg, "sheet.tsv", "-k", K, "-o", "x.dbgc")
    words = ("grep", "x.dbgc", "--any-of", "a", "--none-of", "c")
    kept = {kmer: len(one) for kmer, one in colored.items() if 0 in one and 2 not in one}
    assert kept
    assert run(dbg, *words, "--format", "kmers") == "".join(f"{kmer}\t{n}\n" for kmer, n in sorted(kept.items()))
    sets, _ = color_sets(dbg, "x.dbgc")
    for header, sequence in records(run(dbg, *words)):
        assert runs_of(header, sets) == naive.runs(sequence, K, colored)
    run(dbg, *words, "-o", "kept.dbgc")
    assert run(dbg, "kept.dbgc", "--format", "kmers") == run(dbg, *words, "--format", "kmers")
    assert [header.split(" C:")[0] for header, _ in records(run(dbg, "kept.dbgc"))] == [
        header.split(" C:")[0] for header, _ in records(run(dbg, *words))
    ]
    assert run(dbg, "grep", "x.dbgc", "--all-of", "a", "--none-of", "a") == ""
    for file_format in ("gfa", "tsv", "kmers", "dbgc"):
        run(dbg, "grep", "x.dbgc", "--all-of", "a", "--none-of", "a", "--format", file_format, "-o", "empty")
    run(dbg, "grep", "x.dbgc", "--all-of", "a", "--none-of", "a", "-o", "empty.dbgc")
    assert run(dbg, "empty.dbgc") == ""
    run(dbg, "grep", "x.dbgc", "--all-of", "a", "--none-of", "a", "-o", "none/")
    run(dbg, "grep", "x.dbgc", "--all-of", "a", "--none-of", "a", "--split-by-color")


@pytest.mark.parametrize(
    ("words", "expected", "message"),
    [
        ("grep x.dbgc", 2, "no condition is given"),
        ("grep x.dbgc --any-of z", 67, "there is no sample 'z' among 3"),
        ("grep x.dbgc --min-samples 3 --max-samples 2", 2, "--min-samples 3 is above --max-samples 2"),
        ("grep a.fa --any-of a", 64, "this is no colour index"),
        ("grep missing --any-of a", 65, "missing"),
        ("sets short.dbgc", 64, "truncated"),
        ("x.dbgc a.fa", 2, "a saved index is read alone"),
        ("x.dbgc -k 5", 2, "a saved index is read alone"),
        ("a.fa a.fa", 67, "two samples are called a"),
        ("a.fa -k 12", 2, "k is 12, an even number"),
        ("a.fa -k 12 -o out/", 2, "k is 12, an even number"),
        ("a.fa -k 1 --format tsv", 2, "choose an odd k"),
        ("a.fa --format x", 2, "no such format"),
        ("a.fa --values x", 2, "--values x"),
        ("a.fa --values count", 2, "--values has no effect without a matrix"),
        ("a.fa --values fraction -o x.gfa", 2, "--values has no effect without a matrix"),
        ("a.fa --split-by-color --format kmers", 2, "--split-by-color has no effect without unitigs"),
        ("grep x.dbgc --any-of a --split-by-color -o y.dbgc", 2, "--split-by-color has no effect without unitigs"),
        ("a.fa -o out/ --format gfa", 2, "a directory gets all formats"),
        ("a.fa -o x.dbgk", 2, "dbgk by its ending"),
        ("a.fa -o a.fa", 2, "same file"),
        ("x.dbgc -o x.dbgc", 2, "same file"),
        ("forward.dbgk", 67, "not canonical"),
        ("a.fa forward.dbgk", 67, "canonical"),
        ("buld a.fa", 2, "did you mean 'dbg color build'"),
        ("empty.fa", 64, "empty"),
    ],
)
def test_bad_input_is_one_line(dbg, genomes, words, expected, message):
    run(dbg, "sheet.tsv", "-k", K, "-o", "x.dbgc")
    with open("x.dbgc", "rb") as file, open("short.dbgc", "wb") as short:
        short.write(file.read()[:700])
    open("empty.fa", "w").close()
    assert dbg("count", "-k", K, "--forward", "a.fa", "-o", "forward.dbgk", "-q")[0] == 0
    code, out, err = dbg("color", *words.split(), "-q")
    assert (code, out) == (expected, ""), err
    assert len(err.splitlines()) == 2
    assert message in err


@pytest.mark.parametrize(
    ("words", "expected"), [("b.fa -k 12", 2), ("even.dbgk b.fa", 67), ("forward.dbgk c.dbgk", 67)]
)
def test_kmers_of_no_graph_are_refused_before_samples_are_counted(dbg, genomes, words, expected):
    """Counted samples are reported."""
    for name, options in (("even", ["-k", 12]), ("forward", ["-k", K, "--forward"]), ("c", ["-k", K])):
        assert dbg("count", "a.fa", *options, "-o", f"{name}.dbgk", "-q")[0] == 0
    code, out, err = dbg("color", *words.split())
    assert (code, out, len(err.splitlines())) == (expected, "", 2), err
    assert dbg("color", "b.fa", "-k", 12, "--format", "kmers")[0] == 0


def test_samples_without_kmers_have_no_colours(dbg, genomes):
    with open("short.fa", "w") as file:
        file.write(">short\nACGT\n")
    code, out, err = dbg("color", "a.fa", "short.fa", "-k", K, "--format", "tsv")
    assert code == 0
    assert "sample short has no 11-mer" in err
    assert all(line.endswith("\t1.000\t0.000") for line in out.splitlines()[1:])
