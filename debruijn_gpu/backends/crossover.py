"""From which size of input on the GPU pays: the measured table behind ``--backend auto``.

A command that uses the GPU starts it (imports, driver, context), copies the input there and the result back; one on the
CPU just works. `measure` times both and fits a line to each: the crossing is the cut-over. ``dbg doctor --calibrate``
keeps what it finds beside the compiled code; without it, the defaults hold.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import partial

from debruijn_gpu.backends.core.cache_place import cache_root
from debruijn_gpu.backends.protocol import Backend
from debruijn_gpu.bench.trials import TRIALS, Trial, seconds
from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.run import progress

_FILE = "cutovers.json"
NEVER = 1 << 62

#: Bytes of input, by operation. Measured with ``dbg doctor --calibrate`` on an H200 beside 16 cores; see README.
DEFAULTS = {
    "sort": NEVER,
    "distinct": NEVER,
    "compact": NEVER,
    "histogram": 10 << 30,
    "join": 10 << 30,
    "euler": 196 << 20,
    "graph": 2 << 30,
    "lookandsay": 1400 << 20,
    "cyclospec": NEVER,
    "reads": 0,
}

_SIZES = (1 << 22, 1 << 25)  # numbers; two points make a line
_REPEATS = 3
_START = (
    "import numpy as np\nfrom debruijn_gpu import backends\nfrom debruijn_gpu.run.options import RunOptions\n"
    "backend = backends.load_arrays(RunOptions(backend='{}'), '', 0)\n"
    "backend.to_host(backend.sort(backend.to_device(np.arange(1000))))\n"
)
_WITHOUT_CPU = ("reads",)  # operations on the GPU that spare the start of the CPU's backend


@dataclass(frozen=True)
class Cutover:
    """What was measured of an operation: seconds to begin, seconds for a gigabyte, and where the GPU begins to win."""

    cpu_s_per_gb: float
    cuda_s_per_gb: float
    cuda_start_s: float
    n_bytes: int


def cutover_bytes(operation: str) -> int:
    """Bytes of input from which on the GPU is taken for an operation; `NEVER` if it is not."""
    return _calibrated().get(operation, DEFAULTS[operation])


def _calibrated() -> dict[str, int]:
    root = cache_root()
    try:
        found = json.loads((root / _FILE).read_text()) if root is not None else {}
        return {name: int(values["n_bytes"]) for name, values in found.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return {}  # not calibrated


def save(cutovers: dict[str, Cutover]) -> str:
    """Keep what was measured; gives the file."""
    root = cache_root()
    if root is None:
        raise FileAccessError("there is no home directory to keep the calibration in", "set DBG_CACHE_DIR")
    try:
        root.mkdir(parents=True, exist_ok=True)
        path = root / _FILE
        path.write_text(json.dumps({name: asdict(found) for name, found in cutovers.items()}, indent=2) + "\n")
    except OSError as error:
        raise FileAccessError(f"{root / _FILE}: {error.strerror}", "set DBG_CACHE_DIR") from error
    return str(path)


def measure(cpu: Backend, cuda: Backend) -> dict[str, Cutover]:
    """Time every operation of the commands on both backends."""
    cuda_start, cpu_start = (min(seconds(partial(_start, name)) for _ in range(_REPEATS)) for name in ("cuda", "cpu"))
    return {
        name: _compare(trial, cpu, cuda, max(0.0, cuda_start - cpu_start) if name in _WITHOUT_CPU else cuda_start)
        for name, trial in progress.through(TRIALS.items(), len(TRIALS), "operations")
    }


def _start(backend: str) -> None:
    subprocess.run([sys.executable, "-c", _START.format(backend)], check=True, capture_output=True)


def _compare(trial: Trial, cpu: Backend, cuda: Backend, start: float) -> Cutover:
    cpu_rate, cuda_rate = (_seconds_per_byte(trial, backend) for backend in (cpu, cuda))
    gain = cpu_rate - cuda_rate
    n_bytes = NEVER if gain <= 0 else min(NEVER, int(start / gain))
    return Cutover(cpu_rate * 1e9, cuda_rate * 1e9, start, n_bytes)


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
