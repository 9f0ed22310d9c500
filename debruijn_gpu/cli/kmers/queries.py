"""`dbg kmers info, dump, histogram` and `compare`."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.cli.common import configure_log, format_option, run_options, take_run_options, verbosity
from debruijn_gpu.cli.figures import figure_options, take_figure_format
from debruijn_gpu.cli.groups import excludes, option_rules
from debruijn_gpu.cli.kmers.combining import limit_options, set_output, write_combined
from debruijn_gpu.cli.kmers.reading import (
    canonical_option,
    load_backend,
    name_of,
    opened_sets,
    set_argument,
    sets_argument,
    take_paths,
)
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.io.kmer_sets.files import OpenedSet
from debruijn_gpu.io.kmer_sets.reading import KmerSetFile
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.tables import aligned_table, to_json
from debruijn_gpu.kmers.options import HISTOGRAM_FORMATS
from debruijn_gpu.plots import plot
from debruijn_gpu.plots.heat_map import draw_heat_map
from debruijn_gpu.run import log
from debruijn_gpu.run.checks import check_choice
from debruijn_gpu.run.file_formats import SEPARATORS, choose_format
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import one_line
from debruijn_gpu.sets.combine import count_frequencies, shared_kmers
from debruijn_gpu.sets.compare import MEASURES, PAIR_COLUMNS, Comparison
from debruijn_gpu.sets.options import CombineOptions, check_named, split_name

_COMPARE_FORMATS = ("tsv", *plot.FORMATS)
_INFO_COLUMNS = ("set", "format", "k", "strands", "kmers", "occurrences", "min_count", "max_count")


@click.command("info", short_help="Show k, size and counts of sets.")
@sets_argument()
@click.option("--check", is_flag=True, help="Read all of each .dbgk file, and compare it with its checksums.")
@canonical_option
@figure_options
@output_option
@run_options
@verbosity
def info(paths: tuple[str, ...], check: bool, canonical: bool, output: str | None, **options: Any) -> None:
    """Show format, k, number of k-mers, and counts of each SET."""
    configure_log(options)
    run = take_run_options(options)
    file_format = take_figure_format(options, output)
    check_writable(output)
    rows = []
    for path in take_paths(paths):
        with opened_sets([path], run, canonical) as opened:
            if check:
                opened[0].kmers.check()
            rows.append(_figures(path, opened[0], run))
    with open_output(output) as stream:
        if file_format == "json":
            stream.write(to_json(rows))
        elif file_format == "tsv":
            cells = ["\t".join(_INFO_COLUMNS), *("\t".join(one_line(str(value)) for value in r.values()) for r in rows)]
            stream.write("".join(f"{line}\n" for line in cells).encode(errors="backslashreplace"))
        else:
            table = [_INFO_COLUMNS, *([one_line(str(value)) for value in row.values()] for row in rows)]
            stream.write(aligned_table(table).encode(errors="backslashreplace"))


def _figures(path: str, opened: OpenedSet, run: RunOptions) -> dict[str, str | int]:
    """Row of a set in the table of `info`."""
    kmers = opened.kmers
    if isinstance(kmers, KmerSetFile):
        n, total = kmers.totals.n, kmers.totals.n_occurrences
        least, largest = kmers.totals.least, kmers.totals.largest
    else:
        found = count_frequencies(kmers, run, load_backend(run))
        n, total = sum(found.values()), sum(count * number for count, number in found.items())
        least, largest = min(found, default=0), max(found, default=0)
    strands = "canonical" if kmers.canonical else "forward"
    values = (path, opened.file_format, kmers.k, strands, n, total, least, largest)
    return dict(zip(_INFO_COLUMNS, values, strict=True))


@click.command("dump", short_help="Write a set as text, or in another format.")
@set_argument
@limit_options
@canonical_option
@set_output
def dump(path: str, **options: Any) -> None:
    """Write the k-mers of SET in another format, by default a k-mer and its count per line, in alphabetical order."""
    configure_log(options)
    run = take_run_options(options)
    limits = {name: options.pop(name) for name in ("min_count", "max_count")}
    write_combined([path], CombineOptions(**limits).program(1), run=run, **options)


@click.command("histogram", short_help="Count the k-mers of each count.")
@set_argument
@canonical_option
@format_option(HISTOGRAM_FORMATS, "histogram")
@output_option
@run_options
@verbosity
def histogram(path: str, canonical: bool, file_format: str | None, output: str | None, **options: Any) -> None:
    """Write the k-mer spectrum of SET: counts, and the number of k-mers of each."""
    configure_log(options)
    run = take_run_options(options)
    chosen = choose_format(output, HISTOGRAM_FORMATS, "histogram", file_format, "--format")
    check_writable(output)
    with opened_sets([path], run, canonical) as opened, log.stage("histogram", len(opened[0].kmers), "k-mers"):
        found = count_frequencies(opened[0].kmers, run, load_backend(run))
    with open_output(output) as stream:
        stream.writelines(b"%d%s%d\n" % (count, SEPARATORS[chosen], n) for count, n in found.items())


@click.command("compare", short_help="Compute the similarity of all pairs of sets.")
@sets_argument(may_have_name=True)
@click.option(
    "--measure",
    default=MEASURES[0],
    show_default=True,
    metavar="|".join(MEASURES),
    help="Measure: Jaccard index, share of the row's k-mers in the column's set, Mash distance, estimate of the "
    "average nucleotide identity, or number of shared k-mers.",
)
@click.option("--pairs", is_flag=True, help="Write one line per pair of sets, with all measures.")
@canonical_option
@format_option(_COMPARE_FORMATS, "tsv")
@output_option
@run_options
@verbosity
@option_rules(excludes("--pairs", "--measure"))
def compare(
    paths: tuple[str, ...],
    measure: str,
    pairs: bool,
    canonical: bool,
    file_format: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Compare all pairs of SETs by the k-mers that they share; counts are not compared.

    Writes a matrix, or with the extension .svg, .png or .pdf its picture. Without NAME=, a set is called like its file,
    without extension.
    """
    configure_log(options)
    run = take_run_options(options)
    check_choice("--measure", measure, MEASURES, "measure")
    chosen = choose_format(output, ("tsv",) if pairs else _COMPARE_FORMATS, "tsv", file_format, "--format")
    if chosen != "tsv" and not plot.can_plot():
        raise ParameterError("pictures need matplotlib, which is not installed", "pip install 'debruijn_gpu[plot]'")
    check_writable(output)
    named = [split_name(text) for text in take_paths(paths)]
    names = tuple(name or name_of(path) for name, path in named)
    check_named(names)
    with opened_sets([path for _, path in named], run, canonical) as opened:
        sets = [one.kmers for one in opened]
        with log.stage("compare", sum(map(len, sets)), "k-mers"):
            found = Comparison(names, sets[0].k, shared_kmers(sets, run, load_backend(run)))
    with open_output(output) as stream:
        if chosen != "tsv":
            values = [[float(value) for value in row] for row in found.matrix(measure)]
            draw_heat_map(stream, chosen, names, values, f"{measure} of {found.k}-mers")
        else:
            stream.write(_table(found, measure, pairs))


def _table(found: Comparison, measure: str, pairs: bool) -> bytes:
    """The matrix, or all pairs, as lines with tabs."""
    if pairs:
        rows = [PAIR_COLUMNS, *found.pairs()]
    else:
        values = found.matrix(measure)
        rows = [("set", *found.names)]
        rows += [(name, *(f"{value:f}" for value in row)) for name, row in zip(found.names, values, strict=True)]
    return "".join("\t".join(map(one_line, row)) + "\n" for row in rows).encode(errors="backslashreplace")
