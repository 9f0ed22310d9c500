"""`dbg bin` through its entry point: files, depths of each source, and errors."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from tests.binning.genomes import markov_genome

DEPTHS = (10, 40)


def text_of(codes):
    return np.frombuffer(b"ACGTN", np.uint8)[codes].tobytes().decode()


@pytest.fixture(scope="module")
def contigs():
    """Name, bases and genome of contigs of two genomes of one composition, which depth alone distinguishes."""
    text = text_of(markov_genome(80_000, 7))
    return [(f"c{i}", text[5000 * i : 5000 * (i + 1)], i // 8) for i in range(16)]


@pytest.fixture
def place(tmp_path, monkeypatch, contigs):
    """The directory with the contigs, without and with depths in their headers."""
    monkeypatch.chdir(tmp_path)
    plain = "".join(f">{name}\n{bases}\n" for name, bases, _ in contigs)
    (tmp_path / "plain.fa").write_text(plain)
    told = "".join(f">{name} kmer_depth=1 read_depth={DEPTHS[of]} x=1\n{bases}\n" for name, bases, of in contigs)
    (tmp_path / "told.fa").write_text(told)
    return tmp_path


def table(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def check_bins(rows, contigs):
    """Each genome is one bin."""
    names = {of: {row["bin"] for row, contig in zip(rows, contigs, strict=True) if contig[2] == of} for of in (0, 1)}
    assert names in ({0: {"bin_1"}, 1: {"bin_2"}}, {0: {"bin_2"}, 1: {"bin_1"}})


@pytest.mark.slow
def test_depths_of_headers_tell_genomes_apart(dbg, place, contigs):
    code, out, err = dbg("bin", "told.fa", "-o", "bins", "-q")
    assert (code, out, err) == (0, "", "")
    names = {path.name for path in (place / "bins").iterdir()}
    assert names == {"bin_1.fasta", "bin_2.fasta", "bins.tsv", "contigs.tsv", "report.html", "dbg.log", "run.json",
                     "params.json"}  # fmt: skip
    rows = table("bins/contigs.tsv")
    check_bins(rows, contigs)
    assert [(row["contig"], int(row["length"])) for row in rows] == [(name, 5000) for name, _, _ in contigs]
    assert [float(row["depth"]) for row in rows] == [DEPTHS[of] for _, _, of in contigs]
    summary = table("bins/bins.tsv")
    assert [row["bin"] for row in summary] == ["bin_1", "bin_2", "unbinned"]
    assert [int(row["length"]) for row in summary] == [40_000, 40_000, 0]
    assert json.loads((place / "bins" / "params.json").read_text())["bin"]["min_length"] == 2500


def test_sequences_of_bins_are_those_of_the_contigs(dbg, place, contigs):
    assert dbg("bin", "told.fa", "-o", "bins", "-q")[0] == 0
    found = {}
    for number in (1, 2):
        for record in (place / "bins" / f"bin_{number}.fasta").read_text().split(">")[1:]:
            header, _, lines = record.partition("\n")
            assert max(map(len, lines.split())) == 80
            found[header] = lines.replace("\n", "")
    assert found == {f"{name} kmer_depth=1 read_depth={DEPTHS[of]} x=1": bases for name, bases, of in contigs}


@pytest.mark.slow
def test_tables_of_depths_give_the_same_as_headers(dbg, place, contigs):
    jgi = "contigName\tcontigLen\ttotalAvgDepth\ta.bam\ta.bam-var\n"
    jgi += "".join(f"{name}\t5000\t{DEPTHS[of]}\t{DEPTHS[of]}\t9\n" for name, _, of in reversed(contigs))
    (place / "jgi.tsv").write_text(jgi + "other\t1\t1\t1\t1\n")
    plain = "".join(f"{name}\t{DEPTHS[of]}\r\n\n" for name, _, of in contigs)
    (place / "plain.tsv").write_text("Contig\tMean\n" + plain)
    told = dbg("bin", "told.fa", "-q")
    assert told[0] == 0
    assert dbg("bin", "plain.fa", "--coverage", "jgi.tsv", "-q") == told
    assert dbg("bin", "plain.fa", "--coverage", "plain.tsv", "-q") == told
    both = dbg("bin", "plain.fa", "--coverage", "plain.tsv", "--coverage", "jgi.tsv", "-q")
    assert both[1].splitlines()[0].split("\t") == ["contig", "bin", "length", "depth_1", "depth_2", "row", "column"]


def test_reads_are_mapped_and_each_file_is_a_sample(dbg, place, contigs):
    random = np.random.default_rng(3)
    for name, factor in (("a.fa", 1), ("b.fa", 2)):
        reads = []
        for _, bases, of in contigs:
            starts = random.integers(0, 4901, factor * (50, 200)[of])
            reads += [f">r\n{bases[start : start + 100]}\n" for start in starts.tolist()]
        (place / name).write_text("".join(reads))
    code, out, err = dbg("bin", "plain.fa", "a.fa", "-s", "b.fa")
    assert code == 0
    assert "2,000 of 2,000 reads placed" in err
    rows = [dict(zip(out.splitlines()[0].split("\t"), line.split("\t"), strict=True)) for line in out.splitlines()[1:]]
    check_bins(rows, contigs)
    for row, (_, _, of) in zip(rows, contigs, strict=True):
        assert float(row["depth_1"]) == pytest.approx((1, 4)[of], abs=0.05)
        assert float(row["depth_2"]) == pytest.approx((2, 8)[of], abs=0.05)
    pairs = dbg("bin", "plain.fa", "-1", "a.fa", "-2", "a.fa")
    assert pairs[0] == 2  # one file as both mates


def test_results_are_replaced_only_with_force(dbg, place):
    assert dbg("bin", "told.fa", "-o", "bins", "-q")[0] == 0
    before = {path.name: path.read_bytes() for path in (place / "bins").iterdir()}
    code, _out, err = dbg("bin", "told.fa", "-o", "bins", "-q", "--min-bin", 1_000_000)
    assert (code, "holds results already (bin_1.fasta, bin_2.fasta, bins.tsv" in err) == (66, True)
    assert {path.name: path.read_bytes() for path in (place / "bins").iterdir()} == before
    assert dbg("bin", "told.fa", "-o", "bins", "-q", "--min-bin", 1_000_000, "--force")[0] == 0
    names = {path.name for path in (place / "bins").iterdir()}
    assert "unbinned.fasta" in names
    assert "bin_1.fasta" not in names


def test_bins_beside_contigs_of_another_program(dbg, place):
    (place / "other").mkdir()
    (place / "told.fa").rename(place / "other" / "contigs.fasta")
    before = (place / "other" / "contigs.fasta").read_bytes()
    for options in ([], ["--force"]):
        assert dbg("bin", "other", "-o", "other", "-q", *options)[0] == 0
    assert (place / "other" / "contigs.fasta").read_bytes() == before
    assert (place / "other" / "bin_1.fasta").exists()


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_results_of_another_command_are_never_replaced(dbg, place, force):
    assert dbg("bin", "told.fa", "-o", "bins", "-q")[0] == 0
    (place / "assembly").mkdir()
    for name, content in (("contigs.tsv", "precious"), ("params.json", '{"assemble": {}}')):
        (place / "assembly" / name).write_text(content)
    for command, file, directory, other in (
        ("bin", "told.fa", "assembly", "assemble"),
        ("assemble", "told.fa", "bins", "bin"),
    ):
        before = {path.name: path.read_bytes() for path in (place / directory).iterdir()}
        code, _out, err = dbg(command, file, "-o", directory, "-q", *force)
        assert (code, f"{directory}: holds results of 'dbg {other}'" in err) == (66, True)
        assert {path.name: path.read_bytes() for path in (place / directory).iterdir()} == before


def test_bytes_are_independent_of_threads(dbg, place):
    found = []
    for threads in (1, 2):
        assert dbg("bin", "told.fa", "-o", f"t{threads}", "-q", "-t", threads)[0] == 0
        files = (place / f"t{threads}").iterdir()
        found.append({path.name: path.read_bytes() for path in files if path.name not in ("dbg.log", "run.json")})
    assert found[0] == found[1]


def test_results_hold_no_paths(dbg, place):
    (place / "secret.tsv").write_text("".join(f"c{i}\t5\n" for i in range(16)))
    assert dbg("bin", "plain.fa", "--coverage", place / "secret.tsv", "-o", "bins", "-q")[0] == 0
    for name in ("report.html", "bins.tsv", "contigs.tsv", "params.json"):
        assert b"secret" not in (place / "bins" / name).read_bytes()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no content"),
        ("c0\n", "x.tsv:1: expected contig and depth"),
        ("c0\t1\nc1\t1\t2\n", "x.tsv:2: expected 2 columns, got 3"),
        ("c0\t1\nc1\tx\n", "x.tsv:2: expected a depth of 0 or more, got x"),
        ("c0\t-1\n", "x.tsv:1: expected a depth of 0 or more, got -1"),
        ("c0\tnan\n", "x.tsv:1: expected a depth of 0 or more, got nan"),
        ("c0\t1e300\n", "x.tsv:1: expected a depth of 0 or more"),
        ("c0\t1\nc0\t1\n", "x.tsv:2: contig c0 is there twice"),
        ("c0\t1\n", "no depth of contig c1"),
        ("contig\tdepth\n", "no depth of contig c0"),
    ],
)
def test_bad_tables_of_depths_are_one_line(dbg, place, text, what):
    (place / "x.tsv").write_text(text)
    code, out, err = dbg("bin", "plain.fa", "--coverage", "x.tsv", "-q")
    assert (code, out, len(err.splitlines())) == (64, "", 2)
    assert what in err or not text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (">a\nACGT\n", 67),
        (">a\n" + "A" * 3000 + "\n>a\nC\n", 64),
        ("", 64),
        (">a\n" + "N" * 3000, 0),
        (">\nACGT\n", 64),
    ],
)
def test_odd_contigs_are_no_defects(dbg, place, text, code):
    (place / "odd.fa").write_text(text)
    found = dbg("bin", "odd.fa", "-q", "--min-bin", 0)
    assert found[0] == code, found
    assert "unexpected" not in found[2]


def test_bins_that_are_too_small_are_said_to_be(dbg, place):
    (place / "short.fa").write_text(">a\n" + text_of(markov_genome(3000, 7)) + "\n")
    code, _out, err = dbg("bin", "short.fa", "-o", "bins")
    assert (code, "no bin has 20,000 bp or more (--min-bin)" in err) == (0, True)


def test_standard_input_is_contigs_or_reads_not_both(dbg, place):
    assert dbg("bin", "-", "-")[0] == 2


@pytest.mark.browser
def test_page_draws_the_map(dbg, place, page):
    from tests.browser import open_page

    assert dbg("bin", "told.fa", "-o", "bins", "-q")[0] == 0
    open_page(page, place / "bins" / "report.html")
    page.mouse.move(60, 400)
    box = page.locator("#unit-map").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    assert page.locator("#unit-told").inner_text().startswith("Row 0, column 0: ")
    assert page.evaluate("document.getElementById('unit-map').width") > 50
