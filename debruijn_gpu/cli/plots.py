"""The option `--plot` of commands."""

from __future__ import annotations

import click

from debruijn_gpu.cli.paths import OutputFile
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.output import check_writable
from debruijn_gpu.plots.plot import plot_format

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
