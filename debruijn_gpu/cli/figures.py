"""Output options of commands that write figures: table, TSV or JSON, and a plot."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.cli.common import apply, format_option
from debruijn_gpu.cli.groups import exclusive, option_rules
from debruijn_gpu.cli.paths import OutputFile
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.output import check_writable
from debruijn_gpu.plots.plot import plot_format
from debruijn_gpu.run.file_formats import choose_format

FIGURE_FORMATS = ("text", "tsv", "json")

figure_options = apply(
    option_rules(*exclusive("--format", "--tsv", "--json")),
    format_option(FIGURE_FORMATS, "text", "figure_format"),
    click.option("--tsv", "as_tsv", is_flag=True, hidden=True, help="As in version 0.1: --format tsv."),
    click.option("--json", "as_json", is_flag=True, hidden=True, help="As in version 0.1: --format json."),
)


def take_figure_format(options: dict[str, Any], output: str | None, others: tuple[str, ...] = ()) -> str:
    """Take --format out of a command's options; the format to write figures in, by it or by file ending.

    Parameters
    ----------
    options : dict
    output : str, optional
        Where the figures are written.
    others : tuple of str
        Formats that the command writes beside `FIGURE_FORMATS`, which may be returned.
    """
    given, as_tsv, as_json = (options.pop(name) for name in ("figure_format", "as_tsv", "as_json"))
    given = "tsv" if as_tsv else "json" if as_json else given
    return choose_format(output, (*FIGURE_FORMATS, *others), "text", given, "--format")


plot_option = click.option(
    "--plot", type=OutputFile(), metavar="FILE", help="Also write a plot: SVG, PNG or PDF, by file extension."
)


def take_plot(path: str | None) -> str | None:
    """Return the format of a plot, one of `FORMATS`, or None without a plot. Called before work that may take long.

    Parameters
    ----------
    path : str, optional
        File to write.

    Raises
    ------
    ParameterError, FileAccessError, UsageError
        If its extension is that of another format, matplotlib is not installed, or the file cannot be written.
    """
    if path is None:
        return None
    if path == "-":
        raise UsageError("--plot -: standard output is for the results", "name a file, such as --plot plot.svg")
    file_format = plot_format(path)
    check_writable(path)
    return file_format
