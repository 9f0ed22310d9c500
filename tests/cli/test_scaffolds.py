"""Commands that read a directory with scaffolds, and its graph with jumps."""

from __future__ import annotations

import shutil

import pytest

from tests.assembly.scaffold_examples import write_resolved


@pytest.fixture
def place(tmp_path):
    return write_resolved(tmp_path / "out")


def test_stats_of_a_directory_are_those_of_its_scaffolds(dbg, place):
    code, out, err = dbg("stats", place, "--tsv")
    assert (code, err) == (0, "")
    assert out == dbg("stats", place / "scaffolds.fasta", "--tsv")[1]
    assert out.splitlines()[0] == "Assembly\tscaffolds.fasta"
    assert "\nN50\t380\n" in out


def test_stats_of_a_directory_without_scaffolds_are_those_of_its_contigs(dbg, place):
    (place / "scaffolds.fasta").unlink()
    assert dbg("stats", place)[1] == dbg("stats", place / "contigs.fasta")[1] != ""


def test_stats_of_two_directories_are_named_by_paths(dbg, place, tmp_path):
    shutil.copytree(place, tmp_path / "other")
    code, out, _err = dbg("stats", place, tmp_path / "other", place / "contigs.fasta", "--tsv")
    names = [str(tmp_path / name) for name in ("out/scaffolds.fasta", "other/scaffolds.fasta", "out/contigs.fasta")]
    assert (code, out.splitlines()[0].split("\t")[1:]) == (0, names)


def test_stats_refuse_to_replace_the_scaffolds_that_they_read(dbg, place):
    before = (place / "scaffolds.fasta").read_bytes()
    assert dbg("stats", place, "-o", place / "scaffolds.fasta")[0] == 2
    assert dbg("stats", place, place / "scaffolds.fasta")[0] == 2
    assert (place / "scaffolds.fasta").read_bytes() == before


def test_report_of_a_directory_is_its_page(dbg, place):
    before = (place / "report.html").read_bytes()
    (place / "report.html").unlink()
    assert dbg("report", place)[0] == 0
    assert (place / "report.html").read_bytes() == before
    assert b"scaffold N50" in before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("stats", "--tsv"), "# contigs\t6"),
        (("report",), "6 contigs"),
        (("graph", "--tsv"), "vertices\t12"),
        (("graph", "--convert", "gfa"), "P\tscaffold_1\t1+,4+,3+;5-,4-,2-;4-\t*"),
        (("graph", "--convert", "tsv"), "4+\t3+"),
        (("euler", "--trails"), "1+ -> 4+"),
        (("draw", "--format", "dot"), "v6 -> v4"),
        (("draw", "--format", "html"), "CAGTTGACC"),
    ],
)
def test_graphs_with_jumps_are_read(dbg, place, arguments, expected):
    command, *options = arguments
    code, out, err = dbg(command, place / "assembly_graph.gfa", *options, "-q")
    assert (code, err) == (0, "")
    assert expected in out


def test_a_graph_with_jumps_is_written_as_it_was_read(dbg, place):
    path = place / "assembly_graph.gfa"
    assert dbg("graph", path, "--convert", "gfa", "-q")[1] == path.read_text()
