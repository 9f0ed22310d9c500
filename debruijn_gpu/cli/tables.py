"""Options of commands on columns of numbers, and their steps from input to output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    apply,
    compute_options,
    configure_log,
    format_option,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.groups import needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, output_option
from debruijn_gpu.io.numbers.files import read_columns, write_columns
from debruijn_gpu.io.opening import STANDARD_INPUT
from debruijn_gpu.io.output import open_output
from debruijn_gpu.primitives.options import DTYPES, FORMATS, TableOptions, parse_fields
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.resources import allowed_cpus, memory_left, return_free_memory

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ArrayBackend
    from debruijn_gpu.primitives.columns import Columns

Work = Callable[["Columns", "ArrayBackend"], "Columns"]

#: All of INPUT is read before the output is opened, which may be the same file: ``dbg sort x -o x``
input_argument = click.argument("source", type=InputFile(read_first=True), metavar="[INPUT]", default=STANDARD_INPUT)

keys_option = click.option(
    "--key",
    "key",
    default="1",
    show_default=True,
    metavar="1[,2r...]",
    help="Key columns, the most significant first; r: in descending order.",
)

column_option = click.option("--key", "key", default="1", show_default=True, metavar="N", help="Column of the numbers.")

_table_options = apply(
    option_rules(needs("--columns", "--dtype")),
    click.option("--dtype", metavar="|".join(DTYPES), help="Read raw little-endian numbers of this type."),
    click.option(
        "--columns",
        "n_columns",
        type=COUNT,
        default=TableOptions.n_columns,
        show_default=True,
        metavar="N",
        help="Number of columns of raw input, in row-major order.",
    ),
    click.option("--fields", default="", metavar="2,3...", help="Columns to write, in this order (default: all)."),
    format_option(FORMATS, "that of the input", "to", old=("--to",)),
    output_option,
)

#: Options of all these commands; `Filter` takes them
table_options = apply(
    _table_options,
    compute_options,
    verbosity,
)


def _take_table_options(options: dict[str, Any], output: str | None) -> TableOptions:
    """Take --dtype, --columns, --fields and --format out of a command's options."""
    return TableOptions(
        dtype=options.pop("dtype"),
        n_columns=options.pop("n_columns"),
        fields=parse_fields(options.pop("fields")),
        to=choose_format(output, FORMATS, "", options.pop("to"), "--format") or None,
    )


class Filter:
    """A command that reads records, works on them and writes records, and logs the time of each step.

    Parameters
    ----------
    options : dict
        Those of `table_options`.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        configure_log(options)
        self._output = options.pop("output")
        self._table = _take_table_options(options, self._output)
        run = take_run_options(options)
        self._memory = run.memory
        self._threads = run.threads or allowed_cpus()
        self._run = run
        self._backend = backends.load(replace(run, backend="cpu"))  # reads and writes
        if run.backend == "cuda":
            backends.load_cuda(run)  # raises before the input is read

    def read(self, path: str, name: str = "read", as_read: bool = False) -> Columns:
        """Read the records of a file, with their text where it is needed to write them as they were read."""
        with log.stage(name, unit="records") as stage:
            columns = read_columns(
                path, self._table, self._backend, self._threads, memory_left(self._memory), as_read=as_read
            )
            stage.items = len(columns)
        return_free_memory()  # blocks of text
        return columns

    def run(self, path: str, name: str, work: Work, in_runs: Work | None = None, as_read: bool = True) -> None:
        """Read a file, do the work, called `name` in the log, and write the result.

        Parameters
        ----------
        path, name : str
        work : callable
            Takes columns of the backend, and the backend; gives columns of the backend.
        in_runs : callable, optional
            The same from host to host, for input that the memory of a device does not hold.
        as_read : bool
            Whether the work only reorders and drops records: text stays as it was read.
        """
        columns = self.read(path, as_read=as_read and self._table.to not in ("npy", "raw"))
        backend = backends.load_arrays(self._run, name, columns.nbytes)
        fits = backend.fits(columns.nbytes)
        if not fits and in_runs is not None and not columns.is_single and self._run.backend == "auto":
            backend, fits = self._backend, True  # only single columns can be worked on in runs
        if in_runs is not None and not fits:
            with log.stage(f"{name} in runs", len(columns), "records"):
                columns = in_runs(columns, backend)
        else:
            columns = _worked_on(columns, name, work, backend)
        with log.stage("write", len(columns), "records"), open_output(self._output) as stream:
            write_columns(stream, columns, self._table, self._backend, self._threads)


def _worked_on(columns: Columns, name: str, work: Work, backend: ArrayBackend) -> Columns:
    """Copy columns to the device, work on them, and copy the result back."""
    with log.stage("to device", len(columns), "records"):
        columns = columns.moved(backend.to_device)
        backend.synchronize()
    with log.stage(name, len(columns), "records"):
        columns = work(columns, backend)
        backend.synchronize()
    with log.stage("back", len(columns), "records"):
        return columns.moved(backend.to_host)
