"""Limits of memory and CPUs."""

from __future__ import annotations

import pytest

from debruijn_gpu.errors import OutOfMemoryError, ParameterError
from debruijn_gpu.run import cgroups, resources


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("16G", 16 << 30), ("500m", 500 << 20), ("1.5KiB", 1536), ("1000000", 1_000_000), ("2TB", 2 << 40), ("2B", 2)],
)
def test_sizes(text, n_bytes):
    assert resources.memory_budget(text) == n_bytes


@pytest.mark.parametrize("text", ["", "G", "x", "0", "-1", "nan", "inf", "1e30", "0.0", "1 2"])
def test_what_is_no_size(text):
    with pytest.raises(ParameterError, match="is not a size"):
        resources.memory_budget(text)


def test_fraction_of_what_is_available(monkeypatch):
    monkeypatch.setattr(resources, "total_memory", lambda: 1000)
    assert [resources.memory_budget(text) for text in ("1", "1.0", "0.5", ".5")] == [1000, 1000, 500, 500]
    assert resources.memory_budget("0.5", whole=64) == 32


def test_messages_name_the_size_and_offer_a_share_only_of_something():
    with pytest.raises(ParameterError, match=r"^--network '0\.5' is not a size$") as caught:
        resources.memory_budget("0.5", 0, "--network")
    assert caught.value.fix == "give a size such as 16G or 500M"
    with pytest.raises(ParameterError, match=r"^--network '5' has no unit$") as caught:
        resources.memory_budget("5", 0, "--network")
    assert caught.value.fix == "give 5G for 5 GiB"


@pytest.mark.parametrize("text", ["2", "1.5", "16", "1e2", "1023"])
def test_a_small_number_without_a_unit_is_no_size(text):
    with pytest.raises(ParameterError, match="has no unit") as caught:
        resources.memory_budget(text)
    assert "G for" in caught.value.fix


@pytest.mark.parametrize("budget", ["255M", "1K", "1025"])
def test_there_is_one_least_budget(budget):
    with pytest.raises(OutOfMemoryError, match=r"commands need 256\.0 MiB"):
        resources.memory_left(budget)


def test_a_stage_can_begin_with_the_least_budget(monkeypatch):
    """However much the compiler holds."""
    monkeypatch.setattr(resources, "current_memory", lambda: 1 << 30)
    assert resources.memory_left("256M") == 16 << 20
    assert resources.memory_left("1.5G") == 488 << 20


def test_a_share_does_not_shrink_as_this_process_grows(cgroup, monkeypatch):
    """What is taken is no longer available, and was: the sum stays."""
    monkeypatch.setattr(resources, "host_available_memory", lambda: 1 << 40)
    budgets = []
    for taken in (0, 400_000):
        (cgroup / "memory.current").write_text(f"{700_000 + taken}\n")
        monkeypatch.setattr(resources, "current_memory", lambda: taken)  # noqa: B023 - called in this round
        budgets.append(resources.memory_budget("0.5"))
    assert budgets == [500_000, 500_000]


@pytest.fixture
def cgroup(tmp_path, monkeypatch):
    """A cgroup of 1 MB, all of it in use: 0.7 MB by pages of files that were read, and a wider one above it."""
    inner = tmp_path / "inner"
    inner.mkdir()
    for directory, limit in ((inner, "1000000"), (tmp_path, "max")):
        (directory / "memory.max").write_text(limit + "\n")
        (directory / "memory.current").write_text("1000000\n")
        (directory / "memory.stat").write_text("anon 300000\nfile 700000\ninactive_file 700000\n")
        (directory / "cpu.max").write_text("250000 100000\n")
    monkeypatch.setattr(cgroups, "_directories", lambda controller: [] if controller else [inner, tmp_path])
    return inner


def test_files_that_were_read_do_not_count(cgroup):
    assert resources.available_memory() == 700_000
    (cgroup / "memory.stat").unlink()
    assert resources.available_memory() == 0


def test_quota_of_cpus(cgroup, monkeypatch):
    monkeypatch.setattr(resources.os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    assert resources.allowed_cpus() == 2


def test_at_least_one_cpu(cgroup):
    (cgroup / "cpu.max").write_text("5000 100000\n")
    assert resources.allowed_cpus() == 1
