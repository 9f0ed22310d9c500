"""QUAST's reports, and ours in its shape."""

from __future__ import annotations

import pytest

from debruijn_gpu.assembly.statistics import compositions
from debruijn_gpu.assembly_dir.quast import read_quast
from debruijn_gpu.assembly_dir.tables import report_tsv
from debruijn_gpu.errors import FormatError


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
