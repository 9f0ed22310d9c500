"""`dbg doctor` through its entry point."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile

import pytest

from debruijn_gpu import __version__
from debruijn_gpu.cli import main
from debruijn_gpu.doctor import machine

BROKEN_NUMPY = "import sys; sys.modules.update(numpy=None, numba=None); from debruijn_gpu.cli import main; main()"
NVIDIA_VERSION = """\
NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@x)
GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)
"""


@pytest.fixture
def doctor(capsys):
    """Exit code and standard output."""

    def run(*args):
        with pytest.raises(SystemExit) as caught:
            main(["doctor", *args])
        return caught.value.code, capsys.readouterr().out

    return run


def test_text(doctor):
    code, text = doctor()
    assert code == 0
    assert "usable" in text
    assert text.endswith("All that dbg needs is there.\n")
    versions = text.split("cpus\n")[0].splitlines()[1:]
    assert len({len(line) - len(line.split(maxsplit=1)[1]) for line in versions}) == 1  # one column of values


def test_json(doctor):
    code, text = doctor("--json")
    facts = json.loads(text)
    assert code == 0
    assert facts["version"] == facts["versions"]["dbg"] == __version__
    assert facts["cpus"]["threads_by_default"] >= 1
    assert 0 < facts["memory"]["budget_by_default_bytes"] < facts["memory"]["available_bytes"] * 1.1
    assert facts["compiled_code"]["directory"]
    assert facts["backends"] == {"cpu": "works"}
    assert facts["problems"] == []


def test_a_gpu_is_told_from_files(doctor, tmp_path, monkeypatch):
    gpu = tmp_path / "nvidia" / "gpus" / "0000:18:00.0"
    gpu.mkdir(parents=True)
    (gpu / "information").write_text("Model: \t\t NVIDIA H200\nIRQ:   \t\t 255\n")
    (tmp_path / "nvidia" / "version").write_text(NVIDIA_VERSION)
    (tmp_path / "nvidia0").touch()
    (tmp_path / "nvidiactl").touch()
    monkeypatch.setattr(machine, "_NVIDIA", tmp_path / "nvidia")
    monkeypatch.setattr(machine, "_DEVICES", tmp_path)
    facts = json.loads(doctor("--json")[1])["gpu"]
    assert facts["nvidia_driver"] == "580.95.05"
    assert facts["gpus"] == ["NVIDIA H200"]
    assert facts["devices"] == ["/dev/nvidia0"]


def test_no_temporary_directory_is_a_problem(doctor, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    code, text = doctor()
    assert code == 1
    assert "broken: no temporary directory" in text


def test_it_runs_where_numpy_is_broken():
    done = subprocess.run([sys.executable, "-c", BROKEN_NUMPY, "doctor"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "broken: the CPU backend cannot be loaded" in done.stdout
