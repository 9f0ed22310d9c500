"""`dbg bin`: bin contigs into genomes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu.assembly_dir.bin_files import BIN_NAMES, BIN_RESULTS
from debruijn_gpu.assembly_dir.directory import FAILED_LOG, LOG
from debruijn_gpu.binning.options import DISTANCES, BinOptions, parse_map
from debruijn_gpu.cli.common import (
    compute_options,
    configure_log,
    found_mates,
    read_inputs,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.groups import needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import STANDARD_STREAM, InputFile, OutputDir, split_paths
from debruijn_gpu.errors import UsageError
from debruijn_gpu.reads.options import ReadInputs

if TYPE_CHECKING:
    from debruijn_gpu.binning.bins import Binning
    from debruijn_gpu.binning.features import Contigs
    from debruijn_gpu.run.options import RunOptions

#: File of an assembly directory that is read
_CONTIGS = "contigs.fasta"


@click.command("bin")
@click.argument("contigs", type=InputFile(members=(_CONTIGS,)), metavar="CONTIGS")
@read_inputs
@click.option(
    "--coverage",
    type=InputFile(),
    multiple=True,
    metavar="FILE",
    help="Read depths from a table: contig, then one column per sample, or as jgi_summarize_bam_contig_depths writes "
    "it; repeatable.",
)
@click.option(
    "-o",
    "--outdir",
    type=OutputDir(members=(*BIN_RESULTS, FAILED_LOG), numbered=BIN_NAMES, path_type=Path),
    metavar="DIR",
    help="Directory of the results.",
)
@click.option("-f", "--force", is_flag=True, help="Replace the results of an earlier run in DIR.")
@click.option(
    "--min-length",
    type=COUNT,
    default=BinOptions.min_length,
    show_default=True,
    metavar="BP",
    help="Minimum length of contigs that shape the map.",
)
@click.option(
    "--min-assigned",
    type=COUNT,
    default=BinOptions.min_assigned,
    show_default=True,
    metavar="BP",
    help="Minimum length of contigs that are assigned to a bin.",
)
@click.option(
    "--min-bin",
    type=COUNT,
    default=BinOptions.min_bin,
    show_default=True,
    metavar="BP",
    help="Minimum number of bases of a bin; contigs of smaller ones are unbinned.",
)
@click.option(
    "--window",
    type=COUNT,
    metavar="BP",
    help="Length of the windows of contigs (default: 5000; of few bases with depths, down to 2000).",
)
@click.option("--map", "map_size", metavar="ROWSxCOLUMNS", help="Size of the map (default: two units per window).")
@click.option(
    "--distance",
    default=BinOptions.distance,
    show_default=True,
    metavar="|".join(DISTANCES),
    help="Distance between vectors and units.",
)
@click.option(
    "--epochs", type=COUNT, default=BinOptions.epochs, show_default=True, metavar="N", help="Training epochs."
)
@click.option("--seed", type=int, default=BinOptions.seed, show_default=True, metavar="N", help="Random seed.")
@compute_options
@verbosity
@option_rules(needs("--force", "--outdir"))
def command(
    contigs: str, coverage: tuple[str, ...], outdir: Path | None, force: bool, map_size: str | None, **options: Any
) -> None:
    """Bin CONTIGS (FASTA or GFA, or a directory of dbg assemble) into genomes.

    Contigs are told apart by composition (canonical words of four bases) and by depth: of --coverage, of READS mapped
    to the contigs, or else as their headers state it. Each file of READS or -s, each pair of files of mates, and
    each file of --12 is a sample. Windows of the contigs train a self-organizing map on a torus; bins are the basins of
    its U-matrix.

    With -o, DIR gets a FASTA file for each bin, tables of bins and contigs, and a report with the map; without it, the
    table of contigs goes to standard output.
    """
    configure_log(options)
    samples = _samples(options)
    run = take_run_options(options)
    chosen = BinOptions(map_size=None if map_size is None else parse_map(map_size), **options)
    place = os.path.join(contigs, _CONTIGS)
    contigs = place if os.path.isfile(place) else contigs
    inputs = [contigs, *coverage, *(path for sample in samples for path in sample.paths)]
    if inputs.count(STANDARD_STREAM) > 1:
        raise UsageError("standard input (-) is named more than once", "give files for the others")
    if outdir is None:
        _to_standard_output(contigs, coverage, samples, chosen, run)
    else:
        _to_directory(contigs, coverage, samples, chosen, run, outdir, force)


def _samples(options: dict[str, Any]) -> list[ReadInputs]:
    """Take the read files out of a command's options; each file or pair is a sample."""
    names = ("reads", "single", "first", "second", "interleaved")
    positional, *named = (options.pop(name) for name in names)
    single, first, second, interleaved = ([path for value in values for path in split_paths(value)] for values in named)
    if first or second:
        ReadInputs(first=tuple(first), second=tuple(second))  # raises for files without mates
    second_of = dict(found_mates(positional)[0])
    return [
        *(_sample(path, second_of) for path in positional if path not in second_of.values()),
        *(ReadInputs(single=(path,)) for path in single),
        *(ReadInputs(first=(one,), second=(two,)) for one, two in zip(first, second, strict=True)),
        *(ReadInputs(interleaved=(path,)) for path in interleaved),
    ]


def _sample(path: str, second_of: Mapping[str, str]) -> ReadInputs:
    """Return the sample of a file named without an option, which may be that of first mates."""
    return ReadInputs(first=(path,), second=(second_of[path],)) if path in second_of else ReadInputs(single=(path,))


def _run(
    path: str, coverage: tuple[str, ...], samples: list[ReadInputs], options: BinOptions, run: RunOptions
) -> tuple[Contigs, list[str], Binning, list[str]]:
    """Read contigs and depths, and bin; return headers and names of the samples, too."""
    from debruijn_gpu.assembly_dir.bin_contigs import bin_contigs_of_file

    return bin_contigs_of_file(path, coverage, samples, options, run)


def _to_standard_output(
    path: str, coverage: tuple[str, ...], samples: list[ReadInputs], options: BinOptions, run: RunOptions
) -> None:
    from debruijn_gpu.assembly_dir.bin_files import write_contig_bins
    from debruijn_gpu.io.output import open_output

    contigs, _descriptions, binning, names = _run(path, coverage, samples, options, run)
    with open_output(None) as stream:
        write_contig_bins(stream, contigs, binning, names)


def _to_directory(
    path: str,
    coverage: tuple[str, ...],
    samples: list[ReadInputs],
    options: BinOptions,
    run: RunOptions,
    outdir: Path,
    force: bool,
) -> None:
    from debruijn_gpu.assembly_dir.bin_files import write_bin_record, write_bins
    from debruijn_gpu.assembly_dir.directory import OutputDirectory
    from debruijn_gpu.reports.bins_page import bins_page
    from debruijn_gpu.run import log

    with ExitStack() as stack:
        directory = stack.enter_context(OutputDirectory(outdir, force, BIN_RESULTS, BIN_NAMES, "bin"))
        stack.enter_context(log.log_file(directory.log_path, outdir / LOG))
        log.log_start([path, *coverage, *(one for sample in samples for one in sample.paths)])
        contigs, descriptions, binning, names = _run(path, coverage, samples, options, run)
        with log.stage("write"):
            write_bins(contigs, descriptions, binning, options, names, directory)
            with directory.open("report.html") as stream:
                stream.write(bins_page(contigs, binning, names))
        write_bin_record(log.log_end(), options, run, directory)
    log.report("results are in %s", outdir)
