"""Options that several commands share, spelled once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from debruijn_gpu.cli.option_rules import excludes, option_rules
from debruijn_gpu.cli.paths import InputFile, OtherPath, split_paths
from debruijn_gpu.run import log
from debruijn_gpu.run.options import BACKENDS, CleanOptions, ReadInputs, RunOptions
from debruijn_gpu.run.resources import allowed_cpus, check_budget, check_scratch_directory, memory_budget

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def apply(*decorators: Decorator) -> Decorator:
    """One decorator from several, in the order in which help shows them."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


_READ_FILES: dict[str, Any] = {"type": InputFile(several=True), "multiple": True, "metavar": "FILE"}

read_inputs = apply(
    click.argument("reads", type=InputFile(), nargs=-1, metavar="[READS]..."),
    click.option("-1", "--r1", "first", **_READ_FILES, help="First mates; repeatable."),
    click.option("-2", "--r2", "second", **_READ_FILES, help="Second mates, in the order of -1."),
    click.option("--12", "interleaved", **_READ_FILES, help="Both mates in turn; repeatable."),
    click.option("-s", "--single", **_READ_FILES, help="Unpaired reads; repeatable."),
)

memory_option = click.option(
    "-m",
    "--memory",
    default=RunOptions.memory,
    show_default=True,
    metavar="SIZE",
    help="Memory to keep within: 16G, 500M, or a share of what is available; at least 256M.",
)

resource_options = apply(
    click.option("-t", "--threads", default=RunOptions.threads, metavar="N", help="Threads; 0: all allowed."),
    memory_option,
)

compute_options = apply(
    resource_options,
    click.option(
        "--backend",
        default=RunOptions.backend,
        show_default=True,
        metavar="|".join(BACKENDS),
        help="Where to compute.",
    ),
)

gpu_memory = click.option(
    "--gpu-memory",
    default=RunOptions.gpu_memory,
    show_default=True,
    metavar="SIZE",
    help="Memory of the GPU to keep within, a size or a fraction.",
)

run_options = apply(
    compute_options,
    gpu_memory,
    click.option(
        "--tmp-dir",
        type=OtherPath(Path),
        default=RunOptions.tmp_dir,
        metavar="DIR",
        help="Where to put what does not fit into memory.",
    ),
)

graph_options = apply(
    click.option(
        "--min-count",
        default="auto",
        show_default=True,
        metavar="auto|N",
        help="Leave out k-mers that occur less often; auto: by the spectrum.",
    ),
    click.option("--clean/--no-clean", default=True, show_default=True, help="Remove errors from the graph."),
)

verbosity = apply(
    option_rules(excludes("--quiet", "--verbose")),
    click.option("-v", "--verbose", count=True, help="Say more."),
    click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors."),
    click.option("--debug", is_flag=True, help="Show a traceback when something fails."),
)


#: Of commands that say little
quiet_verbosity = apply(
    option_rules(excludes("--quiet", "--verbose")),
    click.option("-v", "--verbose", count=True, help="Say how long each step takes; -vv: more."),
    click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors."),
    click.option("--debug", is_flag=True, help="Show a traceback when something fails."),
)


def configure_log(options: dict[str, Any]) -> None:
    """Take -v, -q and --debug out of a command's options and set the log up."""
    verbose, quiet, debug = (options.pop(name) for name in ("verbose", "quiet", "debug"))
    log.configure(-1 if quiet else max(verbose, int(debug)), is_whole_process=True)


def configure_quiet_log(options: dict[str, Any]) -> None:
    """The same for commands that tell about their stages only when asked to."""
    verbose, quiet, debug = (options.pop(name) for name in ("verbose", "quiet", "debug"))
    log.configure(-1 if quiet else max(verbose, int(debug)) - 1, show_bars=not quiet, is_whole_process=True)


def take_read_inputs(options: dict[str, Any]) -> ReadInputs:
    """Take the read files out of a command's options."""
    positional, single, first, second, interleaved = (
        options.pop(name) for name in ("reads", "single", "first", "second", "interleaved")
    )
    return ReadInputs(
        single=(*positional, *_split(single)),
        first=_split(first),
        second=_split(second),
        interleaved=_split(interleaved),
    )


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    """``-1 a,b -1 c`` is three files, unless there is one that is called ``a,b``."""
    return tuple(path for value in values for path in split_paths(value))


def take_clean_options(options: dict[str, Any]) -> CleanOptions | None:
    """Take --clean/--no-clean out of a command's options."""
    return CleanOptions() if options.pop("clean") else None


def take_run_options(options: dict[str, Any]) -> RunOptions:
    """Take -t, -m, --backend and, where the command has them, --tmp-dir and --gpu-memory out of its options."""
    names = ("threads", "memory", "backend", "tmp_dir", "gpu_memory")
    if "gpu_memory" in options:
        memory_budget(options["gpu_memory"])  # an error here and now, whether a GPU is used or not
    if "memory" in options:
        check_budget(options["memory"])
    run = RunOptions(**{name: options.pop(name) for name in names if name in options})
    if run.tmp_dir is not None:
        check_scratch_directory(run.tmp_dir)
    n_allowed = allowed_cpus()
    if run.threads <= n_allowed:
        return run
    log.logger.warning("-t %d: %d CPUs are allowed, so %d threads run", run.threads, n_allowed, n_allowed)
    return replace(run, threads=n_allowed)
