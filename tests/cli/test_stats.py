"""`dbg stats` through its entry point."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from debruijn_gpu.run.tuning import tuned
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
    (tmp_path / "reads.fq").write_bytes(b"@r\nA\n+\nII\n")
    _code, out, err = dbg("stats", tmp_path / "reads.fq")
    assert out == ""
    assert err.splitlines()[-2] == f"dbg: {tmp_path / 'reads.fq'}: record 1, line 4: 1 bases but 2 qualities"


def test_reads_and_contigs_have_other_figures(dbg, tmp_path, two):
    (tmp_path / "reads.fq").write_bytes(b"@r\nA\n+\nI\n")
    code, out, err = dbg("stats", two[0], tmp_path / "reads.fq")
    assert (code, out) == (2, "")
    assert err.splitlines()[0] == "dbg: files of reads (FASTQ) and of contigs have other figures"


FASTQ = b"@a x\nACGN\n+\nII5?\n@b\n\n+\n\n@c\nGGNNACNA\n+\n@+!!IIII\n"
#: The same reads in other forms
FORMS = {
    "plain": FASTQ,
    "CRLF": FASTQ.replace(b"\n", b"\r\n"),
    "no newline": FASTQ[:-1],
    "empty lines": FASTQ.replace(b"@c", b"\n\n@c"),
    "wrapped": FASTQ.replace(b"GGNNACNA", b"GGNN\nACNA").replace(b"@+!!IIII", b"@+!\n!II\nII"),
    "wrapped qualities": FASTQ.replace(b"@+!!IIII", b"@\n+!!IIII"),
    "other name": FASTQ.replace(b"+\nII5", b"+other\nII5"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compressed", [False, True])
def test_reads_have_the_figures_of_seqkit(dbg, tmp_path, form, compressed):
    path = tmp_path / "reads.fq"
    path.write_bytes(gzip.compress(FORMS[form]) if compressed else FORMS[form])
    code, out, _err = dbg("stats", path, "-q")
    header, rows = table(out)
    assert (code, header) == (0, ["Reads", "reads.fq"])
    assert {name: row[0] for name, row in rows.items()} == {
        "# reads": "3", "Total length": "12", "Shortest read": "0", "Mean length": "4.0", "Median length": "4.0",
        "Longest read": "8", "N50": "8", "N75": "4", "N90": "4", "L50": "1", "L75": "2", "L90": "2",
        "GC (%)": "62.50", "# N's": "4", "Q20 (%)": "75.00", "Q30 (%)": "66.67", "Mean quality": "7.54",
    }  # fmt: skip


def test_blocks_of_reads_change_nothing(dbg, tmp_path):
    reads = b"".join(b"@r%d\n%s\n+\n%s\n" % (i, b"ACGTN" * (i % 7), b"I5+@!" * (i % 7)) for i in range(200))
    (tmp_path / "reads.fq").write_bytes(reads)
    whole = dbg("stats", tmp_path / "reads.fq", "--json")[1], dbg("stats", tmp_path / "reads.fq", "--per-contig")[1]
    with tuned(fasta_block_bytes=100):
        assert dbg("stats", tmp_path / "reads.fq", "--json")[1] == whole[0]
        assert dbg("stats", tmp_path / "reads.fq", "--per-contig")[1] == whole[1]
    found = json.loads(whole[0])["reads"][0]
    n_bases = sum(5 * (i % 7) for i in range(200))
    assert (found["n_reads"], found["total_bp"], found["n_ambiguous"]) == (200, n_bases, n_bases // 5)
    assert (found["gc_percent"], found["q20_percent"], found["q30_percent"]) == (50, 60, 40)


@pytest.mark.process
@pytest.mark.parametrize("text", [FASTQ, b">a\nACGT\n"])
def test_standard_input_may_be_reads(text, tmp_path):
    (tmp_path / "x").write_bytes(text)
    command = [sys.executable, "-m", "debruijn_gpu", "stats", "--tsv"]
    piped = subprocess.run([*command, "-"], input=text, capture_output=True, check=True).stdout
    named = subprocess.run([*command, tmp_path / "x"], capture_output=True, check=True).stdout
    assert piped.split(b"\n", 1)[1] == named.split(b"\n", 1)[1]


def test_lengths_of_contigs(dbg, tmp_path):
    lengths = [100, 80, 60, 40, 20]
    (tmp_path / "a.fa").write_text("".join(f">{n}\n{'ANNN' * (n // 4)}\n" for n in lengths))
    _code, out, _err = dbg("stats", tmp_path / "a.fa", "--nx", "10,100", "--genome-size", "0.5k", "--tsv")
    rows = dict(line.split("\t") for line in out.splitlines())
    expected = {"N10": 100, "N50": 80, "N75": 60, "N90": 40, "N100": 20, "L75": 3, "L100": 5}
    expected |= {"NG10": 100, "NG50": 40, "NG75": "-", "LG50": 4, "NG100": "-", "# gaps": 75}
    expected |= {"Shortest contig": 20, "Mean length": "60.0", "Median length": "60.0"}
    assert {name: rows[name] for name in expected} == {name: str(value) for name, value in expected.items()}
    _code, out, _err = dbg("stats", tmp_path / "a.fa", "--json", "--genome-size", "500", "--min-contig", 60)
    found = json.loads(out)["assemblies"][0]
    assert (found["shortest_bp"], found["median_bp"], found["n_gaps"]) == (60, 80, 60)
    assert found["ngx_bp"] == {"50": None, "75": None, "90": None}


@pytest.mark.parametrize(("block_bytes", "width"), [(4, 1), (5, 3), (1 << 20, 70)])
def test_gaps_are_runs_of_n(dbg, tmp_path, block_bytes, width):
    sequences = {"a": "NNACNNNGTN", "b": "N", "c": "ACGT", "d": "", "e": "RNYnnA"}
    lines = [
        f">{name} x\n" + "".join(s[i : i + width] + "\n" for i in range(0, len(s), width))
        for name, s in sequences.items()
    ]
    (tmp_path / "a.fa").write_text("".join(lines))
    with tuned(fasta_block_bytes=block_bytes):
        _code, out, _err = dbg("stats", "--per-contig", "--tsv", tmp_path / "a.fa")
    assert out.splitlines() == [
        "name\tlength\tgc_percent\tn_ambiguous\tn_gaps",
        "a\t10\t50.00\t6\t3",
        "b\t1\t-\t1\t1",
        "c\t4\t50.00\t0\t0",
        "d\t0\t-\t0\t0",
        "e\t6\t0.00\t5\t2",
    ]


def test_sequences_of_several_files_name_their_file(dbg, two):
    _code, out, _err = dbg("stats", "--per-contig", "--min-contig", 4, *two)
    header, rows = table(out)
    assert header == ["file", "name", "length", "gc_percent", "n_ambiguous", "n_gaps"]
    assert rows == {"a.fasta": ["1", "1200", "50.00", "0", "0"], "b.gfa.gz": ["1", "4", "66.67", "1", "1"]}
    found = json.loads(dbg("stats", "--per-contig", "--json", *two)[1])
    assert [sequence["name"] for sequence in found["files"][0]["sequences"]] == ["1", "2"]
    assert found["files"][1]["sequences"][0]["n_gaps"] == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--nx", "0"], 2),
        (["--nx", "101"], 2),
        (["--nx", "a"], 2),
        (["--genome-size", "0"], 2),
        (["--genome-size", "x"], 2),
        (["--per-contig", "--nx", "10"], 2),
        (["--per-contig", "--genome-size", "5k"], 2),
    ],
)
def test_faulty_percentages_and_sizes(dbg, two, arguments, code):
    assert dbg("stats", two[0], *arguments)[:2] == (code, "")


@pytest.mark.parametrize("percentages", ["33.3", "1e1", "10,a"])
def test_percentages_are_whole_numbers(dbg, two, percentages):
    err = dbg("stats", two[0], "--nx", percentages)[2]
    assert err.startswith(f"dbg: --nx {percentages}: not a whole number\n")


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
