"""`dbg matrix` through its entry point, against Counters."""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pytest

from debruijn_gpu.run.tuning import tuned
from tests.naive import kmers as naive_kmers, samples as naive

K = 11


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def reads(place):
    """Reads of three samples, by file."""
    rng = random.Random(5)
    genome = "".join(rng.choices("ACGT", k=300))
    other = genome[:100] + "".join(rng.choices("ACGT", k=80)) + genome[180:]
    found = {
        "a.fa": [genome],
        "b.fq": [other[i : i + 60] for i in rng.choices(range(230), k=40)] + ["ACGNT" * 9],
        "c.fa": [other, genome[50:120]],
    }
    for name, some in found.items():
        mark = "@{}\n{}\n+\n{}\n" if name.endswith("fq") else ">{}\n{}\n"
        (place / name).write_text("".join(mark.format(i, read, "I" * len(read)) for i, read in enumerate(some)))
    (place / "samples.tsv").write_text("a\ta.fa\nb\tb.fq\t1\nc : c.fa\n")
    return found


def expected(reads, min_counts=(1, 1, 1), k=K, canonical=True):
    return naive.joined([naive_kmers.count(some, k, canonical) for some in reads.values()], min_counts)


def written(dbg, *args):
    code, out, err = dbg("matrix", *args, "-q")
    assert (code, err) == (0, "")
    return out


@pytest.mark.parametrize("k", [1, 4, 11, 32, 41])
@pytest.mark.parametrize("canonical", [True, False])
def test_text_equals_counters(dbg, reads, k, canonical):
    rows = expected(reads, k=k, canonical=canonical)
    strands = "--canonical" if canonical else "--forward"
    assert written(dbg, "samples.tsv", "-k", k, strands) == naive.lines(rows, "abc", False)
    with tuned(range_kmers=50, held_samples_share=0.0):
        assert written(dbg, "samples.tsv", "-k", k, strands, "--presence", "-t", 1) == naive.lines(rows, "abc", True)


def test_minimum_count_is_two_in_fastq(dbg, reads):
    code, out, err = dbg("matrix", *reads, "-k", K)
    assert (code, out) == (0, naive.lines(expected(reads, (1, 2, 1)), "abc", False))
    assert "minimum count of a k-mer: 2 in 1 sample of FASTQ, 1 in 2 samples of other files" in err
    assert written(dbg, *reads, "-k", K, "--hard-min", 2) == naive.lines(expected(reads, (2, 2, 2)), "abc", False)


def test_filters_are_applied(dbg, reads, place):
    rows = expected(reads)
    (place / "soft").write_text("1\n5\n\n2\n")
    for line, soft_mins, recurrence_min, share_min in (
        ("--soft-min 3 --share-min 1", [3] * 3, 1, 1),
        ("--soft-min 3", [3] * 3, 1, 0),
        ("--recurrence-min 3", [1] * 3, 3, 0),
        ("--soft-min soft --recurrence-min 2 --share-min 2", [1, 5, 2], 2, 2),
    ):
        kept = naive.filtered(rows, soft_mins, recurrence_min, share_min)
        assert len(kept) > 0
        assert written(dbg, "samples.tsv", "-k", K, *line.split()) == naive.lines(kept, "abc", False)


@pytest.mark.parametrize("values", ["--counts", "--presence"])
def test_npz_is_a_sparse_matrix_of_scipy(dbg, reads, place, values):
    sparse = pytest.importorskip("scipy.sparse")
    rows = expected(reads)
    written(dbg, "samples.tsv", "-k", K, values, "-o", "m.npz")
    with np.load(place / "m.npz") as found:
        kmers = [kmer.decode() for kmer in found["kmers"]]
        assert found["samples"].tolist() == ["a", "b", "c"]
        assert (int(found["k"]), bool(found["canonical"])) == (K, True)
    dense = sparse.load_npz(place / "m.npz").toarray()
    cells = {kmer: [(s, int(v)) for s, v in enumerate(row) if v] for kmer, row in zip(kmers, dense, strict=True)}
    assert cells == ({kmer: [(s, 1) for s, _ in row] for kmer, row in rows.items()} if "pre" in values else rows)


@pytest.mark.parametrize("values", ["--counts", "--presence"])
def test_npz_does_not_depend_on_memory_or_blocks(dbg, reads, place, values, monkeypatch):
    written(dbg, "samples.tsv", "-k", K, values, "-o", "held.npz")
    monkeypatch.setattr("debruijn_gpu.io.matrices.npz._BLOCK_ROWS", 7)
    written(dbg, "samples.tsv", "-k", K, values, "-o", "blocks.npz", "-t", 3)
    assert (place / "blocks.npz").read_bytes() == (place / "held.npz").read_bytes()
    with tuned(range_kmers=50, held_columns_share=0.0):
        written(dbg, "samples.tsv", "-k", K, values, "-o", "spilled.npz", "-t", 1)
    assert (place / "spilled.npz").read_bytes() == (place / "held.npz").read_bytes()


@pytest.mark.parametrize(
    "filters",
    [
        ("--recurrence-min", 2),
        *(pytest.param(filters, marks=pytest.mark.slow) for filters in ((), ("--recurrence-min", 1))),
    ],
)
def test_npz_has_the_same_bytes_in_a_file_behind_others_and_in_a_pipe(dbg, reads, place, filters):
    written(dbg, "samples.tsv", "-k", K, *filters, "-o", "m.npz")
    expected_bytes = (place / "m.npz").read_bytes()
    line = [sys.executable, "-m", "debruijn_gpu", "matrix", "samples.tsv", "-k", str(K), *map(str, filters)]
    line += ["--format", "npz", "-q"]
    assert subprocess.run(line, stdout=subprocess.PIPE, check=True, cwd=place).stdout == expected_bytes
    for mode in ("wb", "ab"):
        with open(place / mode, mode) as file:
            file.write(b"before")
            file.flush()
            subprocess.run(line, stdout=file, check=True, cwd=place)
        assert (place / mode).read_bytes() == b"before" + expected_bytes
    written(dbg, "samples.tsv", "-k", K, *filters, "-o", "m.npz.gz")
    assert gzip.decompress((place / "m.npz.gz").read_bytes()) == expected_bytes
    with zipfile.ZipFile(place / "m.npz") as archive:
        assert archive.testzip() is None


def zarr_array(directory):
    """Read an array as version 2 of the format describes it."""
    described = json.loads((directory / ".zarray").read_text())
    shape, chunks, dtype = described["shape"], described["chunks"], np.dtype(described["dtype"])
    found = np.zeros([-(-shape[0] // chunks[0]) * chunks[0], *shape[1:]], dtype)
    for number in range(-(-shape[0] // chunks[0])):
        data = zlib.decompress((directory / ".".join([str(number), "0"][: len(shape)])).read_bytes())
        found[number * chunks[0] :][: chunks[0]] = np.frombuffer(data, dtype).reshape(chunks)
    return found[: shape[0]]


@pytest.mark.parametrize("values", ["--counts", "--presence"])
def test_zarr_follows_the_specification(dbg, reads, place, values, monkeypatch):
    monkeypatch.setattr("debruijn_gpu.io.matrices.zarr._CHUNK_ROWS", 64)
    rows = expected(reads)
    for _ in range(2):  # the second one replaces the first
        written(dbg, "samples.tsv", "-k", K, values, "-o", "m.zarr")
    matrix, kmers, samples = (zarr_array(place / "m.zarr" / name) for name in ("matrix", "kmers", "samples"))
    assert len(list((place / "m.zarr" / "matrix").glob("*.0"))) > 1
    assert samples.tolist() == ["a", "b", "c"]
    cells = {
        kmer.decode(): [(s, int(v)) for s, v in enumerate(row) if v] for kmer, row in zip(kmers, matrix, strict=True)
    }
    assert cells == ({kmer: [(s, 1) for s, _ in row] for kmer, row in rows.items()} if "pre" in values else rows)
    attributes = json.loads((place / "m.zarr" / ".zattrs").read_text())
    assert (attributes["k"], attributes["canonical"], attributes["values"]) == (K, True, values[2:])


def test_zarr_replaces_no_other_directory(dbg, reads, place):
    (place / "m.zarr").mkdir()
    (place / "m.zarr" / "mine").touch()
    code, out, err = dbg("matrix", "samples.tsv", "-o", "m.zarr")
    assert (code, out) == (66, "")
    assert "holds something other than a matrix" in err
    assert dbg("matrix", "samples.tsv", "--format", "zarr")[0] == 2


def test_prevalence_is_written_with_and_without_matrix(dbg, reads, place):
    rows = expected(reads)
    numbers = naive.prevalence(rows, 3)
    assert written(dbg, "samples.tsv", "-k", K, "--prevalence", "p.tsv", "--prevalence", "p.svg") == ""
    header, *lines = (place / "p.tsv").read_text().splitlines()
    assert header.split("\t") == ["samples", "kmers", "pangenome", "core"]
    cells = [list(map(int, line.split("\t"))) for line in lines]
    assert [row[:2] for row in cells] == [[n, number] for n, number in enumerate(numbers, 1)]
    assert (cells[-1][2], cells[-1][3]) == (len(rows), numbers[-1])
    assert (place / "p.svg").read_bytes().startswith(b"<?xml")
    args = ("samples.tsv", "-k", K, "--prevalence", "q.tsv", "-o", "-")
    assert written(dbg, *args) == naive.lines(rows, "abc", False)
    assert (place / "q.tsv").read_bytes() == (place / "p.tsv").read_bytes()
    assert written(dbg, "samples.tsv", "-k", K, "--prevalence", "-") == (place / "p.tsv").read_text()


@pytest.mark.parametrize("name", ["m.tsv", "m.npz", "m.zarr"])
def test_empty_and_single_samples(dbg, place, name):
    (place / "x.fa").write_text(">x\nACG\n")
    (place / "y.fa").write_text(">y\nACGTTGCAACTGA\n")
    assert written(dbg, "y.fa", "-k", 13) == "kmer\ty\nACGTTGCAACTGA\t1\n"
    code, _, err = dbg("matrix", "x.fa", "-k", 13, "-o", name, "--prevalence", "p.tsv")
    assert code == 0
    assert "sample x has no 13-mer" in err
    assert (place / "p.tsv").read_text() == "samples\tkmers\tpangenome\tcore\n1\t0\t0\t0\n"
    if name == "m.tsv":
        assert (place / name).read_text() == "kmer\tx\n"
    elif name == "m.npz":
        with np.load(place / name) as found:
            assert found["shape"].tolist() == [0, 1]
    else:
        assert zarr_array(place / name / "matrix").shape == (0, 1)


def test_sheets_and_samples_come_from_standard_input(dbg, reads, place):
    rows = naive.lines(expected(reads), "abc", False)
    for text, wanted in (
        ((place / "samples.tsv").read_text(), rows),
        ((place / "a.fa").read_text(), naive.lines(expected({"a": reads["a.fa"]}, [1]), ["stdin"], False)),
    ):
        line = [sys.executable, "-m", "debruijn_gpu", "matrix", "-q", "-k", str(K)]
        assert subprocess.run(line, input=text.encode(), capture_output=True, check=True).stdout.decode() == wanted


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("a.fa a.fa", 67, "two samples are called a"),
        ("twice.tsv", 64, "line 2: a second sample is called x"),
        ("missing.tsv", 65, "missing.tsv"),
        ("gone.tsv", 65, "line 1: .*gone.fa: No such file"),
        ("a.dbgk -k 21", 67, "k is 11, and -k is 21"),
        ("a.dbgk longer.dbgk", 67, "k is 13"),
        ("a.dbgk forward.dbgk", 67, "canonical"),
        ("cut.dbgk", 64, "truncated"),
        ("a.fa --recurrence-min 2", 67, "there are 1 samples"),
        ("a.fa --soft-min none", 2, "--soft-min"),
        ("a.fa --soft-min a.fa", 64, "line 1: expected a minimum count"),
        ("a.fa -k 0", 2, "-k"),
        ("a.fa --hard-min 0", 2, "--hard-min"),
        ("a.fa --prevalence p.xlsx", 2, "--prevalence"),
        ("a.fa --prevalence - -o -", 2, "two outputs"),
        ("a.fa --prevalence p.tsv --format npz", 2, "--format has no effect"),
        ("a.fa --prevalence p.tsv --presence", 2, "--presence has no effect without a matrix"),
        ("a.fa --prevalence p.tsv --counts", 2, "--counts has no effect without a matrix"),
        ("a.fa --share-min 1", 2, "--share-min has no effect without --soft-min"),
        ("a.dbgk --forward", 67, "a.dbgk holds canonical k-mers, and --forward is given"),
        ("forward.dbgk --canonical", 67, "forward.dbgk holds k-mers as read, and --canonical is given"),
        ("a.dbgk c.fa --forward", 67, "those of sequences are counted as read"),
        ("forward.dbgk c.fa", 67, "those of sequences are counted as canonical ones"),
        ("a.fa -o m.fasta", 2, "m.fasta"),
        ("- -", 2, "standard input"),
    ],
)
def test_faults_are_one_line(dbg, reads, place, line, code, message):
    (place / "twice.tsv").write_text("x\ta.fa\nx\tb.fq\n")
    (place / "gone.tsv").write_text("x\tgone.fa\n")
    for name, options in (("a", []), ("longer", ["-k", 13]), ("forward", ["--forward"])):
        assert dbg("count", "a.fa", "-k", K, *options, "-o", f"{name}.dbgk", "-q")[0] == 0
    (place / "cut.dbgk").write_bytes((place / "a.dbgk").read_bytes()[:-5])
    found, out, err = dbg("matrix", *line.split())
    assert (found, out) == (code, "")
    what, *fix = [text for text in err.splitlines() if not text.startswith("[dbg]")]
    assert len(fix) <= 1
    assert re.search(message, what)


def test_strands_of_sets_are_taken_and_may_be_named(dbg, reads):
    for strands in ("--canonical", "--forward"):
        assert dbg("count", "a.fa", "-k", K, strands, "-o", "a.dbgk", "-q")[0] == 0
        assert written(dbg, "a.dbgk") == written(dbg, "a.dbgk", strands) == written(dbg, "a.fa", "-k", K, strands)


def test_result_is_the_same_for_any_memory_threads_and_format_of_samples(dbg, reads, place):
    for name in ("a.fa", "c.fa"):
        assert dbg("count", name, "-k", K, "-o", f"{name[0]}.dbgk", "-q")[0] == 0
    assert dbg("count", "b.fq", "-k", K, "-o", "b.kff", "-q")[0] == 0
    wanted = written(dbg, "samples.tsv", "-k", K)
    assert written(dbg, "a.dbgk", "b.kff", "c.dbgk") == wanted
    assert written(dbg, "a.dbgk", "b.kff", "c.fa", "-t", 1, "-m", "300M") == wanted
