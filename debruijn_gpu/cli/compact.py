"""`dbg compact`: keep the records that meet a condition."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.cli.groups import excludes, option_rules
from debruijn_gpu.cli.tables import Filter, column_option, input_argument, table_options
from debruijn_gpu.primitives.filter import compact_records
from debruijn_gpu.primitives.options import CompactOptions, parse_column, parse_condition


@click.command("compact")
@input_argument
@click.option(
    "--where",
    required=True,
    metavar="CONDITION",
    help="Condition: nonzero, or a comparison with a number: '>5', '<5', '==5', '!=5' (quoted).",
)
@column_option
@click.option("--indices", is_flag=True, help="Write the 0-based positions of the records instead of the records.")
@table_options
@option_rules(excludes("--indices", "--fields"))
def command(source: str, where: str, key: str, indices: bool, **options: Any) -> None:
    """Keep the records of INPUT that meet a condition, in order.

    INPUT (default or -: standard input) is text, .npy or raw, as in dbg sort. NaN is not zero, and differs from every
    number.
    """
    chosen = CompactOptions(condition=parse_condition(where), column=parse_column(key), indices=indices)
    work = lambda columns, backend: compact_records(columns, chosen, backend)  # noqa: E731
    Filter(options).run(source, "compact", work, as_read=not indices)
