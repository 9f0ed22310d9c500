"""Two runs in two threads of one process keep their logs, stages and records apart."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from debruijn_gpu import pipeline
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly_dir.directory import OutputDirectory
from debruijn_gpu.assembly_dir.writing import write_assembly, write_record
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import in_background, ordered_map
from tests.reports.assemblies import random_contigs

RUN = RunOptions(threads=2, backend="cpu")
LENGTHS = {"first": 700, "second": 900}
KS = {"first": 21, "second": 31}


def write_reads(place: Path, name: str) -> ReadInputs:
    (genome,) = random_contigs([LENGTHS[name]], seed=LENGTHS[name])
    reads = (genome[start : start + 100] for start in range(0, len(genome) - 99, 5))
    path = place / f"{name}.fa"
    path.write_bytes(b"".join(b">r\n%s\n" % read for read in reads))
    return ReadInputs(single=(str(path),))


def assemble_to(directory: Path, inputs: ReadInputs, name: str) -> None:
    options = AssembleOptions(ks=(KS[name],), min_count=1, name=name, trim="off")
    with OutputDirectory(directory) as results, log.log_file(results.log_path):
        log.log_start(inputs.paths)
        log.logger.warning("warning of the %s run", name)
        write_assembly(pipeline.assemble(inputs, options, RUN), options, results)
        write_record(log.log_end(), options, RUN, results)


@pytest.fixture
def meeting(monkeypatch):
    """Runs wait for each other in the middle of a stage and between two stages."""
    barrier, counted_reads = threading.Barrier(2, timeout=60), pipeline.counted_reads

    def count_together(*args):
        barrier.wait()
        with log.stage("meet"):
            barrier.wait()
            log.add_cpu_time("wait", 1.0)
            barrier.wait()
        return counted_reads(*args)

    monkeypatch.setattr(pipeline, "counted_reads", count_together)
    return barrier


def test_two_simultaneous_runs_keep_apart(tmp_path, meeting, capsys):
    def run(name: str) -> None:
        with log.new_run():
            log.configure(0)
            assemble_to(tmp_path / name, inputs[name], name)

    log.configure(-2)
    inputs = {name: write_reads(tmp_path, name) for name in LENGTHS}
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(run, LENGTHS))
    printed = capsys.readouterr().err
    stage_names = []
    for name, other in (("first", "second"), ("second", "first")):
        text = (tmp_path / name / "dbg.log").read_text()
        assert f"k = {KS[name]}, as asked for" in text
        assert f"k = {KS[other]}, as asked for" not in text
        assert text.count(": meet in ") + text.count(" meet in ") == 1
        assert other not in text.replace(str(tmp_path), "")
        record = json.loads((tmp_path / name / "run.json").read_text())
        assert record["inputs"] == [str(tmp_path / f"{name}.fa")]
        assert [message["text"] for message in record["messages"]] == [f"warning of the {name} run"]
        stages = {stage["name"]: stage for stage in record["stages"]}
        n_reads = (LENGTHS[name] - 100) // 5 + 1
        assert stages["read and split into k-mers"]["items"] == n_reads * (101 - KS[name])
        assert stages["read and split into k-mers"]["steps"].keys() == {"parse", "read", "split"}
        assert stages["meet"]["steps"] == {"wait": 1.0}
        assert record["peak_memory_bytes"] >= max(stage["peak_memory_bytes"] for stage in record["stages"])
        stage_names.append(list(stages))
        assert printed.count(f"[dbg] warning: warning of the {name} run\n") == 1
    assert stage_names[0] == stage_names[1]
    assert log.current_run().stages == []


def test_calls_from_threads_have_runs_of_their_own(tmp_path, meeting):
    def stages_of(name: str) -> list[log.Stage]:
        pipeline.assemble(inputs[name], AssembleOptions(ks=(KS[name],), min_count=1), RUN)
        return log.current_run().stages

    log.configure(-2)
    inputs = {name: write_reads(tmp_path, name) for name in LENGTHS}
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(stages_of, LENGTHS)
    assert [stage.name for stage in first] == [stage.name for stage in second]
    assert not {id(stage) for stage in first} & {id(stage) for stage in second}
    assert log.current_run().stages == []


def test_messages_of_a_run_without_a_handler_are_printed_once(capsys):
    log.configure(0)
    threading.Thread(target=log.logger.info, args=("from a thread",)).start()
    with log.new_run():
        log.logger.info("from a run")
        log.configure(-2)
        log.logger.info("too quiet")
    log.logger.info("after it")
    lines = sorted(capsys.readouterr().err.splitlines())
    assert lines == ["[dbg] after it", "[dbg] from a run", "[dbg] from a thread"]


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_of_a_run_see_it(threads):
    log.configure(-2)
    run = log.current_run()
    with log.stage("work") as stage:
        assert set(ordered_map(lambda _: id(log.current_run()), range(50), threads)) == {id(run)}
        assert list(in_background(id(log.current_run()) for _ in range(3))) == [id(run)] * 3
        list(ordered_map(lambda _: log.add_cpu_time("step", 0.5), range(8), threads))
    assert stage.parts == {"step": 4.0}


def test_a_finished_run_leaves_no_handler():
    log.configure(-2)
    before = list(log.logger.handlers)
    with log.new_run():
        log.configure(0)
        assert len(log.logger.handlers) == len(before) + 1
    assert log.logger.handlers == before
