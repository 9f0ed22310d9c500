"""`dbg distinct`: write one record of each key."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.cli.tables import Filter, chosen_keys, input_argument, keys_option, table_options
from debruijn_gpu.primitives.options import DistinctOptions
from debruijn_gpu.primitives.sort import distinct_in_runs, distinct_records


@click.command("distinct")
@input_argument
@keys_option
@click.option(
    "--count", is_flag=True, help="Append the count of each key as the last column (uniq -c has it as the first)."
)
@table_options
def command(sources: tuple[str, ...], key: str, sort_keys: tuple[str, ...], count: bool, **options: Any) -> None:
    """Write the first record of each key of INPUT, in the order of the keys.

    INPUT (default or -: standard input) is text, .npy or raw, as in dbg sort; several files are one table.
    """
    keys = chosen_keys(key, sort_keys)
    chosen = DistinctOptions(keys=keys, count=count)
    Filter(options).run(
        sources,
        keys,
        "distinct",
        lambda columns, backend: distinct_records(columns, chosen, backend),
        lambda columns, backend: distinct_in_runs(columns, chosen, backend),
        appends=count,
    )
