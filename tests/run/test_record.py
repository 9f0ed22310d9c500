"""Records of runs: written by `dbg assemble`, read by reports."""

from __future__ import annotations

import json
import platform

import pytest

from debruijn_gpu.assembly_dir.writing import to_json
from debruijn_gpu.run import log
from debruijn_gpu.run.record import BackendRecord, Message, RunRecord, StageRecord, parse_record


def test_a_record_is_read_as_it_was_written(monkeypatch):
    monkeypatch.setattr("sys.argv", ["dbg", "assemble", "r 1.fq", "\udcff\n.fq"])
    log.configure(-1)
    log.log_start(["reads, in 3.00 s.fq", "\udcff\n.fq"])
    log.note_backend("cpu", "a CPU", "no driver")
    log.note_backend("cpu", "a CPU", "no driver")
    with log.stage("read and split into k-mers", 1_234_567, "k-mers"):
        log.add_cpu_time("inflate", 2.5)
        log.add_cpu_time("parse", 0.25)
    with log.stage("compile") as stage:
        log.note_compiling(1.5)
    log.logger.warning("something in %.2f s", 1)
    log.logger.info("no warning")
    record = log.log_end()
    assert parse_record(json.loads(to_json(record.as_json()))) == record
    first, second = record.stages
    assert (first.items, first.unit, first.steps) == (1_234_567, "k-mers", {"inflate": 2.5, "parse": 0.25})
    assert (second.items, second.unit, second.steps, second.compile_s) == (0, "", {}, 1.5)
    assert stage.compile_s == 1.5
    assert 0 <= first.start_s <= first.start_s + first.wall_s <= second.start_s <= record.wall_s
    assert all(one.peak_memory_bytes > 1 << 20 for one in record.stages)
    assert record.backends == [BackendRecord("cpu", "a CPU", "no driver")]
    assert record.command == r"dbg assemble 'r 1.fq' '\xff\n.fq'"
    assert record.inputs == ["reads, in 3.00 s.fq", r"\xff\n.fq"]
    assert record.messages == [Message("something in 1.00 s", "warning")]


def test_schema():
    members = RunRecord(stages=[StageRecord("read")]).as_json()
    assert list(members)[:3] == ["schema_version", "program", "version"]
    assert members["schema_version"] == 2
    assert set(members["stages"][0]) == {
        "name", "start_s", "items", "unit", "wall_s", "cpu_s", "compile_s", "peak_memory_bytes", "steps",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("members", "read"),
    [
        ({}, RunRecord()),
        ({"schema_version": 9, "color": "red", "wall_s": 2}, RunRecord(wall_s=2)),
        ({"wall_s": "2", "threads": True, "command": 3, "inputs": [1], "stages": {}, "host": []}, RunRecord()),
        ({"wall_s": -1.0, "peak_memory_bytes": 1.5, "threads": None, "versions": None}, RunRecord()),
        ({"stages": [3, {}, {"name": 5}, {"name": "a", "wall_s": None, "steps": {"x": "y"}}]}, "stage a"),
        ({"messages": [{"level": "error"}, "x", {"text": "t"}]}, RunRecord(messages=[Message("t")])),
    ],
)
def test_members_of_other_types_are_skipped(members, read):
    assert parse_record(members) == (RunRecord(stages=[StageRecord("a")]) if read == "stage a" else read)


def test_record_of_an_assembly(dbg, tmp_path):
    (tmp_path / "r.fa").write_text(">r\n" + "ACGTTGCATTAGCCATGGAGTCCAGATTACA" * 9 + "\n")
    place = tmp_path / "out"
    options = ("-k", "21", "--min-count", "1", "--min-contig", "1", "-t", "1")
    assert dbg("assemble", tmp_path / "r.fa", *options, "-o", place)[0] == 0
    members = json.loads((place / "run.json").read_text())
    assert members["versions"]["python"] == platform.python_version()
    assert members["options"]["assemble"]["ks"] == [21]
    assert members["options"]["run"]["threads"] == members["threads"] == 1
    assert members["backends"][0]["name"] == "cpu"
    assert members["inputs"] == [str(tmp_path / "r.fa")]
    record = parse_record(members)
    assert [stage.name for stage in record.stages][-1] == "write"
    assert sum(stage.wall_s for stage in record.stages) <= record.wall_s
    assert record.peak_memory_bytes == max(stage.peak_memory_bytes for stage in record.stages)
