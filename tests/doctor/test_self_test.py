"""The self-test of an installation finds results that differ from those published, and commands that fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from debruijn_gpu.doctor import machine, self_test
from tests.golden_files import STORES

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"


def test_genome_of_the_package_is_that_of_the_data():
    assert self_test.GENOME.read_bytes() == (DATA / "phix174_J02482.fa").read_bytes()


def test_every_command_has_published_digests():
    digests = self_test.published()
    assert {command for command, _ in digests} == set(self_test.FIRST | self_test.COMMANDS)
    assert self_test.as_table(digests) == self_test.DIGESTS.read_text()
    assert {len(digest) for digest in digests.values()} == {64}


@pytest.fixture
def alone(monkeypatch):
    """One command beside `generate`, so that a test takes little time."""
    monkeypatch.setattr(self_test, "FIRST", {"generate": "generate eulerian -n 20 --seed 5 -o edges.tsv"})
    monkeypatch.setattr(self_test, "COMMANDS", {"lookandsay": "lookandsay 1 -n 5", "sort": "sort edges.tsv"})
    monkeypatch.setattr(self_test, "_NEEDS", {"sort": "generate"})


@pytest.fixture
def publish(monkeypatch, tmp_path):
    """A function that publishes digests."""

    def store(text):
        monkeypatch.setattr(self_test, "DIGESTS", tmp_path / "digests.tsv")
        (tmp_path / "digests.tsv").write_text(text)

    return store


@pytest.mark.process
def test_results_that_differ_are_reported(alone, publish, tmp_path, dbg):
    (tmp_path / "work").mkdir()
    found, problems = self_test.measure("cpu", tmp_path / "work")
    assert problems == []
    assert set(found) == {("generate", "edges.tsv"), ("lookandsay", "stdout"), ("sort", "stdout")}
    publish(self_test.as_table(found))
    assert self_test.check("cpu") == self_test.SelfTest(3, 3, [])
    publish(self_test.as_table(found | {("sort", "stdout"): "0" * 64, ("sort", "sorted.txt"): "0" * 64}))
    assert self_test.check("cpu").problems == [
        "sort: sorted.txt is missing",
        "sort: stdout differs from the published digest",
    ]
    code, out, _ = dbg("doctor", "--self-test", "--json", "-q")
    facts = json.loads(out)
    assert code == 1
    assert facts["self_test"] == {"cpu": None}
    assert facts["problems"][-1] == "self-test on cpu: sort: stdout differs from the published digest"


@pytest.mark.process
def test_commands_that_fail_are_reported_once(alone, publish, monkeypatch):
    publish(self_test.as_table({("sort", "stdout"): "0" * 64, ("generate", "edges.tsv"): "0" * 64}))
    monkeypatch.setattr(self_test, "FIRST", {"generate": "generate eulerian -n 20 -o missing/edges.tsv"})
    (problem, *others) = self_test.check("cpu").problems
    assert problem == "generate: exit code 66 (missing/edges.tsv: No such file or directory)"
    assert others == ["sort: stdout is missing"]


@pytest.mark.parametrize("table", ["", "command\tresult\tsha256\nsort\n"])
def test_damaged_table_is_a_problem(publish, dbg, table, monkeypatch):
    publish(table)
    monkeypatch.setattr(self_test, "measure", lambda *_: ({("sort", "stdout"): "0"}, []))
    code, out, _ = dbg("doctor", "--self-test", "-q")
    assert code == 1
    assert "broken: self-test on cpu: " in out


def test_backends_are_those_that_can_be_used(monkeypatch):
    monkeypatch.setattr(machine.startup, "is_simulated", lambda: False)
    monkeypatch.setattr(machine.detection, "cuda_problems", lambda: ())
    assert machine.usable_backends() == ["cpu", "cuda"]
    monkeypatch.setattr(machine.detection, "cuda_problems", lambda: ("no driver",))
    assert machine.usable_backends() == ["cpu"]


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.golden
@pytest.mark.parametrize("backend_name", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_results_are_as_published(backend_name, tmp_path):
    found, problems = self_test.measure(backend_name, tmp_path)
    assert problems == []
    for mate in "12":
        assert (tmp_path / f"phix174_R{mate}.fastq.gz").is_file()
    if STORES:
        self_test.DIGESTS.write_text(self_test.as_table(found))
    assert found == self_test.published(), "results differ; if they should, store their digests by: make golden"


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("options", [[], ["-I"]])
def test_self_test_of_another_directory(tmp_path, options):
    """Each command runs the package that tests itself, wherever it is started."""
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from debruijn_gpu.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, *options, "-c", program, "doctor", "--self-test", "--json"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        check=False,
        timeout=600,
    )
    facts = json.loads(done.stdout)
    assert (done.returncode, facts["problems"]) == (0, [])
    assert facts["self_test"]["cpu"].endswith(" as published")
    assert list(tmp_path.iterdir()) == []
