"""`dbg compact`: the records for which a condition holds."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.cli.option_rules import excludes, option_rules
from debruijn_gpu.cli.tables import Filter, column_option, input_argument, table_options
from debruijn_gpu.primitives.compact import compact_records
from debruijn_gpu.primitives.options import CompactOptions, parse_column, parse_condition


@click.command("compact")
@input_argument
@click.option(
    "--where", required=True, metavar="CONDITION", help="nonzero, '>5', '<5', '==5' or '!=5'; of any number, in quotes."
)
@column_option
@click.option("--indices", is_flag=True, help="Write the positions of the records, from 0, instead of them.")
@table_options
@option_rules(excludes("--indices", "--fields"))
def command(source: str, where: str, key: str, indices: bool, **options: Any) -> None:
    """Keep the records of INPUT for which a condition holds, in order.

    INPUT (- or nothing: standard input) is text, .npy or raw, as in dbg sort. NaN is not 0, and unlike any number.
    """
    chosen = CompactOptions(condition=parse_condition(where), column=parse_column(key), indices=indices)
    work = lambda columns, backend: compact_records(columns, chosen, backend)  # noqa: E731
    Filter(options).run(source, "compact", work, as_read=not indices)
