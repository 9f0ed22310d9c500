"""`dbg sort`: sort numbers, or records of numbers and text."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.cli.tables import Filter, chosen_keys, input_argument, keys_option, table_options
from debruijn_gpu.primitives.options import SortOptions
from debruijn_gpu.primitives.sort import sort_in_runs, sort_records


@click.command("sort")
@input_argument
@keys_option
@click.option("-n", "--numeric", is_flag=True, help="Compare numbers: text in a key without t is an error.")
@click.option("-r", "--reverse", is_flag=True, help="Sort all keys in descending order (with -k: those without flags).")
@click.option("-u", "--unique", is_flag=True, help="Write only the first record of each key.")
@table_options
def command(
    sources: tuple[str, ...],
    key: str,
    sort_keys: tuple[str, ...],
    numeric: bool,
    reverse: bool,
    unique: bool,
    **options: Any,
) -> None:
    """Sort the records of INPUT by number. The sort is stable.

    INPUT (default or -: standard input) is text with one record per line and columns separated by blanks, tabs, commas
    or semicolons; .npy of one or two dimensions; or raw (with --dtype). It may be compressed. Several files are sorted
    together. NaN is greater than all numbers. Columns that are no keys may be text; keys that are text are sorted
    bytewise. INPUT is read completely before the output is opened, so that -o may name INPUT.
    """
    keys = chosen_keys(key, sort_keys, reverse=reverse, numeric=numeric)
    chosen = SortOptions(keys=keys, unique=unique)
    Filter(options).run(
        sources,
        keys,
        "sort",
        lambda columns, backend: sort_records(columns, chosen, backend),
        lambda columns, backend: sort_in_runs(columns, chosen, backend),
    )
