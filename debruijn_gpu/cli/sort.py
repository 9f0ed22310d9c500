"""`dbg sort`: sort numbers, or records of numbers."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.cli.tables import Filter, input_argument, keys_option, table_options
from debruijn_gpu.primitives.options import SortOptions, parse_keys
from debruijn_gpu.primitives.sort import sort_in_runs, sort_records


@click.command("sort")
@input_argument
@keys_option
@click.option("--reverse", is_flag=True, help="Sort all keys in descending order.")
@click.option("--unique", is_flag=True, help="Write only the first record of each key.")
@table_options
def command(source: str, key: str, reverse: bool, unique: bool, **options: Any) -> None:
    """Sort the records of INPUT by number. The sort is stable.

    INPUT (default or -: standard input) is text with one record per line and columns separated by blanks, tabs or
    commas; .npy of one or two dimensions; or raw (with --dtype). It may be compressed. NaN is greater than all numbers.
    INPUT is read completely before the output is opened, so that -o may name INPUT.
    """
    chosen = SortOptions(keys=parse_keys(key, reverse=reverse), unique=unique)
    Filter(options).run(
        source,
        "sort",
        lambda columns, backend: sort_records(columns, chosen, backend),
        lambda columns, backend: sort_in_runs(columns, chosen, backend),
    )
