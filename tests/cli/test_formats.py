"""Formats and compressions by file ending, in every command that writes a file."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from xopen import xopen

from debruijn_gpu.run.file_formats import COMPRESSIONS

DATA = Path(__file__).parents[2] / "data"
GENOME = DATA / "phix174_J02482.fa"
READS = DATA / "phix174_R1.fastq.gz"

NPY, NPZ, PDF, PNG = b"\x93NUMPY", b"PK\x03\x04", b"%PDF", b"\x89PNG"


@pytest.fixture
def inputs(tmp_path, rings) -> dict[str, Path]:
    """Small inputs by name."""
    numbers, table = tmp_path / "numbers.in", tmp_path / "table.in"
    numbers.write_text("3\n1\n2\n1\n")
    table.write_text("1 5\n0 7\n")
    return {"rings": rings, "numbers": numbers, "table": table, "reads": READS, "genome": GENOME}


#: Command, ending and what the file begins with
WRITTEN = [
    ("unitigs {reads} -k 31", ".fa", b">0 LN:i:"),
    ("unitigs {reads} -k 31", ".gfa", b"H\tVN:Z:1.0"),
    ("unitigs {reads} -k 31", ".unknown", b">0 LN:i:"),
    ("unitigs {reads} -k 31 --format fasta", ".gfa", b">0 LN:i:"),
    ("unitigs {reads} -k 31 --format gfa", ".fasta", b"H\tVN:Z:1.0"),
    ("count {reads}", ".npz", NPZ),
    ("count {reads}", ".tsv", b"AAAAAAACTGATAGCAGTCGG\t"),
    ("count {reads}", ".txt", b"AAAAAAACTGATAGCAGTCGG\t"),
    ("count {reads} --format npz", ".tsv", NPZ),
    ("count {reads} --format tsv", ".npz", b"AAAAAAACTGATAGCAGTCGG\t"),
    ("spectrum {reads}", ".hist", b"1 "),
    ("spectrum {reads}", ".tsv", b"1\t"),
    ("spectrum {reads}", ".json", b"{\n"),
    ("stats {genome}", ".txt", b"Assembly  "),
    ("stats {genome}", ".tsv", b"Assembly\tphix174_J02482.fa\n"),
    ("stats {genome}", ".json", b"{\n"),
    ("stats {genome} --tsv", ".json", b"Assembly\t"),
    ("report {genome}", ".html", b"<!DOCTYPE html>"),
    ("simulate {genome} --depth 1", ".fastq", b"@"),
    ("simulate {genome} --depth 1", ".fq", b"@"),
    ("sort {numbers}", ".npy", NPY),
    ("sort {numbers}", ".raw", b"\x01\0\0\0"),
    ("sort {table}", ".csv", b"0,7\n1,5\n"),
    ("sort {table}", ".tsv", b"0\t7\n1\t5\n"),
    ("sort {table}", ".txt", b"0 7\n1 5\n"),
    ("sort {table}", ".unknown", b"0 7\n1 5\n"),
    ("sort {table} --format csv", ".npy", b"0,7\n1,5\n"),
    ("distinct {numbers} --count", ".csv", b"1,2\n2,1\n3,1\n"),
    ("compact {numbers} --where >1", ".npy", NPY),
    ("histogram {numbers} --integers", ".csv", b"1,2\n2,1\n3,1\n"),
    ("join {numbers} {table}", ".npy", NPY),
    ("graph {rings}", ".txt", b"vertices  "),
    ("graph {rings}", ".tsv", b"n_vertices\t4\n"),
    ("graph {rings}", ".json", b"{\n"),
    ("graph {rings}", ".npz", NPZ),
    ("graph {rings}", ".npy", NPY),
    ("graph {rings}", ".csv", b"a,b\n"),
    ("graph {rings}", ".gfa", b"H\tVN:Z:1.0"),
    ("graph {rings}", ".dot", b"digraph {"),
    ("graph {rings}", ".gv", b"digraph {"),
    ("graph {rings}", ".graphml", b"<?xml "),
    ("graph {rings} --convert json", ".json", b'{"directed": '),
    ("graph {rings} --paths", ".txt", b"a -> "),
    ("graph {rings} --convert tsv", ".npz", b"a\tb\n"),
    ("graph {rings} --json", ".tsv", b"{\n"),
    ("graph {rings} --pagerank", ".tsv", b"d\t"),
    ("graph {rings} --components weak", ".txt", b"a\t"),
    ("generate debruijn -n 2 --alphabet 2", ".gfa", b"H\tVN:Z:1.0"),
    ("generate debruijn -n 2 --alphabet 2", ".npz", NPZ),
    ("generate debruijn -n 2 --alphabet 2", ".tsv", b"0\t0\n"),
    ("generate debruijn -n 2 --alphabet 2", ".txt", b"0 -> 0, 1\n"),
    ("generate debruijn -n 2 --alphabet 2 --format csv", ".txt", b"0,0\n"),
    ("euler {rings}", ".txt", b"a -> b"),
    ("euler {rings}", ".npy", NPY),
    ("euler {rings}", ".npz", NPZ),
    ("euler {rings} --count", ".tsv", b"edge_sequences\t2\n"),
    ("draw {rings}", ".dot", b"digraph"),
    ("draw {rings}", ".gv", b"digraph"),
    ("draw {rings}", ".htm", b"<!DOCTYPE html>"),
    ("debruijn -n 3", ".npy", NPY),
    ("debruijn -n 3", ".bits", b"\x17"),
    ("debruijn -n 3", ".bin", b"\0\0\0\1\0\1\1\1"),
    ("debruijn -n 3", ".txt", b"00010111\n"),
    ("debruijn -n 3 --format text", ".npy", b"00010111\n"),
    ("debruijn -n 3 --length", ".txt", b"8\n"),
    ("lookandsay 1 -n 4", ".txt", b"111221\n"),
    ("cyclospec NQEL", ".tsv", b"peptide\tmass\n"),
    ("cyclospec NQEL", ".npy", NPY),
    ("cyclospec NQEL", ".txt", b"0 113 "),
    ("bench sort --sizes 60 --repeats 1", ".tsv", b"operation\t"),
    ("bench sort --sizes 60 --repeats 1", ".json", b"{\n"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "ending", "start"), WRITTEN)
def test_format_follows_the_ending(dbg, tmp_path, inputs, command, ending, start):
    path = tmp_path / f"written{ending}"
    code, out, err = dbg(*command.format(**inputs).split(), "-q", "-o", path)
    err = err if "bench" not in command else ""  # which warns where there is no GPU
    assert (code, out, err) == (0, "", "")
    assert path.read_bytes()[: len(start)] == start


#: A command for each kind of stream that it writes: text, arrays, archives, pictures
COMPRESSED = [
    ("count {reads}", ".tsv"),
    ("count {reads}", ".npz"),
    ("sort {numbers}", ".npy"),
    ("generate debruijn -n 2 --alphabet 2", ".npz"),
    ("generate debruijn -n 2 --alphabet 2", ".npy"),
    ("generate debruijn -n 2 --alphabet 2", ".gfa"),
    ("euler {rings}", ".npz"),
    ("debruijn -n 3", ".npy"),
    ("lookandsay 1 -n 9", ".txt"),
    ("simulate {genome} --depth 1", ".fq"),
    ("stats {genome}", ".json"),
    ("report {genome}", ".html"),
    ("draw {rings}", ".html"),
]


@pytest.mark.slow
@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize(("command", "ending"), COMPRESSED)
def test_compression_follows_the_ending(dbg, tmp_path, inputs, command, ending, compression):
    plain, first, second = (tmp_path / f"{name}{ending}" for name in ("plain", "first", "second"))
    first, second = (path.with_name(path.name + compression) for path in (first, second))
    for path in (plain, first, second):
        assert dbg(*command.format(**inputs).split(), "-q", "-o", path)[0] == 0
    assert first.read_bytes() == second.read_bytes() != plain.read_bytes()
    with xopen(first, "rb", threads=0, format=COMPRESSIONS[compression]) as stream:
        content = stream.read()
    if ending == ".npz":  # without seeking, the sizes of entries stand behind them
        with np.load(io.BytesIO(content)) as found, np.load(plain) as expected:
            assert list(found) == list(expected)
            assert all(np.array_equal(found[name], expected[name]) for name in expected)
    else:
        assert content == plain.read_bytes()


def test_compressed_results_can_be_read_again(dbg, tmp_path, rings):
    for compression in COMPRESSIONS:
        path = tmp_path / f"graph.npz{compression}"
        assert dbg("graph", rings, "-o", path)[0] == 0
        assert dbg("euler", path)[:2] == (0, "a -> b -> d -> a -> c -> d -> a\n")


REFUSED = [
    ("unitigs {reads}", ".npz", "fasta or gfa"),
    ("count {reads}", ".gfa", "tsv, npz, dbgk, kff or fasta"),
    ("spectrum {reads}", ".npy", "histogram, tsv or json"),
    ("stats {genome}", ".html", "text, tsv or json"),
    ("report {genome}", ".pdf", "html"),
    ("simulate {genome}", ".fasta", "fastq"),
    ("sort {numbers}", ".npz", "text, tsv, csv, npy or raw"),
    ("distinct {numbers}", ".json", "text, tsv, csv, npy or raw"),
    ("compact {numbers} --where nonzero", ".fasta", "text, tsv, csv, npy or raw"),
    ("histogram {numbers}", ".png", "text, tsv, csv, npy or raw"),
    ("join {numbers} {numbers}", ".gfa", "text, tsv, csv, npy or raw"),
    ("graph {rings}", ".svg", "text, tsv, json, csv, vector, npy, npz, csr, coo, gfa, dot, graphml or directory"),
    ("graph {rings} --paths", ".gfa", "text"),
    ("graph {rings} --spell-paths", ".gfa", "fasta"),
    ("graph {rings} --pagerank", ".npy", "tsv"),
    ("graph {rings} --components weak", ".json", "tsv"),
    (
        "generate random -n 2",
        ".svg",
        "text, tsv, csv, vector, npy, npz, csr, coo, gfa, dot, graphml, json or directory",
    ),
    ("euler {rings}", ".gfa", "text, sequence, npy or npz"),
    ("euler {rings} --count", ".npy", "tsv"),
    ("draw {rings}", ".jpg", "svg, png, pdf, dot or html"),
    ("debruijn -n 3", ".fasta", "text, bytes, 2bit, bits, npy or checksum"),
    ("debruijn -n 3 --length", ".npy", "text"),
    ("lookandsay 1 -n 2", ".npy", "text"),
    ("cyclospec NQEL", ".csv", "text, tsv or npy"),
    ("bench sort", ".csv", "text, tsv or json"),
]


@pytest.mark.parametrize("compression", ["", ".gz"])
@pytest.mark.parametrize(("command", "ending", "formats"), REFUSED)
def test_formats_of_other_commands_are_refused(dbg, tmp_path, inputs, command, ending, formats, compression):
    before = set(tmp_path.iterdir())
    path = tmp_path / f"written{ending}{compression}"
    code, out, err = dbg(*command.format(**inputs).split(), "-o", path)
    what, fix = err.splitlines()
    assert (code, out) == (2, "")
    assert what == f"dbg: -o {path}: {ending[1:]} by its ending, but this command writes {formats}"
    assert fix.startswith("     let it end in .")
    assert set(tmp_path.iterdir()) == before


@pytest.mark.slow
@pytest.mark.parametrize("command", ["spectrum {reads}", "stats {genome}", "cyclospec NQEL", "bench sort --sizes 60"])
@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("PNG", PNG), ("pdf", PDF), ("v2", b"<?xml")])
def test_plots_follow_the_ending(dbg, tmp_path, inputs, command, ending, start):
    path = tmp_path / f"plot.{ending}"
    assert dbg(*command.format(**inputs).split(), "-q", "-o", tmp_path / "out", "--plot", path)[0] == 0
    assert path.read_bytes().startswith(start)
    code, _, err = dbg(*command.format(**inputs).split(), "--plot", tmp_path / "plot.jpg")
    assert (code, "--plot" in err, "svg, png or pdf" in err) == (2, True, True)


def test_plots_are_compressed_by_ending(dbg, tmp_path):
    path = tmp_path / "plot.svg.zst"
    assert dbg("stats", GENOME, "--plot", path)[0] == 0
    with xopen(path, "rb", threads=0, format="zst") as stream:
        assert ElementTree.fromstring(stream.read()).tag.endswith("svg")


def test_count_writes_the_histogram_by_its_own_ending(dbg, tmp_path):
    plain, tabs = tmp_path / "a.hist", tmp_path / "a.tsv.gz"
    for path in (plain, tabs):
        assert dbg("count", READS, "-q", "-o", tmp_path / "counts", "--histogram", path)[0] == 0
    with xopen(tabs, "rb", threads=0) as stream:
        assert stream.read() == plain.read_bytes().replace(b" ", b"\t")
    code, _, err = dbg("count", READS, "--histogram", tmp_path / "a.npz")
    assert (code, err.splitlines()[0].partition(": ")[2]) == (
        2,
        f"--histogram {tmp_path / 'a.npz'}: npz by its ending, but this command writes histogram or tsv",
    )


def test_spectrum_writes_estimates_or_histogram_by_the_ending(dbg, tmp_path):
    code, estimates, _ = dbg("spectrum", READS, "--json")
    assert code == 0
    code, out, _ = dbg("spectrum", READS, "--json", "-o", tmp_path / "s.hist")
    assert (code, out) == (0, estimates)
    for options in ([], ["--json"]):
        assert dbg("spectrum", READS, *options, "-q", "-o", tmp_path / "s.json") == (0, "", "")
        assert json.loads((tmp_path / "s.json").read_text()) == json.loads(estimates)


def test_slash_at_the_end_asks_for_a_directory(dbg, tmp_path, rings):
    assert dbg("graph", rings, "-q", "-o", f"{tmp_path}/graph/")[0] == 0
    assert dbg("euler", tmp_path / "graph")[:2] == (0, "a -> b -> d -> a -> c -> d -> a\n")
    code, _, err = dbg("euler", rings, "-o", f"{tmp_path}/walk/")
    assert (code, err.splitlines()[0]) == (
        2,
        f"dbg: -o {tmp_path}/walk/: a directory, but this command writes text, sequence, npy or npz",
    )


@pytest.mark.parametrize("name", ["contigs.fasta", "x.fa", "x.gfa", "x.gz", "x.fasta.gz", "x.txt", "x.HTML"])
def test_assemble_wants_a_directory(dbg, tmp_path, name):
    code, out, err = dbg("assemble", READS, "-o", tmp_path / name)
    assert (code, out) == (2, "")
    assert "-o names a directory" in err
    assert "without" in err or "leave -o out" in err
    assert list(tmp_path.iterdir()) == []


def test_assemble_takes_a_directory_whatever_its_name(dbg, tmp_path):
    (tmp_path / "x.fasta").mkdir()
    assert dbg("assemble", READS, "-q", "-k", 31, "-o", tmp_path / "x.fasta")[0] == 0
    assert dbg("assemble", READS, "-q", "-k", 31, "-o", tmp_path / "run.2")[0] == 0


@pytest.mark.parametrize(
    ("prefix", "single", "pair"),
    [
        ("sim", "sim.fastq.gz", ["sim_R1.fastq.gz", "sim_R2.fastq.gz"]),
        ("sim.v2", "sim.v2.fastq.gz", ["sim.v2_R1.fastq.gz", "sim.v2_R2.fastq.gz"]),
        ("sim.fastq", "sim.fastq", ["sim_R1.fastq", "sim_R2.fastq"]),
        ("sim.fq.gz", "sim.fq.gz", ["sim_R1.fq.gz", "sim_R2.fq.gz"]),
        ("sim.fastq.zst", "sim.fastq.zst", ["sim_R1.fastq.zst", "sim_R2.fastq.zst"]),
        ("sim.xz", "sim.xz", ["sim_R1.xz", "sim_R2.xz"]),
    ],
)
def test_simulate_takes_the_ending_of_its_files(dbg, tmp_path, prefix, single, pair):
    for options, names in (([], [single]), (["--paired"], pair)):
        place = tmp_path / str(len(names))
        place.mkdir()
        assert dbg("simulate", GENOME, "-q", "--depth", 1, *options, "-o", place / prefix)[0] == 0
        assert sorted(path.name for path in place.iterdir()) == names
        for name in names:
            with xopen(place / name, "rb", threads=0) as stream:
                assert stream.read(1) == b"@"


def test_simulate_writes_to_standard_output_for_a_hyphen(dbg):
    assert dbg("simulate", GENOME, "-q", "--depth", 1, "-o", "-") == dbg("simulate", GENOME, "-q", "--depth", 1)
