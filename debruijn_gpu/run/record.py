"""Record of a run (``run.json``): stages with times and memory, backend, options, warnings.

Unlike every other result it holds times and paths, so it differs from run to run.
"""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

from debruijn_gpu.run.resources import allowed_cpus, cpu_model
from debruijn_gpu.run.versions import system_name, version_of
from debruijn_gpu.version import __version__

_LIBRARIES = ("numpy", "numba", "numba-cuda", "cupy-cuda13x", "cupy-cuda12x", "cupy")

SCHEMA_VERSION = 2

_Part = TypeVar("_Part", "StageRecord", "BackendRecord", "Message")


@dataclass
class StageRecord:
    """One stage of a run.

    Attributes
    ----------
    name : str
    start_s : float
        Seconds from the start of the run.
    items : int
        Amount that was handled, in ``unit``; 0 if the stage counts nothing.
    unit : str
    wall_s, cpu_s : float
        CPU seconds are those of the whole process.
    compile_s : float
        Share of ``wall_s`` spent compiling kernels.
    peak_memory_bytes : int
        Peak memory of the run by the end of the stage.
    steps : dict of str to float
        CPU seconds of its steps, all threads together.
    """

    name: str
    start_s: float = 0.0
    items: int = 0
    unit: str = ""
    wall_s: float = 0.0
    cpu_s: float | None = None
    compile_s: float = 0.0
    peak_memory_bytes: int | None = None
    steps: dict[str, float] = field(default_factory=dict)


@dataclass
class BackendRecord:
    """A backend that a run used: its name, its device, and the reason for the choice if it was automatic."""

    name: str
    device: str = ""
    reason: str = ""


@dataclass
class Message:
    """A warning of a run."""

    text: str
    level: str = "warning"


@dataclass
class RunRecord:
    """All that is recorded of a run.

    Attributes
    ----------
    start : str
        ISO 8601, in UTC.
    wall_s, cpu_s : float or None
    peak_memory_bytes : int or None
        Largest resident size of the process during the run.
    command : str
        As given to a shell; empty if the run was started from Python.
    inputs : list of str
        Paths as given.
    threads : int or None
    backends : list of BackendRecord
        In the order in which they were loaded.
    versions : dict of str to str
        Of dbg, Python and libraries.
    host : dict
        System, CPU and number of CPUs.
    options : dict
        Options of the command and of the run.
    stages : list of StageRecord
    messages : list of Message
    identity : str
        Digest of version, options and inputs; empty if an input is a pipe. Runs of the same digest have the same
        results.
    identity_of : dict
        That version, these options and inputs (size, modification time and digest of each), to name what differs.
    results : dict of str to int
        Size in bytes of each result, but of the log and this record.
    resumed : list of str
        Stages that were loaded from checkpoints of earlier runs.
    earlier_stages : list of StageRecord
        Stages of these runs, up to the last checkpoint that was loaded.
    """

    start: str = ""
    wall_s: float | None = None
    cpu_s: float | None = None
    peak_memory_bytes: int | None = None
    command: str = ""
    inputs: list[str] = field(default_factory=list)
    threads: int | None = None
    backends: list[BackendRecord] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    host: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    stages: list[StageRecord] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    identity: str = ""
    identity_of: dict[str, Any] = field(default_factory=dict)
    results: dict[str, int] = field(default_factory=dict)
    resumed: list[str] = field(default_factory=list)
    earlier_stages: list[StageRecord] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the members of ``run.json``."""
        return {"schema_version": SCHEMA_VERSION, "program": "dbg", "version": __version__, **asdict(self)}


def describe_host() -> dict[str, Any]:
    """Describe the machine: operating system, CPU model, allowed CPUs."""
    return {"system": system_name(), "cpu": cpu_model(), "allowed_cpus": allowed_cpus()}


def describe_versions() -> dict[str, str]:
    """Return the versions of dbg, Python and those libraries that compute, as far as installed."""
    found = {"dbg": __version__, "python": platform.python_version()}
    found |= {name: version for name in _LIBRARIES if (version := version_of(name)) is not None}
    return found


def parse_record(members: dict[str, Any]) -> RunRecord:
    """Parse the members of ``run.json``.

    Members that are missing or have another type, as in files of other versions, keep their defaults; members that
    are not known are skipped.
    """
    record = _known(RunRecord, members)
    record.stages = _parts(StageRecord, record.stages)
    record.earlier_stages = _parts(StageRecord, record.earlier_stages)
    record.backends = _parts(BackendRecord, record.backends)
    record.messages = _parts(Message, record.messages)
    return record


def _parts(kind: type[_Part], values: list[Any]) -> list[_Part]:
    """Parse the objects of a list that have a name or, messages, a text; others are skipped."""
    needed = fields(kind)[0].name
    return [_known(kind, value) for value in values if isinstance(value, dict) and isinstance(value.get(needed), str)]


_Kind = TypeVar("_Kind")


def _known(kind: type[_Kind], members: dict[str, Any]) -> _Kind:
    """Build a record of those members that have the annotated type."""
    known = {
        part.name: members[part.name]
        for part in fields(kind)  # type: ignore[arg-type]
        if part.name in members and _is_of(members[part.name], str(part.type))
    }
    return kind(**known)


def _is_of(value: Any, annotation: str) -> bool:
    """Whether a JSON value has the type of a field."""
    if isinstance(value, bool):
        return False
    if annotation.startswith("float"):
        return isinstance(value, (int, float)) and value >= 0
    if annotation.startswith("int"):
        return isinstance(value, int) and value >= 0
    if annotation in ("dict[str, float]", "dict[str, int]"):
        kind = annotation.removeprefix("dict[str, ").removesuffix("]")
        return isinstance(value, dict) and all(_is_of(one, kind) for one in value.values())
    if annotation.startswith("list[str]"):
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    kinds = {"str": str, "list": list, "dict": dict}
    return isinstance(value, kinds[annotation.partition("[")[0]])
