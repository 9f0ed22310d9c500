"""Quality and rounds in the report."""

from __future__ import annotations

import json

import pytest

from debruijn_gpu.assembly.evaluation import Evaluation
from debruijn_gpu.assembly_dir.reading import read_directory
from debruijn_gpu.reports.finding import FAIR, GOOD, POOR
from debruijn_gpu.reports.quality_sections import quality_findings, quality_rows, round_curves, round_table
from debruijn_gpu.reports.read_findings import contig_peak, peak_depth
from debruijn_gpu.reports.report_page import report_page
from tests.reports.assemblies import write_directory
from tests.reports.test_report_page import drawn, show

FOUND = Evaluation(31, 9, 20_000, 19_900, 900_000, 800_000, 19_990, 31, 0, 8, 3)
KINDS = {"tips": 3, "bubbles": 4, "erroneous_connections": 1, "isolated": 2}


def change(place, **sections):
    """Change sections of ``report.json``."""
    report = json.loads((place / "report.json").read_text()) | sections
    (place / "report.json").write_text(json.dumps(report))
    return read_directory(place)


def rounds_of(*ks):
    numbers = {"n_kmers": 20_000, "n_counted": 70, "share_counted": 0.0123, "cleaned": KINDS, "total_bp": 20_000}
    deferred = {"bubbles": 6, "erroneous_connections": 7}
    return [
        {"k": k, **numbers, "deferred": None if k == ks[-1] else deferred, "n_unitigs": 900 - k, "n50_bp": 100 * k}
        for k in ks
    ]


def stages(*names):
    return [{"name": name, "wall_s": 1.0, "cpu_s": 2.0} for name in names]


@pytest.fixture
def place(tmp_path):
    place = write_directory(tmp_path / "out")
    (place / "contigs.tsv").write_text(
        "name\tcopy_number\tlinks\tdead_ends\n" + "".join(f"contig_{i}\t{i}.50\t{i}\t1\n" for i in (1, 2, 4))
    )
    change(place, evaluation=FOUND.as_json(), rounds=rounds_of(31, 55, 77))
    run = json.loads((place / "run.json").read_text())
    names = ("count", "clean", "place reads", "55-mers", "place reads", "77-mers", "clean", "spell contigs", "write")
    (place / "run.json").write_text(json.dumps(run | {"stages": stages(*names)}))
    return place


def test_times_of_rounds_include_the_runs_before(place):
    whole = round_table(read_directory(place))
    run = json.loads((place / "run.json").read_text())
    (place / "run.json").write_text(
        json.dumps(
            run | {"earlier_stages": run["stages"][:4], "stages": run["stages"][4:], "resumed": ["k-mers counted"]}
        )
    )
    assert round_table(read_directory(place)) == whole
    assert "CPU time" in whole["columns"]


def test_quality_is_shown(place):
    rows = dict(quality_rows(read_directory(place)))
    assert rows["of them in the contigs (completeness)"] == "99.50 %"
    assert rows["31-mer occurrences in the reads that the contigs explain"] == "88.89 %"
    assert rows["quality value"] == "QV 43.0"
    assert rows["of them dead (without a link)"] == 3


@pytest.mark.parametrize(
    ("n_found", "n_weak", "levels", "figure"),
    [
        (19_900, 0, [GOOD, GOOD], "QV at least 57.9"),
        (19_000, 200, [FAIR, FAIR], "QV 34.9"),
        (9_000, 5000, [POOR, POOR], "QV 20.3"),
    ],
)
def test_findings(place, n_found, n_weak, levels, figure):
    found = Evaluation(31, 9, 20_000, n_found, 900_000, 800_000, 19_990, n_weak, 0, 8, 3)
    findings = quality_findings(change(place, evaluation=found.as_json()))
    assert [one.level for one in findings] == levels
    assert findings[1].figure == figure


@pytest.mark.parametrize("section", [None, 5, {}, {"k": "x"}, {"k": 31, "qv": True}])
def test_other_evaluations_are_not_shown(place, section):
    files = change(place, evaluation=section)
    assert quality_rows(files) == quality_findings(files) == []


def test_rounds_have_a_row_each_with_their_cpu_time(place):
    found = round_table(read_directory(place))
    assert found["columns"][:5] == ["k", "k-mers", "counted in reads", "share of reads", "unitigs"]
    assert found["rows"][1] == (55, 20_000, 70, "1.23 %", 845, 5500, 20_000, 3, 4, 1, 2, 6, 7, "4.0 s (29 %)")
    assert found["rows"][2][-3:-1] == (None, None)
    assert [row[-1] for row in found["rows"]] == ["4.0 s (29 %)", "4.0 s (29 %)", "6.0 s (43 %)"]
    assert round_curves(read_directory(place)) == {
        "k": [31, 55, 77],
        "n50": [3100, 5500, 7700],
        "unitigs": [869, 845, 823],
    }


def test_rounds_without_cleaning_and_record(place):
    (place / "run.json").unlink()
    files = change(place, rounds=[one | {"cleaned": None, "deferred": None} for one in rounds_of(31, 55)])
    assert round_table(files)["columns"] == [
        "k",
        "k-mers",
        "counted in reads",
        "share of reads",
        "unitigs",
        "N50 (bp)",
        "total (bp)",
    ]


@pytest.mark.parametrize("rounds", [None, [], "x", rounds_of(31), [{"k": 31}, {"k": None}], [3, 4]])
def test_one_round_has_no_table(place, rounds):
    files = change(place, rounds=rounds)
    assert round_table(files) is None
    assert round_curves(files) is None


def test_the_depth_of_the_genome_is_that_at_the_last_k(place):
    files = change(place, depth={"kmer_depth": 10.0, "read_depth": 40.0})
    genome_bp = files.report["spectrum"]["genome_bp"]
    assert contig_peak(files) == pytest.approx(800_000 / genome_bp / 4)
    files = change(place, rounds=rounds_of(31))
    assert contig_peak(files) == peak_depth(files)


def test_page_of_several_k(page, tmp_path, place):
    show(page, tmp_path, report_page(read_directory(place)))
    assert {"n50", "unitigs"} <= drawn(page)
    assert page.locator("#chart-n50 circle.knot").count() == 3
    assert page.locator("#cleaning tbody tr").count() == 3
    assert page.locator("#quality tbody tr").count() == 9
    assert page.locator("#contigs thead th").all_text_contents()[5:8] == ["copy number", "links", "dead ends"]
    cells = [row.split("\t")[5:8] for row in page.locator("#contigs tbody tr").all_inner_texts()]
    assert cells == [["1.50", "1", "1"], ["2.50", "2", "1"], ["–", "–", "–"], ["4.50", "4", "1"]]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_page_of_one_k_has_no_rounds(page, tmp_path, place):
    show(page, tmp_path, report_page(change(place, rounds=rounds_of(31), evaluation=None)))
    assert not {"n50", "unitigs"} & drawn(page)
    assert "too little memory" in page.locator("#quality").inner_text()
    assert page.locator("#cleaning tbody tr").count() == 2


def test_the_spectrum_is_that_of_the_first_k(place):
    change(place, k={"k": 77, "why": "k = 31, 55, 77, as asked for"})
    page = report_page(read_directory(place)).decode()
    assert "distinct 31-mers" in page
    assert "distinct 77-mers" not in page
    assert read_directory(place).spectrum.k == 31
