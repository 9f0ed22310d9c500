"""`dbg stats`: contig statistics of any FASTA or GFA file."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from debruijn_gpu import backends
from debruijn_gpu.assembly.options import StatsOptions, parse_percentages
from debruijn_gpu.assembly.statistics import compositions_of_parts
from debruijn_gpu.assembly_dir.sequence_figures import (
    NamedSequences,
    figure_members,
    figure_rows,
    sequence_members,
    sequence_rows,
)
from debruijn_gpu.cli.common import configure_log, verbosity
from debruijn_gpu.cli.figures import figure_options, plot_option, take_figure_format, take_plot
from debruijn_gpu.cli.groups import excludes, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, note_standard_input, output_option
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.fastx.fasta import SequencePart, parts_of
from debruijn_gpu.io.fastx.formats import detect_sequences
from debruijn_gpu.io.fastx.read_figures import read_figures
from debruijn_gpu.io.fastx.records import read_records
from debruijn_gpu.io.lines import find_text
from debruijn_gpu.io.opening import STANDARD_INPUT, Block, display_name, read_blocks
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.tables import SCHEMA_VERSION, aligned_table, to_json
from debruijn_gpu.plots.contigs import draw_contigs
from debruijn_gpu.run import log, progress
from debruijn_gpu.run.tuning import tuning

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
@click.option("--genome-size", type=COUNT, metavar="BP", help="Genome size, for NG50 and so on.")
@click.option("--nx", metavar="X,...", help="Also compute Nx and NGx of these percentages, such as 10,25.")
@click.option(
    "--per-contig",
    is_flag=True,
    help="Write one row per sequence: name, length, GC, letters other than A, C, G and T, gaps.",
)
@figure_options
@output_option
@plot_option
@verbosity
@option_rules(excludes("--nx", "--per-contig"), excludes("--genome-size", "--per-contig"))
def command(
    contigs: tuple[str, ...],
    min_contig_bp: int,
    genome_size: int | None,
    nx: str | None,
    per_contig: bool,
    output: str | None,
    plot: str | None,
    **options: Any,
) -> None:
    """Compute statistics of CONTIGS (FASTA, GFA or one sequence per line), one column per file.

    Without CONTIGS, or for -, standard input is read. Of a directory of dbg assemble, the scaffolds are read, or else
    the contigs. Names and definitions are those of QUAST (--format tsv writes its report.tsv, and rows behind it), but
    all contigs count without --min-contig.

    Files of reads (FASTQ, all of them) get the columns of seqkit stats: number, lengths, N50, GC, Q20, Q30 and the
    quality of the mean error probability.
    """
    configure_log(options)
    if not contigs:
        note_standard_input()
        contigs = (STANDARD_INPUT,)
    contigs = tuple(map(_sequence_file, contigs))
    chosen = StatsOptions(
        min_contig_bp=min_contig_bp,
        genome_bp=genome_size,
        nx=() if nx is None else parse_percentages(nx),
    )
    file_format = take_figure_format(options, output)
    check_writable(output)
    plot_format = take_plot(plot)
    files = []
    for name, path in zip(column_names(contigs), contigs, strict=True):
        with progress.running(f"read {name}"):
            files.append(_read(name, path, per_contig))
    if len({one.reads is None for one in files}) > 1:
        raise UsageError("files of reads (FASTQ) and of contigs have other figures", "name them in two commands")
    with open_output(output) as stream:
        stream.write(_written(files, chosen, file_format, per_contig))
    if plot is not None and plot_format is not None:
        names = legend_names(contigs)
        lengths = {name: one.compositions.lengths_bp for name, one in zip(names, files, strict=True)}
        with log.stage("draw"), open_output(plot) as stream:
            draw_contigs(stream, plot_format, lengths, "", chosen.min_contig_bp)


def _written(files: list[NamedSequences], options: StatsOptions, file_format: str, per_contig: bool) -> bytes:
    """Format the figures of files, or of each sequence."""
    if file_format == "json":
        members = sequence_members(files, options) if per_contig else figure_members(files, options)
        return to_json({"schema_version": SCHEMA_VERSION, **members})
    rows = sequence_rows(files, options) if per_contig else figure_rows(files, options)
    table = aligned_table(rows) if file_format == "text" else "".join("\t".join(row) + "\n" for row in rows)
    return table.encode()


def _read(name: str, path: str, with_names: bool) -> NamedSequences:
    """Read the sequences of a file, whatever its format; their names if asked for."""
    with closing(read_blocks(path, tuning().fasta_block_bytes)) as blocks:
        start = find_text(blocks)
        source = display_name(path)
        if start.head.startswith(b"@"):
            texts = read_records(path, backends.host(), tuning().fasta_block_bytes, 1, blocks=_blocks_of(start.blocks))
            with closing(texts):
                reads = read_figures(texts, with_names)
            return NamedSequences(name, reads.compositions, reads.names, reads)
        names: list[str] = []
        parts = parts_of(source, start, detect_sequences(source, start, gfa_too=True))
        found = compositions_of_parts((part.letters, part.is_first) for part in _named(parts, names, with_names))
        return NamedSequences(name, found, names)


def _blocks_of(blocks: Iterator[Block]) -> Generator[Block, None, None]:
    yield from blocks


def _named(parts: Iterable[SequencePart], names: list[str], with_names: bool) -> Iterator[SequencePart]:
    """Yield parts of sequences; append the names of these to a list."""
    for part in parts:
        if part.is_first and with_names:
            names.append(part.name)
        yield part


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
