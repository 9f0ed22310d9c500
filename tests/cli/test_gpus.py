"""The option --gpus where there is no GPU, and what the doctor tells of several."""

from __future__ import annotations

import json

import pytest

from debruijn_gpu.backends.core import detection
from debruijn_gpu.doctor import machine
from debruijn_gpu.run.options import RunOptions

H200 = detection.Device("NVIDIA H200", (9, 0), 139 << 30)


@pytest.fixture
def reads(tmp_path):
    """A file with one read."""
    path = tmp_path / "reads.fa"
    path.write_text(">a\nACGTTGCATTGACCA\n")
    return path


@pytest.fixture
def no_gpu(monkeypatch):
    """A machine without a driver."""
    monkeypatch.setattr(detection, "cuda_problems", lambda: ["no NVIDIA driver is installed"])


def test_circuits_on_several_gpus_without_one(no_gpu, dbg, tmp_path):
    graph = tmp_path / "graph.txt"
    graph.write_text("a -> b\nb -> a\n")
    for command in (["euler", graph], ["debruijn", "2", "5", "--method", "euler"]):
        code, _out, err = dbg(*command, "--gpus", "2")
        assert (code, "CUDA cannot be used: no NVIDIA driver is installed" in err) == (70, True)
        assert dbg(*command, "--gpus", "all") == dbg(*command)


def test_several_gpus_make_sequences_of_circuits_alone(dbg):
    code, _out, err = dbg("debruijn", "2", "5", "--gpus", "2")
    assert (code, "--gpus" in err, "--method euler" in err) == (2, True, True)


@pytest.mark.parametrize("command", ["count", "spectrum", "unitigs", "assemble", "screen -k 9 --against {reads}"])
@pytest.mark.parametrize("chosen", ["auto", "cuda"])
def test_several_gpus_without_one(no_gpu, dbg, reads, tmp_path, command, chosen):
    words = command.format(reads=reads).split()
    code, _out, err = dbg(*words, reads, "--gpus", "2", "--backend", chosen, "-o", tmp_path / "out")
    assert code == 70
    assert "dbg: CUDA cannot be used: no NVIDIA driver is installed\n" in err


def test_all_of_no_gpus_is_the_cpu(no_gpu, dbg, reads):
    alone = dbg("count", "-k", "5", reads)
    assert dbg("count", "-k", "5", reads, "--gpus", "all") == alone
    assert alone[0] == 0


@pytest.mark.parametrize("gpus", ["0", "-1", "two", "", "1.5", "ALL", "\u0663"])
def test_numbers_of_gpus_that_mean_nothing(dbg, reads, gpus):
    code, _out, err = dbg("count", reads, "--gpus", gpus)
    assert (code, err.splitlines()[-1].strip()) == (2, "give 1 or more, or all")


def test_gpus_for_the_cpu(dbg, reads):
    code, _out, err = dbg("count", reads, "--gpus", "all", "--backend", "cpu")
    assert (code, "--gpus and --backend cpu exclude each other" in err) == (2, True)


def test_one_gpu_is_the_default():
    assert RunOptions(gpus="1", backend="cpu") == RunOptions(backend="cpu")


def test_doctor_lists_gpus(monkeypatch, dbg):
    monkeypatch.setattr(machine.startup, "is_simulated", lambda: False)
    monkeypatch.setattr(detection, "cuda_problems", list)
    monkeypatch.setattr(detection, "find_driver", lambda: detection.Driver((13, 0), (H200, H200)))
    monkeypatch.setattr(machine, "_exchange", lambda: "peer copies")
    code, out, _err = dbg("doctor", "--format", "json")
    facts = json.loads(out)["gpu"]
    assert code == 0
    assert facts["usable_together"] == ["0: NVIDIA H200, 139.00 GiB", "1: NVIDIA H200, 139.00 GiB"]
    assert facts["exchange"] == "peer copies"
