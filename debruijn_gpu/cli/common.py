"""Options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.cli.groups import excludes, option_rules
from debruijn_gpu.cli.option_types import RenamedOption
from debruijn_gpu.cli.paths import STANDARD_STREAM, InputFile, OtherPath, note_standard_input, split_paths
from debruijn_gpu.distributed.place import check_place
from debruijn_gpu.errors import UsageError
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.checks import check_range
from debruijn_gpu.run.heaps import limit_heaps
from debruijn_gpu.run.options import ALL_GPUS, BACKENDS, RunOptions
from debruijn_gpu.run.resources import allowed_cpus, check_budget, check_scratch_directory, memory_budget

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def apply(*decorators: Decorator) -> Decorator:
    """Combine decorators into one, in the order in which help shows them."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def format_option(
    formats: Iterable[str], default: str, name: str = "file_format", old: tuple[str, ...] = (), text: str = ""
) -> Decorator:
    """Make the option ``--format`` of the output format.

    Parameters
    ----------
    formats : iterable of str
    default : str
        The format of an unknown file extension.
    name : str
        Parameter of the command.
    old : tuple of str
        Names of the option in version 0.1.
    text : str
        Help, instead of the usual one.
    """
    text = text or f"Output format (default: by file extension of -o, or {default})."
    return click.option("--format", name, cls=RenamedOption, old=old, metavar="|".join(formats), help=text)


_READ_FILES: dict[str, Any] = {"type": InputFile(several=True), "multiple": True, "metavar": "FILE"}

read_inputs = apply(
    click.argument("reads", type=InputFile(), nargs=-1, metavar="[READS]..."),
    click.option("-1", "--r1", "first", **_READ_FILES, help="Files of first mates; repeatable."),
    click.option("-2", "--r2", "second", **_READ_FILES, help="Files of second mates, in the order of -1."),
    click.option("--12", "interleaved", **_READ_FILES, help="Files of interleaved mates; repeatable."),
    click.option("-s", "--single", **_READ_FILES, help="Files of unpaired reads; repeatable."),
)

memory_option = click.option(
    "-m",
    "--memory",
    default=RunOptions.memory,
    show_default=True,
    metavar="SIZE",
    help="Memory limit: a size (16G, 500M) or a fraction of the available memory; at least 256M.",
)

#: What other programs take after -t
_SEPARATORS = (",", ";", ":", "|", " ", "\t", "\\t", "tab")


class _ThreadNumber(click.types.IntParamType):
    """A number of threads; who gives a separator of columns instead learns that none is needed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See `click.ParamType`."""
        if value in _SEPARATORS:
            what = f"-t {value!r}: -t is the number of threads"
            raise UsageError(what, "leave it out: blanks, tabs, commas and semicolons between columns are recognized")
        return super().convert(value, param, ctx)


threads_option = click.option(
    "-t",
    "--threads",
    type=_ThreadNumber(),
    default=RunOptions.threads,
    metavar="N",
    help="Number of threads (default: 0, all allowed CPUs).",
)

resource_options = apply(threads_option, memory_option)

backend_option = click.option(
    "--backend",
    default=RunOptions.backend,
    show_default=True,
    metavar="|".join(BACKENDS),
    help="Device for the computation.",
)

gpu_memory = click.option(
    "--gpu-memory",
    default=RunOptions.gpu_memory,
    show_default=True,
    metavar="SIZE",
    help="GPU memory limit: a size or a fraction of the available memory.",
)

gpus_option = click.option(
    "--gpus",
    default=RunOptions.gpus,
    show_default=True,
    metavar=f"N|{ALL_GPUS}",
    help="Number of GPUs of this machine that work together.",
)

compute_options = apply(
    resource_options,
    backend_option,
    gpu_memory,
)

run_options = apply(
    compute_options,
    click.option(
        "--tmp-dir",
        type=OtherPath(Path),
        default=RunOptions.tmp_dir,
        metavar="DIR",
        help="Directory for temporary files.",
    ),
)

dask_option = click.option(
    "--dask",
    "dask",
    metavar="SCHEDULER|local:N",
    callback=lambda _context, _option, place: None if place is None else check_place(place),
    help="Read and count on the workers of a Dask cluster: address of its scheduler, or N workers on this machine.",
)

graph_options = apply(
    click.option(
        "--min-count",
        default="auto",
        show_default=True,
        metavar="auto|N",
        help="Minimum count of a k-mer; auto: estimated from the k-mer spectrum.",
    ),
    click.option(
        "--clean/--no-clean",
        default=True,
        show_default=True,
        help="Remove erroneous tips, bubbles and connections from the graph.",
    ),
)

verbosity = apply(
    option_rules(excludes("--quiet", "--verbose")),
    click.option("-v", "--verbose", count=True, help="Log the time of each stage; -vv: log details."),
    click.option("-q", "--quiet", is_flag=True, help="Report warnings and errors only."),
    click.option("--debug", is_flag=True, help="Show the traceback of an error."),
)


def configure_log(options: dict[str, Any]) -> None:
    """Take -v, -q and --debug out of a command's options and set the log up."""
    from debruijn_gpu.run import log

    verbose, quiet, debug = (options.pop(name) for name in ("verbose", "quiet", "debug"))
    log.configure(-2 if quiet else max(verbose, int(debug)) - 1, is_whole_process=True)


def take_read_inputs(options: dict[str, Any], finds_mates: bool = False) -> ReadInputs:
    """Take the read files out of a command's options; by default, reads are those of standard input.

    Files of mates that are named without an option are taken as pairs if ``finds_mates``.
    """
    positional, single, first, second, interleaved = (
        options.pop(name) for name in ("reads", "single", "first", "second", "interleaved")
    )
    if not (positional or single or first or second or interleaved):
        note_standard_input()
        positional = (STANDARD_STREAM,)
    pairs, positional = found_mates(positional) if finds_mates else ([], positional)
    return ReadInputs(
        single=(*positional, *_split(single)),
        first=(*_split(first), *(path for path, _ in pairs)),
        second=(*_split(second), *(path for _, path in pairs)),
        interleaved=_split(interleaved),
    )


def found_mates(paths: tuple[str, ...]) -> tuple[list[tuple[str, str]], list[str]]:
    """Find pairs of files of mates among those named without an option, and log them; see `find_mates`.

    Warn of other files that look like those of mates.
    """
    from debruijn_gpu.io.fastx.mate_files import are_interleaved, find_mates, look_alikes
    from debruijn_gpu.run import log

    pairs, others = find_mates(paths)
    for first, second in pairs:
        log.report("%s and %s: mates by their names, taken as -1 and -2 (-s: as unpaired reads)", first, second)
    for first, second in look_alikes(others):
        log.logger.warning(
            "%s and %s are named as files of mates, but their reads are taken as unpaired: give them with -1 and -2 if "
            "they are mates, with -s if not",
            first,
            second,
        )
    for path in filter(are_interleaved, others):
        log.logger.warning("%s: the first two reads are named as mates; --12 takes them as pairs", path)
    return pairs, others


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    """Split ``-1 a,b -1 c`` into three files, unless a file is called ``a,b``."""
    return tuple(path for value in values for path in split_paths(value))


def take_fields(kind: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Take the fields of a dataclass out of a command's options, as far as they are options."""
    return {field.name: options.pop(field.name) for field in fields(kind) if field.name in options}


def take_clean_options(options: dict[str, Any]) -> CleanOptions | None:
    """Take --clean/--no-clean out of a command's options."""
    return CleanOptions() if options.pop("clean") else None


def take_limit(options: dict[str, Any]) -> int | None:
    """Take --limit out of a command's options; None is no limit."""
    limit: int | None = options.pop("limit")
    if limit is not None:
        check_range("--limit", limit, 1, remedy="give 1 or more, or leave it out for all")
    return None if limit is None else min(limit, sys.maxsize)


def take_run_options(options: dict[str, Any]) -> RunOptions:
    """Take -t, -m, --backend and, where a command has them, --tmp-dir, --gpu-memory and --gpus out of its options."""
    names = ("threads", "memory", "backend", "tmp_dir", "gpu_memory", "gpus")
    if "gpu_memory" in options:
        memory_budget(options["gpu_memory"], name="--gpu-memory")  # raises at once, whether a GPU is used or not
    if "memory" in options:
        from debruijn_gpu.io.reading_again import set_budget

        check_budget(options["memory"])
        set_budget(options["memory"])
        limit_heaps()
    run = RunOptions(**{name: options.pop(name) for name in names if name in options})
    if run.tmp_dir is not None:
        check_scratch_directory(run.tmp_dir)
    n_allowed = allowed_cpus()
    if run.threads <= n_allowed:
        return run
    from debruijn_gpu.run import log

    log.logger.warning("-t %d: %d CPUs are allowed, so %d threads run", run.threads, n_allowed, n_allowed)
    return replace(run, threads=n_allowed)
