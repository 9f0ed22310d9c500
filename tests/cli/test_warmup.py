"""`dbg warmup` through its entry point."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from debruijn_gpu.backends import warming
from debruijn_gpu.backends.core import kernel_store, manifest
from debruijn_gpu.backends.core.cpu import levels

pytestmark = pytest.mark.process


def run(store, *arguments):
    """Run a command with a store of its own; return its code, its output and its log."""
    environment = os.environ | {"DBG_CACHE_DIR": str(store)}
    command = [sys.executable, "-m", "debruijn_gpu", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def warmed(tmp_path_factory):
    """A store with the kernels of `dbg lookandsay`."""
    store = tmp_path_factory.mktemp("store")
    code, out, log = run(store, "warmup", "lookandsay", "--backend", "cpu")
    assert (code, out) == (0, "")
    return store, log


def test_commands_compile_nothing_afterwards(warmed):
    store, log = warmed
    n = len([row for row in manifest.read() if row.backend == "cpu" and "lookandsay" in row.commands])
    assert f"{levels.level()}: {n} kernels, {n} of them compiled now" in log
    before = sorted(store.rglob("*"))
    code, out, log = run(store, "lookandsay", "1", "-n", "30", "-v")
    assert (code, len(out), "compiling" in log) == (0, 5809, False)  # of A005341, and a newline
    assert sorted(store.rglob("*")) == before


def test_what_is_there_is_not_compiled_again(warmed):
    store, _ = warmed
    assert ", 0 of them compiled now" in run(store, "warmup", "lookandsay", "--backend", "cpu")[2]


def test_code_for_this_processor_comes_first(warmed):
    store, _ = warmed
    assert run(store, "warmup", "lookandsay", "--backend", "cpu", "--native", "-q") == (0, "", "")
    own = next(store.rglob("native-*"))
    (level,) = store.rglob(levels.level())
    assert sorted(os.listdir(own)) == sorted(os.listdir(level))
    for path in level.iterdir():
        path.unlink()
    code, _, log = run(store, "lookandsay", "1", "-n", "30", "-v")
    assert (code, "compiling" in log) == (0, False)


def test_the_first_command_compiles_and_the_second_does_not(tmp_path):
    code, out, log = run(tmp_path, "lookandsay", "1", "-n", "6", "-v")
    assert (code, out) == (0, "13112221\n")
    assert log.count("compiling kernels (once for this version; kept in ") == 1
    assert "compiling" not in run(tmp_path, "lookandsay", "1", "-n", "6", "-v")[2]


def test_usage(dbg):
    assert dbg("warmup", "sort", "--all")[0] == 2
    code, _, log = dbg("warmup", "soort")
    assert (code, "did you mean 'dbg sort'" in log) == (2, True)


def test_without_a_place(tmp_path):
    (tmp_path / "file").write_text("")
    environment = {"DBG_CACHE_DIR": str(tmp_path / "file"), "TMPDIR": str(tmp_path), "HOME": str(tmp_path / "file")}
    (tmp_path / f"debruijn_gpu-{os.geteuid()}").write_text("")
    command = [sys.executable, "-m", "debruijn_gpu", "warmup", "sort", "--backend", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=False)
    assert (done.returncode, "compiled code cannot be kept" in done.stderr) == (66, True)


@pytest.mark.parametrize("native", [False, True])
def test_targets_of_a_machine_without_a_gpu(native, monkeypatch):
    monkeypatch.setattr(warming, "cuda_problems", lambda: ["none"])
    expected = [levels.native() if native else levels.level()]
    assert warming.targets("cpu", native) == warming.targets("auto", native) == expected


def test_doctor_counts_kernels_by_command(warmed, monkeypatch):
    store, _ = warmed
    out = run(store, "doctor")[1]
    assert levels.level() in out
    assert "lookandsay " in out
    assert kernel_store.place().path is None or "compiled here" in out
