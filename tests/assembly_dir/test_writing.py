"""Reports, parameters and histograms."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.statistics import compositions
from debruijn_gpu.assembly_dir.writing import params_json, report_json, report_tsv
from debruijn_gpu.io.tables import aligned_table, write_histogram
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.run.options import RunOptions
from tests.golden_files import check_golden

STATS = compositions([b"ACGTN" * 300, b"GGC" * 200]).stats()


@dataclass
class Choice:
    k: int
    reason: str


@pytest.mark.golden
def test_report_tsv_is_golden():
    check_golden("report.tsv", report_tsv({"contigs": STATS}))


def test_report_tsv_has_a_column_for_each_assembly():
    rows = [line.split("\t") for line in report_tsv({"a": STATS, "b\tc": STATS}).decode().splitlines()]
    assert rows[0] == ["Assembly", "a", "b\\tc"]
    assert all(len(row) == 3 and row[1] == row[2] for row in rows[1:])


@pytest.mark.golden
def test_report_json_is_golden():
    sections = {"spectrum": {"peak": np.int64(31), "counts": np.arange(3)}, "k": Choice(31, "given")}
    check_golden("report.json", report_json(STATS, sections))


def test_params_hold_every_option_and_no_path():
    params = json.loads(params_json({"count": CountOptions(k=21), "assemble": AssembleOptions()}))
    assert params["count"] == {"k": 21, "canonical": True, "min_count": 1, "max_count": None, "top": None}
    assert list(params) == ["schema_version", "program", "version", "count", "assemble"]
    with pytest.raises(TypeError):
        params_json({"run": RunOptions()})
    with pytest.raises(TypeError):
        params_json({"where": Path("/tmp")})


def test_histogram_has_no_empty_rows(tmp_path):
    path = tmp_path / "x.hist"
    with path.open("wb") as stream:
        write_histogram(stream, np.array([1, 2, 3, 70000]), np.array([5, 0, 2**40, 1]))
    assert path.read_text() == "1 5\n3 1099511627776\n70000 1\n"


def test_aligned_table():
    assert aligned_table([["a", "long"], ["name", "1"]]) == "a     long\nname     1\n"
