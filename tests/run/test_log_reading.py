"""Logs are read as they are written."""

from __future__ import annotations

import pytest

from debruijn_gpu.run import log
from debruijn_gpu.run.log_reading import LoggedRun, read_log


def test_a_log_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["dbg", "assemble", "r 1.fq"])
    log.configure(-1)
    with log.log_file(tmp_path / "dbg.log"):
        log.log_start(["reads, in 3.00 s.fq"])
        log.logger.info("backend: cpu (no driver)")
        with log.stage("read and split into k-mers", 1_234_567, "k-mers"):
            log.add_cpu_time("inflate", 2.5)
            log.add_cpu_time("parse", 0.25)
        with log.stage("compile") as stage:
            log.note_compiling(1.5)
        log.logger.warning("something in 1.00 s")
        with log.stage("write"):
            pass
        log.log_end()
    run = read_log((tmp_path / "dbg.log").read_text().splitlines())
    assert [stage.name for stage in run.stages] == ["read and split into k-mers", "compile", "write"]
    first, second, _last = run.stages
    assert (first.items, first.unit, first.parts) == (1_234_567, "k-mers", {"inflate": 2.5, "parse": 0.25})
    assert (second.items, second.unit, second.parts, second.compile_s) == (0, "", {}, 1.5)
    assert stage.compile_s == 1.5
    assert all(stage.cpu_s is not None and stage.peak_bytes > 1 << 20 for stage in run.stages)
    assert run.backend == "cpu (no driver)"
    assert run.command == "dbg assemble 'r 1.fq'"
    assert run.version
    assert run.warnings == ["something in 1.00 s"]
    assert run.wall_s is not None
    assert run.peak_bytes > 1 << 20


def test_stages_of_any_size():
    stages = [log.Stage("a: b", wall_s=2.0), log.Stage("sort", 5, "distinct k-mers", 0.5), log.Stage("x", wall_s=0.004)]
    lines = [f"2026-01-01 00:00:00,000 {stage}" for stage in stages]
    read = read_log(lines).stages
    assert [(s.name, s.items, s.unit, s.wall_s) for s in read] == [
        ("a: b", 0, "", 2.0),
        ("sort", 5, "distinct k-mers", 0.5),
        ("x", 0, "", 0.0),
    ]


NUMBERS_THAT_ARE_NONE = ["a in 1.2.3 s", "a in . s", f"a in {'9' * 5000} s", "1.1.1 s, 1 CPU s, peak memory 1 B"]
NUMBERS_THAT_ARE_NONE += ["  1..1 CPU s; peak memory 1 B", "a: \u00b2 b in 1.. s"]


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [""],
        ["x"],
        ["2026-01-01 00:00:00,000   1.00 CPU s; peak memory much"],
        ["\x00 in 1 s", "in 1.00 s"],
        [f"2026-01-01 00:00:00,000 {line}" for line in NUMBERS_THAT_ARE_NONE],
    ],
)
def test_anything_else_is_passed_over(lines):
    assert read_log(lines) == LoggedRun()
