"""A GPU that fails during a command: errors under ``--backend cuda``, the CPU's bytes under ``auto``. Faults of the
driver are raised at one launch of a kernel after the other, in the simulator too."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

from debruijn_gpu.backends import crossover
from debruijn_gpu.cli import unraisable
from debruijn_gpu.errors import DeviceLostError
from tests.helpers import random_sequence

pytestmark = pytest.mark.cuda

LOST, NO_MEMORY = 719, 2  # CUDA_ERROR_LAUNCH_FAILED and CUDA_ERROR_OUT_OF_MEMORY
CODES = {LOST: 70, NO_MEMORY: 137}
COMMANDS = {
    "count": ["count", "-k", "5"],
    "spectrum": ["spectrum", "-k", "5"],
    "assemble": ["assemble", "-k", "5", "--min-count", "1", "--min-contig", "1"],
}
TIMED = {"dbg.log", "report.html", "run.json"}


@pytest.fixture
def reads(tmp_path):
    genome = random_sequence(np.random.default_rng(3), 30)
    path = tmp_path / "reads.fa"
    path.write_text("".join(f">{i}\n{genome[3 * i : 3 * i + 20]}\n" for i in range(4)))
    return path


@pytest.fixture
def failing(cuda, monkeypatch):
    """A function that lets launch n of a kernel, and all later ones, fail; it returns the list of launches."""
    from debruijn_gpu.backends.core.cuda import array_module, runtime

    monkeypatch.setitem(crossover.DEFAULTS, "reads", 0)
    run = runtime._run

    def fail_at(n: int, status: int) -> list[int]:
        launches: list[int] = []

        def fail(*args):
            launches.append(1)
            if len(launches) < n:
                return run(*args)
            if array_module.SIMULATED:
                raise array_module.SimulatedDriverError(status, "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure")
            raise array_module.xp.cuda.driver.CUDADriverError(status)

        monkeypatch.setattr(runtime, "_run", fail)
        return launches

    return fail_at


def written(path) -> dict[str, bytes]:
    files = [path] if path.is_file() else sorted(path.iterdir())
    return {file.name: file.read_bytes() for file in files if file.name not in TIMED}


def number_of_launches(dbg, failing, line) -> int:
    launches = failing(1 << 30, LOST)
    assert dbg(*line, "--backend", "cuda")[0] == 0
    return len(launches)


@pytest.mark.parametrize(("name", "status"), [*((name, LOST) for name in COMMANDS), ("count", NO_MEMORY)])
def test_fault_is_an_error_under_cuda_and_none_under_auto(failing, dbg, reads, tmp_path, name, status):
    line = [*COMMANDS[name], str(reads), "-q", "-t", "1"]
    n_launches = number_of_launches(dbg, failing, [*line, "-o", tmp_path / "whole"])
    assert n_launches > 2
    cpu = tmp_path / "cpu" / "result"
    cpu.parent.mkdir()
    assert dbg(*line, "--backend", "cpu", "-o", cpu)[0] == 0
    for n in (1, n_launches // 2 + 1):
        failing(n, status)
        code, _, err = dbg(*line, "--backend", "cuda", "-o", tmp_path / "none")
        assert code == CODES[status], err
        assert len(err.splitlines()) == 2, err
        assert err.startswith("dbg: the GPU failed during" if status == LOST else "dbg: Out of GPU memory"), err
        assert not (tmp_path / "none").is_file()
        place = tmp_path / f"auto-{n}"
        place.mkdir()
        failing(n, status)
        code, _, err = dbg(*line, "--backend", "auto", "-o", place / "result")
        assert (code, len(err.splitlines())) == (0, 1), err
        assert "running the command again on the CPU" in err
        assert written(place / "result") == written(cpu)


def test_input_that_is_used_up_is_an_error_under_auto(failing, dbg, reads, tmp_path, monkeypatch):
    failing(1, LOST)
    with reads.open("rb") as source:
        kept = os.dup(0)
        os.dup2(source.fileno(), 0)
        try:
            code, out, err = dbg("count", "-k", "5", "-q", "-", "--backend", "auto", "-o", tmp_path / "result")
        finally:
            os.dup2(kept, 0)
            os.close(kept)
    assert (code, out) == (70, "")
    assert "standard input cannot be read again: run the command again with --backend cpu" in err
    assert len(err.splitlines()) == 2
    assert not (tmp_path / "result").exists()


def test_next_command_takes_the_gpu_again(failing, dbg, reads, tmp_path):
    line = ["count", "-k", "5", str(reads), "--backend", "auto", "-v", "-o", tmp_path / "result"]
    failing(1, LOST)
    code, _, err = dbg(*line)
    assert (code, "backend: cpu (the GPU failed" in err) == (0, True), err
    failing(1 << 30, LOST)
    code, _, err = dbg(*line)
    assert (code, "backend: cuda" in err) == (0, True), err


@pytest.mark.parametrize(("kind", "is_printed"), [(DeviceLostError, False), (ValueError, True)])
def test_what_a_lost_device_leaves_is_destroyed_in_silence(monkeypatch, capfd, kind, is_printed):
    class Held:
        def __del__(self):
            raise kind("an illegal memory access was encountered")

    monkeypatch.setattr(sys, "unraisablehook", unraisable.answer_unraisable)
    held = Held()
    del held
    assert ("illegal memory access" in capfd.readouterr().err) == is_printed


@pytest.mark.parametrize(("kind", "is_printed"), [(DeviceLostError, False), (ValueError, True)])
def test_what_compiled_code_prints_of_a_lost_device_is_left_out(capfd, kind, is_printed):
    error = kind("an illegal memory access was encountered")
    unraisable.answer_uncaught(kind, error, None)
    assert ("illegal memory access" in capfd.readouterr().err) == is_printed
