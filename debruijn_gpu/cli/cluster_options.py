"""Options of `dbg assemble --estimate` that describe a cluster; `--help` shows `--workers` alone."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.assembly.cluster_options import ClusterOptions
from debruijn_gpu.cli.common import apply
from debruijn_gpu.cli.groups import needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile

#: Parameter: type, name of the value, and help
_EXPERT: dict[str, tuple[Any, str, str]] = {
    "worker_threads": (COUNT, "N", "Threads of each worker."),
    "worker_memory": (None, "SIZE", "Memory of each worker."),
    "network": (None, "SIZE", "Bytes per second into and out of each worker."),
    "storage": (None, "SIZE", "Bytes per second of the file system from which all workers read."),
    "rates": (
        InputFile(),
        "FILE",
        "Measured rates of stages, in JSON (default: those of dbg doctor --calibrate, or those of the package).",
    ),
}
#: Parameters that `--help` does not show
EXPERT_NAMES = frozenset(_EXPERT)


def _option(name: str, kind: Any, metavar: str, text: str) -> Any:
    default = getattr(ClusterOptions, name)
    shown: dict[str, Any] = {"metavar": metavar, "help": text, "show_default": default is not None, "hidden": True}
    return click.option("--" + name.replace("_", "-"), name, type=kind, default=default, **shown)


cluster_options = apply(
    option_rules(
        needs("--workers", "--estimate"), *(needs("--" + name.replace("_", "-"), "--workers") for name in _EXPERT)
    ),
    click.option(
        "--workers",
        type=COUNT,
        metavar="N",
        help="Also estimate how long a cluster of N workers takes from reads to unitigs, with --estimate.",
    ),
    *(_option(name, *text) for name, text in _EXPERT.items()),
)


def take_cluster_options(options: dict[str, Any]) -> ClusterOptions | None:
    """Take the options of a cluster; None if none is asked for."""
    taken = {name: options.pop(name) for name in ("workers", *_EXPERT)}
    return None if taken["workers"] is None else ClusterOptions(**taken)
