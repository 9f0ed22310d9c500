"""The log of a run, read again: what `log.Stage` and `log.log_end` wrote, as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_PREFIX = re.compile(r"^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}|\[dbg\]) ")
_SECONDS = r"[0-9]{1,15}(?:\.[0-9]+)?"
_STAGE = re.compile(
    rf"(?P<name>\S.*?)(?:: (?P<items>[0-9][0-9,]{{0,30}}) (?P<unit>[^0-9].*?))? in (?P<wall>{_SECONDS}) s"
    rf"(?:, of them (?P<compile>{_SECONDS}) s compiling)?(?: \({_SECONDS} M/s\))?"
)
_DETAILS = re.compile(rf"  (?P<cpu>{_SECONDS}) CPU s(?: \(of them (?P<parts>.+)\))?; peak memory (?P<peak>.+)")
_SUMS = re.compile(rf"(?P<wall>{_SECONDS}) s, (?P<cpu>{_SECONDS}) CPU s, peak memory (?P<peak>.+)")
_PART = re.compile(rf"(?P<name>.+?) (?P<seconds>{_SECONDS})")
_PROGRAM = re.compile(r"dbg (?P<version>\S+), Python .+")
_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


@dataclass
class LoggedStage:
    """One stage: seconds, and bytes of the most memory that the run had taken by its end."""

    name: str
    items: int
    unit: str
    wall_s: float
    compile_s: float
    cpu_s: float | None = None
    peak_bytes: int | None = None
    parts: dict[str, float] = field(default_factory=dict)


@dataclass
class LoggedRun:
    """What the log of a run tells; None and empty where it does not, as when the run was cut off.

    Attributes
    ----------
    version : str
        Of dbg.
    command, backend : str
    stages : list of LoggedStage
    wall_s, cpu_s : float or None
        Of the whole run.
    peak_bytes : int or None
    warnings : list of str
    """

    version: str = ""
    command: str = ""
    backend: str = ""
    stages: list[LoggedStage] = field(default_factory=list)
    wall_s: float | None = None
    cpu_s: float | None = None
    peak_bytes: int | None = None
    warnings: list[str] = field(default_factory=list)


def read_log(lines: Iterable[str]) -> LoggedRun:
    """Read a log, as in its file or on standard error; lines that it does not know are passed over."""
    run = LoggedRun()
    for line in lines:
        message, n_cut = _PREFIX.subn("", line.rstrip("\r\n"))
        if n_cut:
            _note(run, message)
    return run


def _note(run: LoggedRun, message: str) -> None:
    if message.startswith("command: "):
        run.command = message.removeprefix("command: ")
    elif message.startswith("backend: "):
        run.backend = message.removeprefix("backend: ")
    elif message.startswith("warning: "):
        run.warnings.append(message.removeprefix("warning: "))
    elif match := _SUMS.fullmatch(message):
        run.wall_s, run.cpu_s, run.peak_bytes = float(match["wall"]), float(match["cpu"]), _bytes(match["peak"])
    elif match := _DETAILS.fullmatch(message):
        if run.stages:
            _add_details(run.stages[-1], match)
    elif match := _STAGE.fullmatch(message):
        run.stages.append(_stage(match))
    elif match := _PROGRAM.match(message):
        run.version = match["version"]


def _stage(match: re.Match[str]) -> LoggedStage:
    items = int((match["items"] or "0").replace(",", ""))
    return LoggedStage(match["name"], items, match["unit"] or "", float(match["wall"]), float(match["compile"] or 0))


def _add_details(stage: LoggedStage, match: re.Match[str]) -> None:
    stage.cpu_s, stage.peak_bytes = float(match["cpu"]), _bytes(match["peak"])
    for part in (match["parts"] or "").split(", "):
        if found := _PART.fullmatch(part):
            stage.parts[found["name"]] = float(found["seconds"])


def _bytes(text: str) -> int | None:
    """What `resources.format_bytes` made of it, so far as that tells."""
    number, _blank, unit = text.partition(" ")
    try:
        return round(float(number) * _UNITS[unit])
    except (KeyError, ValueError, OverflowError):
        return None
