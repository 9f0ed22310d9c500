"""A GPU whose memory another process has taken, and one that fails: on a real device."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from debruijn_gpu.backends import crossover
from tests.helpers import random_sequence

pytestmark = [pytest.mark.gpu, pytest.mark.whole_gpu]

#: Takes all memory of the device but some bytes, says so, and waits for the end of its input
TAKER = """
import sys, cupy
keep, blocks = int(sys.argv[1]), []
size = 1 << 30
while size > 1 << 20:
    try:
        if cupy.cuda.runtime.memGetInfo()[0] - size < keep:
            raise MemoryError
        blocks.append(cupy.cuda.memory.Memory(size))
    except (cupy.cuda.memory.OutOfMemoryError, cupy.cuda.runtime.CUDARuntimeError, MemoryError):
        size //= 2
print("taken", flush=True)
sys.stdin.read()
"""
#: Reads beyond the end of all memory, so that the context of this process is lost, then runs a command
FAULTY = """
import sys
from debruijn_gpu.backends import crossover
from debruijn_gpu.__main__ import main
crossover.DEFAULTS["reads"] = 0
from debruijn_gpu.backends.core.cuda import runtime
run, n = runtime._run, [0]
def fail(*args):
    n[0] += 1
    if n[0] == 5:
        import cupy
        cupy.RawKernel('extern "C" __global__ void f(int *p) { p[0] = 1; }', "f")((1,), (1,), (cupy.uint64(8),))
        cupy.cuda.runtime.deviceSynchronize()
    return run(*args)
runtime._run = fail
main()
"""


@pytest.fixture
def reads(tmp_path):
    genome = random_sequence(np.random.default_rng(3), 200_000)
    path = tmp_path / "reads.fa"
    path.write_text("".join(f">{i}\n{genome[i : i + 150]}\n" for i in range(0, len(genome) - 150, 30)))
    return path


@pytest.fixture
def taker():
    """A function that takes the memory of the device in another process."""
    processes = []

    def take(keep: int) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", TAKER, str(keep)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "taken\n"

    yield take
    for process in processes:
        process.communicate()


def run(program: list[str], *args) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *program, *map(str, args)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("keep", [64 << 20, 400 << 20, 640 << 20])
def test_memory_that_another_process_has_taken(reads, tmp_path, taker, keep):
    """Below 256 MiB the GPU counts as unusable; above, an allocation fails during the run, or all fits."""
    cpu, auto = tmp_path / "cpu.tsv", tmp_path / "auto.tsv"
    line = ["-m", "debruijn_gpu", "count", "-k", "31", reads]
    assert run(line, "--backend", "cpu", "-o", cpu).returncode == 0
    taker(keep)
    done = run(line, "--backend", "cuda", "-q", "-o", tmp_path / "cuda.tsv")
    assert done.returncode in (0, 70, 137), done.stderr
    assert len(done.stderr.splitlines()) == (2 if done.returncode else 0), done.stderr
    assert (tmp_path / "cuda.tsv").exists() == (done.returncode == 0)
    done = run(line, "--backend", "auto", "-q", "-o", auto)
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) <= 1, done.stderr
    assert auto.read_bytes() == cpu.read_bytes()


def test_device_that_is_lost_during_a_command(reads, tmp_path):
    cpu, auto = tmp_path / "cpu.tsv", tmp_path / "auto.tsv"
    line = ["count", "-k", "31", reads, "-q"]
    assert run(["-m", "debruijn_gpu"], *line, "--backend", "cpu", "-o", cpu).returncode == 0
    done = run(["-c", FAULTY], *line, "--backend", "cuda", "-o", tmp_path / "cuda.tsv")
    assert done.returncode == 70, done.stderr
    assert "the GPU failed during" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "cuda.tsv").exists()
    done = run(["-c", FAULTY], *line, "--backend", "auto", "-o", auto)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("running the command again on the CPU") == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert auto.read_bytes() == cpu.read_bytes()


def test_missing_driver_is_an_error_under_cuda_and_none_under_auto(reads, tmp_path):
    """CUDA_VISIBLE_DEVICES hides the device from the driver."""
    assert crossover.DEFAULTS["reads"] == 0
    hidden = ["env", "CUDA_VISIBLE_DEVICES=", sys.executable, "-m", "debruijn_gpu", "count", "-k", "31", str(reads)]
    done = subprocess.run([*hidden, "--backend", "cuda"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (70, "")
    assert "finds no GPU" in done.stderr
    done = subprocess.run([*hidden, "-o", str(tmp_path / "auto.tsv")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
