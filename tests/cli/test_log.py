"""What commands log: at most five lines by default, nothing twice, and nothing about GPUs that nobody asked for."""

from __future__ import annotations

import pytest

from tests.cli.test_standard_streams import GENOME, PRINTING, READS
from tests.helpers import first_quick

PAIRS = f"-1 {READS} -2 {str(READS).replace('R1', 'R2')}"
LINES = [
    f"{name} {line}"
    for name, lines in PRINTING.items()
    for line in lines
    if not line.endswith(("npz", "dbgk", "kff"))
    and "npz" not in line
    and "dbgc" not in line
    and name not in ("help", "completion", "kmers")
]
LINES += [f"assemble {PAIRS} -o out", f"unitigs {PAIRS}", f"assemble {READS} -o out --rotate {GENOME}"]
LINES += [f"map {READS} {GENOME} --min-share 1", "draw edges.txt --format dot --euler --collapse"]
LINES += [f"color {GENOME}"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.txt").write_text("1 2\n2 1\n")
    (tmp_path / "numbers.txt").write_text("3\n1\n2\n")
    (tmp_path / "masses.txt").write_text("0\n57\n71\n128\n")
    (tmp_path / "ring.txt").write_text("0011\n")
    (tmp_path / "counted.tsv").write_text("ACGTT\t3\nCATGC\t20\n")


@pytest.mark.parametrize("line", LINES)
def test_at_most_five_lines_are_logged_by_default(dbg, line):
    code, _out, err = dbg(*line.split())
    said = err.splitlines()
    assert code == 0
    assert len(said) <= 5
    assert len(set(said)) == len(said)
    assert not [each for each in said if "GPU" in each or "CUDA" in each or "backend" in each]
    assert not [each for each in said if each.removeprefix("[dbg] ") != each.removeprefix("[dbg] ").strip()]


@pytest.mark.parametrize("line", first_quick(LINES, 30))
def test_quiet_commands_report_warnings_and_errors_only(dbg, line):
    _code, _out, err = dbg(*line.split(), "-q")
    assert [each for each in err.splitlines() if "warning: " not in each] == []


def test_verbose_commands_log_their_stages(dbg):
    assert "[dbg] sort: 3 records in " in dbg("sort", "numbers.txt", "-v")[2]
    brief, stages, details = (dbg("count", READS, *more)[2].splitlines() for more in ([], ["-v"], ["-vv"]))
    assert len(brief) < len(stages) < len(details)
    assert brief[-1] in stages


def test_help_says_what_quiet_commands_report(dbg):
    assert "Report warnings and errors only." in dbg("sort", "--help-all")[1]
