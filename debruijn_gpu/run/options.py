"""Runtime options. Each default is defined here once; the command line reads it from here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.run.checks import Checked, at_least, excludes, one_of, valid
from debruijn_gpu.run.resources import allowed_cpus

BACKENDS = ("auto", "cpu", "cuda")
ALL_GPUS = "all"


def check_gpus(text: str) -> None:
    """Raise OptionValueError for a number of GPUs that is neither 1 or more nor ``all``."""
    if text != ALL_GPUS and not (text.isascii() and text.isdecimal() and int(text)):
        raise OptionValueError(f"--gpus is {text!r}", f"give 1 or more, or {ALL_GPUS}")


@dataclass(frozen=True, kw_only=True)
class RunOptions(Checked):
    """Runtime settings. They never change results."""

    threads: int = 0  # 0: as many as affinity and cgroup allow
    memory: str = "0.8"  # a size, or a fraction of what is available
    gpu_memory: str = "0.9"  # a size, or a fraction of the GPU's memory; of each, if there are several
    gpus: str = "1"  # a number, or ``all`` that there are
    backend: str = "auto"
    tmp_dir: Path | None = None  # None: the output directory, or else the system's

    option_names: ClassVar = {"threads": "-t/--threads"}
    checks = (
        at_least("threads", 0, "give 1 or more, or 0 for all that are allowed"),
        one_of("backend", BACKENDS),
        valid("gpus", check_gpus),
        excludes("gpus", "backend cpu"),
    )

    @property
    def n_threads(self) -> int:
        """Number of threads: those asked for, or all CPUs that are allowed."""
        return self.threads or allowed_cpus()

    def on_cpu(self) -> RunOptions:
        """The same on the CPU."""
        return replace(self, backend="cpu", gpus="1")

    def with_tmp_dir(self, directory: Path) -> RunOptions:
        """The same with temporary files in a directory, unless one was chosen."""
        return self if self.tmp_dir is not None else replace(self, tmp_dir=directory)
