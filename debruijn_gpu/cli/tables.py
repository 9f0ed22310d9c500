"""Options of commands on columns of numbers, and their steps from input to output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    Decorator,
    apply,
    compute_options,
    configure_log,
    format_option,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.groups import excludes, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, note_standard_input, output_option
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.numbers.files import read_table, write_columns
from debruijn_gpu.io.numbers.reading import Demand
from debruijn_gpu.io.numbers.text_tables import with_ranks
from debruijn_gpu.io.opening import STANDARD_INPUT
from debruijn_gpu.io.output import open_output
from debruijn_gpu.primitives.keys import Key, parse_keys, parse_sort_keys
from debruijn_gpu.primitives.options import DTYPES, FORMATS, TableOptions, parse_fields
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.resources import memory_left, return_free_memory

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ArrayBackend
    from debruijn_gpu.io.numbers.text_tables import Table
    from debruijn_gpu.primitives.columns import Columns

Work = Callable[["Columns", "ArrayBackend"], "Columns"]

#: All of INPUT is read before the output is opened, which may be the same file: ``dbg sort x -o x``
input_argument = click.argument("sources", type=InputFile(read_first=True), nargs=-1, metavar="[INPUT]...")

_SORT_KEY = "The same, one column each, as for coreutils' sort; repeatable."


def key_options(metavar: str, text: str, sort_metavar: str) -> Decorator:
    """Make --key, a list of columns, and -k, for one of them."""
    return apply(
        option_rules(excludes("--key", "-k")),
        click.option("--key", "key", default="1", show_default=True, metavar=metavar, help=text),
        click.option("-k", "sort_keys", multiple=True, metavar=sort_metavar, help=_SORT_KEY),
    )


keys_option = key_options(
    "1[,2r...]",
    "Key columns, the most significant first; r: in descending order; t: as text (bytewise), n: as numbers; by "
    "default, a column whose first value is no number is text.",
    "1[,1][nrt]",
)

column_option = click.option(
    "--key", "-k", "key", default="1", show_default=True, metavar="N", help="Column of the numbers."
)


def chosen_keys(
    key: str, sort_keys: Sequence[str], may_descend: bool = True, reverse: bool = False, numeric: bool = False
) -> tuple[Key, ...]:
    """Return the keys of --key, or those of -k."""
    if sort_keys:
        return parse_sort_keys(sort_keys, may_descend, reverse, numeric)
    return parse_keys(key, may_descend, reverse, numeric)


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
    click.option("--header", is_flag=True, help="The first line of text names the columns: write it first, as it is."),
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
        header=options.pop("header"),
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
        self._threads = run.n_threads
        self._run = run
        self._backend = backends.load(replace(run, backend="cpu"))  # reads and writes
        if run.backend == "cuda":
            backends.load_cuda(run)  # raises before the input is read

    @property
    def has_header(self) -> bool:
        """Whether INPUT has a header."""
        return self._table.header

    def read(self, paths: Sequence[str], keys: Sequence[Key], name: str = "read", **demand: Any) -> Table:
        """Read the records of files, one after another.

        Parameters
        ----------
        paths : sequence of str
            None of them: standard input.
        keys : sequence of Key
            Columns that are compared.
        name : str
            Of the stage in the log.
        **demand
            Fields of `Demand`.
        """
        wanted = Demand(keys=tuple(keys), **demand)
        with log.stage(name, unit="records") as stage:
            table = read_table(
                each_once(paths), self._table, wanted, self._backend, self._threads, memory_left(self._memory)
            )
            stage.items = len(table.columns)
        return_free_memory()  # blocks of text
        return table

    def ranked(self, *tables: Table) -> list[Columns]:
        """Replace the words of key columns by their ranks in all tables."""
        texts = sorted({column + 1 for table in tables for column in table.words})
        if not texts:
            return [table.columns for table in tables]
        shown = f"column {texts[0]} is" if len(texts) == 1 else f"columns {', '.join(map(str, texts))} are"
        log.logger.info("%s compared as text, bytewise", shown)
        with log.stage("rank words", sum(len(table.columns) for table in tables), "records"):
            return with_ranks(tables, self._backend)

    def run(
        self,
        paths: Sequence[str],
        keys: Sequence[Key],
        name: str,
        work: Work,
        in_runs: Work | None = None,
        as_read: bool = True,
        appends: bool = False,
    ) -> None:
        """Read files, do the work, called `name` in the log, and write the result.

        Parameters
        ----------
        paths, keys
            See `read`.
        name : str
        work : callable
            Takes columns of the backend, and the backend; gives columns of the backend.
        in_runs : callable, optional
            The same from host to host, for input that the memory of a device does not hold.
        as_read : bool
            Whether the work only reorders and drops records: text stays as it was read.
        appends : bool
            Whether the work appends a column, which is written as the last one if --fields does not list it.
        """
        (columns,) = self.ranked(self.read_records(paths, keys, as_read))
        self.finish(columns, name, work, in_runs, appends)

    def read_records(self, paths: Sequence[str], keys: Sequence[Key], as_read: bool = True) -> Table:
        """Read the records that are to be written, or only their keys if others are (see `run`)."""
        header = self._table.header
        if not as_read or self._table.to not in ("npy", "raw"):
            return self.read(paths, keys, as_read=as_read, header=header)
        return self.read(paths, keys, header=header, numbers=self._table.fields or None)

    def finish(
        self, columns: Columns, name: str, work: Work, in_runs: Work | None = None, appends: bool = False
    ) -> None:
        """Do the work of `run` on records, and write the result."""
        backend = backends.load_arrays(self._run, name, columns.nbytes)
        fits = backend.fits(columns.nbytes)
        if not fits and in_runs is not None and not columns.is_single and self._run.backend == "auto":
            backend, fits = self._backend, True  # only single columns can be worked on in runs
        if in_runs is not None and not fits:
            with log.stage(f"{name} in runs", len(columns), "records"):
                columns = in_runs(columns, backend)
        else:
            columns = _worked_on(columns, name, work, backend)
        table, last = self._table, columns.n_columns - 1
        if appends and table.fields and last not in table.fields:
            table = replace(table, fields=(*table.fields, last))
        with log.stage("write", len(columns), "records"), open_output(self._output) as stream:
            write_columns(stream, columns, table, self._backend, self._threads)


def each_once(paths: Sequence[str]) -> Sequence[str]:
    """Return the files to read, standard input by default, which can be read only once."""
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input is named twice", "name it once, or name files")
    if not paths:
        note_standard_input()
    return paths or [STANDARD_INPUT]


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
