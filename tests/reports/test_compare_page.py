"""Which assembly is the best in what, and which column of QUAST belongs to it."""

from __future__ import annotations

import pytest

from debruijn_gpu.assembly_dir.quality_reports import QuastReport
from debruijn_gpu.assembly_dir.reading import read_file
from debruijn_gpu.errors import UsageError
from debruijn_gpu.reports.compare_page import Compared, best_of, depth_curve, match_quast, quast_rows, stat_rows


@pytest.mark.parametrize(
    ("name", "values", "best"),
    [
        ("N50", ["10", "30", "20"], {1}),
        ("# contigs", ["10", "30", "10"], {0, 2}),
        ("# misassemblies", ["-", "3", "0"], {2}),
        ("Duplication ratio", ["0.99", "1.02", "1.001"], {2}),
        ("Genome fraction (%)", ["97.9", "98.3"], {1}),
        ("# genomic features", ["40 + 2 part", "41 + 0 part"], {1}),
        ("N50", ["5", "5"], set()),
        ("N50", ["5", "-"], set()),
        ("GC (%)", ["50", "51"], set()),
        ("Total length", ["50", "51"], set()),
    ],
)
def test_best(name, values, best):
    assert best_of(name, values) == best


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.fa").write_text(">1 kmer_depth=4\nACGTACGT\n")
    return read_file(str(tmp_path / "a.fa"))


def compared(files, *names):
    return [Compared(name, files, files.contigs.stats(), aliases) for name, *aliases in names]


def report(*names):
    return QuastReport({name: {"NGA50": name, "N50": "1"} for name in names})


def test_columns_are_matched_by_name_then_by_what_quast_makes_of_the_path(files):
    some = compared(files, ("k 31", "run1_contigs", "contigs"), ("run2", "run2_contigs", "contigs"))
    found = match_quast(some, [("q", report("run2_contigs", "k_31", "other"))])
    assert [rows["NGA50"] for rows in found] == ["k_31", "run2_contigs"]


def test_one_column_of_another_name_is_not_that_of_one_assembly(files):
    assert match_quast(compared(files, ("x",)), [("q", report("X"))])[0]["NGA50"] == "X"
    with pytest.raises(UsageError, match=r"none of its columns \(other\)"):
        match_quast(compared(files, ("x",)), [("q", report("other"))])


def test_later_reports_add_to_earlier_ones(files):
    reports = [("q", QuastReport({"x": {"a": "1", "b": "2"}})), ("r", QuastReport({"x": {"b": "3"}, "y": {"b": "4"}}))]
    assert match_quast(compared(files, ("x",), ("z",)), reports) == [{"a": "1", "b": "3"}, {}]


def test_a_name_that_all_share_tells_nothing(files):
    some = compared(files, ("a", "contigs"), ("b", "contigs"))
    with pytest.raises(UsageError, match=r"none of its columns \(contigs\)"):
        match_quast(some, [("q", report("contigs"))])


def test_rows(files):
    some = compared(files, ("a",), ("b",))
    assert [row.name for row in stat_rows(some)][-1] == "# N's per 100 kbp"
    assert quast_rows(some) == []
    with_quast = [Compared("a", files, files.contigs.stats(), (), {"N50": "1", "NG50": "2", "NGA50": "1"}), some[1]]
    assert [(row.name, row.values) for row in quast_rows(with_quast)] == [("NG50", ["2", "-"]), ("NGA50", ["1", "-"])]


def test_depth_curve(files):
    curve = depth_curve(files.contigs)
    assert (curve["x"][1], curve["y"]) == (4, [0, 100, 0])
