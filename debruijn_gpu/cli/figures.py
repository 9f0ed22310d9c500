"""The output format of commands that write figures: an aligned table, TSV or JSON."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.cli.common import apply
from debruijn_gpu.cli.option_rules import exclusive, option_rules
from debruijn_gpu.run.file_formats import choose_format

FIGURE_FORMATS = ("text", "tsv", "json")

figure_options = apply(
    option_rules(*exclusive("--tsv", "--json")),
    click.option("--tsv", "as_tsv", is_flag=True, help="Write tab-separated values."),
    click.option("--json", "as_json", is_flag=True, help="Write JSON."),
)


def take_figure_format(options: dict[str, Any], output: str | None, others: tuple[str, ...] = ()) -> str:
    """Take --tsv and --json out of a command's options; the format to write figures in, by them or by file ending.

    Parameters
    ----------
    options : dict
    output : str, optional
        Where the figures are written.
    others : tuple of str
        Formats that the command writes beside `FIGURE_FORMATS`, which may be returned.
    """
    as_tsv, as_json = options.pop("as_tsv"), options.pop("as_json")
    given = "tsv" if as_tsv else "json" if as_json else None
    return choose_format(output, (*FIGURE_FORMATS, *others), "text", given)
