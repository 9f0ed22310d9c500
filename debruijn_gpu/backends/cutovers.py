"""From which size of input on the GPU pays: the measured table behind ``--backend auto``.

A command that uses the GPU starts it (imports, driver, context), copies the input there and the result back; one on the
CPU just works. `measure` times both and fits a line to each: the crossing is the cut-over. ``dbg doctor --calibrate``
keeps what it finds beside the compiled code; without it, the defaults hold.
"""

from __future__ import annotations

import functools
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.cache import cache_root
from debruijn_gpu.backends.device_interface import DeviceBackend
from debruijn_gpu.backends.read_interface import ReadBatch
from debruijn_gpu.backends.spectrum_interface import Ladder
from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.options import RunOptions

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
_FASTQ_PARTS = (b"@r\n", b"\n+\n", b"F" * 150, b"\n")
_START = (
    "import numpy as np\nfrom debruijn_gpu import backends\nfrom debruijn_gpu.options import RunOptions\n"
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
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
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


def measure(cpu: DeviceBackend, cuda: DeviceBackend) -> dict[str, Cutover]:
    """Time every operation of the commands on both backends."""
    start, cpu_start = (min(_seconds(lambda n=name: _start(n)) for _ in range(_REPEATS)) for name in ("cuda", "cpu"))  # type: ignore[misc]
    return {
        name: _compare(work, cpu, cuda, max(0.0, start - cpu_start) if name in _WITHOUT_CPU else start)
        for name, work in _operations().items()
    }


def _start(backend: str) -> None:
    subprocess.run([sys.executable, "-c", _START.format(backend)], check=True, capture_output=True)


def _compare(
    work: Callable[[DeviceBackend, Any], Any], cpu: DeviceBackend, cuda: DeviceBackend, start: float
) -> Cutover:
    cpu_rate, cuda_rate = (_seconds_per_byte(work, backend) for backend in (cpu, cuda))
    gain = cpu_rate - cuda_rate
    n_bytes = NEVER if gain <= 0 else min(NEVER, int(start / gain))
    return Cutover(cpu_rate * 1e9, cuda_rate * 1e9, start, n_bytes)


def _seconds_per_byte(work: Callable[[DeviceBackend, Any], Any], backend: DeviceBackend) -> float:
    """Slope of the time, copies there and back included, between the two sizes."""
    times, n_bytes = [], []
    for size in _SIZES:
        values = np.random.default_rng(1).integers(0, 1 << 62, size)
        work(backend, values)  # compiles
        times.append(min(_seconds(lambda values=values: work(backend, values)) for _ in range(_REPEATS)))  # type: ignore[misc]
        n_bytes.append(values.nbytes)
    return max(0.0, times[1] - times[0]) / (n_bytes[1] - n_bytes[0])


def _seconds(call: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _operations() -> dict[str, Callable[[DeviceBackend, Any], Any]]:
    """What each command does with one column of int64, or a graph of as many bytes, from host to host."""
    wanted = np.random.default_rng(2).integers(0, 1 << 62, 100_000)

    def histogram(backend: DeviceBackend, values: Any) -> Any:
        return backend.to_host(backend.histogram(backend.to_device(values), 0, float(1 << 62), 1000))

    def compact(backend: DeviceBackend, values: Any) -> Any:
        on_device = backend.to_device(values)
        return backend.to_host(backend.compact(on_device, backend.matches(on_device, ">", 1 << 61))[0])

    def join(backend: DeviceBackend, values: Any) -> Any:
        on_device = backend.to_device(values)
        mask = backend.semi_join(on_device, backend.to_device(wanted))
        return backend.to_host(backend.compact(on_device, mask)[0])

    def euler(backend: DeviceBackend, values: Any) -> Any:
        row_ptr, col = map(backend.to_device, _balanced_graph(len(values)))
        predecessor = backend.pair_edges(row_ptr, col)
        circles = backend.find_circles(predecessor)
        joins = backend.join_circles(col, predecessor, circles)
        return backend.to_host(backend.write_circuits(predecessor, circles, joins)[1])

    def graph(backend: DeviceBackend, values: Any) -> Any:
        return backend.to_host(backend.weak_components(*map(backend.to_device, _balanced_graph(len(values)))))

    def look_and_say(backend: DeviceBackend, values: Any) -> Any:
        term = backend.to_device(np.frombuffer(b"1", np.uint8))
        while len(term) < values.nbytes:
            term = backend.say_term(backend.look_at_term(term))
        return backend.to_host(term[: values.nbytes])

    def cyclospec(backend: DeviceBackend, values: Any) -> Any:
        n = math.isqrt(len(values))
        masses = values[:n] % 100_000 + 5_700_000
        positions = np.zeros(2 * n, np.int64)
        np.cumsum(np.tile(masses, 2)[:-1], out=positions[1:])
        ladder = Ladder(backend.to_device(positions), n, int(masses.sum()), True)
        return [backend.to_host(array) for array in backend.sort_spectrum(ladder)]

    def reads(backend: DeviceBackend, values: Any) -> Any:
        found = backend.parse_reads(_reads_text(values.nbytes), fastq=True, final=True)
        store = backend.kmer_store(31, True, RunOptions())
        store.fill([ReadBatch(found.bases, found.offsets, found.breaks)])
        counted = backend.join_counted(list(store.counted(1)), 31, 1)
        store.close()
        return [backend.to_host(array) for array in counted]

    return {
        "sort": lambda backend, values: backend.to_host(backend.sort(backend.to_device(values))),
        "distinct": lambda backend, values: backend.to_host(backend.distinct(backend.to_device(values))),
        "compact": compact,
        "histogram": histogram,
        "join": join,
        "euler": euler,
        "graph": graph,
        "lookandsay": look_and_say,
        "cyclospec": cyclospec,
        "reads": reads,
    }


@functools.lru_cache(maxsize=1)
def _reads_text(n_bytes: int) -> NDArray[np.uint8]:
    """FASTQ of some bytes: reads of 150 bases of a genome a hundredth as long."""
    rng = np.random.default_rng(4)
    n_reads = max(1, n_bytes // len(b"@r\n\n+\n\n" + bytes(300)))
    genome = rng.integers(0, 4, n_bytes // 100 + 150, np.uint8)
    starts = rng.integers(0, len(genome) - 149, n_reads)
    codes = np.lib.stride_tricks.sliding_window_view(genome, 150)[starts]
    letters = np.frombuffer(b"ACGT", np.uint8)[codes]
    header, plus, qualities, end = (np.tile(np.frombuffer(part, np.uint8), (n_reads, 1)) for part in _FASTQ_PARTS)
    return np.concatenate((header, letters, plus, qualities, end), axis=1).reshape(-1)


@functools.lru_cache(maxsize=1)
def _balanced_graph(n_edges: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """A graph of eight bytes an edge, two edges out of each vertex and two into it."""
    n_vertices = n_edges // 2
    heads = np.random.default_rng(3).permutation(2 * n_vertices) >> 1
    return np.arange(n_vertices + 1) * 2, heads.astype(np.uint32)
