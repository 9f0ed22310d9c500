"""What control groups allow, from directories as the kernel shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from debruijn_gpu.run import cgroups


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroups, "_ROOT", tmp_path)
    return tmp_path


def joined(monkeypatch, text: str) -> None:
    """Set the groups of this process."""
    read = Path.read_text
    monkeypatch.setattr(
        Path, "read_text", lambda path, *given: text if str(path) == "/proc/self/cgroup" else read(path, *given)
    )


def write(directory: Path, **files: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (directory / name.replace("__", ".")).write_text(text + "\n")


def test_the_tightest_limit_of_a_job_below_the_root(root, monkeypatch):
    joined(monkeypatch, "0::/slurm/job\n")
    write(root / "slurm" / "job", memory__max="5000", memory__current="1000", memory__stat="anon 5\n")
    write(root / "slurm", memory__max="max", memory__current="9000", memory__stat="anon 5\n")
    assert cgroups.available_memory() == 4000
    write(root / "slurm", memory__max="10000", memory__stat="active_file 300\ninactive_file 200")
    assert cgroups.available_memory() == 1500


def test_jobs_below_the_root_in_version_1(root, monkeypatch):
    joined(monkeypatch, "9:name=systemd:/\n4:cpu,memory:/slurm/job\n0::/\n")
    job = root / "memory" / "slurm" / "job"
    stat = "inactive_file 1\ntotal_inactive_file 500\ntotal_active_file 0"
    write(job, memory__limit_in_bytes="5000", memory__usage_in_bytes="1000", memory__stat=stat)
    write(root / "memory", memory__limit_in_bytes="9223372036854771712", memory__usage_in_bytes="9")
    assert cgroups.available_memory() == 4500


def test_a_container_sees_its_own_group_at_the_root(root, monkeypatch):
    joined(monkeypatch, "4:memory:/docker/of the host\n")
    write(root / "memory", memory__limit_in_bytes="5000", memory__usage_in_bytes="1000", memory__stat="")
    assert cgroups.available_memory() == 4000


@pytest.mark.parametrize("text", ["", "0::/\n", "4:memory:/\n", "rubbish\n4:memory\n"])
def test_without_limits(root, monkeypatch, text):
    joined(monkeypatch, text)
    assert cgroups.available_memory() is None
    assert cgroups.cpus() is None


def test_a_file_that_is_no_number(root, monkeypatch):
    joined(monkeypatch, "0::/\n")
    write(root, memory__max="many", memory__current="1", cpu__max="max 100000")
    assert cgroups.available_memory() is None
    assert cgroups.cpus() is None
