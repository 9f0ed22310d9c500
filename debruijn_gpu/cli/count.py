"""`dbg count`: count k-mers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    configure_log,
    dask_option,
    gpus_option,
    read_inputs,
    run_options,
    take_read_inputs,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import OutputFile, output_option
from debruijn_gpu.distributed.place import engine_at
from debruijn_gpu.errors import UsageError
from debruijn_gpu.graph.branching import kmer_degrees
from debruijn_gpu.io.fastx.read_source import measured_reads
from debruijn_gpu.io.fastx.reads import expected_bases
from debruijn_gpu.io.fastx.writing import write_kmer_arrays, write_kmer_lines
from debruijn_gpu.io.kmer_sets.files import write_table
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.tables import write_histogram
from debruijn_gpu.kmers.count import CountResult, count_kmers, warn_of_no_kmers
from debruijn_gpu.kmers.options import HISTOGRAM_FORMATS, KMER_FORMATS, SET_FORMATS, CountOptions
from debruijn_gpu.kmers.table import KmerTable, most_frequent
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import SEPARATORS, choose_format
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend


@click.command("count")
@read_inputs
@click.option("-k", default=CountOptions.k, show_default=True, metavar="K", help="k-mer length, 1 to 255.")
@click.option(
    "--canonical/--forward",
    default=CountOptions.canonical,
    show_default=True,
    help="Count a k-mer and its reverse complement as one (the smaller), or separately.",
)
@click.option(
    "--min-count",
    type=COUNT,
    default=CountOptions.min_count,
    show_default=True,
    metavar="N",
    help="Minimum count of a k-mer.",
)
@click.option("--max-count", type=COUNT, metavar="N", help="Maximum count of a k-mer (default: none).")
@click.option(
    "--top", type=COUNT, metavar="N", help="Write only the N most frequent k-mers, most frequent first; ties by k-mer."
)
@click.option(
    "--branching",
    is_flag=True,
    help="Write only k-mers with more than one predecessor or successor among the k-mers kept by count, with the "
    "numbers of both, and log how many branch.",
)
@click.option(
    "--histogram",
    type=OutputFile(path_type=Path),
    metavar="FILE",
    help="Also write the k-mer spectrum, of all k-mers whatever the other options keep.",
)
@click.option(
    "--format",
    "kmer_format",
    metavar="|".join(KMER_FORMATS),
    help="Lines of k-mer and count (tsv), NumPy arrays (npz), a set for dbg kmers (dbgk), KFF 1.0 (kff), or FASTA with "
    "counts as names (fasta); default: by file extension of -o, or tsv.",
)
@output_option
@run_options
@gpus_option
@dask_option
@verbosity
def command(
    histogram: Path | None,
    kmer_format: str | None,
    output: str | None,
    branching: bool,
    dask: str | None,
    **options: Any,
) -> None:
    """Count the k-mers of READS (FASTA, FASTQ or plain sequences, compressed or not; default or -: standard input).

    Writes one k-mer per line with a tab and its count, in alphabetical order; with the extension .dbgk a set of k-mers
    that 'dbg kmers' combines.
    """
    configure_log(options)
    inputs, run = take_read_inputs(options), take_run_options(options)
    kmer_format = choose_format(output, KMER_FORMATS, "tsv", kmer_format, "--format")
    if branching and kmer_format in SET_FORMATS:
        raise UsageError(
            f"--branching writes numbers of neighbours, for which {kmer_format} has no room", "choose tsv or npz"
        )
    histogram_format = choose_format(histogram, HISTOGRAM_FORMATS, "histogram", of="--histogram")
    chosen = CountOptions(**options)
    check_writable(output)
    check_writable(histogram)
    backend, counted = _counted(inputs, chosen, run, dask)
    assert counted.table is not None
    warn_of_no_kmers(counted, options["k"])
    numbers = (f"{n:,}" for n in (counted.n_kmers, int(counted.frequency.sum()), counted.n_reads))
    log.report("%s k-mers, %s distinct, in %s reads", *numbers)
    table, degrees = _kept(counted.table.moved(backend.to_host), chosen, branching)
    with log.stage("write"), open_output(output) as stream:
        if kmer_format == "npz":
            write_kmer_arrays(stream, table, degrees)
        elif kmer_format in SET_FORMATS:
            in_order = table if chosen.top is None else table.rows(np.lexsort(table.codes[::-1]))
            write_table(stream, kmer_format, in_order)
        else:
            write_kmer_lines(stream, table, backends.host(), degrees)
    if histogram is not None:
        with open_output(histogram) as stream:
            write_histogram(stream, counted.multiplicity, counted.frequency, SEPARATORS[histogram_format])


def _counted(
    inputs: ReadInputs, options: CountOptions, run: RunOptions, dask: str | None
) -> tuple[Backend, CountResult]:
    """Count k-mers, here or on the workers of a cluster."""
    n_bases = expected_bases(inputs)
    with engine_at(dask, run, n_bases) as (engine, own):
        backend = backends.load_arrays(own, "reads", n_bases)
        batches = measured_reads(inputs, LengthMeter(backend.to_host), own, backend, engine)
        return backend, count_kmers(batches, options, own, backend, n_bases_expected=n_bases, engine=engine)


def _kept(table: KmerTable, options: CountOptions, branching: bool) -> tuple[KmerTable, dict[str, NDArray[np.uint8]]]:
    """Filter a table by --max-count, --branching and --top, in this order; with the degrees of branching k-mers."""
    if options.max_count is not None:
        table = table.rows(np.flatnonzero(table.counts <= options.max_count))
    degrees: dict[str, NDArray[np.uint8]] = {}
    if branching:
        found = kmer_degrees(table, backends.host())
        rows = found.branching
        log.report("%s of %s k-mers are branching", f"{len(rows):,}", f"{len(table):,}")
        degrees = {"predecessors": found.predecessors[rows], "successors": found.successors[rows]}
        table = table.rows(rows)
    if options.top is not None:
        rows = most_frequent(table.counts, options.top)
        table, degrees = table.rows(rows), {name: column[rows] for name, column in degrees.items()}
    return table, degrees
