"""The watch of the memory of a run: what ends it, and what does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from debruijn_gpu.run import memory_watch, resources
from debruijn_gpu.run.memory_watch import MemoryWatch, memory_watched
from debruijn_gpu.run.options import RunOptions

ROOT = Path(__file__).parents[2]
READS = ROOT / "data" / "phix174_R1.fastq.gz"
MIB = 1 << 20
NOTHING_TAKEN = 50 * MIB


@pytest.fixture
def machine(monkeypatch):
    """What the process takes, and what the machine has left, in MiB; 1 GiB in all."""
    state = {"taken": 50, "left": 900}
    monkeypatch.setattr(memory_watch, "tree_memory", lambda: state["taken"] * MIB)
    monkeypatch.setattr(memory_watch, "current_memory", lambda: state["taken"] * MIB)
    monkeypatch.setattr(memory_watch, "available_memory", lambda: state["left"] * MIB)
    monkeypatch.setattr(memory_watch, "total_memory", lambda: 1024 * MIB)
    monkeypatch.setattr(memory_watch, "sys", type("sys", (), {"modules": {}}))  # as if no compiler was loaded
    return state


def test_a_given_budget_may_be_exceeded_by_the_tolerance(machine):
    watch = MemoryWatch("512M")
    machine["taken"] = 543
    assert watch.problem() is None
    machine["taken"] = 545
    problem = watch.problem()
    assert problem is not None
    assert problem.exit_code == 137
    assert problem.what == "Out of memory: the run takes 545.0 MiB, and the budget is 512.0 MiB (-m)"


def test_the_compiler_is_beside_the_budget(machine):
    watch = MemoryWatch("512M")
    machine["taken"] = 700
    assert watch.problem() is not None
    memory_watch.sys.modules["llvmlite"] = None
    assert watch.problem() is None


def test_the_default_budget_ends_nothing_while_the_machine_has_memory(machine):
    watch = MemoryWatch(RunOptions.memory)
    machine["taken"] = 1000
    assert watch.problem() is None
    machine["left"] = 15
    problem = watch.problem()
    assert problem is not None
    assert problem.what.endswith("the run takes 1000.0 MiB, and the machine has only 15.0 MiB left")


def test_others_that_take_all_memory_do_not_end_a_small_run(machine):
    watch = MemoryWatch("512M")
    machine.update(taken=400, left=0)
    assert watch.problem() is None


def test_a_large_program_that_calls_a_command_does_not_count(machine):
    machine["taken"] = 2000
    watch = MemoryWatch("512M")
    assert watch.problem() is None
    machine["taken"] = 2600
    assert watch.problem() is not None


def test_memory_that_is_returned_in_time_is_no_problem(machine, monkeypatch):
    watch = MemoryWatch("512M")
    machine["taken"] = 600
    monkeypatch.setattr(memory_watch, "return_free_memory", lambda: machine.update(taken=500))
    assert watch.problem() is None


def test_children_count_until_they_end():
    before = resources.tree_memory()
    text = "import sys; x = bytearray(50 << 20); print(); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        resources.note_child(child.pid)
        assert resources.tree_memory() > before + 45 * MIB
    assert resources.tree_memory() < before + 45 * MIB
    assert child.pid not in resources._children


def test_the_watch_ends_with_its_block():
    with memory_watched("0.8"):
        pass
    assert not [thread for thread in memory_watch.threading.enumerate() if thread.name == "dbg-memory"]


PROGRAM = """
import sys, time
from debruijn_gpu import cli
from debruijn_gpu.run import memory_watch
memory_watch._PATIENCE_S = {patience}
from debruijn_gpu.assembly_dir import writing
from debruijn_gpu import pipeline
count = pipeline.count_kmers
def take(*given, **options):
    memory_watch.tree_memory = lambda: 3 << 30
    {hang}
    return count(*given, **options)
pipeline.count_kmers = take
cli.main(sys.argv[1:])
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("patience", "hang"),
    [
        (10, "time.sleep(9)"),
        (0.3, "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM]); time.sleep(9)"),
    ],
    ids=["in the main thread", "the main thread does not answer"],
)
def test_a_run_beyond_its_budget_ends_in_one_line(tmp_path, patience, hang):
    program = PROGRAM.format(patience=patience, hang=hang)
    command = [sys.executable, "-c", program, "assemble", str(READS), "-k", "31", "-m", "1G", "-q"]
    command += ["-o", str(tmp_path / "out")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert done.returncode == 137, done.stderr
    lines = done.stderr.decode().splitlines()
    assert lines[0] == "dbg: Out of memory: the run takes 3.00 GiB, and the budget is 1.00 GiB (-m)"
    assert len(lines) == 2
    assert lines[1].startswith("     ")
    assert not [path for path in (tmp_path / "out").iterdir() if path.name == "contigs.fasta"]
