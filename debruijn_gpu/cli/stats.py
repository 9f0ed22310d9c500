"""`dbg stats`: contig statistics of any FASTA or GFA file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from debruijn_gpu.assembly.options import StatsOptions
from debruijn_gpu.assembly.statistics import compositions_of_parts
from debruijn_gpu.assembly_dir.writing import report_rows, report_tsv, stats_json
from debruijn_gpu.cli.common import configure_log, verbosity
from debruijn_gpu.cli.figures import figure_options, plot_option, take_figure_format, take_plot
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, note_standard_input, output_option
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.fastx.fasta import read_parts
from debruijn_gpu.io.opening import STANDARD_INPUT, display_name
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.tables import aligned_table
from debruijn_gpu.plots.contigs import draw_contigs
from debruijn_gpu.run import log, progress

#: Files of an assembly directory that are read, the first one that is there
SEQUENCE_FILES = ("scaffolds.fasta", "contigs.fasta")


@click.command("stats")
@click.argument("contigs", type=InputFile(members=SEQUENCE_FILES), nargs=-1, metavar="[CONTIGS]...")
@click.option(
    "--min-contig",
    "min_contig_bp",
    type=COUNT,
    default=StatsOptions.min_contig_bp,
    show_default=True,
    metavar="BP",
    help="Minimum contig length, in all rows that name no length themselves (QUAST: 500).",
)
@figure_options
@output_option
@plot_option
@verbosity
def command(contigs: tuple[str, ...], min_contig_bp: int, output: str | None, plot: str | None, **options: Any) -> None:
    """Compute statistics of CONTIGS (FASTA, GFA or one sequence per line), one column per file.

    Without CONTIGS, or for -, standard input is read. Of a directory of dbg assemble, the scaffolds are read, or else
    the contigs. Names and definitions are those of QUAST (--format tsv writes its report.tsv), but all contigs count
    without --min-contig.
    """
    configure_log(options)
    if not contigs:
        note_standard_input()
        contigs = (STANDARD_INPUT,)
    contigs = tuple(map(_sequence_file, contigs))
    chosen = StatsOptions(min_contig_bp=min_contig_bp)
    file_format = take_figure_format(options, output)
    check_writable(output)
    plot_format = take_plot(plot)
    names, read = column_names(contigs), []
    for name, path in zip(names, contigs, strict=True):
        with progress.running(f"read {name}"):
            read.append(compositions_of_parts((part.letters, part.is_first) for part in read_parts(path)))
    stats = {name: one.stats(chosen.min_contig_bp) for name, one in zip(names, read, strict=True)}
    with open_output(output) as stream:
        if file_format == "json":
            stream.write(stats_json(stats))
        elif file_format == "tsv":
            stream.write(report_tsv(stats))
        else:
            stream.write(aligned_table(report_rows(stats)).encode())
    if plot is not None and plot_format is not None:
        lengths = {name: one.lengths_bp for name, one in zip(legend_names(contigs), read, strict=True)}
        with log.stage("draw"), open_output(plot) as stream:
            draw_contigs(stream, plot_format, lengths, "", chosen.min_contig_bp)


def _sequence_file(path: str) -> str:
    """Return a path, or that of the scaffolds or contigs in the directory of an assembly."""
    places = (os.path.join(path, name) for name in SEQUENCE_FILES)
    return next((place for place in places if os.path.isfile(place)), path)


def column_names(paths: tuple[str, ...]) -> list[str]:
    """File names, or the paths as given where two files have one name."""
    if len(set(paths)) < len(paths):
        raise UsageError("a file is given twice", "give each file once")
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


def legend_names(paths: tuple[str, ...]) -> list[str]:
    """File names, or where two files have one name, paths from the directory on in which they differ."""
    names = [display_name(path if path == STANDARD_INPUT else Path(path).name) for path in paths]
    if len(set(names)) == len(names):
        return names
    absolute = [os.path.abspath(path) for path in paths]
    common = os.path.commonpath([os.path.dirname(path) for path in absolute])
    names = [os.path.relpath(path, common) for path in absolute]
    return names if len(set(names)) == len(names) else list(paths)
