"""Files for MultiQC, in the format of its custom content."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu.assembly.statistics import compositions
from debruijn_gpu.assembly_dir.quality_reports import general_mqc, lengths_mqc, read_quast, spectrum_mqc
from debruijn_gpu.assembly_dir.writing import report_tsv
from debruijn_gpu.errors import FormatError
from debruijn_gpu.kmers.spectrum import estimate
from tests.reports.assemblies import peaked_spectrum

STATS = compositions([b"ACGT" * 1000, b"GGC" * 200]).stats()


def test_general_statistics():
    found = estimate(peaked_spectrum(30))
    content = json.loads(general_mqc("<b>one</b>", STATS, 1, found, 400))
    assert content["plot_type"] == "generalstats"
    columns = {key for column in content["pconfig"] for key in column}
    values = content["data"]["<b>one</b>"]
    assert set(values) == columns
    assert (values["n_contigs"], values["n50_kbp"], values["n_circular"], values["insert_bp"]) == (2, 4, 1, 400)
    unknown = json.loads(general_mqc("x", compositions([]).stats(), 0, replace(found, peak=None), None))["data"]["x"]
    assert set(unknown) == {"n_contigs", "total_kbp", "n_circular"}


def test_spectrum():
    spectrum = peaked_spectrum(30)
    content = json.loads(spectrum_mqc("x", spectrum, estimate(spectrum)))
    assert (content["id"], content["plot_type"]) == ("dbg_spectrum", "linegraph")
    points = content["data"]["x"]
    assert points[0] == [1, int(spectrum.frequency[0])]
    assert max(x for x, _n in points) <= 4 * 31


def test_lengths():
    points = json.loads(lengths_mqc("x", np.array([500, 300, 200])))["data"]["x"]
    assert len(points) == 101
    assert [dict(points)[x] for x in (0, 50, 51, 80, 81, 100)] == [500, 500, 300, 300, 200, 200]
    assert json.loads(lengths_mqc("x", np.array([], int)))["data"]["x"][50] == [50, 0]


def test_ours_is_read(tmp_path):
    stats = compositions([b"ACGT" * 100]).stats()
    (tmp_path / "report.tsv").write_bytes(report_tsv({"a": stats, "b": stats}))
    found = read_quast(str(tmp_path / "report.tsv")).columns
    assert list(found) == ["a", "b"]
    assert found["a"] == dict(stats.rows())


def test_lines_of_windows_and_a_mark_before_them(tmp_path):
    (tmp_path / "q.tsv").write_bytes(b"\xef\xbb\xbfAssembly\tx\r\nN50\t7\r\n\r\n")
    assert read_quast(str(tmp_path / "q.tsv")).columns == {"x": {"N50": "7"}}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Assembly\n", "does not begin"),
        ("N50\t3\n", "does not begin"),
        ("\n", "does not begin"),
        ("Assembly\ta\ta\n", "one name"),
        ("Assembly\ta\nN50\n", "row 2 has 1 columns"),
    ],
)
def test_anything_else(tmp_path, text, what):
    (tmp_path / "q.tsv").write_text(text)
    with pytest.raises(FormatError, match=what):
        read_quast(str(tmp_path / "q.tsv"))
