"""`dbg matrix`: the table of k-mers by samples."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    configure_log,
    dask_option,
    format_option,
    run_options,
    take_fields,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.groups import check_rules, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import STANDARD_STREAM, InputFile, OutputFile, note_standard_input, output_option
from debruijn_gpu.cli.sample_files import samples_of
from debruijn_gpu.distributed.place import engine_at
from debruijn_gpu.errors import FormatError, ParameterError, UsageError
from debruijn_gpu.io.lines import read_lines
from debruijn_gpu.io.matrices.head import MATRIX_FORMATS, MatrixHead
from debruijn_gpu.io.matrices.npz import write_npz_matrix
from debruijn_gpu.io.matrices.prevalence import PREVALENCE_FORMATS, write_prevalence
from debruijn_gpu.io.matrices.text import write_text_matrix
from debruijn_gpu.io.matrices.zarr import ZARR_MATRIX, write_zarr_matrix
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.whole_directory import check_directory, whole_directory
from debruijn_gpu.plots.plot import can_plot
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.quantities import parse_count
from debruijn_gpu.samples.counting import count_samples
from debruijn_gpu.samples.options import DEFAULT_K, SampleOptions
from debruijn_gpu.samples.sheet import Sample, total_bytes
from debruijn_gpu.sets.matrix_filters import FilteredCounts, MatrixFilters, filtered_counts
from debruijn_gpu.sets.prevalence import PrevalenceCounter

if TYPE_CHECKING:
    from debruijn_gpu.backends.kmers.containers import JointCounts

_MOST_DIGITS = 10
_OF_MATRIX = tuple(
    needs(option, "a matrix", remedy=f"name its file with -o, or leave {option} out")
    for option in ("--format", "--counts", "--presence")
)


@click.command("matrix")
@click.argument("paths", type=InputFile(), nargs=-1, metavar="[SAMPLES]...")
@click.option(
    "-k", "k", type=click.INT, metavar="K", help=f"Length of the k-mers (default: {DEFAULT_K}, or that of sets)."
)
@click.option(
    "--canonical/--forward",
    default=SampleOptions.canonical,
    help="Count a k-mer and its reverse complement as one (the smaller), or separately (default: --canonical, or that "
    "of sets).",
)
@click.option("--counts/--presence", default=True, show_default=True, help="Write counts, or 1 for any count.")
@click.option(
    "--hard-min",
    type=COUNT,
    metavar="N",
    help="Minimum count of a k-mer in a sample, others are not counted at all (default: 2 in FASTQ, else 1).",
)
@click.option(
    "--soft-min",
    type=InputFile(is_path=os.path.isfile),
    default="1",
    show_default=True,
    metavar="N|FILE",
    help="Minimum count of a k-mer in a sample to be solid there; smaller counts become 0. A file has one number per "
    "line and sample.",
)
@click.option(
    "--recurrence-min",
    type=COUNT,
    default=MatrixFilters.recurrence_min,
    show_default=True,
    metavar="N",
    help="Minimum number of samples in which a k-mer is solid.",
)
@click.option(
    "--share-min",
    type=COUNT,
    default=MatrixFilters.share_min,
    show_default=True,
    metavar="N",
    help="Keep counts below --soft-min of k-mers that are solid in at least N samples (0: do not).",
)
@click.option(
    "--prevalence",
    type=OutputFile(),
    multiple=True,
    metavar="FILE",
    help="Write the k-mers in 1, 2, ... samples and the growth of the pangenome: TSV, or a plot (SVG, PNG, PDF), by "
    "file extension; repeatable. Then the matrix is only written with -o.",
)
@format_option(MATRIX_FORMATS, "tsv")
@output_option
@run_options
@dask_option
@verbosity
@option_rules(needs("--share-min", "--soft-min"))
def command(paths: tuple[str, ...], dask: str | None, **options: Any) -> None:
    """Count the k-mers of SAMPLES, and write a table with a row for each k-mer and a column for each sample.

    SAMPLES are sample sheets, or files that are samples themselves: FASTA, FASTQ, or sets of k-mers (.dbgk, KFF, KMC,
    text). A line of a sheet is 'name<TAB>file[,file...]', or 'name : file [; file...] [! minimum count]'. Rows are in
    alphabetical order.
    """
    configure_log(options)
    run = take_run_options(options)
    chosen = SampleOptions(**take_fields(SampleOptions, options))
    filters = _take_filters(options)
    matrix_format = _check_outputs(options)
    with ExitStack() as stack:
        samples = _samples_of(paths, stack)
        filters.check_samples(len(samples))
        engine, own = stack.enter_context(engine_at(dask, run, total_bytes(samples)))
        backend = backends.load_arrays(own, "reads", total_bytes(samples))
        counted = stack.enter_context(closing(count_samples(samples, chosen, own, backend, engine)))
        head = MatrixHead(counted.names, counted.k, counted.canonical, not options["counts"])
        with_counts = filters.compares_counts or (matrix_format is not None and not head.is_presence)
        prevalence = PrevalenceCounter(len(head.names)) if options["prevalence"] else None
        parts = counted.joined(partial(filtered_counts, filters=filters), own, backend, with_counts)
        n_expected = sum(counted.sizes) if filters.keeps_all else None
        _write(_Matrix(parts, n_expected, prevalence), head, matrix_format, options["output"], own)
    if prevalence is None:
        return
    found = prevalence.result()
    for path in options["prevalence"]:
        with open_output(path) as stream:
            write_prevalence(stream, _prevalence_format(path), found, head.k)


class _Matrix:
    """Filtered rows of the counted samples; their prevalence is counted if it is wanted.

    Parameters
    ----------
    parts : iterator of FilteredCounts
    n_expected : int or None
        Entries of the whole matrix, where they are known before it is made.
    prevalence : PrevalenceCounter or None
    """

    def __init__(
        self, parts: Iterator[FilteredCounts], n_expected: int | None, prevalence: PrevalenceCounter | None
    ) -> None:
        self._parts, self.n_expected, self._prevalence = parts, n_expected, prevalence
        self.n_rows = self.n_kmers = self.n_entries = 0

    def parts(self) -> Iterator[JointCounts]:
        """Yield the rows, once."""
        for part in self._parts:
            kept = part.kept
            self.n_kmers += part.n_kmers
            self.n_rows += len(kept)
            self.n_entries += len(kept.samples)
            if self._prevalence is not None:
                self._prevalence.add(kept)
            yield kept


def _write(matrix: _Matrix, head: MatrixHead, matrix_format: str | None, output: str | None, run: RunOptions) -> None:
    """Write a matrix; only join its samples if the format is None."""
    with log.stage("write matrix" if matrix_format else "join samples", unit="k-mers") as stage:
        if matrix_format is None:
            for _part in matrix.parts():
                pass
        elif matrix_format == "zarr":
            with whole_directory(Path(str(output)), ZARR_MATRIX) as directory:
                write_zarr_matrix(directory, head, matrix.parts(), run.n_threads)
        else:
            with open_output(output) as stream:
                if matrix_format == "npz":
                    write_npz_matrix(stream, head, matrix.parts(), run, matrix.n_expected)
                else:
                    write_text_matrix(stream, head, matrix.parts())
        stage.items = matrix.n_kmers
    numbers = f"{matrix.n_rows:,}", f"{matrix.n_kmers:,}", f"{len(head.names):,}", f"{matrix.n_entries:,}"
    log.report("%s of %s k-mers kept, in %s samples; %s entries", *numbers)


def _take_filters(options: dict[str, Any]) -> MatrixFilters:
    """Take the filters out of the options of the command."""
    text = options.pop("soft_min")
    rest = {name: options.pop(name) for name in ("recurrence_min", "share_min")}
    if os.path.isfile(text):
        return MatrixFilters(soft_mins=tuple(_read_soft_mins(text)), **rest)
    return MatrixFilters(soft_min=parse_count(text, "--soft-min"), **rest)


def _read_soft_mins(path: str) -> Iterator[int]:
    """Read a minimum count per line."""
    with closing(read_lines(path)) as lines:
        for number, line in enumerate(lines, 1):
            text = line.decode("latin-1").strip()
            if not text:
                continue
            if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS and 1 <= int(text) < 1 << 32):
                what = f"{path}: line {number:,}: expected a minimum count of 1 or more, got {shorten(text)!r}"
                raise FormatError(what, "give one number per line, in the order of the samples")
            yield int(text)


def _check_outputs(options: dict[str, Any]) -> str | None:
    """Return the format of the matrix, or None if it is not written; raise the errors of outputs before any work."""
    output, given = options["output"], options.pop("file_format")
    for path in options["prevalence"]:
        if _prevalence_format(path) != "tsv" and not can_plot():
            raise ParameterError(
                f"{path}: plots need matplotlib, which is not installed", "pip install 'debruijn_gpu[plot]'"
            )
        check_writable(path)
    if options["prevalence"] and output is None:
        check_rules(click.get_current_context(), _OF_MATRIX, {"a matrix": False})
        return None
    to_standard_output = [path for path in (output or "-", *options["prevalence"]) if path == "-"]
    if len(to_standard_output) > 1:
        raise UsageError("two outputs go to standard output", "give a file for one of them")
    chosen = choose_format(output, MATRIX_FORMATS, "tsv", given, "--format")
    if chosen != "zarr":
        check_writable(output)
    elif output in (None, "-"):
        raise UsageError("--format zarr needs a directory", "name it with -o")
    else:
        check_directory(Path(str(output)), ZARR_MATRIX)
    return chosen


def _prevalence_format(path: str) -> str:
    return choose_format(path, PREVALENCE_FORMATS, "tsv", of="--prevalence")


def _samples_of(paths: Sequence[str], stack: ExitStack) -> list[Sample]:
    """Read samples, by default from standard input."""
    if not paths:
        note_standard_input()
    return samples_of(paths or (STANDARD_STREAM,), stack)
