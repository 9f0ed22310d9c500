"""`dbg report` through its entry point."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MATES = ROOT / "data" / "phix174_R1.fastq.gz", ROOT / "data" / "phix174_R2.fastq.gz"
GENOME = ROOT / "data" / "phix174_J02482.fa"


@pytest.fixture
def assembled(dbg, tmp_path):
    place = tmp_path / "out"
    assert dbg("assemble", "-1", MATES[0], "-2", MATES[1], "-o", place, "-k", 31, "--name", "phage")[0] == 0
    return place


def test_page_is_made_again(dbg, assembled):
    made = (assembled / "report.html").read_bytes()
    assert b"phage: assembly report" in made
    (assembled / "report.html").unlink()
    assert dbg("report", assembled)[:2] == (0, "")
    assert (assembled / "report.html").read_bytes() == made
    other = assembled.parent / "p.html"
    assert dbg("report", assembled, "-o", other)[0] == 0
    assert other.read_bytes() == made


def test_what_the_directory_tells(assembled):
    report = json.loads((assembled / "report.json").read_text())
    (pairs,) = report["insert_sizes"]["inputs"]
    assert (pairs["orientation"], pairs["n_pairs"]) == ("FR", 1077)
    assert pairs["sizes"]["median_bp"] == pytest.approx(300, abs=5)
    assert report["cleaning"]["rounds"] == len(report["cleaning"]["by_round"])
    assert (assembled / "report.tsv").read_text().startswith("Assembly\tphage\n")
    general = json.loads((assembled / "general_mqc.json").read_text())
    assert general["data"]["phage"]["n_circular"] == 1
    assert b"place reads and pairs" in (assembled / "dbg.log").read_bytes()


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        (("-s", MATES[0], "-s", MATES[1]), "the reads are not paired (-1 and -2, or --12)"),
        (("-1", MATES[0], "-2", MATES[1], "--no-pairs"), "pairs are not used (--no-pairs)"),
    ],
)
def test_reads_without_mates(dbg, tmp_path, inputs, reason):
    assert dbg("assemble", *inputs, "-o", tmp_path / "out", "-k", 31)[0] == 0
    told = json.loads((tmp_path / "out" / "report.json").read_text())["insert_sizes"]
    assert (told["inputs"], told["why_not"]) == ([], reason)


def test_contigs_of_any_program_to_standard_output(dbg):
    code, out, err = dbg("report", GENOME)
    assert (code, err) == (0, "")
    assert out.startswith("<!DOCTYPE html>")


def test_comparison(dbg, assembled, tmp_path):
    (tmp_path / "q.tsv").write_text("Assembly\tphage\tphix174_J02482\nNGA50\t5386\t5385\n")
    code, out, _err = dbg("report", assembled, GENOME, assembled / "assembly_graph.gfa", "--quast", tmp_path / "q.tsv")
    assert code == 0
    assert "Assemblies compared" in out
    assert "NGA50" in out
    assert all(name in out for name in ("phage", "phix174_J02482", "assembly_graph"))


def test_names_that_agree_give_way_to_paths(dbg, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.fa").write_text(">1\nACGT\n")
    _code, out, _err = dbg("report", tmp_path / "a" / "x.fa", tmp_path / "b" / "x.fa")
    assert f"{tmp_path}/a/x.fa" in out


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "no assembly given"),
        ((GENOME, GENOME), 2, "is given twice"),
        (("nowhere",), 65, "nowhere"),
        ((ROOT / "data",), 65, "holds no contigs.fasta"),
        ((MATES[0],), 64, "looks like FASTQ"),
        ((GENOME, "--quast", GENOME), 64, "does not begin with 'Assembly'"),
    ],
)
def test_errors(dbg, arguments, code, says):
    found, out, err = dbg("report", *arguments)
    assert (found, out) == (code, "")
    assert says in err


@pytest.mark.parametrize("name", ["", "  ", "a\tb", "a\nb", "\x07"])
def test_names_that_cannot_be(dbg, tmp_path, name):
    code, _out, err = dbg("assemble", *MATES, "-o", tmp_path / "out", "--name", name)
    assert code == 2
    assert "--name" in err


def test_contigs_in_one_sequence_per_line(dbg, tmp_path):
    contigs = tmp_path / "contigs.txt"
    for text in ("ACGTACGTAC\nACGTNN\n", "\n  \nACGTACGTAC\nACGTNN"):
        contigs.write_text(text)
        code, page, err = dbg("report", contigs)
        assert (code, err) == (0, "")
        assert "sequence_2" in page


def test_depths_that_cannot_be_counted_with_are_unknown(dbg, tmp_path):
    contigs = tmp_path / "contigs.fa"
    contigs.write_text(f">a depth={'9' * 400}\nACGTACGT\n>b depth=12\nACGTACGT\n")
    code, _page, err = dbg("report", contigs)
    assert (code, err) == (0, "")


def test_histogram_of_too_many_occurrences_is_refused(dbg, tmp_path):
    (tmp_path / "contigs.fasta").write_text(">a\nACGTACGT\n")
    (tmp_path / "spectrum.hist").write_text(f"1 8\n13 {2**63 - 1}\n")
    code, _page, err = dbg("report", tmp_path)
    assert code == 64
    assert "more than 2^62 occurrences" in err
