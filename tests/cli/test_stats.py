"""`dbg stats` through its entry point."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drawing.svg import texts

PHIX = Path(__file__).parents[2] / "data" / "phix174_J02482.fa"


@pytest.fixture
def two(tmp_path):
    """One assembly as FASTA, the other as compressed GFA."""
    (tmp_path / "a.fasta").write_bytes(b">1\n" + b"ACGT" * 300 + b"\n>2\nGGC\n")
    (tmp_path / "b.gfa.gz").write_bytes(gzip.compress(b"H\tVN:Z:1.0\nS\t1\tACGN\n"))
    return tmp_path / "a.fasta", tmp_path / "b.gfa.gz"


def table(text):
    """First row, and the others by name; columns are set off by two blanks or more."""
    rows = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in text.splitlines()]
    return rows[0], {row[0]: row[1:] for row in rows[1:]}


def test_table_has_a_column_for_each_file(dbg, two):
    code, out, err = dbg("stats", *two)
    header, rows = table(out)
    assert (code, err) == (0, "")
    assert header == ["Assembly", "a.fasta", "b.gfa.gz"]
    assert rows["# contigs"] == ["2", "1"]
    assert rows["N50"] == ["1200", "4"]
    assert rows["# N's per 100 kbp"] == ["0.00", "25000.00"]


def test_min_contig(dbg, two):
    _code, out, _err = dbg("stats", "--min-contig", 500, *two)
    _header, rows = table(out)
    assert rows["# contigs (>= 0 bp)"] == ["2", "1"]
    assert rows["# contigs"] == ["1", "0"]
    assert rows["N50"] == ["1200", "-"]


def test_tsv_is_what_multiqc_reads(dbg, two):
    _code, out, _err = dbg("stats", "--tsv", two[0])
    lines = out.splitlines()
    assert lines[0] == "Assembly\ta.fasta"
    assert all(line.count("\t") == 1 for line in lines)


def test_json(dbg, two):
    _code, out, _err = dbg("stats", "--json", *two)
    report = json.loads(out)
    assert report["schema_version"] == 2
    assert [assembly["name"] for assembly in report["assemblies"]] == ["a.fasta", "b.gfa.gz"]
    assert report["assemblies"][0]["total_bp_from"]["1000"] == 1200


@pytest.mark.process
def test_standard_input():
    done = subprocess.run(
        [sys.executable, "-m", "debruijn_gpu", "stats", "-"], input=gzip.compress(PHIX.read_bytes()),
        capture_output=True, check=True,
    )  # fmt: skip
    header, rows = table(done.stdout.decode())
    assert (header, rows["Total length"]) == (["Assembly", "-"], ["5386"])


def test_files_of_one_name_are_told_apart(dbg, two, tmp_path):
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "a.fasta"
    other.write_bytes(two[0].read_bytes())
    _code, out, _err = dbg("stats", "--tsv", two[0], other)
    assert out.splitlines()[0].split("\t")[1:] == [str(two[0]), str(other)]


def test_faults_have_their_exit_codes(dbg, tmp_path, two):
    (tmp_path / "empty").write_bytes(b"")
    assert dbg("stats", tmp_path / "empty")[0] == 64
    assert dbg("stats", tmp_path / "none")[0] == 65
    assert dbg("stats", tmp_path)[0] == 66
    assert dbg("stats", "--min-contig", -1, two[0])[0] == 2
    assert dbg("stats", two[0], two[0])[0] == 2


def test_a_fault_is_two_lines_and_no_result(dbg, tmp_path, two):
    (tmp_path / "reads.fq").write_bytes(b"@r\nA\n+\nI\n")
    _code, out, err = dbg("stats", two[0], tmp_path / "reads.fq")
    assert out == ""
    assert err.splitlines() == [
        f"dbg: {tmp_path / 'reads.fq'}: line 1: looks like FASTQ, not FASTA or GFA",
        "     name a file in FASTA or GFA format",
    ]


@pytest.mark.slow
def test_plots(dbg, two, tmp_path):
    plain = dbg("stats", *two)[1]
    for name in ("a.svg", "a.png", "a.pdf"):
        code, out, err = dbg("stats", *two, "--plot", tmp_path / name, "-q")
        assert (code, out, err) == (0, plain, "")
        assert (tmp_path / name).stat().st_size > 1000
    assert "a.fasta:  1 contig, 1,200 bp, N50 1,200" in plotted(dbg, tmp_path, two[0], "--min-contig", 100, "--tsv")


def plotted(dbg, tmp_path, *args):
    code, _out, err = dbg("stats", *args, "--plot", tmp_path / "plot.svg")
    assert code == 0, err
    return texts((tmp_path / "plot.svg").read_bytes())


@pytest.mark.slow
def test_names_in_plots_hold_no_places(dbg, tmp_path, monkeypatch):
    """As far as they need not, to be told apart."""
    for name in ("x/one/c.fa", "x/two/c.fa", "--> $x^ <script>.fa", "_c.fa"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b">1\nACGT\n")
    figures = ":  1 contig, 4 bp, N50 4"
    found = plotted(dbg, tmp_path, tmp_path / "x" / "one" / "c.fa", tmp_path / "x" / "two" / "c.fa")
    assert {f"one/c.fa{figures}", f"two/c.fa{figures}"} <= set(found)
    found = plotted(dbg, tmp_path, tmp_path / "_c.fa", tmp_path / "--> $x^ <script>.fa")
    assert f"_c.fa{figures}" in found
    assert any("script" in text and text.endswith(figures) for text in found)
    monkeypatch.chdir(tmp_path)
    assert {f"_c.fa{figures}", f"x/../_c.fa{figures}"} <= set(plotted(dbg, tmp_path, "_c.fa", "x/../_c.fa"))


def test_what_cannot_be_plotted_is_said_before(dbg, two, tmp_path):
    none = tmp_path / "none"
    assert dbg("stats", none, "--plot", tmp_path / "a.jpg")[0] == 2
    assert dbg("stats", none, "--plot", tmp_path / "no" / "a.svg")[0] == 66
    assert dbg("stats", *two, "--plot", "-")[:2] == (2, "")
