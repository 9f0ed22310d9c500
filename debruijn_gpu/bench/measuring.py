"""How fast the operations are on CPU and GPU, over the size of their input: what ``dbg bench`` measures."""

from __future__ import annotations

import math
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from debruijn_gpu import backends
from debruijn_gpu.backends.core import detection
from debruijn_gpu.backends.crossover import NEVER, crossover_bytes
from debruijn_gpu.bench.options import BenchOptions
from debruijn_gpu.bench.series import Series, Timing
from debruijn_gpu.bench.trials import TRIALS
from debruijn_gpu.errors import CudaUnavailableError
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import allowed_cpus, cpu_model
from debruijn_gpu.version import __version__

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend


@dataclass(frozen=True)
class Cut:
    """Crossover size above which the GPU is faster for an operation.

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
    """Measured times, and the machine.

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
            found = Series(name, TRIALS[name], chosen, options, run, stage).measure()
            stage.items = len({timing.size for timing in found})
        timings += found
    cuts = {name: _cut(name, [timing for timing in timings if timing.operation == name]) for name in options.operations}
    return Bench(describe_machine(tuple(chosen)), timings, cuts)


def _load(options: BenchOptions, run: RunOptions) -> dict[str, Backend]:
    """Backends by name: those that are asked for, or that there are; the CPU first."""
    names = options.backends
    if not names:
        problems = detection.cuda_problems()
        names = ("cpu",) if problems else ("cpu", "cuda")
        if problems:
            log.logger.info("there is no GPU to time (%s): the CPU alone", "; ".join(problems))
    chosen: dict[str, Backend] = {}
    if "cuda" in names:
        cuda = _load_cuda(run)
    if "cpu" in names:
        chosen["cpu"] = backends.load(RunOptions(backend="cpu", threads=run.threads))
    if "cuda" in names:
        chosen["cuda"] = cuda
    return chosen


def _load_cuda(run: RunOptions) -> Backend:
    try:
        return backends.load_cuda(RunOptions(backend="cuda", gpu_memory=run.gpu_memory))
    except CudaUnavailableError as error:
        fix = "correct that, or time the CPU alone with --backends cpu; dbg doctor reports details"
        raise CudaUnavailableError(error.what, fix) from error


def _cut(name: str, timings: Sequence[Timing]) -> Cut:
    """The cut-over of an operation."""
    on = {backend: {t.size: t.host_to_host_s for t in timings if t.backend == backend} for backend in ("cpu", "cuda")}
    sizes = sorted(on["cpu"].keys() & on["cuda"].keys())
    measured = crossing(sizes, [on["cpu"][size] for size in sizes], [on["cuda"][size] for size in sizes])
    always = bool(sizes) and all(on["cuda"][size] < on["cpu"][size] for size in sizes)
    n_bytes = crossover_bytes(name)
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
    """Describe processor, threads, GPU and versions."""
    found = {"dbg": __version__, "CPU": cpu_model(), "threads": str(allowed_cpus())}
    packages = ["numpy", "numba"]
    if "cuda" in names:
        driver = detection.find_driver()
        if isinstance(driver, str):
            found["GPU"] = "simulated"
        else:
            found["GPU"] = driver.devices[0].name
            found["CUDA driver"] = ".".join(map(str, driver.version))
        packages += ["numba-cuda", "cupy-cuda13x", "cupy-cuda12x"]
    found["Python"] = platform.python_version()
    return found | {name: version for name in packages if (version := detection.version_of(name))}


def bench_dict(bench: Bench) -> dict[str, Any]:
    """All of it for JSON."""
    return {
        "machine": bench.machine,
        "timings": [asdict(timing) for timing in bench.timings],
        "cutovers": {name: asdict(cut) for name, cut in bench.cuts.items()},
    }
