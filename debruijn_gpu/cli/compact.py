"""`dbg compact`, also `dbg filter`: keep the records that meet a condition."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.cli.groups import excludes, option_rules
from debruijn_gpu.cli.paths import InputFile
from debruijn_gpu.cli.tables import Filter, column_option, table_options
from debruijn_gpu.errors import UsageError
from debruijn_gpu.primitives.filter import compact_records
from debruijn_gpu.primitives.keys import Key, parse_column
from debruijn_gpu.primitives.options import CompactOptions, parse_condition


@click.command("compact")
@click.argument("arguments", type=InputFile(read_first=True), nargs=-1, metavar="[CONDITION] [INPUT]...")
@click.option("--where", metavar="CONDITION", help="The condition; all arguments are INPUT then.")
@column_option
@click.option("--indices", is_flag=True, help="Write the 0-based positions of the records instead of the records.")
@table_options
@option_rules(excludes("--indices", "--fields"))
def command(arguments: tuple[str, ...], where: str | None, key: str, indices: bool, **options: Any) -> None:
    """Keep the records of INPUT that meet CONDITION, in order. Its other name is dbg filter.

    CONDITION is nonzero, a comparison of the key column with a number ('>5', '>=5', '<5', '<=5', '==5', '!=5'; quoted),
    or an interval that includes its ends (5:10, 5: or :10). INPUT (default or -: standard input) is text, .npy or raw,
    as in dbg sort; several files are one table. NaN is not zero, and differs from every number.
    """
    if where is None:
        if not arguments:
            raise UsageError("no condition", "give one, such as '>=5' (or --where '>=5'), before the files")
        where, *sources = arguments
    else:
        sources = list(arguments)
    column = parse_column(key)
    chosen = CompactOptions(condition=parse_condition(where), column=column, indices=indices)
    work = lambda columns, backend: compact_records(columns, chosen, backend)  # noqa: E731
    Filter(options).run(sources, [Key(column, is_text=False)], "compact", work, as_read=not indices)
