"""One operation timed at growing sizes, for `bench`."""

from __future__ import annotations

import logging
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from debruijn_gpu.bench.options import BenchOptions
from debruijn_gpu.bench.trials import Trial, seconds, to_device
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import format_bytes, memory_left

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend
    from debruijn_gpu.bench.trials import Arrays, HostArrays

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


class Series:
    """One operation at growing sizes, on each backend as long as that may take.

    Parameters
    ----------
    name : str
        One of `OPERATIONS`.
    trial : Trial
    chosen : dict of str to Backend
        The CPU first, with whose results the others are compared.
    options : BenchOptions
    run : RunOptions
    stage : Stage
        Is told how far this is.
    """

    def __init__(
        self,
        name: str,
        trial: Trial,
        chosen: dict[str, Backend],
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
        self, name: str, backend: Backend, inputs: HostArrays, size: int, expected: HostArrays | None
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

    def _fits(self, name: str, backend: Backend, size: int) -> bool:
        """Whether there is likely to be room for a run, and for two results on the host."""
        needed = self._trial.peak_bytes * size
        on_host = needed if name == "cpu" else 3 * self._trial.item_bytes * size
        return on_host <= memory_left(self._run.memory) and (name == "cpu" or needed <= backend.memory_left(self._run))

    def _drop(self, name: str, size: int, why: str) -> None:
        """End a backend's part; a warning, if that size was asked for."""
        del self._left[name]
        what = f"{size:,} {self._trial.unit} on {name}"
        level = logging.WARNING if self._options.sizes else logging.INFO
        needed = format_bytes(self._trial.peak_bytes * size)
        log.logger.log(level, "%s: not %s and beyond: %s (about %s)", self._name, what, why, needed)

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
    """Return the sizes 100, 300, 1000, 3000 and so on, up to ``max_size`` if given."""
    sizes = [base * 10**power for power in range(2, 13) for base in (1, 3)]
    most = max_size or sizes[-1]
    return [size for size in sizes if _FEWEST <= size <= most] or [most]


def _work(trial: Trial, backend: Backend, arrays: Arrays, size: int) -> None:
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
