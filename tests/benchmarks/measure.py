"""Run a program and measure it: wall time, CPU seconds, largest resident size."""

from __future__ import annotations

import os
import re
import subprocess
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Run:
    """One process, with all that it started and waited for.

    Attributes
    ----------
    exit_code : int
    wall_s, user_s, system_s : float
    peak_bytes : int
        Largest resident size of a single process.
    text : str
        What it wrote to standard error.
    """

    exit_code: int
    wall_s: float
    user_s: float
    system_s: float
    peak_bytes: int
    text: str = field(repr=False)

    @property
    def cpu_s(self) -> float:
        return self.user_s + self.system_s

    def figures(self) -> dict[str, Any]:
        """All but the text, for JSON."""
        return {name: value for name, value in asdict(self).items() if name != "text"} | {"cpu_s": self.cpu_s}


@dataclass
class StageTime:
    """A stage as dbg's log reports it: what it handled, and CPU seconds of its parts over all threads."""

    name: str
    items: str
    wall_s: float
    cpu_s: float = 0.0
    parts: str = ""


def measure(command: list[str], directory: Path, environment: dict[str, str] | None = None) -> Run:
    """Run a command in an empty directory; standard output and error go to files there."""
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "stdout.txt", "wb") as output, open(directory / "stderr.txt", "wb") as log:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=directory, stdin=subprocess.DEVNULL, stdout=output, stderr=log, env=environment
        )
        try:
            _pid, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall_s = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    text = (directory / "stderr.txt").read_text(errors="replace")
    return Run(process.returncode, wall_s, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024, text)


_SECONDS = r"[0-9]+\.[0-9]+"
_STAGE = re.compile(
    rf"\[dbg\] (?P<name>\S.*?)(?:: (?P<items>[0-9][0-9,]* [^0-9].*?))? in (?P<wall>{_SECONDS}) s"
    rf"(?:, of them {_SECONDS} s compiling)?(?: \({_SECONDS} M/s\))?"
)
_DETAILS = re.compile(rf"\[dbg\]   (?P<cpu>{_SECONDS}) CPU s(?: \(of them (?P<parts>.+)\))?; peak memory .+")


def stage_times(text: str) -> list[StageTime]:
    """Parse the stages, in order, from what ``dbg -v`` wrote to standard error."""
    stages: list[StageTime] = []
    for line in text.splitlines():
        if details := _DETAILS.fullmatch(line):
            stages[-1].cpu_s, stages[-1].parts = float(details["cpu"]), details["parts"] or ""
        elif stage := _STAGE.fullmatch(line):
            stages.append(StageTime(stage["name"], stage["items"] or "", float(stage["wall"])))
    return stages
