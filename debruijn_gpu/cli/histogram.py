"""`dbg histogram`: count numbers in bins."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.cli.groups import excludes, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile
from debruijn_gpu.cli.tables import Filter, column_option, table_options
from debruijn_gpu.primitives.histogram import histogram_of_records
from debruijn_gpu.primitives.keys import Key, parse_column
from debruijn_gpu.primitives.options import HistogramOptions, parse_range


@click.command("histogram")
@click.argument("sources", type=InputFile(), nargs=-1, metavar="[INPUT]...")
@column_option
@click.option(
    "--bins",
    "n_bins",
    type=COUNT,
    default=HistogramOptions.n_bins,
    show_default=True,
    metavar="N",
    help="Number of equal bins.",
)
@click.option(
    "--range",
    "ends",
    metavar="LOW:HIGH",
    help="Lower end of the first bin and upper end (included) of the last; other numbers are skipped "
    "(default: the minimum and maximum).",
)
@click.option("--integers", is_flag=True, help="Count each integer from the minimum to the maximum.")
@table_options
@option_rules(excludes("--bins", "--integers"))
def command(
    sources: tuple[str, ...],
    key: str,
    n_bins: int,
    ends: str | None,
    integers: bool,
    **options: Any,
) -> None:
    """Count the numbers of INPUT in equal bins, and write lower end, upper end and count of each bin.

    With --integers: each integer and its count. INPUT (default or -: standard input) is text, .npy or raw, as in
    dbg sort; several files are one table. NaN is skipped. With --header, the output has one of its own.
    """
    low, high = (None, None) if ends is None else parse_range(ends)
    column = parse_column(key)
    chosen = HistogramOptions(column=column, n_bins=n_bins, low=low, high=high, integers=integers)
    work = lambda columns, backend: histogram_of_records(columns, chosen, backend)  # noqa: E731
    Filter(options).run(sources, [Key(column, is_text=False)], "histogram", work, as_read=False)
