"""Measure the input size above which the GPU is faster, for each operation.

A command that uses the GPU starts it (imports, driver, context), copies the input to the device and the result back;
one on the CPU does not. `measure` times both and fits a line to each: where they cross is the crossover.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from debruijn_gpu.backends.crossover import NEVER, Crossover
from debruijn_gpu.backends.protocol import Backend
from debruijn_gpu.bench.trials import TRIALS, Trial, seconds
from debruijn_gpu.run import progress

_SIZES = (1 << 22, 1 << 25)  # numbers; two points make a line
_REPEATS = 3
_START = (
    "import numpy as np\nfrom debruijn_gpu import backends\nfrom debruijn_gpu.run.options import RunOptions\n"
    "backend = backends.load_arrays(RunOptions(backend='{}'), '', 0)\n"
    "backend.to_host(backend.arrays.sort(backend.to_device(np.arange(1000))))\n"
)
_WITHOUT_CPU = ("reads",)  # operations on the GPU that spare the start of the CPU's backend


def measure(cpu: Backend, cuda: Backend) -> dict[str, Crossover]:
    """Time every operation of the commands on both backends."""
    cuda_start, cpu_start = (min(seconds(partial(_start, name)) for _ in range(_REPEATS)) for name in ("cuda", "cpu"))
    return {
        name: _compare(trial, cpu, cuda, max(0.0, cuda_start - cpu_start) if name in _WITHOUT_CPU else cuda_start)
        for name, trial in progress.through(TRIALS.items(), len(TRIALS), "operations")
    }


def _start(backend: str) -> None:
    subprocess.run([sys.executable, "-c", _START.format(backend)], check=True, capture_output=True)


def _compare(trial: Trial, cpu: Backend, cuda: Backend, start: float) -> Crossover:
    cpu_rate, cuda_rate = (_seconds_per_byte(trial, backend) for backend in (cpu, cuda))
    gain = cpu_rate - cuda_rate
    n_bytes = NEVER if gain <= 0 else min(NEVER, int(start / gain))
    return Crossover(cpu_rate * 1e9, cuda_rate * 1e9, start, n_bytes)


def _seconds_per_byte(trial: Trial, backend: Backend) -> float:
    """Slope of the time, copies there and back included, between the two sizes."""
    times, n_bytes = [], []
    for n in _SIZES:
        size = 8 * n // trial.item_bytes
        inputs = trial.make(size)
        trial.from_host_to_host(backend, inputs, size)  # compiles
        work = partial(trial.from_host_to_host, backend, inputs, size)
        times.append(min(seconds(work) for _ in range(_REPEATS)))
        n_bytes.append(trial.item_bytes * size)
    return max(0.0, times[1] - times[0]) / (n_bytes[1] - n_bytes[0])
