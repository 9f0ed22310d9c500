"""How fast the operations are on CPU and GPU, over the size of their input: what ``dbg bench`` measures."""

from __future__ import annotations

import math
import platform
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from debruijn_gpu import __version__, backends, log
from debruijn_gpu.backends import detect
from debruijn_gpu.backends.cutovers import NEVER, cutover_bytes
from debruijn_gpu.backends.trials import TRIALS, Trial, seconds, to_device
from debruijn_gpu.bench_options import BenchOptions
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.machine import cpu_model
from debruijn_gpu.options import RunOptions
from debruijn_gpu.resources import allowed_cpus, format_bytes, memory_left

if TYPE_CHECKING:
    from debruijn_gpu.backends.device_interface import DeviceBackend
    from debruijn_gpu.backends.trials import Arrays, HostArrays

_FEWEST = 100  # that the sizes begin with, where none are given
_LONGEST_S = 1.0  # that a run may take to be done, where none are given
_LEAST_S = 0.02  # that all repeats of a run take: the shortest are repeated more often
_MOST_REPEATS = 50
_GROWTH = math.sqrt(10)  # of sizes that are not given, on average


@dataclass(frozen=True)
class Timing:
    """One operation at one size on one backend, medians of warm runs.

    Attributes
    ----------
    operation : str
    size : int
        Of the input, or of what is made, in ``unit``.
    unit : str
    backend : str
        ``cpu`` or ``cuda``.
    work_s : float
        With input and result in memory of the backend.
    host_to_host_s : float
        With the copies there and back. On the CPU there are none, and this is the same figure.
    n_runs : int
        That the medians are of.
    agrees : bool or None
        Whether the result is that of the CPU, exactly; None on the CPU, and where it was not run there.
    """

    operation: str
    size: int
    unit: str
    backend: str
    work_s: float
    host_to_host_s: float
    n_runs: int
    agrees: bool | None

    @property
    def rate(self) -> float:
        """Items a second, in memory of the backend."""
        return self.size / self.work_s if self.work_s else math.inf


@dataclass(frozen=True)
class Cut:
    """From which size on the GPU pays for an operation.

    Attributes
    ----------
    measured : int or None
        Where the curves from host to host cross; None where they do not, or there is one alone.
    always : bool
        Whether the GPU is faster at all sizes that were measured.
    in_use : int or None
        From which size on ``--backend auto`` takes it, which counts the start of the GPU too; None: never.
    """

    measured: int | None
    always: bool
    in_use: int | None


@dataclass(frozen=True)
class Bench:
    """What was measured, and on what.

    Attributes
    ----------
    machine : dict of str to text
    timings : list of Timing
        By operation, size and backend.
    cuts : dict of str to Cut
        By operation.
    """

    machine: dict[str, str]
    timings: list[Timing]
    cuts: dict[str, Cut]

    @property
    def disagreeing(self) -> list[Timing]:
        """Those whose result is not that of the CPU."""
        return [timing for timing in self.timings if timing.agrees is False]


def run_bench(options: BenchOptions, run: RunOptions) -> Bench:
    """Time operations on each backend at growing sizes.

    Without sizes, an operation is timed as long as a run is likely to take less than a second, and fits into memory.

    Raises
    ------
    CudaUnavailableError
        If CUDA is asked for and cannot be used.
    """
    chosen = _load(options, run)
    timings: list[Timing] = []
    for name in options.operations:
        with log.stage(name, unit="sizes") as stage:
            found = _Series(name, TRIALS[name], chosen, options, run, stage).measure()
            stage.items = len({timing.size for timing in found})
        timings += found
    cuts = {name: _cut(name, [timing for timing in timings if timing.operation == name]) for name in options.operations}
    return Bench(describe_machine(tuple(chosen)), timings, cuts)


def _load(options: BenchOptions, run: RunOptions) -> dict[str, DeviceBackend]:
    """Backends by name: those that are asked for, or that there are; the CPU first."""
    names = options.backends
    if not names:
        problems = detect.cuda_problems()
        names = ("cpu",) if problems else ("cpu", "cuda")
        if problems:
            log.logger.warning("there is no GPU to time (%s): the CPU alone", "; ".join(problems))
    chosen: dict[str, DeviceBackend] = {}
    if "cuda" in names:
        cuda = backends.load_cuda(RunOptions(backend="cuda", gpu_memory=run.gpu_memory))
    if "cpu" in names:
        chosen["cpu"] = backends.load(RunOptions(backend="cpu", threads=run.threads))
    if "cuda" in names:
        chosen["cuda"] = cuda
    return chosen


class _Series:
    """One operation at growing sizes, on each backend as long as that may take."""

    def __init__(
        self,
        name: str,
        trial: Trial,
        chosen: dict[str, DeviceBackend],
        options: BenchOptions,
        run: RunOptions,
        stage: log.Stage,
    ) -> None:
        self._name, self._trial, self._options, self._run, self._stage = name, trial, options, run, stage
        self._left = dict(chosen)  # backends that go on
        self._expected_s = dict.fromkeys(chosen, 0.0)  # of a run at the next size
        self._last = dict.fromkeys(chosen, 0)
        self._measured = 0

    def measure(self) -> list[Timing]:
        """All timings."""
        sizes = self._options.sizes or tuple(default_sizes(self._options.max_size))
        found: list[Timing] = []
        for number, size in enumerate(sizes):
            if not self._left:
                break
            found += self._at(size)
            following = sizes[number + 1 :]
            self._expect(found, following[0] if following else 0)
            self._report(sizes, number)
        return found

    def _at(self, size: int) -> list[Timing]:
        """Timings at a size, of the backends on which it fits."""
        fitting = {name: backend for name, backend in self._left.items() if self._fits(name, backend, size)}
        for name in set(self._left) - set(fitting):
            self._drop(name, size, "it does not fit into memory")
        if not fitting:
            return []
        inputs, expected, found = self._trial.make(size), None, []
        for name, backend in fitting.items():
            try:
                timing, result = self._time(name, backend, inputs, size, expected)
            except (OutOfMemoryError, MemoryError):
                self._drop(name, size, "memory does not suffice")
                continue
            found.append(timing)
            expected = result if name == "cpu" else expected
        return found

    def _time(
        self, name: str, backend: DeviceBackend, inputs: HostArrays, size: int, expected: HostArrays | None
    ) -> tuple[Timing, HostArrays]:
        trial = self._trial
        result = trial.from_host_to_host(backend, inputs, size)  # compiles and loads, and shows what the result is
        agrees = None if expected is None else _are_equal(result, expected)
        work = partial(_work, trial, backend, to_device(backend, inputs), size)
        work_s, n_runs = _median(work, self._options.repeats)
        del work  # and the input on the device with it
        whole_s = work_s
        if name != "cpu":
            whole_s, n_runs = _median(partial(trial.from_host_to_host, backend, inputs, size), self._options.repeats)
        made = len(result[0]) if trial.unit == "digits" else size  # terms come in certain lengths
        return Timing(self._name, made, trial.unit, name, work_s, whole_s, n_runs, agrees), result

    def _fits(self, name: str, backend: DeviceBackend, size: int) -> bool:
        """Whether there is likely to be room for a run, and for two results on the host."""
        needed = self._trial.peak_bytes * size
        on_host = needed if name == "cpu" else 3 * self._trial.item_bytes * size
        return on_host <= memory_left(self._run.memory) and (name == "cpu" or needed <= backend.memory_left(self._run))

    def _drop(self, name: str, size: int, why: str) -> None:
        """End a backend's part."""
        del self._left[name]
        needed = format_bytes(self._trial.peak_bytes * size)
        log.logger.info("  %s: not %s %s on %s and beyond: %s (about %s)", self._name, f"{size:,}",
                        self._trial.unit, name, why, needed)  # fmt: skip

    def _expect(self, found: Sequence[Timing], following: int) -> None:
        """End the part of backends on which the next size would take too long, unless sizes are asked for."""
        for timing in found:
            if timing.backend in self._left and timing.size > self._last[timing.backend]:
                self._last[timing.backend] = timing.size
                self._expected_s[timing.backend] = timing.host_to_host_s / timing.size * following
        if not (self._options.sizes or self._options.max_size):
            self._left = {name: b for name, b in self._left.items() if self._expected_s[name] <= _LONGEST_S}

    def _report(self, sizes: Sequence[int], number: int) -> None:
        """Say how far it is: work goes about with the size, and how many are left follows from the last time."""
        slowest = max((self._expected_s[name] for name in self._left), default=0.0)
        more = len(sizes) - number - 1
        if slowest > 0 and not (self._options.sizes or self._options.max_size):
            more = min(more, 1 + int(math.log(max(1.0, _LONGEST_S / slowest), _GROWTH)))
        done = sum(sizes[: number + 1])
        if self._stage.step is not None:
            self._stage.step.update(done, done + sum(sizes[number + 1 : number + 1 + more]))


def default_sizes(max_size: int | None) -> list[int]:
    """100, 300, 1000, 3000 and so on, up to a size; else to what nobody waits for."""
    sizes = [base * 10**power for power in range(2, 13) for base in (1, 3)]
    most = max_size or sizes[-1]
    return [size for size in sizes if _FEWEST <= size <= most] or [most]


def _work(trial: Trial, backend: DeviceBackend, arrays: Arrays, size: int) -> None:
    """The work alone, to its end."""
    trial.work(backend, arrays, size)
    backend.synchronize()


def _median(work: Callable[[], Any], n_repeats: int) -> tuple[float, int]:
    """Median seconds of a call, and of how many; the short ones are repeated more often."""
    times: list[float] = []
    while len(times) < n_repeats or (sum(times) < _LEAST_S and len(times) < _MOST_REPEATS):
        times.append(seconds(work))
    return statistics.median(times), len(times)


def _are_equal(one: HostArrays, other: HostArrays) -> bool:
    return len(one) == len(other) and all(np.array_equal(*pair) for pair in zip(one, other, strict=True))


def _cut(name: str, timings: Sequence[Timing]) -> Cut:
    """The cut-over of an operation."""
    on = {backend: {t.size: t.host_to_host_s for t in timings if t.backend == backend} for backend in ("cpu", "cuda")}
    sizes = sorted(on["cpu"].keys() & on["cuda"].keys())
    measured = crossing(sizes, [on["cpu"][size] for size in sizes], [on["cuda"][size] for size in sizes])
    always = bool(sizes) and all(on["cuda"][size] < on["cpu"][size] for size in sizes)
    n_bytes = cutover_bytes(name)
    return Cut(measured, always, None if n_bytes >= NEVER else n_bytes // TRIALS[name].item_bytes)


def crossing(sizes: Sequence[int], cpu_s: Sequence[float], cuda_s: Sequence[float]) -> int | None:
    """From which size on the second curve is below the first, up to the end; straight lines between the points on
    logarithmic scales. None if it is not below in the end, or always was."""
    ahead = [math.log(cuda / cpu) for cpu, cuda in zip(cpu_s, cuda_s, strict=True)]
    behind = [i for i, value in enumerate(ahead) if value >= 0]
    if not behind or behind[-1] == len(ahead) - 1:
        return None
    i = behind[-1]
    low, high = math.log(sizes[i]), math.log(sizes[i + 1])
    return round(math.exp(low + (high - low) * ahead[i] / (ahead[i] - ahead[i + 1])))


def describe_machine(names: Sequence[str]) -> dict[str, str]:
    """What it ran on: processor, threads, GPU, versions."""
    found = {"dbg": __version__, "CPU": cpu_model(), "threads": str(allowed_cpus())}
    packages = ["numpy", "numba"]
    if "cuda" in names:
        driver = detect.find_driver()
        if isinstance(driver, str):
            found["GPU"] = "simulated"
        else:
            found["GPU"] = driver.devices[0].name
            found["CUDA driver"] = ".".join(map(str, driver.version))
        packages += ["numba-cuda", "cupy-cuda13x", "cupy-cuda12x"]
    found["Python"] = platform.python_version()
    return found | {name: version for name in packages if (version := detect.version_of(name))}


def bench_dict(bench: Bench) -> dict[str, Any]:
    """All of it for JSON."""
    return {
        "machine": bench.machine,
        "timings": [asdict(timing) for timing in bench.timings],
        "cutovers": {name: asdict(cut) for name, cut in bench.cuts.items()},
    }
